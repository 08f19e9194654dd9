"""Policies: their choices, their files, their Python source, and the gap that they close."""

import json

import numpy as np
import pytest

import polarbear as pb
from polarbear.features.leaf_shares import choose_borrowing, drawn_shares, expected_shares, leaf_weights
from polarbear.features.policy_fit import policy_for_query
from polarbear.features.scores import make_scores
from polarbear.features.stretches import stretches_of
from tests.features.two_kinds import GRID, two_kinds


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
    assert policy.choose(1000) in ("first", "second")
    assert policy.choose(1000, size=None) == policy.choose(1000, size=float("nan")) == policy.choose(1000)
    assert policy.choose(size=40) == "second"  # from 100 on, which is half of the axis
    assert "Not given: size; the answer is that of the larger group." in policy.explain_choice(1000)
    assert policy.explain_choice(1000, size=40, rotated=True).endswith(
        "rotated has no effect: the policy asks for size only."
    )
    assert policy.explain_choice(1000, size=40).startswith("At 1,000, the policy chooses second")
    with pytest.raises(ValueError, match="expected the budget within the grid, from 10 to 1000, got 2000"):
        policy.choose(2000, size=40)
    with pytest.raises(ValueError, match="did you mean 'size'"):
        policy.choose(100, sise=40)


def test_explanation_and_query_change_their_choice_where_the_policy_does(data, policy):
    runs, table = data
    explanation = pb.explain(runs, table, grid=GRID)
    rows = [(group, stretch) for group, stretch in zip(*_columns(policy.to_table()), strict=True)]
    for group in explanation.groups:
        own = [stretch for name, stretch in rows if name == group.name]
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
    return 40 if group.conditions == ("size > 20",) else 5


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
        ({"rotated": "perhaps"}, "expected rotated to be one of false, true, got 'perhaps'; leave it out"),
    ):
        for choose in (space["choose"], policy.choose):
            with pytest.raises(ValueError, match=message):
                choose(500, **given)


def test_categories_in_python_source_agree_with_the_policy(data):
    runs, table = data
    kinds = {"instance": table["instance"], "big one's": table["size"] > 10}
    policy = pb.policy(runs, kinds, grid=GRID)
    space: dict = {}
    exec(policy.to_python(), space)
    for value in (True, False, "true", "Yes", np.True_, None, "?", float("nan")):
        given = {"big one's": value}
        assert space["choose"](500, **given) == policy.choose(500, **given)


def test_damaged_files_are_refused(policy, tmp_path):
    path = tmp_path / "policy.json"
    policy.save(path)
    good = json.loads(path.read_text())
    for change, message in (
        ({"format": "x"}, "is not a policy file"),
        ({"version": 99}, "has format version 99"),
        ({"root": {"split": {"feature": "size"}}}, "is a damaged policy file"),
    ):
        path.write_text(json.dumps(good | change))
        with pytest.raises(ValueError, match=message):
            pb.load_policy(path)
    path.write_text("{")
    with pytest.raises(ValueError, match="or it is damaged"):
        pb.load_policy(path)


def _scores(best):
    first = np.eye(3, dtype=np.float32)[best][:, None]
    number = len(best)
    return make_scores(
        first, np.ones((number, 1)), np.ones(1), instances=range(number), clusters=np.arange(number), names="abc",
        grid=pb.linear_grid(1, 1, 1),
    )  # fmt: skip


def test_similar_leaves_borrow_and_different_ones_do_not():
    rng = np.random.default_rng(0)
    leaves = [np.arange(8), np.arange(8, 40)]
    similar = _scores(rng.choice(3, size=40, p=[0.6, 0.3, 0.1]))
    assert choose_borrowing(similar, leaves) > 8
    different = _scores(np.repeat([0, 1], [8, 32]))
    borrowed = choose_borrowing(different, leaves)
    assert borrowed == 0
    assert expected_shares(different, leaf_weights(different, leaves[0], borrowed))[0].argmax() == 0


def test_draws_have_the_expected_shares_as_their_mean():
    scores = _scores(np.random.default_rng(1).choice(3, size=30, p=[0.5, 0.4, 0.1]))
    factors = leaf_weights(scores, np.arange(10), 4.0)
    assert factors.sum() == pytest.approx(14)
    draws = drawn_shares(scores, factors, rng=np.random.default_rng(2))
    np.testing.assert_allclose(draws.mean(axis=0), expected_shares(scores, factors), atol=0.02)
    np.testing.assert_allclose(draws.sum(axis=2), 1)


def test_stretches_are_the_upper_envelope():
    rng = np.random.default_rng(4)
    grid, scores = pb.log_grid(1, 100, 6), rng.random((6, 4))
    stretches = stretches_of(grid, scores, scores, "abcd")
    for time in np.geomspace(1, 100, 301):
        at = [np.interp(np.log(time), np.log(grid.times), column) for column in scores.T]
        name = next(each.name for each in reversed(stretches) if time >= each.start or each is stretches[0])
        assert at["abcd".index(name)] >= max(at) - 1e-4
    assert [each.stop for each in stretches[:-1]] == [each.start for each in stretches[1:]]


def test_a_cautious_policy_uses_draws(data):
    runs, table = data
    policy = pb.policy(runs, table, risk=pb.Quantile(0.05), grid=GRID)
    assert policy.choose(1000, size=40) == "second"
    assert policy.risk == "the 5 % quantile of the value"


def test_an_informative_feature_closes_the_gap_and_noise_does_not(data):
    runs, table = data
    gap = pb.gap_closed(runs, table, grid=GRID)
    late = gap.grid.times >= 100
    assert np.isnan(gap.closed[~late]).all()  # one algorithm is the best on all instances
    assert (gap.closed[late] > 0.7).all()
    assert gap.overall_lower < gap.overall < gap.overall_upper
    assert "closes" in gap.sentence
    assert len(gap.to_frame()) == len(GRID)
    useless = {name: table[name] for name in ("instance", "noise", "rotated")}
    assert pb.gap_closed(runs, useless, grid=GRID).overall < 0.15
