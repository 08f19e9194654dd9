"""Criteria equal counts over instances, and go with every preference and risk."""

import numpy as np
import pytest

from polarbear import (
    At,
    Choices,
    Custom,
    Final,
    FirstPlace,
    MeanRank,
    StrongestRival,
    TopK,
    Uniform,
    WinRateAgainst,
    fit,
    select,
    win_probability,
    win_rates,
)
from tests.selection.posteriors import everybody, posterior_of, random_posterior
from tests.selection.queries import RISKS
from tests.selection.weighted_outcomes import MANY, bootstrap_of, many, random_values

CRITERIA = [FirstPlace(), TopK(2), MeanRank(), WinRateAgainst("B")]


def test_mean_rank_counts_instances():
    """By the average of tied ranks on each instance."""
    values = random_values(9, 2, 4)
    better = (values[..., None, :] < values[..., :, None]).sum(axis=-1)
    tied = (values[..., None, :] == values[..., :, None]).sum(axis=-1)
    rank = (better + (tied + 1) / 2).mean(axis=0)
    posterior = bootstrap_of(many(values))
    curves = MeanRank().curves(posterior, everybody(posterior))
    np.testing.assert_allclose(curves.mean(axis=0), (4 - rank) / 3, atol=MANY)


def test_win_rates_against_a_baseline_count_instances():
    values = random_values(9, 2, 4)
    rates = ((values < values[..., [1]]) + 0.5 * (values == values[..., [1]])).mean(axis=0)
    posterior = bootstrap_of(many(values))
    curves = WinRateAgainst("B").curves(posterior, everybody(posterior))
    np.testing.assert_allclose(curves.mean(axis=0), rates, atol=MANY)
    assert (curves[..., 1] == 0.5).all()


def test_criteria_of_a_fitted_bootstrap_are_those_of_the_data():
    """Means over draws are means over instances, and a prior as heavy as one instance or less."""
    values = random_values(30, 2, 4, ties=False)
    posterior = fit(Choices.from_values(values.astype(float), grid=[10, 100]), draws=4000, seed=0)
    rank = values.argsort(axis=-1).argsort(axis=-1)
    by_instances = {FirstPlace(): (rank == 0, 1 / 4), TopK(2): (rank < 2, 2 / 4), TopK(3): (rank < 3, 3 / 4)}
    for criterion, (shares, of_prior) in by_instances.items():
        curves = criterion.curves(posterior, everybody(posterior))
        expected = (30 * shares.mean(axis=0) + of_prior) / 31
        # Five standard errors of the mean of 4000 draws, whose deviation is at most 0.5 / √31.
        np.testing.assert_allclose(curves.mean(axis=0), expected, atol=5 * 0.09 / np.sqrt(4000))
        assert curves.shape == posterior.ratings.shape
    rates = win_probability(posterior)  # exact
    pairwise = {MeanRank(): rates.sum(axis=2) / 3, WinRateAgainst("B"): rates[..., 1] + 0.5 * (np.arange(4) == 1)}
    for criterion, expected in pairwise.items():
        np.testing.assert_allclose(
            criterion.curves(posterior, everybody(posterior)).mean(axis=0),
            expected,
            atol=5 * 0.09 / np.sqrt(4000),
            err_msg=str(criterion),
        )


def test_of_two_algorithms_the_mean_rank_is_the_rating():
    posterior, both = random_posterior(algorithms=2), np.array([0, 1])
    np.testing.assert_allclose(MeanRank().curves(posterior, both), posterior.ratings, rtol=1e-12)
    np.testing.assert_allclose(
        WinRateAgainst("B").curves(posterior, both)[..., 0], posterior.ratings[..., 0], rtol=1e-12
    )


@pytest.mark.parametrize("posterior", [random_posterior(), bootstrap_of(random_values(9, 3, 4))])
def test_mean_ranks_follow_from_win_rates(posterior):
    rates = win_rates(posterior)
    ranks = 1 + (1 - rates).sum(axis=3) - 0.5  # it is not compared with itself
    np.testing.assert_allclose(MeanRank().curves(posterior, everybody(posterior)), (4 - ranks) / 3, rtol=1e-6)
    assert ranks.sum(axis=2) == pytest.approx(1 + 2 + 3 + 4)


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize("preference", [Uniform(), At(300), Final(), Custom(lambda c: c.min(axis=-1))], ids=str)
def test_every_criterion_preference_and_risk_go_together(criterion, preference):
    posterior = random_posterior()
    curves = criterion.curves(posterior, everybody(posterior))
    if isinstance(preference, Custom):
        values = curves.min(axis=1)
    else:
        values = np.einsum("t,dta->da", preference.weights(posterior.grid), curves)
    for risk in RISKS:
        scores = risk.score(values)
        selection = select(posterior, preference, risk, criterion=criterion)
        assert selection.recommendation == posterior.names[scores.argmax()]
        assert {each.members[0]: each.score for each in selection.candidates} == pytest.approx(
            dict(zip(posterior.names, scores, strict=True)), abs=1e-9
        )
        assert selection.criterion == criterion
        assert selection.values.min() >= 0
        assert selection.values.max() <= 1


