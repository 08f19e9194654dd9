"""A selection states its recommendation and its limits in sentences, and refuses invalid requests."""

import numpy as np
import pytest

from polarbear import (
    At,
    BudgetDistribution,
    Custom,
    Expected,
    Final,
    Grid,
    MeanRank,
    Quantile,
    TopK,
    Uniform,
    WinRateAgainst,
    decision_map,
    select,
    worst_case_loss,
)
from tests.selection.posteriors import posterior_of, random_posterior
from tests.selection.queries import PREFERENCES


def fixed():
    """B is best in 8 of 10 draws, by 0.2; else A, by 0.1."""
    return posterior_of([[[0.4, 0.6]]] * 8 + [[[0.55, 0.45]]] * 2, Grid([1000.0]), names=["de", "cma"])


def test_the_sentence_of_a_recommendation():
    selection = select(fixed(), At(1000))
    assert selection.sentence == (
        "For a budget of 1,000, choose cma: 80 % sure that it is the best choice of 2. It comes first on 57 % of instances "
        "(45 to 60 %). Not knowing the best choice for certain costs 2 percentage points on average. Next comes de."
    )
    assert repr(selection) == f"Selection({selection.sentence})"
    assert str(selection).splitlines() == [
        selection.sentence,
        "",
        "choice  comes first  95 % interval  best choice       loss",
        "cma            57 %  45 to 60 %            80 %   2 points",
        "de             43 %  40 to 55 %            20 %  16 points",
    ]


def test_tables_show_the_quantile_and_the_unit_of_the_criterion():
    heads, rows = select(fixed(), At(1000), Quantile(0.1), criterion=MeanRank()).shown_table()
    assert heads == ["choice", "mean rank", "90 % quantile", "95 % interval", "best choice", "loss"]
    assert rows[0] == ["cma", "1.43", "1.55", "1.40 to 1.55", "80 %", "0.02 ranks"]
    heads, rows = select(fixed(), At(1000), Quantile(0.1), criterion=WinRateAgainst("de")).shown_table()
    assert heads[:3] == ["choice", "beats de", "10 % quantile"]
    assert rows == [  # in the worst tenth of the draws, cma loses to de
        ["de", "50 %", "50 %", "50 %", "20 %", "8 points"],
        ["cma", "57 %", "45 %", "45 to 60 %", "80 %", "1 point"],
    ]
    heads, rows = select(fixed(), Custom(lambda curve: 2 * curve[..., 0]), criterion=TopK(1)).shown_table()
    assert (heads[1], rows[0][1]) == ("value", "1.14")


def test_the_sentence_of_a_portfolio():
    """Under the paper's priors ratings add up, so that the best algorithm runs on every machine."""
    selection = select(fixed(), At(1000), portfolio=3)
    assert selection.recommendation == ("cma", "cma", "cma")
    assert selection.sentence == (
        "For a budget of 1,000, choose 3 x cma: 80 % sure that it is the best choice of 2. Its rating is 1.71 (1.35 to "
        "1.8). Not knowing the best choice for certain costs 0.06 of this rating on average. Next comes 3 x de. It beats "
        "the best single algorithm, cma, on 83 % of instances, counting one half where its first run of cma is the best. A "
        "portfolio has the sum of its members' ratings, as if all runs were independent; for this preference the best "
        "choice is therefore the best algorithm on every machine."
    )
    both = select(fixed(), At(1000), portfolio=2, copies=False)
    assert both.sentence.startswith(
        "For a budget of 1,000, choose de + cma. Its best member comes first on 100 % of instances. It beats the best "
        "single algorithm, cma, on 72 % of instances, counting one half where cma is its best member."
    )
    assert str(selection).splitlines()[-2:] == [
        "3 x cma    1.71  1.35 to 1.8           80 %  0.06",
        "3 x de     1.29  1.2 to 1.65           20 %  0.48",
    ]


def test_long_tables_are_cut():
    text = str(select(random_posterior(), risk=Quantile(0.05), portfolio=3))
    assert text.endswith("\n... and 10 more")
    assert len(text.splitlines()) == 3 + 10 + 1


def test_budgets_outside_the_grid_are_reported(posterior):
    sentence = select(posterior, BudgetDistribution([100, 200, 300, 5000])).sentence
    assert sentence.endswith("Only 75 % of the budgets lie within the grid; the others are left out.")
    assert "Only" not in select(posterior, BudgetDistribution([100, 200])).sentence
    tiny = select(posterior, BudgetDistribution([(0.9996, 1e6), (0.0004, 100)])).sentence
    assert "Only 0.04 % of the budgets" in tiny


