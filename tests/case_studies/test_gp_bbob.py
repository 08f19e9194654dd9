"""The third case study. The figure of an instance needs ioh."""

import builtins
import importlib.util
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import polarbear as pb
from case_studies.gp_bbob import settings, study
from case_studies.gp_bbob.instance_figure import instance_figure
from case_studies.gp_bbob.record import store
from case_studies.gp_bbob.recorded import FILE, Recording
from case_studies.gp_bbob.replayed import replay
from case_studies.optimisers import matrix_variants
from case_studies.page import Page
from polarbear.findings import RunFailure

needs_ioh = pytest.mark.skipif(
    importlib.util.find_spec("ioh") is None, reason="ioh is not installed; `make bbob` adds it where there is a wheel"
)


@pytest.fixture(scope="module")
def recorded():
    return Recording.load()


@pytest.fixture(scope="module")
def replayed(recorded):
    return replay(recorded)


@needs_ioh
def test_the_figure_shows_every_function_that_has_weight_somewhere():
    from polarbear.problems.gp_bbob import GpBbobProblem

    problem = GpBbobProblem(3, 2)
    axis = np.linspace(-5, 5, 25)
    weights = problem.weights(np.stack(np.meshgrid(axis, axis), axis=-1))
    shown = np.count_nonzero(weights.max(axis=(0, 1)) > 0.001)
    figure = instance_figure(problem, until=25)
    assert len(figure.axes) == shown + 1 + 2 + 2  # a scale for the weights; landscape and sparsity with one each
    assert (
        sum(ax.get_title(loc="left").startswith("w of") or ax.get_title().startswith("w of") for ax in figure.axes)
        == shown
    )


def test_the_recording_is_a_race_at_the_times_of_the_paper_halved(recorded):
    assert recorded.values.shape == (152, 30, 8)
    assert recorded.names == tuple(matrix_variants())
    assert recorded.grid == settings.RECORDED.grid
    # An algorithm runs on all instances up to the one where the race dropped it.
    assert (np.diff(recorded.ran.astype(int), axis=0) <= 0).all()
    runs = dict(zip(recorded.names, recorded.ran.sum(axis=0).tolist(), strict=True))
    assert runs == {"COV": 136, "SEP": 152, "MAT": 24, "CHO": 152, "CMSA": 32, "NAT": 8, "NONE": 152, "RS": 152}
    assert len(recorded.trajectories()) == sum(runs.values())
    kept = recorded.values[np.repeat(recorded.ran[:, None], 30, axis=1)]
    assert not np.isnan(kept).any()
    values = np.swapaxes(recorded.values, 1, 2)[recorded.ran]
    assert (values[:, 1:] <= values[:, :-1]).all()  # best so far
    assert len(np.unique(values[:, -1])) == len(values)  # no run is written twice
    assert FILE.stat().st_size < 200_000


def test_every_run_had_a_processor_to_itself(recorded):
    shares = recorded.processor_shares[recorded.ran]
    assert 0.99 < shares.min() <= shares.max() <= 1
    first = np.nanmedian(recorded.first_seconds, axis=0)
    assert first[recorded.names.index("RS")] < 0.01
    assert (np.delete(first, recorded.names.index("RS")) > 0.03).all()  # each loads modcma


def test_the_replay_makes_the_decisions_of_the_recorded_race(recorded, replayed):
    result, end = replayed
    runs = dict(zip(recorded.names, recorded.ran.sum(axis=0).tolist(), strict=True))
    assert {each.name: each.instances for each in result.drops} == {
        name: count for name, count in runs.items() if count < 152
    }
    assert [each.round for each in result.drops] == [1, 3, 4, 15]
    assert (set(result.kept), len(result.rounds)) == ({"SEP", "NONE", "CHO", "RS"}, 16)
    assert end == "The recording ends after 152 instances, before every pair is decided."
    # Random search is ahead of the others, or not yet surely behind, at the first time only.
    assert study.undecided_sentence(result, "RS") == "Undecided against SEP at 0.1 s; CHO at 0.1 s; NONE at 0.1 s."


def test_a_replay_that_needs_runs_that_were_not_recorded_ends_with_a_remark(recorded):
    # NAT is next to SEP on its eight instances, ahead on half of them, so nothing eliminates it.
    values = recorded.values.copy()
    ahead = np.where(np.arange(8) % 2, 1e-9, -1e-9)[:, None]
    sep, nat = (recorded.names.index(name) for name in ("SEP", "NAT"))
    values[:8, :, nat] = values[:8, :, sep] * (1 + ahead)
    result, end = replay(replace(recorded, values=values))
    assert "NAT" in result.kept
    assert result.instances == 8
    assert end == (
        "The replay ends after 8 instances: it needs further runs of NAT, which the recorded race had dropped after 8."
    )


