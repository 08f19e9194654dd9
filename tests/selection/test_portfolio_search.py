"""The search for a portfolio, against the comparison of all portfolios."""

import numpy as np
import pytest

from polarbear import Custom, Expected, ProbabilityBest, Quantile, Regret, Uniform, select
from polarbear.selection import portfolio as portfolios
from tests.selection.posteriors import random_posterior

WORST = Custom(lambda curves: curves.min(axis=-1))
SATURATING = Custom(lambda curves: np.sqrt(curves).mean(axis=-1))

# The probability of being the best of all portfolios needs all of them, and is not searched.
SEARCHED = [(each, risk) for each in (Uniform(), WORST, SATURATING) for risk in (Expected(), Quantile(0.05), Regret())]


@pytest.fixture
def searching(monkeypatch):
    monkeypatch.setattr(portfolios, "_COMPARED", 0)


def select_both_ways(posterior, preference, risk, size, monkeypatch):
    all_compared = select(posterior, preference, risk, portfolio=size)
    with monkeypatch.context() as patch:
        patch.setattr(portfolios, "_COMPARED", 0)
        searched = select(posterior, preference, risk, portfolio=size)
    assert "the search found" in searched.sentence
    assert "the search found" not in all_compared.sentence
    return all_compared, searched


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize(("preference", "risk"), SEARCHED, ids=str)
def test_search_and_exhaustive_comparison_agree(preference, risk, size, monkeypatch):
    for seed in range(5):
        posterior = random_posterior(draws=40, times=6, algorithms=5, seed=seed)
        everything, searched = select_both_ways(posterior, preference, risk, size, monkeypatch)
        assert searched.recommendation == everything.recommendation
        assert searched.candidates[0].expected == pytest.approx(everything.candidates[0].expected)
        assert {each.members for each in searched.candidates} <= {each.members for each in everything.candidates}


@pytest.mark.usefixtures("searching")
@pytest.mark.parametrize("preference", [WORST, Uniform()], ids=str)
def test_a_search_for_the_probability_of_being_the_best_is_refused_with_advice(preference):
    with pytest.raises(
        ValueError, match=r"which needs all portfolios, and there are too many; use Expected\(\) or Quantile\(\)"
    ):
        select(random_posterior(), preference, ProbabilityBest(), portfolio=3)


def test_a_search_on_some_draws_finds_the_best_of_all(monkeypatch):
    posterior = random_posterior(draws=2000, times=6, algorithms=5, seed=3)
    everything = select(posterior, Uniform(), portfolio=3)
    monkeypatch.setattr(portfolios, "_COMPARED", 0)
    monkeypatch.setattr(portfolios, "_SEARCHED", 1)
    monkeypatch.setattr(portfolios, "_FEWEST", 4)
    draws_used = []
    monkeypatch.setattr(
        portfolios.Expected, "score", lambda _, values: draws_used.append(len(values)) or values.mean(axis=0)
    )
    searched = select(posterior, Uniform(), portfolio=3)
    assert {200, 2000} == set(draws_used)
    assert len(searched.candidates) == 4
    assert searched.recommendation == everything.recommendation


def test_many_portfolios_are_searched_and_not_listed():
    """Of ten machines and twenty algorithms there are twenty million portfolios, few draws or not."""
    posterior = random_posterior(draws=1, algorithms=20)
    selection = select(posterior, Uniform(), Quantile(0.05), portfolio=10)
    assert "too many portfolios" in selection.sentence
    assert len(selection.recommendation) == 10
    assert select(posterior, Uniform()).recommendation in selection.recommendation
