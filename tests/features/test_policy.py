"""Policies: their choices, their files, their Python source, and the gap that they close."""

import json
from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.features.group_values import evaluate_group, fit_rows
from polarbear.features.policy_fit import policy_for_query
from polarbear.features.ranges import ranges_of
from polarbear.posterior.beta_mixture import symmetric_prior, update
from tests.features.two_kinds import GRID, scores_of, two_kinds


@pytest.fixture(scope="module")
def data():
    return two_kinds(60, seed=1)


@pytest.fixture(scope="module")
def policy(data):
    runs, table = data
    return pb.policy(runs, table, grid=GRID)


def test_choices_follow_budget_and_features(policy):
    assert policy.used == ("size",)
    assert policy.choose(10, size=40) == policy.choose(10, size=5) == "third"
    assert policy.choose(1000, size=40) == "second"
    assert policy.choose(1000.0, size="5", rotated=True) == "first"
    assert policy.choose(1000, size=None) == policy.choose(1000, size=float("nan")) == policy.choose(1000)
    assert policy.choose(size=40) == "second"  # from 100 on, which is half of the axis
    assert policy.explain_choice(1000, size=40, rotated=True).endswith(
        "rotated has no effect: the policy asks for size only."
    )
    assert policy.explain_choice(1000, size=40).startswith("At 1,000, the policy chooses second")
    with pytest.raises(
        ValueError, match="all candidates were observed, from 10 to 1000, got 2000; choose another budget"
    ):
        policy.choose(2000, size=40)
    with pytest.raises(ValueError, match="expected a number as the budget, got '10'"):
        policy.choose("10", size=40)
    with pytest.raises(ValueError, match="did you mean 'size'"):
        policy.choose(100, sise=40)


def test_without_a_feature_the_choice_is_that_for_all_instances():
    """The choice for all instances, `broad`, is the best one in neither group."""
    large = np.arange(30) % 2 == 1
    runs = [
        pb.Trajectory(name, i, [1], [0.0 if name == best else 2.0], end=9)
        for i in range(30)
        for best in ["broad" if i < 12 else "right" if large[i] else "left"]
        for name in ("left", "right", "broad")
    ]
    policy = pb.policy(runs, {"instance": range(30), "large": large}, grid=[1, 9])
    assert [policy.choose(5, large=each) for each in (False, True)] == ["left", "right"]
    assert policy.choose(5) == policy.choose() == policy.choose(5, large=None) == "broad"
    assert policy.explain_choice(5).endswith(
        "(30 instances in the data). Not given: large, so the answer is for all instances."
    )


def test_missing_values_go_to_their_side_and_features_that_are_not_given_to_none(data, tmp_path):
    runs, table = data
    size = [None if i in (0, 1) else value for i, value in enumerate(table["size"])]
    policy = pb.policy(runs, {"instance": range(60), "size": size, "owner": 60 * ["me"]}, grid=GRID)
    missing_left = policy.root.split.missing_left
    sides = (policy.root.left, policy.root.right)
    side = sides[0] if missing_left else sides[1]
    assert policy.find_group({"size": None}).leaf == side
    assert policy.find_group({"size": None}).conditions[0].or_missing
    assert policy.find_group({}).leaf == policy.root.undivided
    assert policy.root.undivided.instances == 60
    assert policy.left_out == ("instance", "owner")
    policy.save(tmp_path / "policy.json")
    assert pb.load_policy(tmp_path / "policy.json") == replace(policy, findings=())
    space: dict = {}
    exec(policy.to_python(), space)
    for budget in (10, 50, 1000):
        for given in ({}, {"size": None}, {"size": 5}, {"size": 40, "owner": "me"}):
            assert space["choose"](budget, **given) == policy.choose(budget, **given)


def test_a_known_budget_has_one_answer_also_where_two_algorithms_are_equally_good():
    """At the first budget `a` and `b` come first equally often; from then on `b` is better."""
    runs = [
        pb.Trajectory(name, i, [1, 9], [float((name == "a") == (i % 2 == 0)), -1.0 if name == "b" else 0.0], end=9)
        for name in ("a", "b")
        for i in range(20)
    ]
    table = {"instance": range(20), "noise": np.random.default_rng(0).random(20)}
    asked = policy_for_query(pb.collect_runs(runs, grid=[1, 9]), table, pb.At(1), pb.Expected())
    assert asked.choose() == pb.policy(runs, table, grid=[1, 9]).choose(1) == "b"
    assert pb.policy(runs, table, pb.At(1), grid=[1, 9]).choose() == "b"
    assert "It is unclear: " in asked.explain_choice()


