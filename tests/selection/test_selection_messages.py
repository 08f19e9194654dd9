"""A selection reports its limits as findings, and refuses invalid requests."""

from dataclasses import replace

import numpy as np
import pytest

from polarbear import (
    At,
    BudgetDistribution,
    Custom,
    Expected,
    Final,
    Grid,
    Uniform,
    decision_map,
    select,
    worst_case_loss,
)
from polarbear.findings import Code
from tests.selection.posteriors import posterior_of, random_posterior
from tests.selection.queries import PREFERENCES


def fixed():
    """B is best in 8 of 10 draws, by 0.2; else A, by 0.1."""
    return posterior_of([[[0.4, 0.6]]] * 8 + [[[0.55, 0.45]]] * 2, Grid([1000.0]), names=["de", "cma"])


def found_in(selection):
    """The findings on a selection by their codes."""
    return {each.code: each for each in selection.findings}


def test_budgets_outside_the_grid_are_reported(posterior):
    outside = found_in(select(posterior, BudgetDistribution([100, 200, 300, 5000])))[Code.BUDGETS_OUTSIDE]
    assert (outside.severity, outside.numbers) == ("tentative", {"share": 0.75})
    assert Code.BUDGETS_OUTSIDE not in found_in(select(posterior, BudgetDistribution([100, 200])))
    tiny = found_in(select(posterior, BudgetDistribution([(0.9996, 1e6), (0.0004, 100)])))
    assert tiny[Code.BUDGETS_OUTSIDE].numbers["share"] == pytest.approx(0.0004)


def test_an_unreliable_posterior_is_reported(posterior):
    unreliable = posterior_of(posterior.ratings, posterior.grid, reliable=False)
    assert found_in(select(unreliable))[Code.UNRELIABLE_POSTERIOR].severity == "unreliable"
    assert Code.UNRELIABLE_POSTERIOR not in found_in(select(posterior))


def test_few_instances_are_reported(posterior):
    few = found_in(select(posterior))[Code.FEW_INSTANCES]
    assert (few.severity, few.numbers) == ("tentative", {"number": 12, "clusters": False, "needed": 30})
    assert Code.FEW_INSTANCES not in found_in(select(replace(posterior, instances=30)))


def test_independent_budgets_are_reported(posterior):
    alone = posterior_of(posterior.ratings, posterior.grid, joint=False)
    for preference in PREFERENCES.values():
        found = found_in(select(alone, preference)).get(Code.SEPARATE_BUDGETS)
        assert (found is None) == isinstance(preference, At | Final)
        assert found is None or found.numbers == {"prior": "Dirichlet(concentration=1.0)"}
        assert Code.SEPARATE_BUDGETS not in found_in(select(posterior, preference))


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
        (([1, 2, 3],), r"expected a range as two budgets, got \[1, 2, 3\]; give the first and the last$"),
        (("unifrom",), r"expected a budget such as 500, .*, got 'unifrom'; did you mean 'uniform'\?$"),
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
