"""`polarbear calibrate`: settings from options and from race files, all kinds of truth, and the worst case."""

import io
import re

import pytest

from polarbear.calibration.study import seconds_per_replicate
from polarbear.cli.study_progress import ProgressLines

SMALL = ["--data-sets", 1, "--algorithms", 2, "--budgets", 3, "--instances", 16, "--draws", 200, "--confidence", 0.9]


def test_every_kind_of_truth_is_simulated_and_outcomes_are_kept(polarbear, tmp_path):
    command = ["calibrate", *SMALL, "--results", tmp_path / "outcomes.jsonl", "-q"]
    outcome = polarbear(*command, "--json")
    assert outcome.code == 0, outcome.err
    truths = [each["truth"] for each in outcome.data["posteriors"]]
    assert {"constant", "smooth", "crossing", "two kinds", "near-equal"} <= set(truths)
    assert [each["truth"] for each in outcome.data["races"]] == truths
    assert all(0 <= each["coverage"] <= 1 for each in outcome.data["posteriors"])
    kept = (tmp_path / "outcomes.jsonl").read_text()
    again = polarbear(*command)
    assert again.code == 0
    assert again.err == ""
    assert (tmp_path / "outcomes.jsonl").read_text() == kept
    worst = min(each["coverage"] for each in outcome.data["posteriors"])
    assert f"Worst case: intervals cover the truth in {100 * worst:.1f} %" in again.out


def test_one_truth_and_another_prior(polarbear):
    outcome = polarbear(
        "calibrate", *SMALL, "--truth", "constant", "--prior", "Dirichlet", "--dominance", "pointwise", "--json", "-q"
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert [each["truth"] for each in outcome.data["posteriors"]] == ["constant"]
    assert outcome.data["setting"]["belief"] == "Dirichlet"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--prior", "Dirichlet"], "treats each budget alone"),
        (["--prior", "Spline"], "'Spline'"),
        (["--truth", "flat"], "expected a truth among"),
    ],
)
def test_settings_that_contradict_each_other_are_rejected(polarbear, options, words):
    outcome = polarbear("calibrate", *options, "--dominance", "joint", "-q")
    assert outcome.code == 3
    assert words in outcome.err


def test_other_files_are_not_overwritten_by_outcomes(polarbear, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("my notes")
    outcome = polarbear("calibrate", *SMALL, "--truth", "constant", "--results", notes, "-q")
    assert outcome.code == 3
    assert "notes.txt; give a file that a study wrote, or a new name" in outcome.err
    assert notes.read_text() == "my notes"


def test_the_setting_of_a_race_is_taken_from_its_file(polarbear, finished):
    outcome = polarbear(
        "calibrate", finished, "--data-sets", 1, "--truth", "smooth", "--instances", 16, "--draws", 200, "--json"
    )
    assert outcome.code == 0, outcome.err
    assert "runs like those of" in outcome.err
    assert re.search(r"^1 data set and 1 race: about \d+ s$", outcome.err, re.MULTILINE)
    assert "races: 1 of 1\n" in outcome.err
    setting = outcome.data["setting"]
    assert (setting["algorithms"], setting["budgets"], setting["belief"]) == (3, 5, "RandomWalk")
    assert (setting["confidence"], setting["margin"]) == (0.9, 0.15)
    assert 0 <= setting["autocorrelation"] <= 1
    assert outcome.data["posteriors"][0]["instances"] == 16
    assert setting["most_instances"] == 16
    assert setting["batch"] == [8, 8, 128]


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_without_a_terminal_there_is_a_line_in_half_a_minute():
    clock, stream = Clock(), io.StringIO()
    lines = ProgressLines("races", stream, clock)
    for done in range(20, 101):  # twenty outcomes are stored already
        lines.update(done, 100)
        clock.now += 12
    assert stream.getvalue().splitlines()[:2] == ["races: 23 of 100, 15 min left", "races: 26 of 100, 15 min left"]
    assert stream.getvalue().splitlines()[-1] == "races: 100 of 100"
    assert len(stream.getvalue().splitlines()) == 27


def test_the_duration_is_estimated_from_cheap_and_expensive_cells():
    """Cells take as many seconds as they say; the first call imports modules and takes long."""
    clock, imported = Clock(), []

    def task(cell, replicate):
        clock.now += cell if imported else 100
        imported.append(cell)
        return {}

    assert seconds_per_replicate(task, [1.0, 2.0, 3.0, 8.0], clock=clock) == (1 + 3 + 8) / 3
    assert seconds_per_replicate(task, [5.0], clock=clock) == 5
