"""Where an algorithm was not observed, nothing about it is decided; posterior files keep the number of comparisons."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.race.decided_pairs import decided_pairs
from tests.posterior.posteriors import dirichlet_posterior, posterior_of
from tests.selection.short_runs import short_posterior

PRIORS = [pb.BayesianBootstrap(), pb.RandomWalk()]


def with_gap(ratings, **options):
    """A posterior in which a0 was not observed at the last budget."""
    posterior = posterior_of(ratings, **options)
    comparisons = np.full(posterior.ratings.shape[1:], 5)
    comparisons[-1, 0] = 0
    return replace(posterior, comparisons=comparisons)


@pytest.mark.parametrize("draws", [None, 50])
def test_a_file_keeps_the_comparisons(tmp_path, draws):
    posterior = short_posterior("long")
    posterior.save(tmp_path / "saved", draws=draws)
    loaded = pb.Posterior.load(tmp_path / "saved")
    np.testing.assert_array_equal(loaded.comparisons, posterior.comparisons)
    assert loaded.observed.tolist() == [[True, True]] * 2 + [[False, False]] * 2


def test_without_known_comparisons_every_algorithm_counts_as_observed(tmp_path):
    posterior = dirichlet_posterior()
    posterior.save(tmp_path / "saved")
    loaded = pb.Posterior.load(tmp_path / "saved")
    assert loaded.comparisons is None
    assert loaded.observed.all()
    assert pb.select(loaded, pb.Final()).not_observed == ()


def test_comparisons_of_another_shape_are_refused():
    with pytest.raises(ValueError, match=r"expected comparisons of shape \(4 budgets, 3 algorithms\), got \(3, 4\)"):
        replace(dirichlet_posterior(), comparisons=np.ones((3, 4), dtype=int))


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_fit_counts_the_comparisons(prior):
    posterior = short_posterior("long", "last", prior=prior)
    assert posterior.comparisons.T.tolist() == [[20, 20, 0, 0], [20] * 4, [20] * 4]
    assert posterior.thin(10).comparisons is posterior.comparisons


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_budgets_without_data_neither_decide_nor_drop(prior):
    """`short` beats the others wherever it was observed, and long beats last at all budgets."""
    posterior = short_posterior("long", "last", prior=prior)
    beats = pb.dominance(posterior)
    assert (beats[:2, 0, 1:] > 0.9).all()
    assert (beats[2:, 0, 1:] == 0.5).all()
    assert (beats[2:, 1:, 0] == 0.5).all()
    assert not pb.equivalence(posterior, margin=0.4)[2:, 0].any()
    for dominance in ("pointwise", "joint"):
        assert pb.pareto_set(posterior, confidence=0.8, dominance=dominance) == ("short", "long")
    decided = decided_pairs(posterior, until="pairs", confidence=0.8, margin=0.05)
    assert decided[:, 0, 1].tolist() == [True, True, False, False]
    assert decided[:, 1, 2].all()


def test_a_model_that_extrapolates_does_not_drop():
    """Its draws say that a0 is beaten at every budget, but at the last one it was not observed."""
    ratings = np.tile([0.1, 0.9], (50, 3, 1))
    assert pb.pareto_set(posterior_of(ratings)) == ("a1",)
    posterior = with_gap(ratings)
    for dominance in ("pointwise", "joint"):
        assert pb.pareto_set(posterior, dominance=dominance) == ("a0", "a1")
    assert not pb.anytime_dominance(posterior).any()
    assert pb.pareto_probability(posterior).tolist() == [1, 1]


def test_a_crossing_rests_on_observed_budgets():
    """In the draws, a1 overtakes a0 at the last budget, where a0 was not observed; or before, where both were."""
    late, early = ([[[0.6, 0.4], [0.6, 0.4], [0.4, 0.6]]], [[[0.6, 0.4], [0.4, 0.6], [0.4, 0.6]]])
    assert pb.crossing(posterior_of(late))[0, 1] == 1
    assert pb.crossing(with_gap(late))[0, 1] == 0
    assert pb.crossing(with_gap(early))[0, 1] == 1
    decided = decided_pairs(with_gap(early), until="pairs", confidence=0.9, margin=0.05)
    assert decided.all()  # a pair that crosses needs no data at the other budgets


def test_entries_that_are_not_wanted_stay_zero():
    posterior = with_gap(np.tile([0.1, 0.9], (50, 3, 1)))
    assert pb.dominance(posterior, where=[[False, False], [True, False]])[:, 0, 1].tolist() == [0, 0, 0]
    assert (pb.dominance(posterior)[:, [0, 1], [0, 1]] == 0).all()


@pytest.mark.parametrize("clusters", [None, "each instance twice"])
@pytest.mark.parametrize("seed", range(3))
def test_a_pair_differs_where_it_does_on_any_common_instance(seed, clusters):
    """Values are few, infinite (no solution yet), or missing (not observed)."""
    values = np.random.default_rng(seed).choice([1.0, 2.0, np.inf, np.nan], p=[0.5, 0.1, 0.1, 0.3], size=(6, 4, 4))
    values[:, :, 0] = np.where(np.arange(4) == 0, np.inf, 1.0)
    labels = None if clusters is None else np.arange(6) // 2
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2, 3, 4], clusters=labels), draws=100)
    one, other = values[..., :, None], values[..., None, :]
    common = ~np.isnan(one) & ~np.isnan(other)
    off_diagonal = ~np.eye(4, dtype=bool)
    expected = (common & (one != other)).any(axis=0)
    np.testing.assert_array_equal(posterior.differing_pairs & off_diagonal, expected & off_diagonal)
    np.testing.assert_array_equal(posterior.observed_pairs & off_diagonal, common.any(axis=0) & off_diagonal)
    assert not expected[:, off_diagonal].all()


def test_under_plackett_luce_every_observed_pair_counts_as_different():
    """Its priors keep no outcomes of pairs."""
    posterior = pb.fit(pb.Choices.from_values(np.ones((10, 2, 2)), grid=[1, 2]), prior=pb.Dirichlet())
    assert posterior.differing_pairs.all()
