"""The chance that extra runs win, against all choices of runs in turn."""

from itertools import combinations, product

import numpy as np
import pytest

import polarbear as pb
from polarbear.posterior.extra_runs import extra_runs

TIMES, DRAWS = 3, 4
PROBLEM = np.repeat([0, 1, 2, 3], [4, 1, 3, 4])
WEIGHTLESS = [5, 10]  # instances that the posterior does not weight: their runs are only drawn from


def beliefs_of(values, *, weights=None, generalise_to="clusters"):
    """Beliefs of a few draws, from values whose instances repeat four problems."""
    clusters = pb.Clusters(tuple(PROBLEM.tolist()), "problem", "run")
    choices = pb.Choices.from_values(values, grid=range(1, TIMES + 1), clusters=clusters, weights=weights)
    return pb.fit(choices, prior=pb.BayesianBootstrap(generalise_to=generalise_to), draws=100).beliefs.thin(DRAWS)


def listed_chance(values, beliefs, weights, prior, members, rivals, extra, *, base, model, share_ties):
    """The chance by the definition: every instance, and every choice of further runs on its problem."""
    sample, drawn = beliefs.sample, beliefs.unit_weights()
    clustered = len(drawn) == 4
    gains, left = np.zeros((TIMES, DRAWS)), np.zeros((TIMES, DRAWS))
    for t in range(TIMES):
        for problem in range(4):
            rows = np.flatnonzero(problem == PROBLEM)
            weighted = [i for i in rows if weights[i].any()]
            # A problem has one random weight, which its instances share, or each instance has its own.
            share = weights[:, t] / (len(weighted) if clustered else 1)
            weight = (drawn[sample.unit[weighted]] * share[weighted, None]).sum(axis=0)
            found, shares = [], []
            for i in weighted:
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
                shares.append(share[i])
            if found:
                gained, open_ = np.average(found, axis=0, weights=shares)
                gains[t] += weight * gained
                left[t] += weight * open_
    return (gains + prior * (1 - base) * model) / (left + prior * (1 - base))


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
@pytest.mark.parametrize("scale", ["constant", "over time", "instances"])
def test_the_chance_equals_the_mean_over_all_choices_of_runs(members, rivals, extra, kinds, scale):
    rng = np.random.default_rng(kinds)
    values = rng.integers(0, kinds, size=(12, TIMES, 4)).astype(float)
    values[rng.random(values.shape) < 0.1] = np.nan
    weights = rng.random((12, TIMES)) if scale == "over time" else np.repeat(rng.random((12, 1)), TIMES, axis=1)
    weights[WEIGHTLESS] = 0
    beliefs = beliefs_of(values, weights=weights, generalise_to="instances" if scale == "instances" else "clusters")
    base, model = rng.random((TIMES, DRAWS)), rng.random((TIMES, DRAWS))
    runs, share_ties = extra_runs(beliefs), 1 not in members or 1 not in rivals
    options = {"share_ties": share_ties}
    found = runs.chance(members, rivals, extra, base=base, by_model=lambda some: model * bool(some), **options)
    listed = listed_chance(
        values, beliefs, weights, runs.pseudo, members, rivals, extra, base=base, model=model, **options
    )
    np.testing.assert_allclose(found, listed, atol=2e-6)  # weights in single precision
    some = runs.at_times(slice(1, 3)).thin(np.array([2, 0]))
    less = model[1:, [2, 0]]
    part = some.chance(
        members, rivals, extra, base=base[1:, [2, 0]], by_model=lambda some: less * bool(some), **options
    )
    np.testing.assert_allclose(part, found[1:, [2, 0]], rtol=1e-6)


def test_the_prior_of_the_chance_is_as_heavy_as_one_instance():
    values = np.arange(12.0 * TIMES * 4).reshape(12, TIMES, 4)
    clusters = pb.Clusters(tuple(PROBLEM.tolist()), "problem", "run")
    choices = pb.Choices.from_values(values, grid=range(1, TIMES + 1), clusters=clusters)
    drawn = extra_runs(pb.fit(choices, draws=4000).beliefs).pseudo
    assert drawn.mean() == pytest.approx(1, abs=5 / np.sqrt(4000))
    assert drawn.var() == pytest.approx(1, abs=5 * np.sqrt(8 / 4000))


def test_the_extent_counts_problems_with_complete_instances_and_further_runs():
    values = np.arange(12.0 * TIMES * 4).reshape(12, TIMES, 4)
    values[:4, 1, 3] = np.nan  # at the second time, the first problem has no complete instance
    values[4:, 2, 0] = np.nan  # at the third time, the others have no run of the first algorithm
    runs = extra_runs(beliefs_of(values))
    extent = runs.extent([0], [1, 2, 3], 0)
    assert (extent.problems.tolist(), extent.fewest, extent.most) == ([3, 2, 1], 3, 4)  # one problem was not repeated
    nothing = runs.at_times(np.array([1])).extent([0, 3], [1], 3)
    assert nothing.problems.tolist() == [2]


def test_runs_of_one_algorithm_alone_are_no_repetition_of_the_others():
    values = np.full((12, TIMES, 4), np.nan)
    values[[0, 4, 5, 8]] = 1.0  # every problem once
    assert extra_runs(beliefs_of(values)) is None
    values[1, :, 2] = 0.0
    runs = extra_runs(beliefs_of(values))
    assert runs.extent([2], [0, 1, 3], 2).problems.tolist() == [1] * TIMES
    assert runs.extent([0], [1, 2, 3], 0).problems.tolist() == [0] * TIMES


@pytest.mark.parametrize("name", ["own_repeated", "own_problem"])
def test_damaged_repeated_runs_are_refused(tmp_path, name):
    values = np.arange(12.0 * TIMES * 4).reshape(12, TIMES, 4)
    clusters = pb.Clusters(tuple(PROBLEM.tolist()), "problem", "run")
    choices = pb.Choices.from_values(values, grid=range(1, TIMES + 1), clusters=clusters)
    pb.fit(choices, draws=100).save(tmp_path / "good.npz")
    with np.load(tmp_path / "good.npz") as archive:
        arrays = {each: archive[each] for each in archive.files}
    np.savez(tmp_path / "bad.npz", **{**arrays, name: arrays[name][:-1]})
    with pytest.raises(ValueError, match="damaged posterior file: repeated runs of shape"):
        pb.Posterior.load(tmp_path / "bad.npz")
