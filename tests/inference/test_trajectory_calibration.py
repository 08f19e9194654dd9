import numpy as np
import pytest
from scipy.linalg import block_diag, sqrtm

import polarbear as pb
from polarbear.calibration.simulator import Simulator
from polarbear.inference import believable_part, calibrate_trajectories, trajectory_calibration
from polarbear.inference.amplitude_correction import AmplitudeCorrection
from polarbear.inference.run_scores import standard_scores
from polarbear.inference.score_correlation import score_correlation
from polarbear.inference.whitened import LaplaceSurface
from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import derivatives, sample_rankings
from polarbear.observe.ranking import ABSENT

KNOWN = pb.LogNormal(0.0, 1e-3)  # an amplitude of one
PRIORS = {
    "dense": (pb.HilbertSpaceGP(basis=8, boundary=2.0, amplitude=KNOWN), (1.0, 0.5)),
    "banded": (pb.RandomWalk(amplitude=KNOWN), (1.0,)),
    "Markov": (pb.GaussianProcess(amplitude=KNOWN), (1.0, 0.5)),
    "spline": (pb.BSpline(basis=6, amplitude=KNOWN), (1.0,)),
}
TIMES, ALGORITHMS = 8, 3


@pytest.fixture(scope="module")
def choices():
    rng = np.random.default_rng(0)
    utilities = np.linspace([1.0, 0.0, -1.0], [-1.0, 0.0, 1.0], TIMES)
    values = sample_rankings(utilities, 20, rng=rng)
    return pb.Choices.from_values(values, grid=np.arange(1.0, TIMES + 1), per_instance=True)


def gaussian_draws(choices, prior, hyperparameters, draws, rng):
    """Draws of Laplace's approximation, with V and A, dense and in the latent functions."""
    surface = LaplaceSurface(choices, prior)
    conditional = surface.conditional(hyperparameters, None)
    field, size = conditional.field, int(np.prod(conditional.field.shape))
    colour = field.latent(conditional.factor.colour(np.eye(size).reshape(*field.shape, size)))
    flat = colour.reshape(-1, size)
    mode = field.latent(conditional.mode)
    Q = helmert(ALGORITHMS)
    blocks = Q.T @ derivatives(mode @ Q.T, choices)[2] @ Q
    latent = mode[..., None] + (flat @ rng.standard_normal((size, draws))).reshape(TIMES, ALGORITHMS - 1, draws)
    return np.tensordot(Q, latent, axes=(1, 1)).transpose(1, 0, 2), flat @ flat.T, blocks


@pytest.mark.parametrize("prior", PRIORS)
def test_uncorrelated_rankings_give_the_draws_back(choices, prior, monkeypatch):
    prior, hyperparameters = PRIORS[prior]
    monkeypatch.setattr(trajectory_calibration, "score_correlation", lambda *_: np.eye(TIMES))
    rng = np.random.default_rng(1)
    draws = gaussian_draws(choices, prior, hyperparameters, 50, rng)[0]
    calibrated = calibrate_trajectories(draws, choices, prior, hyperparameters, rng=rng)
    np.testing.assert_allclose(calibrated.utilities, draws, atol=1e-9)
    assert calibrated.effective_times == pytest.approx(TIMES)
    assert calibrated.effective_share == pytest.approx(1)


OWN = np.array([0.3, 1.0, 1.8])


