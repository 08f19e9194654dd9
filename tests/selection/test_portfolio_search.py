"""The search for a portfolio, against the comparison of all portfolios."""

import numpy as np
import pytest

from polarbear import Custom, Expected, ExpectedLoss, ProbabilityBest, Quantile, Uniform, select
from polarbear.findings import Code
from polarbear.selection import portfolio_search
from tests.selection.posteriors import random_posterior
from tests.selection.weighted_outcomes import bootstrap_of, random_values

WORST = Custom(lambda curves: curves.min(axis=-1))
SATURATING = Custom(lambda curves: np.sqrt(curves).mean(axis=-1))

# The probability of being the best of all portfolios needs all of them, and is not searched.
SEARCHED = [(Uniform(), Quantile(0.05))] + [
    (each, risk) for each in (WORST, SATURATING) for risk in (Expected(), Quantile(0.05), ExpectedLoss())
]


def select_both_ways(posterior, preference, risk, monkeypatch, **query):
    all_compared = select(posterior, preference, risk, **query)
    with monkeypatch.context() as patch:
        patch.setattr(portfolio_search, "_COMPARED", 0)
        searched = select(posterior, preference, risk, **query)
    assert Code.SEARCHED in {each.code for each in searched.findings}
    assert Code.SEARCHED not in {each.code for each in all_compared.findings}
    return all_compared, searched


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("copies", [True, False], ids=["multisets", "sets"])
@pytest.mark.parametrize(("preference", "risk"), SEARCHED, ids=str)
def test_search_and_exhaustive_comparison_agree(preference, risk, size, copies, monkeypatch):
    for seed in range(5):
        posterior = random_posterior(draws=40, budgets=6, algorithms=5, seed=seed)
        query = {"portfolio": size, "copies": copies}
        everything, searched = select_both_ways(posterior, preference, risk, monkeypatch, **query)
        assert searched.recommendation == everything.recommendation
        assert searched.candidates[0].expected == pytest.approx(everything.candidates[0].expected)
        assert {each.members for each in searched.candidates} <= {each.members for each in everything.candidates}


@pytest.mark.parametrize("risk", [Expected(), Quantile(0.1), ExpectedLoss()], ids=str)
def test_a_search_among_outcomes_agrees_with_comparing_all(risk, monkeypatch):
    posterior = bootstrap_of(random_values(30, 3, 7))
    query = {"portfolio": 3, "among": posterior.names}
    everything, searched = select_both_ways(posterior, Uniform(), risk, monkeypatch, **query)
    assert searched.recommendation == everything.recommendation
    assert all(len(set(each.members)) == 3 for each in searched.candidates)


def test_a_search_for_the_probability_of_being_the_best_is_refused_with_advice(monkeypatch):
    monkeypatch.setattr(portfolio_search, "_COMPARED", 0)
    with pytest.raises(
        ValueError, match=r"which needs all portfolios, and there are too many; use Expected\(\) or Quantile\(\)"
    ):
        select(random_posterior(), WORST, ProbabilityBest(), portfolio=3)


def test_a_search_on_some_draws_finds_the_best_of_all(monkeypatch):
    posterior = random_posterior(draws=2000, budgets=6, algorithms=5, seed=3)
    everything = select(posterior, SATURATING, portfolio=3)
    monkeypatch.setattr(portfolio_search, "_COMPARED", 0)
    monkeypatch.setattr(portfolio_search, "_SEARCHED", 1)
    monkeypatch.setattr(portfolio_search, "_FEWEST", 4)
    draws_used = []
    monkeypatch.setattr(
        portfolio_search.Expected,
        "score",
        lambda _, values: draws_used.append(len(values)) or values.mean(axis=0),
    )
    searched = select(posterior, SATURATING, portfolio=3)
    assert {200, 2000} == set(draws_used)
    assert len(searched.candidates) == 4
    assert searched.recommendation == everything.recommendation


def test_many_portfolios_are_searched_and_not_listed():
    """Of ten machines and twenty algorithms there are twenty million portfolios, few draws or not."""
    posterior = random_posterior(draws=1, algorithms=20)
    selection = select(posterior, Uniform(), Quantile(0.05), portfolio=10)
    assert Code.SEARCHED in {each.code for each in selection.findings}
    assert selection.recommendation == 10 * (select(posterior, Uniform()).recommendation,)
