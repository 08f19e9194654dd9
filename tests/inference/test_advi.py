"""ADVI: its settings, its bound, and that it says when it was stopped early."""

import numpy as np
import pytest

import polarbear as pb


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"covariance": "dense"}, "ADVI covariance must be 'diagonal' or 'full', got 'dense'"),
        ({"steps": 10}, "ADVI steps must be a whole number of at least 250"),
        ({"samples": 0}, "ADVI samples must be a whole number of at least 1"),
    ],
)
def test_settings_are_checked(wrong, said):
    with pytest.raises(ValueError, match=said):
        pb.ADVI(**wrong)


def test_the_bound_rises_and_an_early_end_is_told(crossing_choices):
    pytest.importorskip("blackjax", reason="needs the extra `mcmc`")
    told = []
    prior = pb.Dirichlet()
    full = pb.fit(crossing_choices, prior=prior, method=pb.ADVI(progress=lambda *at: told.append(at)), draws=400)
    assert full.diagnostics.elbo[-1] > full.diagnostics.elbo[0]
    assert told[-1][0] == told[-1][1] == 20_000
    short = pb.fit(crossing_choices, prior=prior, method=pb.ADVI(steps=500), draws=400)
    assert len(short.diagnostics.elbo) == 2
    assert not short.diagnostics.reliable
    assert "still rising after 500 steps" in short.diagnostics.message
    loaded = np.array(short.diagnostics.elbo)
    assert np.isfinite(loaded).all()


def test_the_bound_survives_a_file(tmp_path, crossing_choices):
    pytest.importorskip("blackjax", reason="needs the extra `mcmc`")
    posterior = pb.fit(crossing_choices, prior=pb.Dirichlet(), method=pb.ADVI(steps=250), draws=400)
    posterior.save(tmp_path / "file")
    assert pb.Posterior.load(tmp_path / "file").diagnostics == posterior.diagnostics
