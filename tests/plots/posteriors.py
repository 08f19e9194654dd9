"""Posteriors and races of known content for the tests of the figures."""

from functools import cache

import numpy as np

import polarbear as pb
from polarbear.race import loop
from polarbear.race.outcome import RaceOutcome
from tests.race.small import BUDGETS, crossing_utilities, play_rounds, settings_of

LONG = "differential evolution, current-to-best/1/bin, F = {:.3f}, CR = 0.9"


def names_of(number, length):
    """Return different names of this length."""
    if length == 1:
        return tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:number])
    return tuple(LONG.format(k / 10).ljust(length, ".")[:length] for k in range(number))


def posterior_with(number, length=1, *, draws=200, budgets=12, seed=0, grid=None, names=None, joint=True):
    """Return smooth paths that cross, with a different level for each algorithm."""
    rng = np.random.default_rng(seed)
    grid = pb.log_grid(100, 60_000, budgets) if grid is None else grid
    s = grid.scaled[:, None]
    centre = rng.normal(size=number) + rng.normal(size=number) * s + 0.5 * np.sin(3 * s + rng.uniform(0, 6, number))
    wiggle = rng.normal(size=(draws, 1, number)) + rng.normal(size=(draws, 1, number)) * s
    strengths = np.exp(centre + 0.25 * wiggle)
    return pb.Posterior(
        ratings=strengths / strengths.sum(axis=2, keepdims=True),
        names=names_of(number, length) if names is None else tuple(names),
        grid=grid,
        joint=joint,
        diagnostics=pb.Diagnostics("nested-laplace", True, "All is well.", 40.0),
        prior="BSpline(...)",
        instances=40,
        comparisons=np.full((len(grid), number), 40),
    )


@cache
def specialist_posterior(*, draws=1000, near_equal=0.4):
    """A comes first on 40 % of the instances and last on the others; B and C beat it on 60 % and are equal."""
    ranks = [[0, 1, 2]] * 2 + [[0, 2, 1]] * 2 + [[2, 0, 1]] * 3 + [[2, 1, 0]] * 3
    values = np.tile(ranks, (20, 1))[:, None].repeat(3, axis=1)
    choices = pb.Choices.from_values(values, grid=[1.0, 2.0, 4.0], names=list("ABC"), per_instance=True)
    return pb.fit(choices, prior=pb.BayesianBootstrap(near_equal=near_equal), draws=draws)


def small_race(rounds, **changes):
    """Return a race of four algorithms, of which two cross and one is soon eliminated, after some rounds."""
    settings = settings_of(**{"batch": pb.FixedBatch(2), "confidence": 0.98, "draws": 1000, "seed": 2, **changes})
    state = play_rounds(loop.start(settings, "abcd"), crossing_utilities("abcd"), tuple("abcd"), rounds=rounds)
    return RaceOutcome(state, "paused")


@cache
def race_with(number, length=1, *, rounds=4, names=None, **changes):
    """Return a race after some rounds: levels that differ, and two algorithms that cross."""
    names = names_of(number, length) if names is None else tuple(names)
    level = np.linspace(1.5, -2.5, number)
    turn = np.zeros(number)
    turn[: min(number, 3)] = [1.0, -1.0, 0.5][: min(number, 3)]
    utilities = level + np.linspace(1, -1, len(BUDGETS))[:, None] * turn
    settings = settings_of(**{"batch": pb.FixedBatch(4), "confidence": 0.95, "draws": 400, "seed": 1, **changes})
    return RaceOutcome(play_rounds(loop.start(settings, names), utilities, names, rounds=rounds), "paused")