@pytest.mark.parametrize("prior", PRIORS)
def test_draws_are_those_of_the_truth_given_the_estimate_and_its_mean(choices, prior, monkeypatch):
    """C = B(R) B(I)⁻¹, B = E ηmᵀ (E mmᵀ)⁻¹, and the covariance of η − C m; 40,000 draws know a variance to 0.7 %."""
    prior, hyperparameters = PRIORS[prior]
    R = 0.9 ** np.abs(np.subtract.outer(np.arange(TIMES), np.arange(TIMES)))
    correction = AmplitudeCorrection(shift=-0.5, deviation=0.2)
    monkeypatch.setattr(trajectory_calibration, "score_correlation", lambda *_: R)
    monkeypatch.setattr(trajectory_calibration, "amplitude_correction", lambda **_: correction)
    monkeypatch.setattr(believable_part, "own_amplitudes", lambda *_: OWN)
    monkeypatch.setattr(trajectory_calibration, "own_deviation", lambda *_: 0.15)
    monkeypatch.setattr(trajectory_calibration, "_beyond_second_order", lambda given, **_: np.zeros(given.shape[-1]))
    rng = np.random.default_rng(2)
    draws, V, A = gaussian_draws(choices, prior, hyperparameters, 40_000, rng)
    calibrated = calibrate_trajectories(draws, choices, prior, hyperparameters, rng=rng)

    functions, Q = ALGORITHMS - 1, helmert(ALGORITHMS)
    larger = np.exp(2 * (0.2**2 + 0.15**2 - 0.5))  # E x², x log-normal
    L = prior.factor(choices.grid, *hyperparameters)
    K, own = (np.kron(L @ L.T, between) for between in (np.eye(functions), (Q.T * OWN**2) @ Q))
    A = block_diag(*A)
    root = np.real(sqrtm(A))
    noise = {"R": root @ np.kron(R, np.eye(functions)) @ root, "I": A}
    one, mean = np.eye(functions), np.full((1, TIMES), 1 / TIMES)
    at = [np.vstack([np.kron(here, one), np.kron(mean, one)]) for here in np.eye(TIMES)]  # what tells of each time

    def believable(size, correlation):
        together, estimates = size * own @ A @ V, V @ (size * A @ own @ A + noise[correlation]) @ V
        return [told @ together @ told.T @ np.linalg.inv(told @ estimates @ told.T) for told in at]

    pairs = zip(believable(larger, "R"), believable(1.0, "I"), at, strict=True)
    C = np.vstack([(there @ np.linalg.inv(supposed) @ told)[:functions] for there, supposed, told in pairs])
    lost = np.eye(len(K)) - C @ V @ A
    expected = larger * lost @ K @ lost.T + C @ V @ noise["R"] @ V @ C.T

    latent, m = (
        np.tensordot(Q.T, each, axes=(1, 1)).transpose(1, 0, 2).reshape(len(K), -1)
        for each in (calibrated.utilities, draws)
    )
    np.testing.assert_allclose(np.cov(latent), expected, atol=0.04 * expected.max())
    np.testing.assert_allclose(latent.mean(axis=1), C @ m.mean(axis=1), atol=0.01)
    assert np.abs(C @ m.mean(axis=1) - m.mean(axis=1)).max() > 0.05  # which is not the estimate itself
    assert 1 < calibrated.effective_times < TIMES


def told_alike(wins, instances):
    """Two algorithms whose order on an instance never changes, and the posterior of their difference from one time.

    The prior is a function that hardly changes over time, so that a number has to be inferred: by quadrature.
    """
    won = (np.arange(instances) < wins)[:, None, None]
    values = np.where(won, [0.0, 1.0], [1.0, 0.0]) * np.ones((instances, 12, 1))
    choices = pb.Choices.from_values(values, grid=pb.linear_grid(1, 12, 12), per_instance=True)
    prior = pb.GaussianProcess(amplitude=KNOWN, lengthscale=pb.LogNormal(np.log(30), 1e-3))
    difference = np.linspace(-10, 12, 4001)  # of two utilities; it is √2 times the latent function, which is N(0, 1)
    log_density = -0.25 * difference**2 - wins * np.logaddexp(0, -difference)
    log_density -= (instances - wins) * np.logaddexp(0, difference)
    mass = np.exp(log_density - log_density.max())
    mass /= mass.sum()
    mean = mass @ difference
    deviation = np.sqrt(mass @ (difference - mean) ** 2)
    posterior = pb.fit(choices, prior=prior, calibration="trajectory", draws=4000)
    ours = np.log(posterior.ratings[..., 0] / posterior.ratings[..., 1])
    return (mean, deviation, mass[difference > 0].sum()), (ours.mean(), ours.std(axis=0).mean(), (ours > 0).mean())