def test_explanation_and_query_change_their_choice_where_the_policy_does(data, policy):
    runs, table = data
    explanation = pb.explain(runs, table, grid=GRID)
    rows = [(group, span) for group, span in zip(*_columns(policy.to_table()), strict=True)]
    for group in explanation.groups:
        own = [span for name, span in rows if name == group.name]
        edges = {edge for start, stop, _ in own for edge in (start, stop)}
        assert edges <= {edge for each in group.choices for edge in (each.start, each.stop)}
        assert all(
            policy.choose((each.start * each.stop) ** 0.5, size=_size(group)) == each.choice for each in group.choices
        )
    collected = pb.collect_runs(runs, grid=GRID)
    for budget in (20, 80, 85, 900):
        asked = policy_for_query(collected, table, pb.At(budget), pb.Expected())
        assert [asked.choose(size=size) for size in (5, 40)] == [policy.choose(budget, size=size) for size in (5, 40)]


def _columns(table):
    return table["group"], list(zip(table["start"], table["stop"], table["choice"], strict=True))


def _size(group):
    return 40 if group.name == "size > 20" else 5


def test_files_and_python_source_agree_with_the_policy(policy, tmp_path):
    policy.save(tmp_path / "policy.json")
    loaded = pb.load_policy(tmp_path / "policy.json")
    assert loaded == policy
    space: dict = {}
    exec(policy.to_python(), space)
    rng = np.random.default_rng(0)
    for _ in range(300):
        budget = None if rng.random() < 0.1 else float(np.exp(rng.uniform(np.log(10), np.log(1000))))
        given = {"size": rng.choice([None, 5, 20, 20.001, 40])} if rng.random() < 0.9 else {}
        assert space["choose"](budget, **given) == policy.choose(budget, **given)
    with pytest.raises(ValueError, match="expected a budget from 10 to 1000"):
        space["choose"](5)
    for given, message in (
        ({"sise": 5}, "expected features that the policy knows"),
        ({"size": "large"}, "expected size to be a number, got 'large'"),
    ):
        for choose in (space["choose"], policy.choose):
            with pytest.raises(ValueError, match=message):
                choose(500, **given)
    for choose in (space["choose"], policy.choose):
        assert choose(500, size=40, rotated="perhaps") == "second"  # a level of a feature without effect


def test_categories_in_python_source_agree_with_the_policy(data):
    runs, table = data
    kinds = {"instance": table["instance"], "big one's": table["size"] > 10}
    policy = pb.policy(runs, kinds, grid=GRID)
    space: dict = {}
    exec(policy.to_python(), space)
    for value in (True, False, "true", "Yes", np.True_, None, "?", float("nan")):
        given = {"big one's": value}
        assert space["choose"](500, **given) == policy.choose(500, **given)
    for choose in (space["choose"], policy.choose):
        with pytest.raises(ValueError, match="to be one of false, true, got 'perhaps'; leave it out"):
            choose(500, **{"big one's": "perhaps"})


def test_damaged_files_are_refused(policy, tmp_path):
    path = tmp_path / "policy.json"
    policy.save(path)
    good = json.loads(path.read_text())
    for change, message in (
        ({"format": "x"}, "is not a policy file"),
        ({"version": 2}, "has format version 2, this PolarBear reads version 3; learn the policy again"),
        ({"root": {"split": {"feature": "size"}}}, "is a damaged policy file"),
    ):
        path.write_text(json.dumps(good | change))
        with pytest.raises(ValueError, match=message):
            pb.load_policy(path)
    path.write_text("{")
    with pytest.raises(ValueError, match="or it is damaged"):
        pb.load_policy(path)


def test_a_group_that_resembles_the_others_is_surer_and_one_that_differs_is_not_outvoted():
    rng = np.random.default_rng(0)
    rows, best = np.arange(8), rng.choice(2, size=(60, 1), p=[0.8, 0.2])
    best[rows] = np.repeat([0, 1], [6, 2])[:, None]
    alike, alone = (fit_rows(scores_of(each, "ab"), rows).posterior for each in (best, best[rows]))
    assert alike.win_rates(0, 1).std() < 0.85 * alone.win_rates(0, 1).std()
    best[rows], best[8:] = 0, 1
    values = evaluate_group(scores_of(best, "ab"), rows)
    assert values.expected[0, 0] > 0.7


