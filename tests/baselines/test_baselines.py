import math

import numpy as np
import pytest

from polarbear import Trajectory
from polarbear.baselines import (
    aocc,
    aocc_of_runs,
    attained_share,
    eaf,
    eaf_contour,
    eaf_difference,
    ecdf,
    ecdf_band,
    log_targets,
)


@pytest.fixture
def values():
    rng = np.random.default_rng(1)
    steps = rng.exponential(size=(40, 25, 3)) * [1.0, 0.7, 0.3]
    return 10.0 ** (3 - np.cumsum(steps, axis=1))


def test_ecdf_is_the_attainment_function_integrated_over_targets(values):
    surface = eaf(values, log_targets(4001))
    # A mean over 4001 targets misses each run's value by at most one part in 4000.
    np.testing.assert_allclose(surface.mean(axis=1), ecdf(values), atol=1 / 4000)


def test_aocc_is_the_area_under_the_ecdf(values):
    budgets = np.geomspace(100, 60_000, 25)
    weights = np.diff(budgets) / (budgets[-1] - budgets[0])
    np.testing.assert_allclose(aocc(values, budgets).mean(axis=0), weights @ ecdf(values)[:-1])


def test_aocc_of_runs_is_that_of_their_values(values):
    budgets = np.geomspace(100, 60_000, 25)
    runs = [Trajectory(str(a), i, budgets, values[i, :, a], end=budgets[-1]) for i in range(40) for a in range(3)]
    areas = aocc_of_runs(runs, budgets[0], budgets[-1])
    for a, column in enumerate(aocc(values, budgets).T):
        np.testing.assert_allclose(areas[str(a)], column)


def test_aocc_of_a_failed_run_counts_nothing_after_the_failure_and_of_a_short_one_nothing_at_all():
    runs = [
        Trajectory("a", 0, [1], [1e-8], end=15, failed=True),
        Trajectory("b", 0, [1], [1e-8], end=15),
        Trajectory("c", 0, [12], [1e-8], end=math.inf),
    ]
    assert aocc_of_runs(runs, 10, 20) == {"a": [0.5], "c": [0.8]}


def test_differences_are_of_shares_so_that_missing_runs_do_not_count_as_failures(values):
    fewer = values.copy()
    fewer[20:, :, 1] = np.nan
    targets = log_targets(11)
    expected = eaf(values[:, :, :1], targets)[..., 0] - eaf(values[:20, :, 1:2], targets)[..., 0]
    np.testing.assert_allclose(eaf_difference(fewer, 0, 1, targets), expected)


def test_contour_is_the_least_target_that_the_share_has_reached(values):
    for share in (0.1, 0.5, 0.975, 1.0):
        contour = eaf_contour(values, share)
        reached = (values <= contour).mean(axis=0)
        below = (values < contour).mean(axis=0)
        assert (reached >= share).all()
        assert (below < share).all()


def test_band_covers_the_mean_of_the_population():
    # 200 populations of 30 instances: the 95 % percentile interval covers about 93 %; 90 % is three standard errors below.
    rng = np.random.default_rng(5)
    covered = []
    for _ in range(200):
        shares = rng.beta(0.3, 0.3, size=(30, 1, 1))  # as bimodal as the attained shares of real runs
        band = ecdf_band(10.0 ** (2 - 10 * shares), rng=rng, resamples=400)
        covered.append(band.lower.item() <= 0.5 <= band.upper.item())
    assert 0.88 <= np.mean(covered) <= 0.99


def test_attained_share_does_not_depend_on_the_unit_when_the_bounds_move_along(values):
    np.testing.assert_allclose(attained_share(values * 1e3, (1e-5, 1e5)), attained_share(values))


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (1.0, 1.0), (2.0, 1.0), (1e-8, math.inf), (math.nan, 1.0)])
def test_bounds_must_suit_a_logarithmic_scale(bounds):
    with pytest.raises(ValueError, match="expected bounds 0 < lower < upper"):
        attained_share([1.0], bounds)


def test_wrong_shapes_are_refused(values):
    with pytest.raises(ValueError, match="instance, budget, algorithm"):
        ecdf(values[0])
    with pytest.raises(ValueError, match="expected 25 budgets"):
        aocc(values, [1, 2, 3])
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        eaf_contour(values, 0.0)
    with pytest.raises(ValueError, match="finite budget"):
        aocc_of_runs([], 1, math.inf)
    with pytest.raises(ValueError, match="NaN"):
        ecdf_band(np.where(values > 1, np.nan, values), rng=np.random.default_rng(0))