def test_the_quick_scale_needs_neither_ioh_nor_modcma(tmp_path, monkeypatch, replayed):
    import_module = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] in ("ioh", "modcma"):
            raise ImportError(f"No module named {name!r}")
        return import_module(name, *args, **kwargs)

    drawn = []
    monkeypatch.setattr(builtins, "__import__", without)
    monkeypatch.setattr(study.Page, "add_figure", lambda page, figure, name, caption: drawn.append(name))
    monkeypatch.setattr(study, "replay", lambda recorded: replayed)
    monkeypatch.setattr(study, "_compare_with_nuts", lambda choices, result: study.Table("", "", ("",), []))  # seconds
    page = study.reproduce(tmp_path, scale="quick", workers=1).write("polarbear reproduce gp-bbob")
    assert drawn == ["rounds", "evolution", "posterior", "values"]
    text = page.read_text()
    assert "The figure of an instance is left out: GP-BBOB needs ioh" in text
    assert "A run took 15 seconds instead of the paper" in text
    results = json.loads((tmp_path / "results.json").read_text())
    ours = {each["quantity"]: each["ours"] for each in results["compared"]}
    assert ours["NAT eliminated"] == "round 1, 8 instances, by COV"
    assert ours["rounds, instances"] == "16, 152"
    assert ours["first evaluation of a run, median"].startswith("RS after 0.002 s, CMA-ES after 0.04")
    rows = {row[0]: row[1:] for row in results["tables"][0]["rows"]}
    # The default keeps CMSA, whose 32 runs say too little for it, and drops the other three that the race dropped.
    assert rows["anytime Pareto set"] == ["SEP, CHO, NONE, RS", "SEP, CHO, CMSA, NONE, RS"]
    assert rows["best at 15 s, with its probability"][1].startswith("SEP")


class Replay(pb.ReplayExecutor):
    """Random runs of eight algorithms on eight instances, with the seconds that they took."""

    def __init__(self):
        rng, budgets = np.random.default_rng(1), [0.05, 0.15]
        super().__init__(
            pb.Trajectory(name, instance, budgets, [1.0, rng.random()], end=0.2)
            for instance in range(8)
            for name in matrix_variants()
        )
        self.jobs = []

    def _answer(self, job):
        self.jobs.append(job)
        return replace(super()._answer(job), seconds=0.2, cpu_seconds=0.15)


@pytest.fixture
def short_race(tmp_path, monkeypatch):
    """A function that races on random runs as if they were live, and returns the result and the jobs."""
    monkeypatch.setattr(settings, "require_optimisers", lambda: None)

    def race():
        executor = Replay()
        monkeypatch.setattr(pb, "LocalExecutor", lambda workers: executor)
        scale = settings.Scale(seconds=0.2, budgets=3)
        return settings.race_live(tmp_path / "short.race", scale, workers=1, max_instances=8), executor.jobs

    return race


def test_a_live_race_is_compared_with_the_paper(tmp_path, short_race):
    result, jobs = short_race()
    assert (result.instances, result.failures, len(jobs)) == (8, (), 64)
    again, jobs = short_race()
    assert again.kept == result.kept
    assert not jobs  # nothing is run again
    page = Page(tmp_path, "short", "")
    study.compare(page, result, Recording.of(result), "It ended.")
    ours = {each.quantity: each.ours for each in page.comparisons}
    assert ours["anytime Pareto set"] == ", ".join(result.kept)
    assert ours["processor time of a run, as a share of its wall-clock time"] == "median 75 %, least 75 %"
    kept = [name for name in ("NAT", "RS", "MAT", "COV", "CMSA", "CHO") if name in result.kept]
    assert list(ours.values()).count("not eliminated") == len(kept)


def test_a_race_is_stored_as_it_was_compared(tmp_path, short_race):
    result, _ = short_race()
    store(result, tmp_path / "runs.npz")
    stored = Recording.load(tmp_path / "runs.npz")
    assert stored.grid == settings.Scale(seconds=0.2, budgets=3).grid
    assert stored.ran.all()
    runs = {(run.algorithm, run.instance): run for run in stored.trajectories()}
    assert len(runs) == 64
    for each in result.runs:
        run = runs[each.trajectory.algorithm, each.trajectory.instance]
        assert run.at(stored.seconds).tolist() == each.trajectory.at(stored.seconds).tolist()


def test_a_race_with_a_failed_run_is_not_stored(tmp_path, short_race):
    result, _ = short_race()
    failed = replace(result.runs[0], status="error", failure=RunFailure("boom"))
    broken = SimpleNamespace(runs=(failed, *result.runs[1:]), state=result.state)
    with pytest.raises(RuntimeError, match=r"expected every run to reach 0\.2 seconds"):
        store(broken, tmp_path / "runs.npz")
    assert not (tmp_path / "runs.npz").exists()
