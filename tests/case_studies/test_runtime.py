"""The figure of execution times."""

import json
from dataclasses import asdict

import pytest

from case_studies.runtime import cell as cells
from case_studies.runtime import measurements, study
from case_studies.runtime.cell import Cell, Duration
from case_studies.runtime.measurements import Scale, means, measure_each_alone

SMALL = Scale(2, (2, 80), (3, 30), (4, 100))


@pytest.fixture
def invented(monkeypatch):
    """Durations that follow from the sizes of a fit, instead of measured ones; the exact GP does not end."""

    def measure(cell, *, patience=None):
        if cell.prior == "exact GP" and cell.engine == "pymc-nuts":
            return Duration(None, None)
        return Duration(cell.budgets + cell.seed, 1e-3 * cell.instances * cell.algorithms)

    monkeypatch.setattr(measurements, "measure", measure)
    monkeypatch.setattr(measurements, "measure_alone", measure)
    monkeypatch.setattr(study, "PAPER", SMALL)
    monkeypatch.setattr(study, "QUICK", SMALL)
    monkeypatch.setattr(study, "find_spec", lambda package: None if package == "cmdstanpy" else package)


def test_the_paper_scale_has_the_papers_sizes():
    scale = measurements.PAPER
    temporal = scale.temporal("pymc-nuts", 0)
    assert (scale.repetitions, cells.CHAINS, cells.WARMUP, cells.KEPT) == (5, 4, 1000, 2000)
    assert {(each.algorithms, each.instances) for each in temporal} == {(5, 30)}
    assert max(each.budgets for each in temporal if each.prior == "exact GP") == 60
    assert max(each.budgets for each in temporal if each.prior == "HSGP") == 100
    assert len({each.prior for each in temporal}) == 6
    assert {each.budgets for each in scale.independent("pathfinder", 0)} == {1}
    assert Cell("pathfinder", "Dirichlet", 30, 1, 100, 0) in scale.independent("pathfinder", 0)


def test_nuts_counts_wall_clock_seconds_and_the_other_methods_processor_seconds():
    fits = {
        Cell("pymc-nuts", "HSGP", 5, 10, 30, 0): Duration(10.0, 40.0),
        Cell("pymc-nuts", "HSGP", 5, 10, 30, 1): Duration(20.0, 40.0),
        Cell("pymc-nuts", "HSGP", 5, 20, 30, 0): Duration(None, None),
        Cell("pathfinder", "Dirichlet", 3, 1, 10, 0): Duration(9.0, 3.0),
    }
    assert means(fits, "pymc-nuts", temporal=True) == {"HSGP": {10: 15.0}}
    assert means(fits, "pathfinder", temporal=False) == {"n = 3": {10: 3.0}}


def test_an_interrupted_study_continues_from_its_file(tmp_path, monkeypatch):
    asked = SMALL.independent("default", 0)
    measured = []
    monkeypatch.setattr(
        measurements, "measure_alone", lambda cell, patience: measured.append(cell) or Duration(1.0, 2.0)
    )
    file = tmp_path / "durations.jsonl"
    file.write_text(json.dumps(asdict(asked[0]) | {"wall": None, "processor": None}) + '\n{"engine": "def')
    file.write_text(file.read_text() + "\n")
    durations = measure_each_alone(asked, file, patience=1.0)
    assert measured == asked[1:]  # not those of the file, also if they did not end in time
    assert durations[asked[0]] == Duration(None, None)
    assert measure_each_alone(asked, file, patience=1.0) == durations
    assert measured == asked[1:]


def test_the_page_of_the_paper_scale_compares_both_methods(tmp_path, invented):
    page = study.reproduce(tmp_path, scale="paper", workers=1)
    remarks = {each.quantity: (each.ours, each.remark) for each in page.comparisons}
    assert remarks["exact GP, n = 5, P = 30, T = 60"][0] == "not measured"
    assert remarks["independent Dirichlet, n = 30, P = 100, one time"][0] == "3 s"
    assert "PolarBear's, since CmdStan, which the paper used, is not installed" in page.introduction
    assert "Left out, since they did not end within 3600 seconds: 2 fits of exact GP at T = 2." in page.introduction
    assert page.results["temporal_seconds"]["B-spline"] == {2: 2.5, 80: 80.5}  # mean of two repetitions
    assert (tmp_path / "figure_1.png").exists()
    assert len(page.tables) == 4


def test_the_quick_page_says_that_its_methods_differ(tmp_path, invented):
    page = study.reproduce(tmp_path, scale="quick", workers=1)
    assert "The paper's figure has other methods" in page.introduction
    assert all(each.remark == "The default method, on another machine." for each in page.comparisons)


def test_the_figure_has_the_papers_panels():
    figure = study.runtime_figure({"n = 3": {10: 0.1, 100: 1.0}}, {"B-spline": {10: 5.0, 100: 50.0}})
    left, right = figure.axes
    assert (left.get_xscale(), left.get_yscale()) == ("log", "log")
    assert (right.get_xscale(), right.get_yscale()) == ("linear", "linear")
    assert right.get_ylim()[0] == 0


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(study, "find_spec", lambda package: None if package == "numpyro" else package)
    with pytest.raises(ImportError, match="needs numpyro"):
        study.require_engines()


def test_a_fit_is_measured_in_a_process_of_its_own():
    duration = cells.measure_alone(Cell("default", "Dirichlet", 3, 1, 5, 0), patience=120)
    assert 0 < duration.processor < 60
    assert cells.measure_alone(Cell("default", "Dirichlet", 3, 1, 5, 0), patience=0.01) == Duration(None, None)