@pytest.mark.parametrize(("wins", "instances"), [(4, 8), (6, 8), (16, 30), (20, 30), (75, 100)])
def test_where_all_times_tell_the_same_they_count_as_one(wins, instances):
    # The paper's likelihood takes them for twelve: deviations are then a third as large.
    exact, ours = told_alike(wins, instances)
    assert ours[0] == pytest.approx(exact[0], abs=0.1 * exact[1])
    assert ours[1] == pytest.approx(exact[1], rel=0.15)
    assert ours[2] == pytest.approx(exact[2], abs=0.02)


@pytest.mark.parametrize(("wins", "instances", "over"), [(27, 30, 0.3), (28, 30, 0.5), (8, 8, 0.8), (30, 30, 2.0)])
def test_who_nearly_always_wins_is_known_to_be_better(wins, instances, over):
    # All of it is linear but for the weights, without which a symmetric error would reach beyond zero.
    exact, ours = told_alike(wins, instances)
    assert ours[2] == pytest.approx(exact[2], abs=0.005)
    # By how much is overstated: the expansion is at a fit that counts each win twelve times.
    assert exact[0] < ours[0] < exact[0] + over * exact[1]


def test_weights_leave_a_fifth_of_the_draws_whatever_they_are(choices, monkeypatch):
    prior, hyperparameters = PRIORS["banded"]
    rng = np.random.default_rng(5)
    draws = gaussian_draws(choices, prior, hyperparameters, 1000, rng)[0]
    wild = iter([300 * rng.standard_normal(1000), np.zeros(1000)])
    monkeypatch.setattr(trajectory_calibration, "_beyond_second_order", lambda *_, **__: next(wild))
    calibrated = calibrate_trajectories(draws, choices, prior, hyperparameters, rng=rng)
    assert calibrated.effective_share == pytest.approx(0.2, abs=0.01)
    assert len(np.unique(calibrated.utilities[0, 0])) == pytest.approx(200, abs=10)


def test_some_of_many_times_are_enough_to_weigh_draws(monkeypatch):
    utilities = np.linspace([2.0, 0.0, -2.0], [1.0, 0.5, -1.5], 120)
    values = Simulator(0.99).values(utilities, 12, rng=np.random.default_rng(6))
    choices = pb.Choices.from_values(values, grid=pb.linear_grid(1, 120, 120), per_instance=True)

    def difference():
        ratings = pb.fit(choices, calibration="trajectory", draws=2000).ratings
        return np.log(ratings[..., 0] / ratings[..., 2])

    some = difference()
    monkeypatch.setattr(trajectory_calibration, "_WEIGHED_TIMES", 120)
    every = difference()
    assert not np.array_equal(some, every)
    # Means of a fifth of the draws each differ by 0.07 standard deviations; twice that, at every time.
    assert (np.abs(some.mean(axis=0) - every.mean(axis=0)) < 0.15 * every.std(axis=0)).all()
    np.testing.assert_allclose(some.std(axis=0), every.std(axis=0), rtol=0.15)


