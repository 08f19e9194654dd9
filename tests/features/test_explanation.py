"""Splits, their gain on instances not used to find them, and the words for both."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.features.feature import Feature
from polarbear.features.groups import describe_groups
from polarbear.features.held_out import held_out_gain
from polarbear.features.splits import Condition, candidate_splits, describe_conditions, gains_of
from polarbear.features.training_set import make_training_set
from polarbear.features.tree import LEAST_CLUSTERS, _p_value, cluster_weights, grow_tree
from polarbear.findings import Code, Finding
from tests.features.two_kinds import GRID, scores_of, two_kinds


@pytest.fixture(scope="module")
def found():
    runs, table = two_kinds()
    return pb.explain(runs, table, grid=GRID)


def test_the_split_is_found_and_the_sentences_say_what_to_do(found):
    assert found.matters
    assert [each.feature for each in found.splits] == ["size"]
    small, large = found.groups
    assert (small.name, large.name) == ("size ≤ 20", "size > 20")
    assert (large.size, large.units) == (f"{large.instances} instances, tentative", large.instances)
    late = large.choices[-1]
    assert (late.choice, late.stop) == ("second", 1000)
    early = large.choices[0]
    assert early.choice == early.choice_for_all == "third"
    assert early.probability == early.win_rate == 0.5
    assert found.splits[0].certainty > 0.9
    assert found.gain.lower > 0
    assert found.gain.gain == pytest.approx(found.gain.following - found.gain.single)
    assert late.win_rate > late.share > 0.5  # `first` is not the strongest rival of `second`
    assert f"second is expected to beat first on {100 * late.win_rate:.0f} % of such instances" in found.sentences[1]
    assert "on instances not used to find them" in found.sentences[-1]
    frame = found.to_frame()
    assert set(frame["group"]) == {"size ≤ 20", "size > 20"}
    assert "<table>" in found._repr_html_()
    assert str(found).startswith(found.sentences[0])


def test_shuffled_features_do_not_matter():
    runs, table = two_kinds()
    order = np.random.default_rng(5).permutation(40)
    shuffled = {name: column if name == "instance" else np.asarray(column)[order] for name, column in table.items()}
    found = pb.explain(runs, shuffled, grid=GRID)
    assert not found.matters
    assert found.gain is None
    assert found.sentences[0].startswith("No feature matters: none of 3 features")
    assert [group.conditions for group in found.groups] == [()]


def test_instances_without_runs_of_a_candidate_are_left_out():
    """As in a race that stops running a candidate: 40 of 100 instances count, and the answer is that of these alone."""
    runs, table = two_kinds(100)
    partial = [run for run in runs if run.algorithm != "third" or run.instance < 40]
    found = pb.explain(partial, table, grid=GRID)
    numbers = {"counting": 40, "instances": 100}
    assert found.findings == (Finding(Code.FEW_SHARED_INSTANCES, "tentative", numbers=numbers),)
    same = pb.explain(
        [run for run in runs if run.instance < 40], {name: list(cells)[:40] for name, cells in table.items()}, grid=GRID
    )
    assert found.instances == 40
    assert found.sentences == same.sentences


def test_a_feature_that_is_constant_within_clusters_needs_many_clusters():
    """Ten instances in each of four clusters are no more than four: no split leaves five clusters on both sides."""
    runs, table = two_kinds(clusters=4)
    found = pb.explain(runs, table, grid=GRID)
    assert found.instances == 4
    assert found.sentences[0].endswith("clusters such as functions, and there are 4 in all.")


def test_gains_equal_their_definition():
    rng = np.random.default_rng(0)
    first = rng.random((12, 3, 4)).astype(np.float32)
    left = (rng.random((5, 12)) < 0.5).astype(np.float32)
    for gain, side in zip(gains_of(left, first), left > 0, strict=True):
        whole, parts = first.sum(axis=0), (first[side].sum(axis=0), first[~side].sum(axis=0))
        assert gain == pytest.approx(sum(part.max(axis=1).sum() for part in parts) - whole.max(axis=1).sum(), abs=1e-5)


def test_candidate_splits_are_distinct_and_missing_values_join_the_majority():
    number = Feature("size", "number", np.array([1.0, 1, 2, 2, 2, np.nan]))
    same = Feature("copy", "category", np.array([0.0, 0, 1, 1, 1, 1]), ("no", "yes"))
    splits = candidate_splits([number, same], np.ones(6), least=2)
    assert [(str(each.left), str(each.right)) for each in splits.splits] == [("size ≤ 1.5", "size > 1.5 or missing")]
    assert splits.left.tolist() == [[1, 1, 0, 0, 0, 0]]
    assert splits.splits[0].goes_left(number).tolist() == [True, True, False, False, False, False]


def test_conditions_say_on_which_side_missing_values_are():
    above, below = Condition("size", ">", "2", or_missing=True), Condition("size", "≤", "8", or_missing=True)
    assert describe_conditions([above, below]) == "size > 2 (or missing) and size ≤ 8 (or missing)"
    assert describe_conditions([above, Condition("size", ">", "8", or_missing=True)]) == "size > 8 or missing"
    # The second condition sends missing values to its other side.
    kinds = [Condition("kind", "≠", "a b", or_missing=True), Condition("kind", "=", "c")]
    assert describe_conditions(kinds) == "kind ≠ a b and kind = c"


def test_names_of_features_may_look_like_conditions():
    """Read as text, both conditions are on a feature `cost`, and the first would be lost."""
    conditions = [Condition("cost > 1", ">", "5"), Condition("cost > 2 or missing", ">", "7", or_missing=True)]
    assert describe_conditions(conditions) == "cost > 1 > 5 and cost > 2 or missing > 7 (or missing)"


@pytest.mark.parametrize(
    ("preference", "where"),
    [
        (pb.At(300), "at 300 s"),
        (pb.Final(), "at 1,000 s"),
        (pb.Between(200, 700), "from 200 to 700 s"),
        (pb.Weighted([0, 0, 0, 0, 0, 0, 0, 1, 1]), "from 750 to 1,000 s"),
        (pb.Uniform(), "at every budget"),
    ],
)
def test_sentences_name_the_budgets_that_the_preference_considers(preference, where):
    runs, table = two_kinds()
    runs = [run for run in runs if run.algorithm != "third"]
    rng = np.random.default_rng(0)
    training = make_training_set(runs, table, preference=preference, among=None, grid=pb.log_grid(100, 1000, 9))
    tree = grow_tree(training.scores, training.features, depth=1, level=0.05, rng=rng)
    _, large = describe_groups(tree, training.scores, preference)
    assert large.sentences("s")[0].startswith(
        f"size > 20 (16 instances, tentative): choose second instead of first {where}: second is expected to beat first on"
    )


def test_the_held_out_gain_of_noise_is_not_positive():
    """In the data the best split of noise always gains something; on other instances it does not."""
    rng = np.random.default_rng(2)
    scores = scores_of(rng.integers(2, size=(60, 4)), "ab")
    features = [Feature(str(k), "number", rng.normal(size=60)) for k in range(5)]
    splits = candidate_splits(features, cluster_weights(scores.clusters), least=LEAST_CLUSTERS)
    assert gains_of(splits.left, scores.first).max() > 0.05
    gain = held_out_gain(scores, splits.left, 1, level=0.95, rng=rng)
    assert gain.lower < 0
    assert gain.gain < 0.05


@pytest.mark.parametrize(("p_value", "accepted"), [(0.045, True), (0.05, False)])
def test_a_split_needs_a_p_value_below_the_level(monkeypatch, p_value, accepted):
    """The level 1 - 0.95 is a little above 0.05, which must not make the test more liberal."""
    monkeypatch.setattr("polarbear.features.tree._p_value", lambda *_: p_value)
    training = make_training_set(*two_kinds(), preference=None, among=None, grid=GRID)
    tree = grow_tree(training.scores, training.features, depth=1, level=1 - 0.95, rng=np.random.default_rng(0))
    assert (tree.split is not None) == accepted


def test_equal_gains_of_permutations_count_against_a_split():
    """Counts are exact in single precision and shares are not; both must give the same p-value, though ties are frequent."""
    different = np.random.default_rng(0)
    for seed in range(5):
        counts = np.eye(3, dtype=np.float32)[different.integers(3, size=(30, 7))]
        left = (different.random((6, 30)) < 0.5).astype(np.float32)
        by_counts, by_shares = (
            _p_value(float(gains_of(left, first).max()), left, first, np.arange(30), np.random.default_rng(seed))
            for first in (counts, counts / np.float32(210))
        )
        assert by_shares == by_counts


def test_a_tree_of_depth_two_finds_a_feature_within_a_group():
    rng = np.random.default_rng(3)
    outer, inner = rng.random((2, 200)) < 0.5
    scores = scores_of(np.where(outer, np.where(inner, 0, 1), 2)[:, None], "abc")
    features = [Feature("outer", "number", outer * 1.0), Feature("inner", "number", inner * 1.0)]
    tree = grow_tree(scores, features, depth=2, level=0.05, rng=rng)
    assert [node.split.feature for node in tree.inner] == ["outer", "inner"]
    assert [leaf.choices.tolist() for leaf in tree.leaves] == [[2], [1], [0]]


def test_faulty_requests_are_refused():
    runs, table = two_kinds(12)
    with pytest.raises(ValueError, match=r"expected a confidence from 0\.5"):
        pb.explain(runs, table, grid=GRID, confidence=2)
    with pytest.raises(ValueError, match="expected features of the instances, got none"):
        pb.explain(runs, grid=GRID)
    with pytest.raises(ValueError, match="expected two candidates"):
        pb.explain(runs, table, grid=GRID, among=["first"])
    with pytest.raises(ValueError, match="expected a preference with weights"):
        pb.explain(runs, table, grid=GRID, preference=pb.Custom(lambda curves: curves.max(axis=-1)))
    partial = [run for run in runs if run.algorithm != "third" or run.instance < 3]
    with pytest.raises(ValueError, match="name fewer candidates with among="):
        pb.explain(partial, table, grid=GRID)
