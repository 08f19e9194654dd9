"""Resolution against plain loops over the draws, and in examples by hand."""

import numpy as np
import pytest

from polarbear.race.decided_pairs import decided_pairs
from tests.race.paper import pairs_decided_by_the_paper, posterior_of, some_posterior

NAMES, BUDGETS = ("a", "b", "c", "d"), [1, 2, 4]


@pytest.mark.parametrize("until", ["every-budget", "pairs"])
@pytest.mark.parametrize("confidence", [0.6, 0.8, 0.95])
@pytest.mark.parametrize("margin", [0.0, 0.05, 0.2])
def test_pairs_are_decided_as_in_the_paper(until, confidence, margin):
    shares = []
    for seed in range(6):
        posterior = some_posterior(np.random.default_rng(seed), NAMES, BUDGETS, sharpness=0.4)
        ours = decided_pairs(posterior, until=until, confidence=confidence, margin=margin)
        expected = pairs_decided_by_the_paper(posterior, until=until, confidence=confidence, margin=margin)
        for (t, a, b), yes in expected.items():
            assert ours[t, a, b] == ours[t, b, a] == yes
        assert ours[:, np.arange(4), np.arange(4)].all()
        shares.append(np.mean(list(expected.values())))
    assert 0 < np.mean(shares) < 1  # the draws are such that the rule matters


@pytest.mark.parametrize("until", ["every-budget", "pairs"])
@pytest.mark.parametrize("seed", range(5))
def test_pairs_that_do_not_matter_leave_the_others_unchanged(until, seed):
    rng = np.random.default_rng(seed)
    posterior, rule = some_posterior(rng, NAMES, BUDGETS, sharpness=0.4), {"confidence": 0.8, "margin": 0.2}
    pairs = rng.random((4, 4)) < 0.5
    pairs |= pairs.T
    ours = decided_pairs(posterior, until=until, pairs=pairs, **rule)
    full = decided_pairs(posterior, until=until, **rule)
    np.testing.assert_array_equal(ours[:, pairs], full[:, pairs])
    assert (ours <= full).all()


@pytest.mark.parametrize("seed", range(5))
def test_crossing_decides_whole_pairs_and_never_less_than_strict(seed):
    posterior = some_posterior(np.random.default_rng(seed), NAMES, BUDGETS, sharpness=0.6)
    strict, crossing = (
        decided_pairs(posterior, until=until, confidence=0.9, margin=0.05) for until in ("every-budget", "pairs")
    )
    assert (crossing >= strict).all()
    gained = (crossing & ~strict).any(axis=0)
    assert crossing[:, gained].all()


def posterior_with(*by_budget):
    """A posterior of two algorithms that is certain of ">", "<" or "=" at each budget, or undecided at "?"."""
    ratings = {">": [(3, 1)] * 10, "<": [(1, 3)] * 10, "=": [(1.01, 1), (1, 1.01)] * 5, "?": [(3, 1), (1, 3)] * 5}
    return posterior_of(
        np.stack([ratings[each] for each in by_budget], axis=1), ("a", "b"), range(1, len(by_budget) + 1)
    )


@pytest.mark.parametrize(
    ("relations", "decided"),
    [
        ("?>?<", [1, 1, 1, 1]),  # each is better somewhere
        ("?>?=", [1, 1, 1, 1]),  # a tie and a dominance
        ("=?<?", [1, 1, 1, 1]),
        ("?>>?", [0, 1, 1, 0]),  # no sign of a crossing
        ("?==?", [0, 1, 1, 0]),  # two ties, no dominance
        ("????", [0, 0, 0, 0]),
        ("?=??", [0, 1, 0, 0]),
    ],
)
def test_crossing_by_hand(relations, decided):
    ours = decided_pairs(posterior_with(*relations), until="pairs", confidence=0.9, margin=0.05)
    assert ours[:, 0, 1].tolist() == [bool(each) for each in decided]
    strict = decided_pairs(posterior_with(*relations), until="every-budget", confidence=0.9, margin=0.05)
    assert strict[:, 0, 1].tolist() == [each != "?" for each in relations]


def test_dominance_within_the_region_of_equivalence_is_dominance():
    """Otherwise a single budget at which a is always slightly better would count as a crossing."""
    always_slightly_better = [[1.01, 1.0]] * 10
    unknown = [[3.0, 1.0], [1.0, 3.0]] * 5
    posterior = posterior_of(np.stack([always_slightly_better, unknown], axis=1), ("a", "b"), [1, 2])
    ours = decided_pairs(posterior, until="pairs", confidence=0.9, margin=0.05)
    assert ours[:, 0, 1].tolist() == [True, False]
