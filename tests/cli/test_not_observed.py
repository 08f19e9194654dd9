"""Two algorithms, of which one has no run after 10: from the table to text, JSON, files, figures and the report."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from tests.cli.conftest import run_command
from tests.reporting.pages import read_data

ANALYSE = ["--start", 1, "--stop", 1000, "--count", 4]


def write_table(path, **ends):
    """A table in which each algorithm is better than the next one, and recorded until its own end."""
    rng = np.random.default_rng(1)
    lines = ["algorithm_name,instance,evaluations,raw_y"]
    for instance in range(20):
        for level, (name, end) in enumerate(ends.items()):
            start = 5 * level + rng.random()
            lines += [f"{name},{instance},{10**k},{start - 0.1 * k}" for k in range(4) if 10**k <= end]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The analysis of `short`, which ends at 10, and long, with its posterior and its report."""
    folder = tmp_path_factory.mktemp("short")
    table = write_table(folder / "runs.csv", short=10, long=1000)
    outcome = run_command("analyse", table, *ANALYSE, "--save", folder / "saved.npz", "--report", folder / "page.html")
    assert outcome.code == 0
    (folder / "text").write_text(outcome.out)
    return folder


@pytest.fixture(scope="module")
def saved(folder):
    return folder / "saved.npz"


def test_the_text_says_where_nothing_was_observed(folder):
    text = (folder / "text").read_text()
    assert "Not observed together with another algorithm: short and long after 10." in text
    assert "  1 to 10 evaluations  short         over 99 % sure at 1\n" in text
    assert "  100 to 1,000         not observed  no algorithm was observed together with another\n" in text
    assert "- For the longest budget, nothing is recommended: " in text
    assert "choose" not in text.replace("nothing is recommended", "")


def test_json_has_the_counts(folder):
    data = run_command("analyse", folder / "runs.csv", *ANALYSE, "--json").data
    assert data["grid"] == pytest.approx([1, 10, 100, 1000])
    assert data["comparisons"] == {"short": [20, 20, 0, 0], "long": [20, 20, 0, 0]}
    assert data["not_observed"] == ["short and long after 10"]
    assert data["selections"]["final"]["choice"] is None
    assert data["aocc"] is None
    assert data["pairwise"]["beats_at_end"] == [None, None]


def test_select_answers_where_there_are_data_and_refuses_elsewhere(saved):
    near = run_command("select", saved, "--at", 5, "--map", "--json").data
    assert near["choice"] == ["short"]
    assert near["not_observed"] == []
    assert near["comparisons"] == {"short": [20, 20, 0, 0], "long": [20, 20, 0, 0]}
    assert [each["best"] for each in near["map"]] == ["short", "short", None, None]
    assert near["map"][3]["probability_best"] == {"short": None, "long": None}
    text = run_command("select", saved, "--at", 5, "--map").out
    assert text.rstrip().endswith("Not observed together with another algorithm: short and long after 10.")
    for options in (["--at", 500], ["--final"], []):
        outcome = run_command("select", saved, *options)
        assert outcome.code == 1
        assert "for which there is none (not observed together with another algorithm: short and long after 10)" in (
            outcome.err
        )


def test_a_third_algorithm_is_recommended_instead(tmp_path):
    table = write_table(tmp_path / "runs.csv", short=10, long=1000, last=1000)
    data = run_command("analyse", table, *ANALYSE, "--json", "--save", tmp_path / "saved.npz").data
    assert data["not_observed"] == ["short after 10"]
    assert data["pareto_set"] == ["short", "long"]  # long eliminates last
    assert data["selections"]["final"]["choice"] == ["long"]
    assert data["selections"]["final"]["not_observed"] == ["short"]
    chosen = run_command("select", tmp_path / "saved.npz", "--final", "--portfolio", 2, "--json").data
    assert {name for each in chosen["candidates"] for name in each["members"]} == {"long", "last"}


def test_all_figures_are_drawn_except_those_without_data(saved, tmp_path):
    outcome = run_command("plot", saved, "--output", tmp_path / "figures", "--format", "svg")
    assert outcome.code == 0
    drawn = {path.stem for path in (tmp_path / "figures").iterdir()}
    assert drawn == {"ratings", "decision-map", "dominance", "comparisons"}
    assert "no figure values: expected budgets at which a candidate was observed" in outcome.err


def test_figures_of_an_older_posterior_leave_out_the_comparisons(saved, tmp_path):
    replace(pb.Posterior.load(saved), comparisons=None).save(tmp_path / "older.npz")
    outcome = run_command("plot", tmp_path / "older.npz", "--output", tmp_path / "figures", "--format", "svg")
    assert outcome.code == 0
    assert not (tmp_path / "figures" / "comparisons.svg").exists()
    assert (tmp_path / "figures" / "values.svg").exists()


def test_the_report_has_counts_and_gaps(folder):
    data = read_data(folder / "page.html")
    assert data["comparisons"] == [[20, 20, 0, 0]] * 2
    assert data["answer"] == "Up to 10 evaluations: choose short; from 100 to 1,000: not observed."
    sections = data["sections"]
    assert sections["comparisons"]["sentence"].startswith(
        "Each algorithm was compared with others on 0 to 20 of 20 instances at each budget. Not observed together with "
    )
    assert data["ratings"]["mean"][0][2:] == [None, None]
    (first, second) = sections["best_by_budget"]["stretches"]
    assert first[:4] == [0, 1, pytest.approx(10), "short"]
    assert second[:4] == [None, pytest.approx(100), 1000, "not observed"]
    assert sections["pairs"]["beats"][0][1] is None
