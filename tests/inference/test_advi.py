"""ADVI: its settings, its bound, and the message when it stops early."""

import numpy as np
import pytest

import polarbear as pb


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"covariance": "dense"}, "expected 'diagonal' or 'full' as ADVI covariance, got 'dense'"),
        ({"steps": 10}, "expected a whole number of at least 250 for ADVI steps"),
        ({"samples": 0}, "expected a whole number of at least 1 for ADVI samples"),
    ],
)
def test_invalid_settings_are_rejected(wrong, message):
    with pytest.raises(ValueError, match=message):
        pb.ADVI(**wrong)


def test_the_bound_rises_and_an_early_end_is_reported(tmp_path, crossing_choices):
    pytest.importorskip("blackjax", reason="needs the extra `mcmc`")
    progress = []
    prior = pb.Dirichlet()
    full = pb.fit(crossing_choices, prior=prior, method=pb.ADVI(progress=lambda *at: progress.append(at)), draws=400)
    assert full.diagnostics.elbo[-1] > full.diagnostics.elbo[0]
    assert progress[-1][0] == progress[-1][1] == 20_000
    short = pb.fit(crossing_choices, prior=prior, method=pb.ADVI(steps=500), draws=400)
    assert len(short.diagnostics.elbo) == 2
    assert not short.diagnostics.reliable
    assert "still rising after 500 steps" in short.diagnostics.message
    assert np.isfinite(short.diagnostics.elbo).all()
    short.save(tmp_path / "file")
    assert pb.Posterior.load(tmp_path / "file").diagnostics == short.diagnostics
