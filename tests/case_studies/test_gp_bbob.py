"""The third case study; parts of it need ioh and modcma."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from case_studies.gp_bbob import study
from case_studies.gp_bbob.instance_figure import instance_figure
from case_studies.gp_bbob.record import FILE, record
from case_studies.optimisers import matrix_variants
from case_studies.page import Page

needs_ioh = pytest.mark.skipif(
    importlib.util.find_spec("ioh") is None, reason="ioh is not installed; `make bbob` adds it where there is a wheel"
)
needs_optimisers = pytest.mark.skipif(
    any(importlib.util.find_spec(package) is None for package in ("ioh", "modcma")),
    reason="ioh and modcma are not installed; `make bbob` adds them where there are wheels",
)


@needs_ioh
def test_the_figure_shows_every_function_that_has_weight_somewhere():
    from polarbear.problems.gp_bbob import GpBbobProblem

    problem = GpBbobProblem(3, 2)
    axis = np.linspace(-5, 5, 25)
    weights = problem.weights(np.stack(np.meshgrid(axis, axis), axis=-1))
    shown = np.count_nonzero(weights.max(axis=(0, 1)) > 0.001)
    figure = instance_figure(problem, resolution=25)
    assert len(figure.axes) == shown + 1 + 2 + 2  # a scale for the weights; landscape and sparsity with one each
    assert (
        sum(ax.get_title(loc="left").startswith("w of") or ax.get_title().startswith("w of") for ax in figure.axes)
        == shown
    )


class Replay(pb.ReplayExecutor):
    """Random runs of eight algorithms on eight instances, with the seconds that they took."""

    def __init__(self, workers):
        rng, times = np.random.default_rng(workers), [0.05, 0.15]
        super().__init__(
            pb.Trajectory(name, instance, times, [1.0, rng.random()], until=0.2)
            for instance in range(8)
            for name in matrix_variants()
        )
        self.jobs = []

    def _answer(self, job):
        self.jobs.append(job)
        return replace(super()._answer(job), seconds=0.2, cpu_seconds=0.15)


def test_a_race_by_the_wall_clock_is_compared_with_the_paper(tmp_path, monkeypatch):
    executors = [Replay(1), Replay(1)]
    monkeypatch.setattr(pb, "LocalExecutor", lambda workers: executors[workers])
    size = study.Scale(seconds=0.2, times=3, dimension=3, max_instances=8, about="")
    result = study.race_live(tmp_path / "short.race", size, workers=0)
    assert (result.instances, result.failures, len(executors[0].jobs)) == (8, (), 64)
    again = study.race_live(tmp_path / "short.race", size, workers=1)
    assert again.pareto_set == result.pareto_set
    assert not executors[1].jobs  # nothing is run again
    page = Page(tmp_path, "short", "")
    study._compare(page, result)
    ours = {each.quantity: each.ours for each in page.comparisons}
    assert ours["anytime Pareto set"] == ", ".join(result.pareto_set)
    assert ours["processor time of a run, as a share of its wall-clock time"] == "median 75 %, least 75 %"
    kept = [name for name in ("NAT", "RS", "MAT", "COV", "CMSA", "CHO") if name in result.pareto_set]
    assert list(ours.values()).count("not eliminated") == len(kept)


@needs_optimisers
def test_all_algorithms_are_recorded_on_every_instance(tmp_path):
    record(tmp_path / "runs.npz", instances=2, evaluations=100, workers=1)
    with np.load(tmp_path / "runs.npz") as new, np.load(FILE) as stored:
        assert new["values"].shape == (2, len(new["evaluations"]), 8)
        assert new["algorithms"].tolist() == stored["algorithms"].tolist()
        assert (np.diff(new["values"], axis=1) <= 0).all()  # best so far
        assert len(np.unique(new["values"][:, -1])) == 16  # no run is written twice
        assert stored["values"].shape == (100, len(stored["evaluations"]), 8)
