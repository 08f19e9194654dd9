"""The baselines on grids against moocore and IOHinspector."""

import numpy as np
import pytest

from polarbear import Trajectory
from polarbear.baselines import aocc_of_runs, eaf, eaf_contour, ecdf

RUNS, END = 9, 400


@pytest.fixture
def runs():
    rng = np.random.default_rng(4)
    trajectories = []
    for name, rate in (("fast", 0.05), ("slow", 0.02)):
        for instance in range(RUNS):
            budgets = np.unique(np.concatenate([[1], rng.integers(2, END, 30)]))
            values = 10.0 ** (3 - rate * budgets + rng.normal(size=budgets.size))
            trajectories.append(Trajectory(name, instance, budgets, values, end=END))
    return trajectories


@pytest.fixture
def values(runs):
    budgets = np.arange(1, END + 1)
    return np.stack([[run.at(budgets) for run in runs if run.algorithm == name] for name in ("fast", "slow")], axis=-1)


def test_attainment_function_is_moocores(runs, values):
    moocore = pytest.importorskip("moocore", reason="moocore, the peer, is not installed")
    fast = [run for run in runs if run.algorithm == "fast"]
    points = np.concatenate([np.column_stack([run.budgets, run.values]) for run in fast])
    sets = np.concatenate([np.full(run.budgets.size, run.instance) for run in fast])
    surfaces = moocore.eaf(points, sets)
    for share in range(1, RUNS + 1):
        corners = surfaces[np.isclose(surfaces[:, 2], 100 * share / RUNS)]
        assert len(corners) > 3
        for budget, target, _ in corners:
            # A corner of the surface is where that many runs have just arrived: neither earlier nor lower.
            column = values[:, int(budget) - 1 : int(budget), :1]
            assert eaf(column, [target]).item() >= share / RUNS - 1e-12
            assert eaf(column, [np.nextafter(target, -np.inf)]).item() < share / RUNS
            if budget > 1:
                assert eaf(values[:, int(budget) - 2 : int(budget) - 1, :1], [target]).item() < share / RUNS


def test_median_contour_is_moocores(runs, values):
    moocore = pytest.importorskip("moocore", reason="moocore, the peer, is not installed")
    slow = [run for run in runs if run.algorithm == "slow"]
    points = np.concatenate([np.column_stack([run.budgets, run.values]) for run in slow])
    surface = moocore.eaf(points, np.repeat(np.arange(RUNS), [run.budgets.size for run in slow]), percentiles=[50])
    surface = surface[np.argsort(surface[:, 0])]
    expected = surface[np.searchsorted(surface[:, 0], np.arange(1, END + 1), side="right") - 1, 1]
    np.testing.assert_array_equal(eaf_contour(values)[:, 1], expected)


def test_ecdf_and_aocc_are_iohinspectors(runs, values):
    pl = pytest.importorskip("polars", reason="IOHinspector, the peer, is not installed")
    metrics = pytest.importorskip("iohinspector.metrics", reason="IOHinspector, the peer, is not installed")
    frame = pl.concat(
        pl.DataFrame(
            {
                "data_id": index,
                "algorithm": int(run.algorithm == "fast"),
                "evaluations": run.budgets,
                "raw_y": run.values,
            }
        )
        for index, run in enumerate(runs)
    )
    theirs = metrics.get_data_ecdf(
        frame, free_vars=["algorithm"], f_min=1e-8, f_max=1e2, eval_values=[1, 20, 100, 399], return_as_pandas=False
    ).sort("evaluations", "algorithm")
    ours = ecdf(values)[[0, 19, 99, 398]]
    np.testing.assert_allclose(theirs["eaf"].to_numpy().reshape(4, 2), ours[:, ::-1], atol=1e-12)
    shares = frame.with_columns(eaf=((2 - pl.col("raw_y").clip(1e-8, 1e2).log10()) / 10))
    areas = metrics.get_aocc(shares, eval_max=END, free_vars=["algorithm"], return_as_pandas=False).sort("algorithm")
    mine = aocc_of_runs(runs, start=1, stop=END)
    # Theirs begins at evaluation 0, with the value of the first one.
    expected = [
        np.mean(mine[name]) * (END - 1) / END + ecdf(values)[0, column] / END
        for column, name in ((1, "slow"), (0, "fast"))
    ]
    np.testing.assert_allclose(areas["AOCC"].to_numpy(), expected, rtol=1e-9)