def test_an_unreliable_posterior_is_reported(posterior):
    unreliable = posterior_of(posterior.ratings, posterior.grid, reliable=False)
    assert select(unreliable).sentence.endswith("The posterior is not reliable: Too few draws.")


def test_independent_budgets_are_reported(posterior):
    alone = posterior_of(posterior.ratings, posterior.grid, joint=False)
    remark = "The prior Dirichlet(concentration=1.0) treats each budget alone"
    for preference in PREFERENCES.values():
        one_budget = isinstance(preference, At | Final)
        assert (remark in select(alone, preference).sentence) != one_budget
        assert remark not in select(posterior, preference).sentence


@pytest.mark.parametrize("portfolio", [0, -1, 1.5, 2.0, "2", None, True, np.nan, np.inf])
def test_portfolios_of_no_machines_are_refused(posterior, portfolio):
    with pytest.raises(ValueError, match="expected a portfolio of a whole number of machines, at least 1, got"):
        select(posterior, portfolio=portfolio)


def test_numpy_integers_are_accepted(posterior):
    assert len(select(posterior, portfolio=np.int64(2)).recommendation) == 2


@pytest.mark.parametrize("among", [["A", "X"], [], "X", ["A", "A"], [3], [None]])
def test_candidates_that_are_not_in_the_posterior_are_refused(posterior, among):
    with pytest.raises(ValueError, match="expected different candidates among A, B, C, D, got"):
        select(posterior, among=among)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((Uniform,), r"expected a preference such as Uniform\(\), got the class Uniform; add parentheses"),
        ((Uniform(), Expected), r"expected a risk such as Expected\(\), got the class Expected; add parentheses"),
        ((1000,), r"expected a preference such as Uniform\(\), got 1000$"),
        (("uniform",), r"expected a preference such as Uniform\(\), got 'uniform'"),
        ((Expected(),), r"expected a preference such as Uniform\(\), got Expected\(\)"),
        ((Uniform(), At(3)), r"expected a risk such as Expected\(\), got At\(budget=3\)"),
        ((Uniform(), Custom(np.min)), r"expected a risk such as Expected\(\), got Custom"),
    ],
)
def test_what_is_no_preference_or_risk_is_refused(posterior, arguments, message):
    with pytest.raises(ValueError, match=message):
        select(posterior, *arguments)


@pytest.mark.parametrize("algorithms", [2, 4, 5, 20])
def test_monotonicity_is_tested_on_every_candidate(algorithms):
    """Only the last algorithm is ever above one half, where this preference turns round."""
    ratings = np.full((2000, 3, algorithms), 0.2 / (algorithms - 1))
    ratings[..., -1] = 0.8
    turning = Custom(lambda curves: np.where(curves < 0.75, curves, 1.5 - curves).mean(axis=-1))
    with pytest.raises(ValueError, match="increases with the ratings, got one whose value falls"):
        select(posterior_of(ratings), turning)


def test_monotonicity_is_tested_on_portfolios():
    """Alone no algorithm comes near 0.8, where this preference turns round; ten copies do."""
    turning = Custom(lambda curves: np.where(curves < 0.8, curves, 1.6 - curves).mean(axis=-1))
    ratings = np.tile([0.4, 0.35, 0.25], (100, 3, 1))
    with pytest.raises(ValueError, match="increases with the ratings, got one whose value falls"):
        select(posterior_of(ratings), turning, portfolio=10)


def test_preferences_of_ratings_above_one_must_increase_there():
    saturating = Custom(lambda curves: (1 - (1 - curves) ** 2).mean(axis=-1))
    assert select(random_posterior(), saturating).candidates[0].expected <= 1
    assert select(random_posterior(), saturating, portfolio=3, copies=False).candidates[0].expected <= 1
    with pytest.raises(ValueError, match="increases with the ratings, got one whose value falls"):
        select(random_posterior(), saturating, portfolio=3)


class Group:
    """A group of instances has a posterior, but is none and has no candidates."""

    posterior = fixed()


@pytest.mark.parametrize("function", [select, worst_case_loss, decision_map])
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Group(), "expected a posterior, got Group; pass its posterior"),
        ([1.0], "expected a posterior, got list; pass the posterior of a fit, or of the result of a race"),
    ],
)
def test_other_types_are_refused(function, source, message):
    with pytest.raises(ValueError, match=message):
        function(source)
