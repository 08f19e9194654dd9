"""The recommendation: against plain loops, the paper's proposition, its sentence, and the errors."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from polarbear import (
    At,
    Between,
    BudgetDistribution,
    Custom,
    Expected,
    Final,
    Grid,
    LogUniform,
    Posterior,
    ProbabilityBest,
    Quantile,
    Regret,
    Uniform,
    Weighted,
    pareto_set,
    select,
)
from tests.selection.posteriors import posterior_of, random_posterior

RISKS = [Expected(), ProbabilityBest(), Quantile(0.05), Regret()]
PREFERENCES = {
    "at": At(200),
    "final": Final(),
    "uniform": Uniform(),
    "log-uniform": LogUniform(),
    "between": Between(50, 700),
    "weighted": Weighted(lambda t: np.exp(-t / 100)),
    "distribution": BudgetDistribution(stats.lognorm(1, scale=100)),
    "custom": Custom(lambda curves: curves.min(axis=-1) + curves.mean(axis=-1)),
}


@pytest.fixture
def posterior():
    return random_posterior()


@pytest.mark.parametrize("risk", RISKS, ids=str)
@pytest.mark.parametrize("preference", PREFERENCES.values(), ids=PREFERENCES)
def test_a_recommendation_has_the_best_score_of_values_by_loops(posterior, preference, risk):
    selection = select(posterior, preference, risk)
    if isinstance(preference, Custom):
        values = np.array([[min(c) + sum(c) / len(c) for c in draw.T] for draw in posterior.ratings])
    else:
        weights = preference.weights(posterior.grid)
        values = np.array([[sum(weights * c) for c in draw.T] for draw in posterior.ratings])
    scores = risk.score(values)
    assert selection.recommendation == posterior.names[scores.argmax()]
    order = np.argsort(-scores)
    assert [each.members[0] for each in selection.candidates] == [posterior.names[k] for k in order]
    np.testing.assert_allclose(selection.values, values[:, order], rtol=1e-10)
    best, mean = values.max(axis=1), values.mean(axis=0)
    for each, k in zip(selection.candidates, order, strict=True):
        assert each.score == pytest.approx(scores[k], rel=1e-10)
        assert each.expected == pytest.approx(mean[k], rel=1e-10)
        assert each.probability_best == pytest.approx(np.mean(values[:, k] == best))
        assert each.regret == pytest.approx(np.mean(best - values[:, k]), abs=1e-12)
        assert (each.lower, each.upper) == pytest.approx(tuple(np.quantile(values[:, k], [0.05, 0.95])), rel=1e-10)
    assert selection.probability_best == selection.candidates[0].probability_best
    assert selection.regret == selection.candidates[0].regret
    assert sum(each.probability_best for each in selection.candidates) == pytest.approx(1)


@pytest.mark.parametrize("preference", PREFERENCES.values(), ids=PREFERENCES)
@pytest.mark.parametrize("size", [1, 2])
def test_the_order_of_algorithms_does_not_matter(posterior, preference, size):
    order = [2, 0, 3, 1]
    shuffled = posterior_of(posterior.ratings[..., order], posterior.grid, names=[posterior.names[k] for k in order])

    def scores(selection):
        return {tuple(sorted(each.members)): each.score for each in selection.candidates}

    for risk in RISKS:
        here, there = (select(each, preference, risk, portfolio=size) for each in (posterior, shuffled))
        assert scores(there) == pytest.approx(scores(here), rel=1e-9)
        assert sorted(there.recommendation) == sorted(here.recommendation)


def test_preferences_disagree_where_the_leader_changes():
    early = np.array([0.8, 0.6, 0.3, 0.1])
    posterior = posterior_of(np.stack([early, 1 - early], axis=1)[None], Grid([1, 10, 100, 1000], "log"))
    assert select(posterior, At(1)).recommendation == "A"
    assert select(posterior, Final()).recommendation == "B"
    assert select(posterior, Uniform()).recommendation == "B"  # nine tenths of the budgets are beyond 100
    assert select(posterior, Weighted([5, 1, 1, 1])).recommendation == "A"


def test_uniform_and_expected_are_the_default(posterior):
    assert select(posterior).sentence == select(posterior, Uniform(), Expected()).sentence


def test_only_the_requested_candidates_are_compared(posterior):
    two = select(posterior, among=["D", "B"])
    alone = select(posterior_of(posterior.ratings[..., [1, 3]], posterior.grid, names=["B", "D"]))
    assert two.recommendation == alone.recommendation
    assert [(e.members, e.score, e.probability_best, e.regret) for e in two.candidates] == [
        (e.members, pytest.approx(e.score), e.probability_best, pytest.approx(e.regret)) for e in alone.candidates
    ]
    assert select(posterior, among="C").recommendation == "C"
    assert select(posterior, among="C").probability_best == 1
    assert (
        select(posterior, among="C").sentence == "For any budget, all equally likely, by the expected value, choose C."
    )
    assert select(posterior, among={"A", "C"}, portfolio=2).recommendation in {("A", "A"), ("A", "C"), ("C", "C")}
    assert select(posterior, PREFERENCES["custom"], among=["B", "D"]).recommendation in {"B", "D"}


# The paper's proposition: A is optimal under some strictly increasing preference if and only if no algorithm dominates it.
# Ratings are ratios of small whole numbers, so that ties happen and differences are far above rounding.
strengths = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(1, 9), min_size=n, max_size=n), min_size=1, max_size=6)
)


def point_posterior(rows):
    ratings = np.array(rows, dtype=float)
    return posterior_of((ratings / ratings.sum(axis=1, keepdims=True))[None])


@settings(deadline=None, max_examples=100)
@given(strengths)
def test_each_pareto_member_is_optimal_under_the_papers_preference(rows):
    posterior = point_posterior(rows)
    for name in pareto_set(posterior):
        own = posterior.ratings[0, :, posterior.names.index(name)]
        selection = select(posterior, Custom(lambda curves, own=own: (curves - own).min(axis=-1)))
        values = {each.members[0]: each.expected for each in selection.candidates}
        assert values[name] == 0
        assert max(values.values()) == 0


@settings(deadline=None, max_examples=100)
@given(strengths, st.integers(0, 2**32 - 1))
def test_a_dominated_algorithm_is_optimal_under_no_monotone_preference(rows, seed):
    posterior, rng = point_posterior(rows), np.random.default_rng(seed)
    times = len(posterior.grid)
    weights, power, level = rng.exponential(size=times) ** 3, rng.uniform(0.1, 3), rng.uniform()
    wanted = rng.uniform(size=times)
    preferences = [
        At(rng.uniform(1, times)),
        Final(),
        Uniform(),
        LogUniform(),
        Weighted(weights),
        BudgetDistribution(rng.uniform(1, times, size=3)),
        Custom(lambda curves: curves**power @ weights),
        Custom(lambda curves: (curves - wanted).min(axis=-1)),
        Custom(lambda curves: np.quantile(curves, level, axis=-1)),
        Custom(lambda curves: np.log(curves).mean(axis=-1) + curves.max(axis=-1)),
    ]
    inside = pareto_set(posterior)
    assert inside
    for preference in preferences:
        selection = select(posterior, preference)
        best = selection.candidates[0].expected
        optimal = {each.members[0] for each in selection.candidates if each.expected > best - 1e-12}
        assert optimal <= set(inside)


def test_nothing_changes_its_inputs(posterior):
    before = posterior.ratings.copy()
    given_weights, samples, members = np.arange(8.0), np.array([20.0, 300.0]), ["D", "A"]
    for preference in (*PREFERENCES.values(), Weighted(given_weights), BudgetDistribution(samples)):
        for size in (1, 2):
            select(posterior, preference, among=members, portfolio=size)
    np.testing.assert_array_equal(posterior.ratings, before)
    np.testing.assert_array_equal(given_weights, np.arange(8.0))
    np.testing.assert_array_equal(samples, [20, 300])
    assert members == ["D", "A"]


def test_the_same_query_has_the_same_recommendation(posterior):
    for preference in PREFERENCES.values():
        first, second = (select(posterior, preference, portfolio=2) for _ in range(2))
        assert first.candidates == second.candidates
        assert first.sentence == second.sentence


def test_selecting_from_a_file_in_single_precision(posterior, tmp_path):
    posterior.save(tmp_path / "choice.npz", draws=len(posterior.ratings))
    loaded = Posterior.load(tmp_path / "choice.npz")
    for preference in PREFERENCES.values():
        for risk in RISKS:
            here, there = (select(each, preference, risk) for each in (posterior, loaded))
            assert there.recommendation == here.recommendation
            assert there.regret == pytest.approx(here.regret, abs=1e-6)  # single precision has seven digits
            assert there.probability_best == here.probability_best


def test_selecting_from_a_file_needs_numpy_alone(posterior, tmp_path):
    posterior.save(tmp_path / "choice.npz", draws=50)
    code = (
        "import sys, polarbear as pb; p = pb.Posterior.load(sys.argv[1]);"
        "print(pb.select(p, pb.LogUniform(), pb.Quantile(0.05), portfolio=2).sentence);"
        "pb.decision_map(p); pb.worst_case_regret(p);"
        "print(sorted({'scipy', 'arviz_stats', 'rich', 'cloudpickle', 'polarbear.inference'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(tmp_path / "choice.npz")],
        capture_output=True,
        text=True,
        check=True,
    )
    sentence, loaded = done.stdout.splitlines()
    assert sentence.startswith(
        "For any budget, all orders of magnitude equally likely, by the 5 % quantile of the value"
    )
    assert loaded == "[]"


def fixed():
    """B is best in 8 of 10 draws, by 0.2; else A, by 0.1."""
    return posterior_of([[[0.4, 0.6]]] * 8 + [[[0.55, 0.45]]] * 2, Grid([1000.0]), names=["de", "cma"])


def test_the_sentence_of_a_recommendation():
    selection = select(fixed(), At(1000))
    assert selection.sentence == (
        "For a budget of 1,000, by the expected value, choose cma: it is the best of 2 with probability 0.80, and costs "
        "0.020 in expected regret; next comes de."
    )
    assert repr(selection) == f"Selection({selection.sentence})"
    assert str(selection).splitlines() == [
        selection.sentence,
        "",
        "           value [5 %, 95 %]     P(best)  regret",
        "cma        0.570 [0.450, 0.600]    0.800  0.0200",
        "de         0.430 [0.400, 0.550]    0.200  0.1600",
    ]


def test_the_sentence_of_a_portfolio():
    """Both algorithms together are always first; of equal portfolios the first in order is recommended."""
    selection = select(fixed(), At(1000), portfolio=3)
    assert selection.recommendation == ("de", "de", "cma")
    assert selection.candidates[0].name == "2 x de + cma"
    assert selection.candidates[2].name == "3 x cma"
    assert selection.sentence.startswith(
        "For a budget of 1,000, by the expected value, choose 2 x de + cma: it is the best of 4 with probability 0.50, and "
        "costs 0.000 in expected regret; next comes de + 2 x cma. It beats the best single algorithm, cma, on "
    )
    won = np.mean([1 - b / (2 * (2 * a + b)) for a, b in [(0.4, 0.6)] * 8 + [(0.55, 0.45)] * 2])
    assert selection.win_rate_against_best_single == pytest.approx(won)
    assert selection.sentence.endswith(
        f"on {100 * won:.0f} % of instances, counting one half where cma is its best member. The value of copies of one "
        "algorithm is computed from Plackett-Luce; repeated runs with virtual_portfolio measure it."
    )


def test_long_tables_are_cut():
    text = str(select(random_posterior(), portfolio=3))
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


def test_independent_times_are_reported(posterior):
    alone = posterior_of(posterior.ratings, posterior.grid, joint=False)
    remark = "The prior Dirichlet(concentration=1.0) treats each time alone"
    for preference in PREFERENCES.values():
        one_time = isinstance(preference, At | Final)
        assert (remark in select(alone, preference).sentence) != one_time
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
        ((Uniform(), At(3)), r"expected a risk such as Expected\(\), got At\(time=3\)"),
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
    select(posterior_of(ratings), turning)
    with pytest.raises(ValueError, match="increases with the ratings, got one whose value falls"):
        select(posterior_of(ratings), turning, portfolio=10)


def test_values_of_portfolios_stay_where_saturating_preferences_increase():
    saturating = Custom(lambda curves: (1 - (1 - curves) ** 2).mean(axis=-1))
    for size in (1, 3):
        assert select(random_posterior(), saturating, portfolio=size).candidates[0].expected <= 1
