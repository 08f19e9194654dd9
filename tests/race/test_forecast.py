"""The forecast against a plain search for the growth of the data that decides all undecided pairs."""

import dataclasses
import math
from itertools import combinations
from statistics import NormalDist

import numpy as np
import pytest

import polarbear as pb
from polarbear.race.forecast import instances_needed
from tests.plots.posteriors import specialist_posterior
from tests.race.paper import posterior_of

BUDGETS = [1.0, 2.0, 4.0]
NAMES = tuple("abc")
NONE_RESOLVED = ~np.eye(3, dtype=bool)[None].repeat(3, axis=0)


def settings_of(**changes):
    return pb.Settings(
        **{"grid": BUDGETS, "prior": pb.Dirichlet(), "dominance": "pointwise", "until": "every-budget", **changes}
    )


def random_posterior(seed, *, spread=0.5, gap=1.0):
    rng = np.random.default_rng(seed)
    utilities = rng.normal(size=(3, 3)) * gap + rng.normal(size=(200, 3, 3)) * spread
    return posterior_of(np.exp(utilities), NAMES, BUDGETS, instances=20)


def plain_needed(posterior, open_cells, settings):
    """Let the data grow by quarter powers of two until each undecided pair is decided."""
    normal, edge = NormalDist(), math.log((0.5 + settings.margin) / (0.5 - settings.margin))
    worst = 1.0
    for a, b in combinations(range(3), 2):
        if not open_cells[:, a, b].any():
            continue
        for power in range(41):
            growth, answers = 2 ** (power / 4), []
            for t in range(3):
                odds = np.log(posterior.ratings[:, t, a] / posterior.ratings[:, t, b])
                mean, spread = odds.mean(), odds.std() / math.sqrt(growth)
                if normal.cdf(abs(mean) / spread) >= settings.confidence:
                    answers.append(">" if mean > 0 else "<")
                elif normal.cdf((edge - mean) / spread) - normal.cdf((-edge - mean) / spread) >= settings.confidence:
                    answers.append("=")
                else:
                    answers.append("?")
            strict = all(v != "?" for t, v in enumerate(answers) if open_cells[t, a, b])
            crossing = (">" in answers and "<" in answers) or (("<" in answers or ">" in answers) and "=" in answers)
            if strict or (settings.until == "pairs" and crossing):
                break
        else:
            return math.inf
        worst = max(worst, growth)
    return worst * posterior.instances


@pytest.mark.parametrize("until", ["every-budget", "pairs"])
@pytest.mark.parametrize("seed", range(6))
def test_the_forecast_is_the_growth_that_decides_all_pairs(until, seed):
    """Without equivalence: where dominance precedes it at some sizes only, the two searches differ by design."""
    settings = settings_of(until=until, margin=0.0)
    posterior = random_posterior(seed)
    ours = instances_needed(posterior, ~NONE_RESOLVED, settings)
    assert ours == pytest.approx(plain_needed(posterior, NONE_RESOLVED, settings))


@pytest.mark.parametrize("seed", range(6))
def test_the_forecast_with_a_region_of_equivalence(seed):
    settings = settings_of(margin=0.1)
    posterior = random_posterior(seed, gap=0.1)
    ours = instances_needed(posterior, ~NONE_RESOLVED, settings)
    assert ours == pytest.approx(plain_needed(posterior, NONE_RESOLVED, settings))


def test_a_decided_race_needs_no_more_instances():
    assert instances_needed(random_posterior(0), np.ones((3, 3, 3), dtype=bool), settings_of()) == 20


def test_equal_algorithms_without_a_rope_are_never_decided():
    ratings = np.exp(np.random.default_rng(0).normal(size=(200, 3, 3)))
    both = np.concatenate([ratings, ratings[..., ::-1]])  # symmetric between a and c, exactly
    open_pair = np.ones((3, 3, 3), dtype=bool)
    open_pair[:, 0, 2] = open_pair[:, 2, 0] = False
    posterior = posterior_of(both, NAMES, BUDGETS)
    assert instances_needed(posterior, open_pair, settings_of(margin=0.0)) == math.inf
    assert math.isfinite(instances_needed(posterior, open_pair, settings_of(margin=0.2)))