def test_the_choice_has_the_highest_win_rate_against_its_strongest_rival():
    """`a` comes first most often; `c` beats it on 60 % of the instances, and `b` on 65 %."""
    ranks = np.array(40 * [[0, 2, 1]] + 35 * [[2, 0, 1]] + 25 * [[2, 1, 0]])
    runs = [
        pb.Trajectory(name, i, [1], [float(rank)], end=9)
        for i, each in enumerate(ranks)
        for name, rank in zip("abc", each, strict=True)
    ]
    noise = {"instance": range(100), "noise": np.random.default_rng(0).random(100)}
    policy = pb.policy(runs, noise, grid=[1, 9])
    [span] = policy.root.ranges
    assert (span.name, policy.root.whole) == ("c", "c")
    assert span.share == policy.root.share
    assert 0.52 < span.share < 0.6  # the mean of the lower of two win rates is below both means
    reason = f"it is expected to win on {100 * span.share:.0f} % of instances against its strongest rival"
    assert reason in policy.explain_choice(5)


@pytest.mark.parametrize(("rare", "note"), [(7, "too few"), (8, "tentative"), (30, "")])
def test_a_group_with_few_instances_takes_the_choice_for_all(rare, note):
    is_rare = np.arange(100) < rare
    runs = [
        pb.Trajectory(name, i, [1], [float((name == "a") == is_rare[i])], end=9) for i in range(100) for name in "ab"
    ]
    table = {"instance": range(100), "rare": is_rare}
    policy, answer = pb.policy(runs, table, grid=[1, 9]), pb.explain(runs, table, grid=[1, 9])
    leaf, group = policy.find_group({"rare": True}).leaf, answer.groups[1]
    assert (leaf.instances, leaf.note, group.note) == (rare, note, note)
    assert policy.choose(5, rare=True) == policy.choose(rare=True) == group.choices[0].choice == "ab"[rare > 7]
    assert group.choices[0].changes == (rare > 7)
    sentence, reason = answer.sentences[1], policy.explain_choice(5, rare=True)
    assert leaf.size in sentence
    assert leaf.size in reason
    assert ("choose as for all instances" in sentence) == ("instances like this" not in reason) == (rare == 7)


def test_members_of_a_cluster_are_one_instance():
    """Forty instances of five clusters are on each side."""
    kind = np.arange(80) % 2
    runs = [
        pb.Trajectory(name, i, [1], [float((name == "a") == kind[i])], end=9, cluster=i % 10)
        for i in range(80)
        for name in "ab"
    ]
    answer = pb.explain(runs, {"instance": range(80), "kind": kind}, grid=[1, 9])
    assert [each.size for each in answer.groups] == 2 * ["40 instances in 5 clusters, too few for a choice of its own"]


def test_ranges_are_the_upper_envelope():
    rng = np.random.default_rng(4)
    grid, scores = pb.log_grid(1, 100, 6), rng.random((6, 4))
    ranges = ranges_of(grid, scores, scores, "abcd")
    for budget in np.geomspace(1, 100, 301):
        at = [np.interp(np.log(budget), np.log(grid.budgets), column) for column in scores.T]
        name = next(each.name for each in reversed(ranges) if budget >= each.start or each is ranges[0])
        assert at["abcd".index(name)] >= max(at) - 1e-4
    assert [each.stop for each in ranges[:-1]] == [each.start for each in ranges[1:]]


def test_a_cautious_policy_uses_draws(data):
    runs, table = data
    policy = pb.policy(runs, table, risk=pb.Quantile(0.05), grid=GRID)
    assert policy.choose(1000, size=40) == "second"
    assert policy.risk == "the 5 % quantile of the value"


def test_an_informative_feature_closes_the_gap_and_noise_does_not(data):
    runs, table = data
    gap = pb.gap_closed(runs, table, grid=GRID)
    late = gap.grid.budgets >= 100
    assert np.isnan(gap.closed[~late]).all()  # one algorithm is the best on all instances
    assert (gap.closed[late] > 0.7).all()
    assert gap.overall_lower < gap.overall < gap.overall_upper
    assert "closes" in gap.sentence
    assert len(gap.to_frame()) == len(GRID)
    useless = {name: table[name] for name in ("instance", "noise", "rotated")}
    assert pb.gap_closed(runs, useless, grid=GRID).overall < 0.15


