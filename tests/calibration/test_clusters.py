"""Coverage of win rates with clusters, whose truths come from other models than the belief."""

import numpy as np
import pytest
from scipy.special import expit

import polarbear as pb

pytestmark = pytest.mark.calibration

DATA_SETS = 300
SIZES = [(3, 20), (8, 5), (24, 20)]  # clusters, and runs in each


def check_coverage(draw, truth, clusters, runs):
    """Of 95 % intervals at least 90 % hold the truth, two standard errors of the simulation allowed."""
    covered, sure = np.empty((2, DATA_SETS), dtype=bool)
    for seed in range(DATA_SETS):
        score = draw(np.random.default_rng(seed)).reshape(-1)  # 1, one half or 0 for a win, a tie or a loss of A
        values = np.stack([1 - score, score], axis=1)[:, None]
        choices = pb.Choices.from_values(values, grid=[1], clusters=np.repeat(np.arange(clusters), runs))
        rates = pb.fit(choices, draws=1000, seed=seed).win_rates(0, 1)[0]
        low, high = np.quantile(rates, [0.025, 0.975])
        covered[seed], sure[seed] = low <= truth <= high, (rates > 0.5).mean() > 0.95
    print(f"\n{clusters} clusters of {runs} runs: {covered.mean():.1%} covered, {sure.mean():.1%} sure")
    assert covered.mean() >= 0.9 - 2 * np.sqrt(0.09 / DATA_SETS)
    return sure.mean()


@pytest.mark.parametrize("tied", [0.0, 0.7])
@pytest.mark.parametrize("deviation", [0.0, 0.5, 1.5, 4.0])
@pytest.mark.parametrize(("clusters", "runs"), SIZES)
def test_clusters_that_differ_by_normal_logits(clusters, runs, deviation, tied):
    won = expit(0.4 + np.random.default_rng(0).normal(0, deviation, 400_000)).mean()

    def draw(rng):
        rates = expit(0.4 + rng.normal(0, deviation, (clusters, 1)))
        score = (rng.random((clusters, runs)) < rates).astype(float)
        return np.where(rng.random(score.shape) < tied, 0.5, score)

    check_coverage(draw, 0.5 * tied + (1 - tied) * won, clusters, runs)


@pytest.mark.parametrize("lost", [0.02, 0.1, 0.3])
@pytest.mark.parametrize(("clusters", "runs"), SIZES)
def test_clusters_that_are_won_or_lost_as_a_whole(clusters, runs, lost):
    check_coverage(lambda rng: np.repeat((rng.random(clusters) > lost).astype(float), runs), 1 - lost, clusters, runs)


def test_many_runs_in_clusters_that_agree_are_sure():
    assert check_coverage(lambda rng: (rng.random(480) < 0.62).astype(float), 0.62, 24, 20) > 0.95
