"""Recommendations equal those of plain loops, and the paper's proposition on the Pareto set holds."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarbear import (
    At,
    BudgetDistribution,
    Custom,
    Expected,
    Final,
    Grid,
    LogUniform,
    Posterior,
    Uniform,
    Weighted,
    pareto_set,
    select,
)
from tests.selection.posteriors import posterior_of
from tests.selection.queries import PREFERENCES, RISKS


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
        assert each.loss == pytest.approx(np.mean(best - values[:, k]), abs=1e-12)
        assert (each.lower, each.upper) == pytest.approx(tuple(np.quantile(values[:, k], [0.025, 0.975])), rel=1e-10)
    assert selection.probability_best == selection.candidates[0].probability_best
    assert selection.loss == selection.candidates[0].loss
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
    default, stated = select(posterior), select(posterior, Uniform(), Expected())
    assert (default.preference, default.risk) == (Uniform(), Expected())
    assert default.candidates == stated.candidates
    assert str(default) == str(stated)


def test_only_the_requested_candidates_are_compared(posterior):
    two = select(posterior, among=["D", "B"])
    alone = select(posterior_of(posterior.ratings[..., [1, 3]], posterior.grid, names=["B", "D"]))
    assert two.recommendation == alone.recommendation
    assert [(e.members, e.score, e.probability_best, e.loss) for e in two.candidates] == [
        (e.members, pytest.approx(e.score), e.probability_best, pytest.approx(e.loss)) for e in alone.candidates
    ]
    assert select(posterior, among="C").recommendation == "C"
    assert select(posterior, among="C").probability_best == 1
    assert select(posterior, among="C").runner_up == ""
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
    budgets = len(posterior.grid)
    weights, power, level = rng.exponential(size=budgets) ** 3, rng.uniform(0.1, 3), rng.uniform()
    wanted = rng.uniform(size=budgets)
    preferences = [
        At(rng.uniform(1, budgets)),
        Final(),
        Uniform(),
        LogUniform(),
        Weighted(weights),
        BudgetDistribution(rng.uniform(1, budgets, size=3)),
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
        assert str(first) == str(second)


def test_selecting_from_a_file_in_single_precision(posterior, tmp_path):
    posterior.save(tmp_path / "choice.npz", draws=len(posterior.ratings))
    loaded = Posterior.load(tmp_path / "choice.npz")
    for preference in PREFERENCES.values():
        for risk in RISKS:
            here, there = (select(each, preference, risk) for each in (posterior, loaded))
            assert there.recommendation == here.recommendation
            assert there.loss == pytest.approx(here.loss, abs=1e-6)  # single precision has seven digits
            assert there.probability_best == here.probability_best


def test_selecting_from_a_file_loads_little_beside_numpy(posterior, tmp_path):
    posterior.save(tmp_path / "choice.npz", draws=50)
    code = (
        "import sys, polarbear as pb; p = pb.Posterior.load(sys.argv[1]);"
        "print(pb.select(p, pb.LogUniform(), pb.Quantile(0.05), portfolio=2).name);"
        "pb.decision_map(p); pb.worst_case_loss(p);"
        "heavy = {'scipy.special', 'scipy.stats', 'arviz_stats', 'rich', 'cloudpickle', 'polarbear.inference'};"
        "heavy |= {'pandas', 'polars', 'pyarrow', 'matplotlib', 'pydantic', 'typer', 'polarbear.importers'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, str(tmp_path / "choice.npz")],
        capture_output=True,
        text=True,
        check=True,
    )
    name, loaded = done.stdout.splitlines()
    assert set(name) & set("ABCD")
    assert loaded == "[]"


def test_frames_and_notebooks_show_the_candidates_of_a_selection(posterior):
    selection = select(posterior, Final())
    frame = selection.to_frame()
    assert frame["choice"].tolist() == [each.name for each in selection.candidates]
    for column in ("score", "expected", "lower", "upper", "probability_best", "loss"):
        assert frame[column].tolist() == [getattr(each, column) for each in selection.candidates]
    html = selection._repr_html_()
    assert html.count("<tr>") == 1 + len(selection.candidates)
    assert f"<td>{selection.candidates[0].name}</td><td>{100 * selection.candidates[0].expected:.0f} %</td>" in html
