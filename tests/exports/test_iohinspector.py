"""IOHinspector's metrics and figures take the runs that `polarbear export runs` writes."""

import matplotlib as mpl
import numpy as np
import pytest

import polarbear as pb
from polarbear.baselines import ecdf
from polarbear.exports import write_table
from polarbear.race.jobs import Run
from polarbear.race.tables import runs_table

pytestmark = pytest.mark.filterwarnings("ignore")
RUNS, END = 6, 200


@pytest.fixture(scope="module")
def inspector():
    mpl.use("Agg")
    return pytest.importorskip("iohinspector", reason="needs the extra `oracles`")


@pytest.fixture(scope="module")
def runs():
    rng = np.random.default_rng(5)
    made = []
    for name, rate in (("fast", 0.05), ("slow", 0.02)):
        for instance in range(RUNS):
            budgets = np.unique(np.concatenate([[1], rng.integers(2, END, 20)]))
            values = 10.0 ** (3 - rate * budgets + rng.normal(size=budgets.size))
            made.append(Run(pb.Trajectory(name, instance, budgets, values, end=END), reached=END))
    return made


@pytest.fixture(scope="module", params=["csv", "parquet"])
def frame(request, inspector, runs, tmp_path_factory):
    import polars as pl

    path = tmp_path_factory.mktemp("exported") / f"runs.{request.param}"
    write_table(runs_table(runs, clock="evaluations"), path, request.param)
    return (pl.read_csv if request.param == "csv" else pl.read_parquet)(path)


def test_their_ecdf_is_ours(inspector, frame, runs):
    budgets = [1, 20, 100, 199]
    theirs = inspector.get_data_ecdf(frame, f_min=1e-8, f_max=1e2, eval_values=budgets, return_as_pandas=False)
    theirs = theirs.sort("evaluations", "algorithm_name")["eaf"].to_numpy().reshape(4, 2)
    paths = {name: [run.trajectory for run in runs if run.trajectory.algorithm == name] for name in ("fast", "slow")}
    values = np.stack([[path.at(budgets) for path in each] for each in paths.values()], axis=-1)
    np.testing.assert_allclose(theirs, ecdf(values), atol=1e-12)


def test_their_other_metrics_take_the_frame(inspector, frame):
    assert set(inspector.aggregate_convergence(frame)["algorithm_name"]) == {"fast", "slow"}
    assert set(inspector.aggregate_running_time(frame)["algorithm_name"]) == {"fast", "slow"}
    assert len(inspector.get_trajectory(frame)) == 2 * RUNS * END
    areas = inspector.get_aocc(inspector.transform_fval(frame, lb=1e-8, ub=1e2), eval_max=END)
    assert set(areas["function_name"]) == {1}
    assert len(areas) == 2
    ratings = inspector.get_tournament_ratings(frame, nrounds=5)
    assert set(ratings["algorithm_name"]) == {"fast", "slow"}


@pytest.mark.parametrize(
    "figure", ["plot_ecdf", "plot_single_function_fixed_budget", "plot_single_function_fixed_target"]
)
def test_their_figures_take_the_frame(inspector, frame, figure):
    from matplotlib import pyplot as plt

    axes, data = getattr(inspector, figure)(frame)
    assert len(data) > 20
    assert axes.has_data()
    plt.close("all")


def test_reading_them_gives_the_same_runs(frame, runs):
    read = pb.read_runs(frame).runs
    assert [(run.algorithm, run.instance.instance) for run in read] == [
        (run.trajectory.algorithm, run.trajectory.instance) for run in runs
    ]
    budgets = np.arange(1, END + 1)
    for ours, run in zip(read, runs, strict=True):
        assert ours.end == run.reached
        assert ours.at(budgets).tolist() == run.trajectory.at(budgets).tolist()
