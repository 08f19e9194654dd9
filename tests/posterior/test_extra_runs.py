"""The chance that extra runs win, against all choices of runs in turn."""

from itertools import combinations, product

import numpy as np
import pytest

from polarbear.observe.repeated_runs import rank_repeated_runs
from polarbear.posterior.extra_runs import ExtraRuns
from polarbear.posterior.posterior_file import _read_repeated

TIMES, DRAWS = 3, 4
PROBLEM = np.repeat([0, 1, 2, 3], [4, 1, 3, 4])


def listed_chance(values, weights, pseudo, members, rivals, extra, *, base, model):
    """The chance by the definition: every instance, and every choice of further runs on its problem."""
    gains, left = np.zeros((TIMES, DRAWS)), np.zeros((TIMES, DRAWS))
    for t in range(TIMES):
        for problem in range(4):
            rows = np.flatnonzero(problem == PROBLEM)
            found = []
            for i in rows:
                own = values[i, t, members]
                against = values[i, t, rivals]
                further = {a: [j for j in rows if j != i and not np.isnan(values[j, t, a])] for a in extra}
                if np.isnan(own).any() or np.isnan(against).all() or not all(further.values()):
                    continue
                goal = np.nanmin(against)
                score = compare(own.min(), goal)
                pools = [list(combinations(further[a], min(extra[a], len(further[a])))) for a in extra]
                wins = [
                    max(
                        score,
                        compare(min(values[j, t, a] for a, js in zip(extra, chosen, strict=True) for j in js), goal),
                    )
                    for chosen in product(*pools)
                ]
                found.append((np.mean(wins) - score, 1 - score))
            if found:
                gained, open_ = np.mean(found, axis=0)
                gains[t] += weights[problem] * gained
                left[t] += weights[problem] * open_
    prior = pseudo * (1 - base)
    return (gains + prior * model) / (left + prior)


def compare(one, other):
    return 1.0 if one < other else 0.5 if one == other else 0.0


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
def test_the_chance_equals_the_mean_over_all_choices_of_runs(members, rivals, extra, kinds):
    rng = np.random.default_rng(kinds)
    values = rng.integers(0, kinds, size=(12, TIMES, 4)).astype(float)
    values[rng.random(values.shape) < 0.15] = np.nan
    weights, pseudo = rng.random((4, DRAWS)).astype(np.float32), rng.random(DRAWS).astype(np.float32)
    base, model = rng.random((TIMES, DRAWS)), rng.random((TIMES, DRAWS))
    runs = ExtraRuns(rank_repeated_runs(values, PROBLEM), weights, pseudo)
    found = runs.chance(members, rivals, extra, base=base, by_model=model)
    listed = listed_chance(values, weights, pseudo, members, rivals, extra, base=base, model=model)
    np.testing.assert_allclose(found, listed, atol=2e-6)  # weights in single precision
    some = runs.at_times(slice(1, 3)).thin(np.array([2, 0]))
    part = some.chance(members, rivals, extra, base=base[1:, [2, 0]], by_model=model[1:, [2, 0]])
    np.testing.assert_allclose(part, found[1:, [2, 0]], rtol=1e-6)


def test_counts_of_problems_and_repetitions():
    runs = ExtraRuns(rank_repeated_runs(np.ones((12, 1, 2)), PROBLEM), np.ones((4, 1)), np.ones(1))
    assert (runs.problems, runs.repetitions) == (3, 4)


def test_damaged_repeated_runs_are_refused():
    ranks, problem = np.zeros((3, 2, 2), dtype=np.int16), np.zeros(3, dtype=np.int64)
    good = {"repeated_ranks": ranks, "repeated_problem": problem}
    assert _read_repeated(good, (3, 2, 2)).ranks.shape == (3, 2, 2)
    assert _read_repeated({}, (3, 2, 2)) is None
    for bad in ({"repeated_problem": problem - 1}, {"repeated_problem": problem[:2]}, {"repeated_ranks": ranks[:, :1]}):
        with pytest.raises(ValueError, match="repeated runs of shape"):
            _read_repeated(good | bad, (3, 2, 2))
