"""The chance that extra runs win, against all choices of runs in turn."""

from itertools import combinations, product

import numpy as np
import pytest

from polarbear.observe.rankings import RepeatedRuns
from polarbear.observe.repeated_runs import rank_repeated_runs
from polarbear.posterior.extra_runs import extra_runs
from polarbear.posterior.outcome_draws import OutcomeDraws
from polarbear.posterior.posterior_file import _read_repeated

TIMES, DRAWS, PSEUDO = 3, 4, 2
PROBLEM = np.repeat([0, 1, 2, 3], [4, 1, 3, 4])
WITHOUT_ROW = (5, 10)  # instances that the posterior does not weight: their runs are only drawn from


def outcomes_of(values, rng, *, over_time=True):
    """Draws of weights on the instances and on pseudo-instances, with repeated runs."""
    row = np.array([-1 if k in WITHOUT_ROW else k for k in range(len(values))])
    row[row >= 0] = np.arange(np.count_nonzero(row >= 0))
    observed = row.max() + 1
    ranks = np.zeros((observed + PSEUDO, TIMES, 4), dtype=np.int16)  # not used
    weights = rng.random((observed + PSEUDO, DRAWS)).astype(np.float32)
    sizes = rng.random(observed + PSEUDO)
    # Rows of one problem share their weight in a draw, in proportion to their sizes.
    for problem in range(4):
        own = row[(problem == PROBLEM) & (row >= 0)]
        weights[own] = sizes[own, None] * rng.random(DRAWS)
    scale = rng.random((observed + PSEUDO, TIMES)) if over_time else None
    runs = rank_repeated_runs(values, PROBLEM)
    return OutcomeDraws(ranks, weights, sizes, observed, scale, repeated=RepeatedRuns(runs.ranks, runs.problem, row))


def listed_chance(values, outcomes, members, rivals, extra, *, base, model, share_ties):
    """The chance by the definition: every instance, and every choice of further runs on its problem."""
    row = outcomes.repeated.row
    gains, left = np.zeros((TIMES, DRAWS)), np.zeros((TIMES, DRAWS))
    for t in range(TIMES):
        for problem in range(4):
            rows = np.flatnonzero(problem == PROBLEM)
            weighted = row[rows[row[rows] >= 0]]
            share = np.ones(len(outcomes.sizes)) if outcomes.scale is None else outcomes.scale[:, t]
            share = share * outcomes.sizes
            weight = outcomes.weights[weighted].sum(axis=0) * share[weighted].sum() / outcomes.sizes[weighted].sum()
            found, shares = [], []
            for i in rows[row[rows] >= 0]:
                further = {a: [j for j in rows if j != i and not np.isnan(values[j, t, a])] for a in extra}
                if np.isnan(values[i, t, [*members, *rivals]]).any() or not all(further.values()):
                    continue
                own, against = list(values[i, t, members]), list(values[i, t, rivals])
                score = compare(own, [], against, share_ties)
                pools = [list(combinations(further[a], min(extra[a], len(further[a])))) for a in extra]
                wins = [
                    compare(
                        own,
                        [values[j, t, a] for a, js in zip(extra, chosen, strict=True) for j in js],
                        against,
                        share_ties,
                    )
                    for chosen in product(*pools)
                ]
                found.append((np.mean(wins) - score, 1 - score))
                shares.append(share[row[i]])
            if found:
                gained, open_ = np.average(found, axis=0, weights=shares)
                gains[t] += weight * gained
                left[t] += weight * open_
    prior = outcomes.weights[outcomes.observed :].sum(axis=0) * (1 - base)
    return (gains + prior * model) / (left + prior)


def compare(own, extra, against, share_ties):
    """The share of the first place, or the score of a win. Extra runs that tie with a rival count like one run."""
    best, goal = min(own + extra), min(against)
    if best != goal or not share_ties:
        return 1.0 if best < goal else 0.5 if best == goal else 0.0
    tied = own.count(goal) + (goal in extra)
    return tied / (tied + against.count(goal))


