"""`polarbear calibrate`: settings from options and from race files, all kinds of truth, and the worst case."""

import pytest

SMALL = ["--data-sets", 1, "--algorithms", 2, "--times", 3, "--instances", 16, "--draws", 200, "--confidence", 0.9]


def test_every_kind_of_truth_is_simulated_and_outcomes_are_kept(polarbear, tmp_path):
    asked = ["calibrate", *SMALL, "--results", tmp_path / "outcomes.jsonl", "-q"]
    said = polarbear(*asked, "--json")
    assert said.code == 0, said.err
    truths = [each["truth"] for each in said.data["posteriors"]]
    assert {"constant", "smooth", "crossing", "two kinds", "near-equal"} <= set(truths)
    assert [each["truth"] for each in said.data["races"]] == truths
    assert all(0 <= each["coverage"] <= 1 for each in said.data["posteriors"])
    kept = (tmp_path / "outcomes.jsonl").read_text()
    again = polarbear(*asked)
    assert again.code == 0
    assert (tmp_path / "outcomes.jsonl").read_text() == kept
    worst = min(each["coverage"] for each in said.data["posteriors"])
    assert f"Worst case: intervals hold the truth in {worst:.1%}" in again.out


def test_one_truth_and_another_belief(polarbear):
    said = polarbear(
        "calibrate", *SMALL, "--truth", "constant", "--belief", "Dirichlet", "--elimination", "pointwise", "--json", "-q"
    )  # fmt: skip
    assert said.code == 0, said.err
    assert [each["truth"] for each in said.data["posteriors"]] == ["constant"]
    assert said.data["setting"]["belief"] == "Dirichlet"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--belief", "Dirichlet"], "treats each time alone"),
        (["--belief", "Spline"], "belief must be one of"),
        (["--truth", "flat"], "expected a truth among"),
    ],
)
def test_settings_that_do_not_go_together_are_refused(polarbear, options, words):
    said = polarbear("calibrate", *options, "--elimination", "joint", "-q")
    assert said.code == 1
    assert words in said.err


def test_outcomes_go_into_a_file_of_their_own(polarbear, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("dear diary")
    said = polarbear("calibrate", *SMALL, "--truth", "constant", "--results", notes, "-q")
    assert said.code == 1
    assert "notes.txt, line 1, is no outcome of a study; give the file that a study wrote, or another name" in said.err
    assert notes.read_text() == "dear diary"


def test_the_setting_of_a_race_is_taken_from_its_file(polarbear, finished):
    said = polarbear(
        "calibrate", finished, "--data-sets", 1, "--truth", "smooth", "--instances", 16, "--draws", 200, "--json"
    )
    assert said.code == 0, said.err
    assert "runs like those of" in said.err
    setting = said.data["setting"]
    assert (setting["algorithms"], setting["times"], setting["belief"]) == (3, 5, "RandomWalk")
    assert (setting["confidence"], setting["rope"]) == (0.9, 0.15)
    assert 0 <= setting["autocorrelation"] <= 1
    assert said.data["posteriors"][0]["instances"] == 16
    assert setting["most_instances"] == 16
    assert setting["batch"] == [8, 8, 128]
