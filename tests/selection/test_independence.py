"""No number of a selection depends on algorithms that are not candidates, or on the order of algorithms and instances."""

import numpy as np
import pytest

import polarbear as pb
from tests.selection.weighted_outcomes import random_values

GRID = pb.Grid([1, 3, 10, 30])
NAMES = ["M", "C", "X"]
PREFERENCES = {
    "at": pb.At(3),
    "between budgets of the grid": pb.At(5),
    "final": pb.Final(),
    "uniform": pb.Uniform(),
    "log-uniform": pb.LogUniform(),
    "custom": pb.Custom(lambda curves: np.sqrt(curves).mean(axis=-1)),
}
CRITERIA = [
    None,
    pb.StrongestRival(),
    pb.FirstPlace(),
    pb.TopK(1),
    pb.TopK(2),
    pb.MeanRank(),
    pb.WinRateAgainst("C"),
]


def runs_of(values, names, instances=None):
    """Runs whose values change at the budgets of the grid, and at 5."""
    budgets = np.array([1, 3, 5, 10, 30])
    runs = []
    for i in range(len(values)) if instances is None else instances:
        for a, name in enumerate(names):
            known = ~np.isnan(values[i, :, a])
            if known.any():
                best = np.minimum.accumulate(values[i, known, a])
                end = budgets[known][-1]
                runs.append(pb.Trajectory(name, f"instance {i}", budgets[known], best, end=end))
    return runs


def fit(values, names, **options):
    choices = pb.Choices.from_trajectories(runs_of(values, names, **options), grid=GRID, names=names)
    return pb.fit(choices, draws=200, seed=4)


@pytest.fixture(scope="module")
def values():
    """Three candidates, and three outsiders: one wins everywhere, one is missing often, one ties with a candidate."""
    rng = np.random.default_rng(0)
    values = 10.0 + random_values(25, 5, 6, seed=0) - 2 * np.arange(5)[:, None]
    values[..., 3] -= 20
    values[rng.random(25) < 0.6, :, 4] = np.nan
    values[rng.random(25) < 0.5, 3:, 4] = np.nan
    values[..., 5] = values[..., 1]
    return values


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize("preference", PREFERENCES.values(), ids=PREFERENCES)
def test_algorithms_that_are_not_candidates_change_nothing(values, preference, criterion):
    alone = pb.select(fit(values[..., :3], NAMES), preference, among=NAMES, criterion=criterion)
    for others in ([3], [4], [5], [3, 4, 5]):
        order = [*others, 0, 1, 2]  # they also come first
        names = [*(f"outsider {other}" for other in others), *NAMES]
        here = pb.select(fit(values[..., order], names), preference, among=NAMES, criterion=criterion)
        assert here.candidates == alone.candidates
        assert str(here) == str(alone)
        assert here.findings == alone.findings
        np.testing.assert_array_equal(here.values, alone.values)


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize("preference", PREFERENCES.values(), ids=PREFERENCES)
def test_the_order_of_algorithms_and_instances_changes_nothing(values, preference, criterion):
    order = [2, 0, 1]
    instances = np.random.default_rng(1).permutation(25)
    here = fit(values[..., :3], NAMES)
    there = fit(values[..., order], [NAMES[place] for place in order], instances=instances)
    exactly = criterion in (None, pb.StrongestRival(), pb.WinRateAgainst("C"))
    one, other = (pb.select(each, preference, among=NAMES, criterion=criterion) for each in (here, there))
    assert [each.name for each in other.candidates] == [each.name for each in one.candidates]
    for first, second in zip(one.candidates, other.candidates, strict=True):
        if exactly:  # statements about pairs
            assert first == second
        else:
            assert first.expected == pytest.approx(second.expected, rel=0.1)


def test_the_map_of_some_candidates_does_not_depend_on_others(values):
    alone = pb.decision_map(fit(values[..., :3], NAMES), among=NAMES)
    here = pb.decision_map(fit(values[..., [3, 2, 0, 4, 1]], ["p", "X", "M", "q", "C"]), among=NAMES)
    order = [here.names.index(name) for name in alone.names]
    np.testing.assert_array_equal(here.probability_best[:, order], alone.probability_best)
    np.testing.assert_array_equal(here.probability_leading[order], alone.probability_leading)
    assert here.best == alone.best
    assert [(each.kind, each.start, each.stop) for each in here.ranges] == [
        (each.kind, each.start, each.stop) for each in alone.ranges
    ]


@pytest.mark.parametrize("seed", range(8))
def test_what_one_algorithm_dominates_is_not_recommended(seed):
    """If one algorithm dominates all others, it is the only candidate, and the recommendation among all."""
    rng = np.random.default_rng(seed)
    centre = np.array([0.0, 0.9, 1.2, 1.5])[rng.permutation(4)]
    values = rng.normal(centre, size=(150, 2, 4))
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2]), draws=300, seed=seed)
    kept = pb.pareto_set(posterior)
    best = "ABCD"[int(centre.argmin())]
    assert kept == (best,)
    alone = pb.select(posterior)
    assert alone.recommendation == best
    assert [each.name for each in alone.candidates] == [best]
    for preference in (pb.At(1), pb.At(2), pb.Uniform(), pb.Custom(lambda c: c.min(axis=-1))):
        everybody = pb.select(posterior, preference, among=list("ABCD"))
        assert everybody.recommendation == best
        assert everybody.probability_best > 1 - 3 * 0.05  # each of three rivals is beaten with 95 %


@pytest.mark.parametrize("seed", range(8))
def test_the_default_candidates_are_those_that_are_not_dominated(seed):
    rng = np.random.default_rng(100 + seed)
    values = rng.normal(rng.normal(scale=0.7, size=(3, 5)), size=(40, 3, 5))
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2, 3]), draws=300, seed=seed)
    kept = pb.pareto_set(posterior)
    selection = pb.select(posterior, pb.Final())
    assert {each.name for each in selection.candidates} == set(kept)
    assert pb.decision_map(posterior).names == kept
    explicit = pb.select(posterior, pb.Final(), among=kept)
    assert explicit.candidates == selection.candidates
    paper = pb.fit(pb.Choices.from_values(values, grid=[1, 2, 3]), prior=pb.Dirichlet(1), draws=300, seed=seed)
    assert {each.name for each in pb.select(paper, pb.Final()).candidates} == set("ABCDE")