@pytest.mark.parametrize("ended", [0, 5])
@pytest.mark.parametrize("prior", PRIORS)
def test_scores_are_scaled_back_by_what_the_estimate_took(choices, prior, ended, monkeypatch):
    """z_i + H z_i / 2P with H = A^½ V A^½, computed densely; of P runs at each time, if some have ended."""
    prior, hyperparameters = PRIORS[prior]
    ranks = choices.rankings.ranks.copy()
    ranks[:ended, TIMES // 2 :] = ABSENT
    choices = pb.Choices.from_rankings(pb.Rankings(ranks, choices.names, choices.grid), per_instance=True)
    given = []

    def listening(scores):
        given.append(scores)
        return score_correlation(scores)

    monkeypatch.setattr(trajectory_calibration, "score_correlation", listening)
    rng = np.random.default_rng(4)
    draws, V, A = gaussian_draws(choices, prior, hyperparameters, 10, rng)
    calibrate_trajectories(draws, choices, prior, hyperparameters, rng=rng)
    surface = LaplaceSurface(choices, prior)
    conditional = surface.conditional(hyperparameters, None)
    scores, _ = standard_scores(conditional.field.latent(conditional.mode) @ helmert(ALGORITHMS).T, choices)
    values, vectors = np.linalg.eigh(A)
    root = block_diag(*((vectors * np.sqrt(values)[:, None, :]) @ vectors.transpose(0, 2, 1)))
    flat = scores.reshape(-1, scores.shape[-1])
    taken = (root @ V @ root @ flat).reshape(scores.shape)
    taken[TIMES // 2 :, :, :ended] = 0.0
    runs = np.repeat([len(ranks), len(ranks) - ended], TIMES // 2)
    np.testing.assert_allclose(given[0], scores + taken / (2 * runs[:, None, None]), atol=1e-8)


def test_draws_are_worked_on_in_parts_and_equal_seeds_give_equal_draws(choices):
    prior, hyperparameters = PRIORS["banded"]
    draws = gaussian_draws(choices, prior, hyperparameters, 2100, np.random.default_rng(3))[0]
    first, again = (
        calibrate_trajectories(draws, choices, prior, hyperparameters, rng=np.random.default_rng(4)).utilities
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)
    *_, before, last = np.split(first, [1000, 2000], axis=-1)
    spread = before.std(axis=-1)
    # Four standard errors of a hundred draws, that many also of their deviation.
    np.testing.assert_allclose(last.mean(axis=-1), before.mean(axis=-1), atol=0.4 * spread.max())
    np.testing.assert_allclose(last.std(axis=-1), spread, rtol=0.3)


EDGES = {
    "two times": {"times": 2},
    "two algorithms": {"algorithms": 2},
    "one instance": {"instances": 1},
    "all tied": {"tied": True},
    "nothing seen at first": {"unseen": 2},
    "weights, and runs that are absent": {"weighted": True, "absent": True},
}


@pytest.mark.parametrize(
    "prior", [pb.BSpline(basis=6), pb.RandomWalk(), pb.GaussianProcess()], ids=lambda prior: type(prior).__name__
)
@pytest.mark.parametrize("edge", EDGES)
def test_the_least_that_can_be_seen_is_calibrated_too(prior, edge):
    of = {"times": 5, "algorithms": 3, "instances": 6, "tied": False, "unseen": 0, **EDGES[edge]}
    values = np.random.default_rng(3).gumbel(size=(of["instances"], of["times"], of["algorithms"])).cumsum(axis=1)
    values = np.zeros_like(values) if of["tied"] else -values
    values[:, : of["unseen"]] = 0.0
    if "absent" in of:
        values[0, 2:, 0] = np.nan
    weights = np.linspace(0.5, 1.5, of["instances"]) if "weighted" in of else None
    grid = pb.linear_grid(1, of["times"], of["times"])
    choices = pb.Choices.from_values(values, grid=grid, weights=weights, per_instance=True)
    posterior = pb.fit(choices, prior=prior, calibration="trajectory", draws=200)
    np.testing.assert_allclose(posterior.ratings.sum(axis=-1), 1.0)
    worth = posterior.diagnostics.effective_times
    most = 1 if of["tied"] else of["times"]  # the same ranking at all times is one
    assert 1 <= worth <= most + 1e-9
    assert posterior.diagnostics.reliable


def test_what_rankings_are_worth_does_not_jump_from_round_to_round():
    # Four algorithms whose noise has the autocorrelation 0.95: rounds of eight instances, each fitted anew.
    utilities = np.linspace([1.0, 0.5, -0.5, -1.0], [0.0, 1.0, 0.0, -1.0], 20)
    values = Simulator(0.95).values(utilities, 64, rng=np.random.default_rng(4))
    worth, width = [], []
    for seen in range(8, 65, 8):
        choices = pb.Choices.from_values(values[:seen], grid=pb.linear_grid(1, 20, 20), per_instance=True)
        posterior = pb.fit(choices, prior=pb.RandomWalk(), calibration="trajectory", draws=1000)
        worth.append(posterior.diagnostics.effective_times)
        difference = np.log(posterior.ratings[..., 0] / posterior.ratings[..., 1])
        width.append(np.ptp(np.quantile(difference, [0.025, 0.975], axis=0), axis=0).mean() * np.sqrt(seen))
    # Of 20 times; a round more changes it by a fifth at most, and intervals shrink by the root of the instances or so.
    assert np.abs(np.diff(np.log(worth))).max() < 0.2
    assert np.abs(np.diff(np.log(width))).max() < 0.2