@pytest.mark.parametrize(
    ("members", "rivals", "extra"),
    [
        ([0], [1, 2, 3], {0: 1}),
        ([0, 2], [1, 3], {0: 1, 2: 2}),
        ([1], [0, 2, 3], {1: 3}),
        ([1, 3], [1], {1: 1}),  # a win rate against a member
        ([0], [3], {0: 9}),  # more than there are
    ],
)
@pytest.mark.parametrize("kinds", [3, 1000], ids=["ties", "no ties"])
@pytest.mark.parametrize("over_time", [False, True], ids=["constant weights", "weights over time"])
def test_the_chance_equals_the_mean_over_all_choices_of_runs(members, rivals, extra, kinds, over_time):
    rng = np.random.default_rng(kinds)
    values = rng.integers(0, kinds, size=(12, TIMES, 4)).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    outcomes = outcomes_of(values, rng, over_time=over_time)
    base, model = rng.random((TIMES, DRAWS)), rng.random((TIMES, DRAWS))
    runs, share_ties = extra_runs(outcomes), 1 not in members or 1 not in rivals
    options = {"share_ties": share_ties}
    found = runs.chance(members, rivals, extra, base=base, by_model=lambda some: model * bool(some), **options)
    listed = listed_chance(values, outcomes, members, rivals, extra, base=base, model=model, **options)
    np.testing.assert_allclose(found, listed, atol=2e-6)  # weights in single precision
    some = runs.at_times(slice(1, 3)).thin(np.array([2, 0]))
    less = model[1:, [2, 0]]
    part = some.chance(
        members, rivals, extra, base=base[1:, [2, 0]], by_model=lambda some: less * bool(some), **options
    )
    np.testing.assert_allclose(part, found[1:, [2, 0]], rtol=1e-6)


def test_the_extent_counts_problems_with_complete_instances_and_further_runs():
    values = np.arange(12.0 * TIMES * 4).reshape(12, TIMES, 4)
    values[:4, 1, 3] = np.nan  # at the second time, the first problem has no complete instance
    values[4:, 2, 0] = np.nan  # at the third time, the others have no run of the first algorithm
    runs = extra_runs(outcomes_of(values, np.random.default_rng(0)))
    extent = runs.extent([0], [1, 2, 3], 0)
    assert (extent.problems.tolist(), extent.fewest, extent.most) == ([3, 2, 1], 3, 4)  # one problem was not repeated
    nothing = runs.at_times(np.array([1])).extent([0, 3], [1], 3)
    assert nothing.problems.tolist() == [2]


def test_runs_of_one_algorithm_alone_are_no_repetition_of_the_others():
    values = np.full((12, TIMES, 4), np.nan)
    values[[0, 4, 5, 8]] = 1.0  # every problem once
    assert extra_runs(outcomes_of(values, np.random.default_rng(0))) is None
    values[1, :, 2] = 0.0
    runs = extra_runs(outcomes_of(values, np.random.default_rng(0)))
    assert runs.extent([2], [0, 1, 3], 2).problems.tolist() == [1] * TIMES
    assert runs.extent([0], [1, 2, 3], 0).problems.tolist() == [0] * TIMES


def test_damaged_repeated_runs_are_refused():
    ranks, problem = np.zeros((3, 2, 2), dtype=np.int16), np.zeros(3, dtype=np.int64)
    good = {"repeated_ranks": ranks, "repeated_problem": problem, "repeated_row": np.array([1, -1, 0])}
    assert _read_repeated(good, 2, (2, 2)).ranks.shape == (3, 2, 2)
    assert _read_repeated({}, 2, (2, 2)) is None
    for bad in (
        {"repeated_row": np.array([1, -1, 5])},
        {"repeated_row": np.array([0, -1, -1])},
        {"repeated_problem": problem[:2]},
        {"repeated_ranks": ranks[:, :1]},
    ):
        with pytest.raises(ValueError, match="repeated runs of shape"):
            _read_repeated(good | bad, 2, (2, 2))
