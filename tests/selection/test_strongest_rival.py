"""The win rate against the strongest rival: values, probabilities and losses by loops over draws and rivals."""

from itertools import product

import numpy as np
import pytest

import polarbear as pb
from polarbear.selection.criterion import default_criterion
from tests.selection.posteriors import everybody, posterior_of, random_posterior
from tests.selection.queries import PREFERENCES
from tests.selection.weighted_outcomes import bootstrap_of, random_values

LINEAR = {
    "early": pb.At(1),
    "late": pb.At(5),
    "final": pb.Final(),
    "uniform": pb.Uniform(),
    "log-uniform": pb.LogUniform(),
    "between": pb.Between(2, 4.5),
    "weights": pb.Weighted([3, 0, 1, 0, 2]),
    "distribution": pb.BudgetDistribution([1, 2, 2.5, 5]),
}
CUSTOM = {
    "lowest": lambda curves: curves.min(axis=-1) + 0.01 * curves.mean(axis=-1),
    "concave": lambda curves: np.sqrt(curves).mean(axis=-1),
    "steep": lambda curves: 3 * (curves**4).mean(axis=-1) - 1,
}
NAMES = ["D", "B", "A", "C"]  # not in order


@pytest.fixture(scope="module")
def posterior():
    """Four similar algorithms, with ties, at five budgets."""
    values = random_values(20, 5, 4, seed=3)
    values[..., 2] += np.random.default_rng(0).integers(0, 2, size=values.shape[:2])
    return bootstrap_of(values, names=NAMES, draws=150)


def values_by_loops(posterior, value, names=NAMES):
    """The lowest value over rivals, (draw, candidate): `value` maps the win rates over time to a number."""
    rates = posterior.all_win_rates()
    places = [posterior.names.index(name) for name in names]
    result = np.ones((posterior.draws, len(names)))
    for draw in range(posterior.draws):
        for own, a in enumerate(places):
            rivals = [value(rates[draw, :, a, b]) for b in places if b != a]
            result[draw, own] = min(rivals, default=value(np.ones(len(posterior.grid))))
    return result


def shares_by_loops(values):
    """How often each candidate is the best, one draw after another; ties are divided."""
    shares = np.zeros(values.shape[1])
    for row in values.tolist():
        best = [place for place, value in enumerate(row) if value == max(row)]
        for place in best:
            shares[place] += 1 / len(best) / len(values)
    return shares


def check(selection, values, names, half):
    """Compare all numbers of a selection with those of values (draw, candidate)."""
    best, means = shares_by_loops(values), values.mean(axis=0)
    order = sorted(range(len(names)), key=lambda place: (-round(best[place], 9), -means[place], names[place]))
    assert [each.name for each in selection.candidates] == [names[place] for place in order]
    np.testing.assert_allclose(selection.values, values[:, order], atol=1e-6)
    for each, place in zip(selection.candidates, order, strict=True):
        losses = [max(0.0, half - value) for value in values[:, place]]
        assert each.probability_best == each.score == pytest.approx(best[place])
        assert each.expected == pytest.approx(means[place], abs=1e-6)
        assert (each.lower, each.upper) == pytest.approx(np.quantile(values[:, place], [0.025, 0.975]), abs=1e-6)
        assert each.loss == pytest.approx(sum(losses) / len(losses), abs=1e-6)
        assert each.beats_all == pytest.approx(np.mean([value > half for value in values[:, place]]))
    assert sum(each.probability_best for each in selection.candidates) == pytest.approx(1, abs=1e-12)


def test_it_is_the_default_of_the_default_belief(posterior):
    assert default_criterion(posterior) == pb.StrongestRival()
    here = pb.select(posterior)
    there = pb.select(posterior, pb.Uniform(), pb.ProbabilityBest(), criterion=pb.StrongestRival())
    assert here.candidates == there.candidates
    assert str(here) == str(there)
    assert (here.criterion, here.risk, here.is_usual) == (pb.StrongestRival(), pb.ProbabilityBest(), True)
    paper = random_posterior()
    assert default_criterion(paper) == pb.FirstPlace()
    assert (pb.select(paper).criterion, pb.select(paper).risk) == (pb.FirstPlace(), pb.Expected())


