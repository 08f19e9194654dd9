"""Two algorithms, of which one has no run after 10: from the table to text, JSON, files, figures and the report."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from tests.cli.conftest import run_command
from tests.reporting.pages import read_data

ANALYSE = ["--budgets", "1..1000:4"]


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
    outcome = run_command("show", table, *ANALYSE, "--save", folder / "saved.npz")
    assert outcome.code == 0
    assert run_command("report", folder / "saved.npz", "-o", folder / "page.html").code == 0
    (folder / "text").write_text(outcome.out)
    return folder


@pytest.fixture(scope="module")
def saved(folder):
    return folder / "saved.npz"


def gaps(data):
    """Which algorithms were not observed together with a rival, and between which budgets."""
    (found,) = [each for each in data["findings"] if each["code"] == "not_observed"]
    return found["numbers"]["gaps"]


def test_the_text_says_where_nothing_was_observed(folder):
    text = (folder / "text").read_text()
    first, second = text.splitlines()[1:3]
    assert first.endswith("  short")
    assert second.endswith(" to 1,000  not observed")
    assert "choose" not in text
    details = run_command("show", folder / "runs.csv", *ANALYSE, "--details").out
    assert "together with short and long after 10." in " ".join(details.split())


def test_json_has_the_counts(folder):
    data = run_command("show", folder / "runs.csv", *ANALYSE, "--json").data
    assert data["budgets"] == pytest.approx([1, 10, 100, 1000])
    assert data["comparisons"] == {"short": [20, 20, 0, 0], "long": [20, 20, 0, 0]}
    assert gaps(data) == [{"algorithms": ["short", "long"], "gaps": [[10, None]]}]
    assert [(each["kind"], each["names"]) for each in data["ranges"]] == [("best", ["short"]), ("not observed", [])]
    assert data["aocc"] is None
    assert data["pairs"]["beats_at_end"] == [None, None]


def test_select_answers_where_there_are_data_and_refuses_elsewhere(saved):
    near = run_command("select", saved, "--budget", 5, "--json").data
    assert near["choice"] == ["short"]
    assert near["not_observed"] == []
    shown = run_command("show", saved, "--json").data
    assert shown["comparisons"] == {"short": [20, 20, 0, 0], "long": [20, 20, 0, 0]}
    assert {name: each[2:] for name, each in shown["probability_best"].items()} == {
        "short": [None, None],
        "long": [None, None],
    }
    assert shown["probability_best"]["short"][0] > 0.9
    text = run_command("show", saved, "--details").out
    assert "together with short and long after 10." in " ".join(text.split())
    for options, where in ((["--budget", 500], "at 500"), (["--budget", "final"], "after 10"), ([], "after 10")):
        outcome = run_command("select", saved, *options)
        assert (outcome.code, outcome.out) == (3, "")
        assert f"for which there is none (not observed together with another algorithm: short and long {where})" in (
            outcome.err
        )


def test_a_third_algorithm_is_recommended_instead(tmp_path):
    table = write_table(tmp_path / "runs.csv", short=10, long=1000, last=1000)
    data = run_command("show", table, *ANALYSE, "--json", "--save", tmp_path / "saved.npz").data
    assert gaps(data) == [{"algorithms": ["short"], "gaps": [[10, None]]}]
    assert data["kept"] == ["short", "long"]
    assert data["dropped"]["last"]["by"] == "long"
    final = run_command("select", tmp_path / "saved.npz", "--budget", "final", "--json").data
    assert (final["choice"], final["not_observed"]) == (["long"], ["short"])
    chosen = run_command("select", tmp_path / "saved.npz", "--budget", "final", "--machines", 2, "--json").data
    assert {name for each in chosen["candidates"] for name in each["members"]} == {"long", "last"}


def test_all_figures_are_drawn_except_those_without_data(saved, tmp_path):
    outcome = run_command("plot", saved, "--output", tmp_path / "figures", "--format", "svg")
    assert outcome.code == 0
    drawn = {path.stem for path in (tmp_path / "figures").iterdir()}
    assert drawn == {"ratings", "decision-map", "dominance", "comparisons", "quality", "tree"}
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
    assert data["answer"] == "short; not observed from 10 to 1,000 (tentative)"
    sections = data["sections"]
    assert sections["comparisons"]["sentence"].startswith(
        "Each algorithm was compared with others on 0 to 20 of 20 instances at each budget. Not observed together with "
    )
    assert data["ratings"]["mean"][0][2:] == [None, None]
    (first, second) = sections["best_by_budget"]["ranges"]
    assert first[:4] == [0, 1, pytest.approx(10), "short"]
    assert second[:4] == [None, pytest.approx(100), 1000, "not observed"]
    assert sections["pairs"]["beats"][0][1] is None
