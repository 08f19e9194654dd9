"""The third case study where ioh and modcma are installed; by the wall clock, so that nothing is asked about who wins."""

import importlib.util

import numpy as np
import pytest

from case_studies.gp_bbob import study
from case_studies.gp_bbob.instance_figure import instance_figure
from case_studies.gp_bbob.record import FILE, record
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


@needs_optimisers
def test_a_short_race_by_the_wall_clock_is_told_beside_the_paper(tmp_path):
    size = study.Scale(seconds=0.2, times=3, dimension=3, max_instances=8, about="")
    result = study.race_live(tmp_path / "short.race", size, workers=1)
    assert (result.instances, result.failures) == (8, ())
    assert len(result.state.names) == 8
    again = study.race_live(tmp_path / "short.race", size, workers=1)
    assert again.pareto_set == result.pareto_set  # nothing is run again
    page = Page(tmp_path, "short", "")
    study._compare(page, result)
    told = {each.quantity: each.ours for each in page.compared}
    assert told["anytime Pareto set"] == ", ".join(result.pareto_set)
    assert sum(text == "still in" for text in told.values()) == sum(
        name in result.pareto_set for name in ("NAT", "RS", "MAT", "COV", "CMSA", "CHO")
    )


@needs_optimisers
def test_everybody_is_recorded_on_every_instance(tmp_path):
    record(tmp_path / "runs.npz", instances=2, evaluations=300, workers=1)
    with np.load(tmp_path / "runs.npz") as told, np.load(FILE) as kept:
        assert told["values"].shape == (2, len(told["evaluations"]), 8)
        assert told["algorithms"].tolist() == kept["algorithms"].tolist()
        assert (np.diff(told["values"], axis=1) <= 0).all()  # best so far
        assert len(np.unique(told["values"][:, -1])) == 16  # nobody is written twice
        assert kept["values"].shape == (100, len(kept["evaluations"]), 8)