def test_criteria_disagree_on_a_specialist():
    """A is first on 40 % of instances and last on the others; B is second, third or first on all of them."""
    orders = ["ABCD"] * 4 + ["BCDA"] * 2 + ["CBDA"] * 2 + ["DBCA"] * 2
    values = np.array([[[order.index(name) for name in "ABCD"]] for order in orders], dtype=float)
    posterior, everyone = bootstrap_of(many(values)), list("ABCD")
    assert select(posterior, criterion=FirstPlace(), among=everyone).recommendation == "A"
    for criterion in (TopK(2), MeanRank(), StrongestRival(), None):
        assert select(posterior, criterion=criterion, among=everyone).recommendation == "B"
    # the others beat A on the same instances
    assert select(posterior, criterion=WinRateAgainst("A"), among=everyone).recommendation != "A"


def test_places_are_those_among_the_candidates():
    """As if the posterior had no other algorithms, number by number."""
    values = random_values(20, 2, 5)
    posterior, smaller = bootstrap_of(values), bootstrap_of(values[..., [0, 2, 3]], names=list("ACD"))
    columns = np.array([0, 2, 3])
    for criterion in (FirstPlace(), TopK(1), TopK(2), MeanRank(), StrongestRival()):
        np.testing.assert_array_equal(
            criterion.curves(posterior, columns), criterion.curves(smaller, np.arange(3)), err_msg=str(criterion)
        )
    ranks = (values[..., None, columns] < values[..., columns, None]).sum(axis=-1)
    first = (ranks == 0) / (ranks == 0).sum(axis=2, keepdims=True)
    found = FirstPlace().curves(posterior, columns)
    expected = (20 * first.mean(axis=0) + 1 / 3) / 21
    np.testing.assert_allclose(found.mean(axis=0), expected, atol=5 * 0.5 / np.sqrt(21 * 200))


def test_under_the_papers_priors_places_are_those_among_all_algorithms():
    posterior = random_posterior()
    for criterion in CRITERIA:
        everything = select(posterior, criterion=criterion)
        some = select(posterior, criterion=criterion, among=["A", "C"])
        values = {each.members: each.expected for each in everything.candidates}
        assert {each.members: each.expected for each in some.candidates} == pytest.approx(
            {key: values[key] for key in [("A",), ("C",)]}
        )


@pytest.mark.parametrize(
    ("criterion", "value", "is_usual"),
    [
        (None, 0.5, True),
        (FirstPlace(), 0.5, True),
        (TopK(2), 0.5 * (1 + 2 * 0.2 / 0.8 + 0.1 / 0.9), False),
        (MeanRank(), 1 - (2 * 0.2 / 0.7 + 0.1 / 0.6) / 3, False),
        (WinRateAgainst("C"), 0.5 / 0.7, False),
    ],
)
def test_values_are_those_of_plackett_luce(criterion, value, is_usual):
    theta = np.array([0.5, 0.2, 0.2, 0.1])
    selection = select(posterior_of(theta[None, None]), At(1), criterion=criterion)
    assert selection.recommendation == "A"
    assert selection.candidates[0].expected == pytest.approx(value)
    assert selection.is_usual == is_usual


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (TopK(5), "expected TopK of at most 4, the number of algorithms, got 5"),
        (WinRateAgainst("X"), "expected one of A, B, C, D, got 'X'"),
        (MeanRank, r"expected a criterion such as TopK\(3\), got the class MeanRank; add parentheses"),
        ("rank", "expected rival, first, mean-rank, top:3 or against:NAME .*, got 'rank'; did you mean 'mean-rank'"),
        (At(3), r"expected a criterion such as TopK\(3\), got At\(budget=3\)"),
    ],
)
def test_anything_but_a_criterion_is_refused(criterion, message):
    with pytest.raises(ValueError, match=message):
        select(random_posterior(), criterion=criterion)