def test_nothing_is_said_about_budgets_at_which_nothing_was_compared():
    """`short` stops at 20, so that beyond it a choice would rest on the prior alone."""
    rng = np.random.default_rng(0)
    odd = np.arange(60) % 3 == 0
    runs = [
        pb.Trajectory(name, i, [1], [float((name == "long") == odd[i]) + rng.random() / 2], end=budget)
        for i in range(60)
        for name, budget in (("long", 100), ("short", 20))
    ]
    table, grid = {"instance": range(60), "odd": odd}, pb.log_grid(1, 100, 9)
    policy, answer = pb.policy(runs, table, grid=grid), pb.explain(runs, table, grid=grid)
    assert policy.last == answer.groups[0].choices[-1].stop == pytest.approx(grid.budgets[5])
    with pytest.raises(ValueError, match=r"all candidates were observed, from 1 to 17.7828, got 100; choose another"):
        policy.choose(100, odd=False)
    with pytest.raises(ValueError, match=r"all candidates were observed, from 1 to 17.8, got 25; choose another"):
        pb.policy(runs, table, pb.At(25), grid=grid)


def test_a_group_takes_the_choice_for_all_where_it_was_not_observed():
    rng = np.random.default_rng(0)
    odd = np.arange(60) % 3 == 0
    runs = [
        pb.Trajectory(name, i, [1], [float((name == "a") == odd[i]) + rng.random() / 2], end=20 if odd[i] else 100)
        for i in range(60)
        for name in "ab"
    ]
    policy = pb.policy(runs, {"instance": range(60), "odd": odd}, grid=pb.log_grid(1, 100, 9))
    assert [policy.choose(budget, odd=True) for budget in (10, 90)] == ["b", "a"]
    assert [policy.choose(budget, odd=False) for budget in (10, 90)] == ["a", "a"]


@pytest.mark.parametrize("common", [0, 1])
def test_both_sides_of_two_equally_frequent_levels_have_their_own_name(common):
    """Missing values behave like one of the levels and make its side the larger one."""
    kinds = ["x1"] * 40 + ["x2"] * 40 + [None] * 20
    behaves = [kind or ("x1", "x2")[common] for kind in kinds]
    runs = [
        pb.Trajectory(name, i, [1], [float((name == "A") != (behaves[i] == "x1"))], end=9)
        for i in range(100)
        for name in "AB"
    ]
    policy = pb.policy(runs, {"instance": range(100), "kind": kinds}, grid=[1, 9])
    for kind in ("x1", "x2"):
        assert str(policy.find_group({"kind": kind}).conditions[0]).startswith(f"kind = {kind}")


def test_given_features_without_effect_are_named():
    """The second question is asked only for large instances."""
    rng = np.random.default_rng(1)
    large, kind = np.arange(120) % 2 == 1, np.where(np.arange(120) % 4 < 2, "smooth", "rugged")
    best = np.where(~large, "small", np.where(kind == "smooth", "first", "second"))
    runs = [
        pb.Trajectory(name, i, [1], [float(name != best[i]) + rng.random() / 2], end=9)
        for i in range(120)
        for name in ("small", "first", "second")
    ]
    policy = pb.policy(runs, {"instance": range(120), "large": large, "kind": kind}, grid=[1, 9])
    assert policy.used == ("large", "kind")
    given = {"kind": "smooth"}
    assert policy.describe_unused(given) == "kind has no effect: the policy asks for large first."
    assert policy.explain_choice(5, **given).endswith(
        "Not given: large, so the answer is for all instances. kind has no effect: the policy asks for large first."
    )
    assert policy.describe_unused({"large": False, "kind": "smooth"}) == (
        "kind has no effect: the policy asks for large in this group only."
    )
    assert not policy.describe_unused({"large": True, "kind": "smooth"})
    assert policy.explain_choice(5, large=True).endswith("so the answer is for all instances of this group.")


@pytest.mark.parametrize("wins", [8, 12, 15])
def test_the_probability_of_the_choice_is_that_of_the_pair(wins):
    runs = [
        pb.Trajectory(name, i, [1], [float((name == "a") != (i < wins))], end=9) for i in range(20) for name in "ab"
    ]
    noise = {"instance": range(20), "noise": np.random.default_rng(0).random(20)}
    leaf = policy_for_query(pb.collect_runs(runs, grid=[1, 9]), noise, pb.At(5), pb.Expected()).find_group({}).leaf
    prior = symmetric_prior(pb.BayesianBootstrap().near_equal, 1)
    exact = float(update(prior, *np.array([[max(wins, 20 - wins)], [min(wins, 20 - wins)], [0.0]])).above()[0])
    assert leaf.whole == ("a" if wins > 10 else "b")
    assert leaf.probability == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 1000))  # four standard errors
