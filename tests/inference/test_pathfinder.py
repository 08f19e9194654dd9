"""Pathfinder: its settings, draws without weight, and an error where JAX would hang."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.path_resampling import resampling_weights


@pytest.mark.parametrize("wrong", [{"paths": 0}, {"iterations": 0}, {"paths": 2.5}])
def test_invalid_settings_are_rejected(wrong):
    with pytest.raises(ValueError, match=f"expected a whole number of at least 1 for Pathfinder {next(iter(wrong))}"):
        pb.Pathfinder(**wrong)


def test_draws_of_a_failed_path_have_no_weight():
    log_weights = np.random.default_rng(1).normal(0, 0.1, 1000)
    log_weights[::4] = np.nan
    importance = resampling_weights(log_weights)
    assert (importance.weights[::4] == 0).all()
    assert importance.weights.sum() == pytest.approx(1)
    assert 0.7 < importance.effective_share < 0.75
    assert importance.good


def test_the_result_is_unreliable_if_every_path_failed():
    importance = resampling_weights(np.full(100, np.nan))
    assert importance.weights.sum() == pytest.approx(1)
    assert not importance.good


def test_weights_that_would_leave_one_draw_are_tempered():
    importance = resampling_weights(np.random.default_rng(1).normal(0, 20, 1000))
    assert not importance.good
    assert importance.effective_share < 0.01
    assert 1 / np.sum(importance.weights**2) == pytest.approx(100, rel=0.01)


def test_an_error_is_raised_where_jax_would_hang(monkeypatch, crossing_choices):
    pytest.importorskip("jax", reason="needs the extra `mcmc`")
    monkeypatch.setattr("polarbear.inference.reference.jax_runtime.has_too_few_threads", lambda: True)
    with pytest.raises(ValueError, match=r"method='pathfinder' would hang: JAX was started before .* set NPROC=8"):
        pb.fit(crossing_choices, prior=pb.RandomWalk(), method="pathfinder")