@pytest.mark.parametrize("preference", LINEAR.values(), ids=LINEAR)
def test_win_rates_are_averaged_over_budgets_before_the_minimum(posterior, preference):
    if isinstance(preference, pb.At):  # no averages: a grid budget
        weights = (posterior.grid.budgets == preference.budget).astype(float)
    else:
        weights = preference.weights(posterior.grid)
    values = values_by_loops(posterior, lambda rates: sum(weights * rates))
    check(pb.select(posterior, preference, among=NAMES), values, NAMES, half=0.5)


@pytest.mark.parametrize("function", CUSTOM.values(), ids=CUSTOM)
def test_a_custom_preference_values_the_curve_of_each_pair(posterior, function):
    values = values_by_loops(posterior, function)
    selection = pb.select(posterior, pb.Custom(function), among=NAMES)
    check(selection, values, NAMES, half=function(np.full(5, 0.5)))
    of_lowest_curve = function(np.moveaxis(pb.StrongestRival().curves(posterior, everybody(posterior)), 1, -1))
    assert (of_lowest_curve <= values + 1e-6).all()  # the value is monotone
    if function is not CUSTOM["lowest"]:
        assert (of_lowest_curve < values - 1e-3).any()


def test_rivals_are_the_other_candidates(posterior):
    for names in (["A", "B"], ["D", "C", "A"]):
        values = values_by_loops(posterior, np.mean, names)
        ordered = [name for name in posterior.names if name in names]
        values = values[:, [names.index(name) for name in ordered]]
        selection = pb.select(posterior, pb.Weighted(np.ones(5)), among=names)
        check(selection, values, ordered, half=0.5)


@pytest.mark.parametrize("risk", [pb.Expected(), pb.Quantile(0.1), pb.ExpectedLoss(), pb.ProbabilityBest()], ids=str)
def test_the_order_is_that_of_the_risk_attitude(posterior, risk):
    values = values_by_loops(posterior, lambda rates: rates[2])
    scores = {
        "Expected": values.mean(axis=0),
        "Quantile": np.quantile(values, 0.1, axis=0),
        "ExpectedLoss": -np.maximum(0.5 - values, 0).mean(axis=0),
        "ProbabilityBest": shares_by_loops(values),
    }[type(risk).__name__]
    selection = pb.select(posterior, pb.At(3), risk, among=NAMES)
    assert {each.name: each.score for each in selection.candidates} == pytest.approx(
        dict(zip(NAMES, scores, strict=True)), abs=1e-6
    )
    found = [each.score for each in selection.candidates]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize("seed", range(20))
def test_probabilities_sum_to_one(seed):
    rng = np.random.default_rng(seed)
    values = random_values(int(rng.integers(1, 12)), 3, 5, seed=seed).astype(float)
    values[rng.random(values.shape) < 0.15] = np.nan
    values[0] = np.arange(5)  # everybody is observed
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2, 3]), draws=100, seed=seed)
    for preference, among in product(
        (pb.At(2), pb.Uniform(), pb.Custom(lambda c: c.mean(axis=-1))), (None, list("ABCDE"))
    ):
        selection = pb.select(posterior, preference, among=among)
        assert sum(each.probability_best for each in selection.candidates) == pytest.approx(1, abs=1e-12)
        for each in selection.candidates:
            assert 0 <= each.lower <= each.upper <= 1
            assert 0 <= each.loss <= 0.5
            assert each.beats_all is None or each.beats_all <= each.probability_best + 1e-12


def test_if_nobody_beats_all_others_the_largest_minimum_decides():
    """A beats B, B beats C and C beats A, each on two thirds of the instances; A's lead over B is larger."""
    orders = ["ABC"] * 40 + ["BCA"] * 30 + ["CAB"] * 30
    values = np.array([[[order.index(name) for name in "ABC"]] for order in orders], dtype=float)
    posterior = bootstrap_of(values, draws=500)
    assert pb.pareto_set(posterior) == ("A", "B", "C")
    selection = pb.select(posterior, pb.At(1))
    assert selection.recommendation == "A"  # loses to C on 60 %, B to A on 70 %, C to B on 70 %
    assert selection.candidates[0].beats_all < 0.05
    assert selection.candidates[0].expected == pytest.approx(0.4, abs=0.02)
    assert selection.loss == pytest.approx(0.1, abs=0.02)