def test_more_is_needed_for_more_confidence_and_for_a_smaller_rope():
    posterior = random_posterior(1, gap=0.2)
    needed = [instances_needed(posterior, ~NONE_RESOLVED, settings_of(confidence=c)) for c in (0.8, 0.95, 0.99)]
    assert needed == sorted(needed)
    margins = [instances_needed(posterior, ~NONE_RESOLVED, settings_of(margin=margin)) for margin in (0.2, 0.05, 0.01)]
    assert margins == sorted(margins)


def test_ratings_that_underflow_give_a_valid_forecast():
    ratings = np.array([[[1.0, 0.0, 0.5]] * 3, [[1.0, 0.0, 0.4]] * 3])
    assert instances_needed(posterior_of(ratings, NAMES, BUDGETS), ~NONE_RESOLVED, settings_of()) >= 10


def outcomes_of(wins, instances):
    """A posterior of three algorithms: a beats b on `wins` of the instances, and c is always last; nothing is shrunk."""
    ranks = np.tile([1, 0, 2], (instances, 1))
    ranks[:wins] = [0, 1, 2]
    choices = pb.Choices.from_values(ranks[:, None].repeat(3, axis=1), grid=BUDGETS, names=NAMES, per_instance=True)
    return pb.fit(choices, prior=pb.BayesianBootstrap(near_equal=0), draws=4000)


def only_open(a, b):
    decided = np.ones((3, 3, 3), dtype=bool)
    decided[:, a, b] = decided[:, b, a] = False
    return decided


def test_the_forecast_of_weighted_outcomes_follows_the_binomial():
    """The logit of 33 of 60 wins has mean 0.2 and deviation 1 / √(60 · 0.55 · 0.45): 90 % need 2.45 times the data."""
    growth = (1.2816 / (math.log(0.55 / 0.45) * math.sqrt(60 * 0.55 * 0.45))) ** 2
    needed = instances_needed(outcomes_of(33, 60), only_open(0, 1), settings_of(margin=0.0, confidence=0.9))
    assert needed == pytest.approx(60 * growth, rel=0.35)  # growth is tried in steps of a fifth


def test_a_pair_with_one_constant_winner_needs_no_more_instances():
    posterior = outcomes_of(33, 60)
    assert (posterior.win_rates(0, 2) > 1 - 1e-4).mean() > 0.01  # their logits would be huge and scattered
    assert instances_needed(posterior, only_open(0, 2), settings_of(confidence=0.99)) == 60


def test_the_forecast_uses_win_rates_rather_than_ratings():
    """A comes first on 40 % of the instances and last on the others: it leads, but B and C beat it."""
    posterior = specialist_posterior(draws=4000, near_equal=0)
    odds = np.log(posterior.ratings[..., 0] / posterior.ratings[..., 1])
    assert (odds > 0).mean() > 0.9
    settings = pb.Settings(grid=posterior.grid, prior=pb.BayesianBootstrap(), confidence=0.999, margin=0.0)
    needed = instances_needed(posterior, only_open(0, 1), settings)
    growth = (3.09 / (math.log(1.5) * math.sqrt(200 * 0.24))) ** 2  # of 80 wins in 200
    assert needed == pytest.approx(200 * growth, rel=0.25)


def test_instances_on_which_a_pair_did_not_run_do_not_lengthen_its_forecast():
    """A race that was confined to other algorithms has used 30 further instances, without a."""
    before = random_posterior(1, gap=0.2)
    observed = np.array([20, 50, 50]) * np.ones((3, 1), dtype=int)
    after = dataclasses.replace(before, instances=50, comparisons=observed)
    settings = settings_of(margin=0.05)
    more = [instances_needed(each, only_open(0, 1), settings) - each.instances for each in (before, after)]
    assert math.isfinite(more[0])
    assert more[1] == pytest.approx(more[0])
