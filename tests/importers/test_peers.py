"""The importers give the best-so-far values that IOHinspector and cocopp, the standard readers, give."""

from pathlib import Path

import numpy as np
import pytest

from polarbear.importers import read_runs
from tests.importers.test_objectives import write_iohprofiler

DATA = Path(__file__).parent / "data"
BUDGETS = np.arange(1, 1501)


@pytest.fixture
def peer(monkeypatch):
    """Return a function that imports a peer without the network, which cocopp tries to use."""

    def refuse(*address, **_):
        raise OSError(f"no network in tests: {address}")

    monkeypatch.setattr("socket.getaddrinfo", refuse)
    return lambda name: pytest.importorskip(name, reason="needs the extra `oracles`")


def best_so_far(budgets, values):
    """Return the best-so-far values at all times, from rows in order of time."""
    last = np.searchsorted(budgets, BUDGETS, side="right") - 1
    assert last[0] == 0
    return np.minimum.accumulate(values)[last]


@pytest.mark.filterwarnings("ignore")
def test_ioh_folders_give_what_iohinspector_gives(peer):
    manager = peer("iohinspector").DataManager()
    for folder in sorted((DATA / "ioh").iterdir()):
        manager.add_folder(str(folder))
    keys = ["algorithm_name", "function_id", "instance"]
    theirs = manager.load(monotonic=True, include_columns=[*keys]).sort("evaluations").partition_by(keys, as_dict=True)
    runs = read_runs(DATA / "ioh").runs
    assert len(theirs) == len(runs) == 30
    for run in runs:
        rows = theirs[run.algorithm, run.instance.function, run.instance.instance]
        assert (
            run.at(BUDGETS).tolist() == best_so_far(rows["evaluations"].to_numpy(), rows["raw_y"].to_numpy()).tolist()
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("algorithm", ["OnePlusOne", "RandomSearch"])
@pytest.mark.parametrize("dimension", [2, 10])
def test_coco_folders_give_what_cocopp_gives(peer, algorithm, dimension):
    theirs = peer("cocopp.pproc").DataSetList([str(DATA / "coco" / algorithm)])
    [theirs] = theirs.dictByDim()[dimension]
    runs = [run for run in read_runs(DATA / "coco" / algorithm).runs if run.instance.dimension == dimension]
    assert list(theirs.instancenumbers) == [run.instance.instance for run in runs]
    for column, run in enumerate(runs, 1):
        # funvals, from .tdat: one row per time, with the best value until then.
        assert len(theirs.funvals) > 20
        assert run.at(theirs.funvals[:, 0]).tolist() == theirs.funvals[:, column].tolist()
        # evals, from .dat: one row per target, with the number of evaluations that reached it.
        reached = np.isfinite(theirs.evals[:, column])
        targets, evaluations = theirs.evals[reached, 0], theirs.evals[reached, column]
        later = evaluations > 1
        assert later.sum() > 2
        assert (run.at(evaluations) <= targets).all()
        assert (run.at(evaluations[later] - 1) > targets[later]).all()
        assert run.end == theirs.maxevals[column - 1]


@pytest.mark.filterwarnings("ignore")
def test_hypervolumes_over_time_are_those_of_iohinspector(peer, tmp_path):
    iohinspector = peer("iohinspector")
    manager = iohinspector.DataManager()
    manager.add_folder(str(write_iohprofiler(tmp_path)))
    rows = manager.load(monotonic=False, include_meta_data=True)
    budgets = [1, 2, 5, 10, 20, 40]
    theirs = iohinspector.indicators.add_indicator(
        rows, iohinspector.indicators.anytime.HyperVolume([1.1, 1.1]), ["raw_y", "F2"], evals=budgets
    ).sort("evaluations")
    curves = theirs.partition_by("algorithm_name", "run_id", as_dict=True)
    runs = read_runs(tmp_path, indicator="hypervolume", reference=[1.1, 1.1]).runs
    assert len(runs) == len(curves) == 4
    for run in runs:
        curve = curves[run.algorithm, run.instance.run]["HyperVolume"].to_list()
        assert run.at(budgets) == pytest.approx(curve, rel=1e-9)