def test_equal_probabilities_are_ordered_by_expected_value_and_then_by_name():
    rates = np.array([[0.9, 0.1], [0.4, 0.6]])  # of A over B and of B over A, in two draws
    found = pb.select(posterior_of(rates[:, None]), criterion=pb.StrongestRival()).candidates
    assert [each.name for each in found] == ["A", "B"]
    swapped = posterior_of(rates[:, None, ::-1])
    assert pb.select(swapped, criterion=pb.StrongestRival()).recommendation == "B"
    equal = posterior_of(np.array([[[0.75, 0.25]], [[0.25, 0.75]]]), names=["b", "a"])
    assert [each.name for each in pb.select(equal, criterion=pb.StrongestRival()).candidates] == ["a", "b"]
    assert pb.select(equal, criterion=pb.StrongestRival()).probability_best == 0.5


def test_of_two_algorithms_it_is_the_win_rate(posterior):
    rates = pb.win_rates(posterior, "A", "B")[:, 1]
    selection = pb.select(posterior, pb.At(2), among=["A", "B"])
    found = {each.name: each for each in selection.candidates}
    assert found["A"].expected == pytest.approx(rates.mean(), abs=1e-6)
    assert found["A"].beats_all == found["A"].probability_best == np.mean(rates > 0.5)
    assert found["B"].loss == pytest.approx(np.maximum(rates - 0.5, 0).mean(), abs=1e-6)


def test_under_plackett_luce_it_has_the_order_of_the_ratings():
    """The strongest rival of the best is the second, and of all others the best (the paper's Proposition 1)."""
    posterior = random_posterior(draws=80)
    for budget in posterior.grid.budgets:
        ratings, by_rival = (
            pb.select(posterior, pb.At(budget), pb.ProbabilityBest(), criterion=each)
            for each in (pb.FirstPlace(), pb.StrongestRival())
        )
        expected = {each.name: each.probability_best for each in ratings.candidates}
        assert {each.name: each.probability_best for each in by_rival.candidates} == pytest.approx(expected)


def test_every_preference_goes_with_a_posterior_of_the_papers_priors():
    paper = random_posterior()
    for preference in PREFERENCES.values():
        selection = pb.select(paper, preference, criterion=pb.StrongestRival())
        assert (selection.criterion, selection.is_usual) == (pb.StrongestRival(), False)
        assert selection.rival is None  # there are no outcomes to show


def test_curves_are_the_lowest_win_rates():
    posterior = random_posterior()
    rates = posterior.all_win_rates()
    rates[..., np.arange(4), np.arange(4)] = 1
    curves = pb.StrongestRival().curves(posterior, everybody(posterior))
    np.testing.assert_allclose(curves, rates.min(axis=-1), atol=1e-7)
    one = pb.StrongestRival().curves(posterior, everybody(posterior), slice(1, 2))
    np.testing.assert_array_equal(one, curves[:, 1:2])


def test_an_average_may_have_no_rival_that_is_strong_at_every_budget():
    """`a` always beats `b` early and `c` late, and otherwise wins half of the time."""
    half = np.random.default_rng(0).permuted(np.tile([0.0, 3.0], (2, 100)), axis=1)
    values = np.tile([1.0, 2.0, 2.0], (200, 2, 1))
    values[:, 0, 2], values[:, 1, 1] = half
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2], names=["a", "b", "c"]), draws=500)
    everyone = ["a", "b", "c"]
    for budget in (1, 2):
        assert pb.select(posterior, pb.At(budget), among=everyone).candidates[0].expected < 0.55
    average = pb.select(posterior, pb.Weighted([1, 1]), among=everyone).candidates[0]
    assert (average.name, average.expected) == ("a", pytest.approx(0.74, abs=0.03))


def test_rivals_are_the_algorithms_that_were_observed_at_the_budget():
    values = np.array([[[1.0, 2.0, 0.0], [1.0, 2.0, np.nan]]] * 30)
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2], names=["a", "b", "c"]), draws=200)
    expected = pb.StrongestRival().curves(posterior, everybody(posterior)).mean(axis=0)[:, 0]
    assert expected[0] < 0.1
    assert expected[1] > 0.9


def test_its_value_has_words():
    assert pb.StrongestRival().describe(0.614, 3) == "wins on 61 % of instances against its strongest rival"
    assert str(pb.StrongestRival()) == "the win rate against the strongest rival"
