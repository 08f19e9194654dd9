"""`race`, and `show` of its file."""

import gc
import os

import pytest

from polarbear.storage import RaceFile
from tests.cli.conftest import data_of


def test_a_race_prints_its_answer_to_stdout_and_its_progress_to_stderr(finished_outcome):
    outcome, file = finished_outcome
    assert outcome.out.startswith("Best algorithm by budget")
    assert "poor" in outcome.out
    assert outcome.out.rstrip().endswith(f"Page: polarbear report {file}")
    assert "round 1" in outcome.err


def test_a_race_that_reaches_a_limit_is_done_and_can_be_continued(polarbear, race_toml):
    file = race_toml.parent / "my.race"
    outcome = polarbear("race", race_toml, "--max-instances", 3)
    assert outcome.code == 0
    assert outcome.out.startswith("Best algorithm by budget, tentative (3 instances, ")
    details = polarbear("show", file, "--details")
    assert details.code == 0
    text = " ".join(details.out.split())
    assert "The race stopped at its limit of 3 instances." in text
    assert f"polarbear race {file} --max-instances 6" in text
    outcome = polarbear("race", file, "--max-evaluations", 1)
    assert outcome.err.startswith("Continuing after 1 round on 3 instances; 9 stored runs\n")
    text = " ".join(polarbear("show", file, "--details").out.split())
    assert "The race stopped at its limit of 540 evaluations." in text
    assert f"polarbear race {file} --max-evaluations 1080" in text
    outcome = polarbear("race", race_toml)  # the configuration stands for its race
    assert outcome.code == 0
    assert outcome.out.rstrip().endswith(f"Page: polarbear report {file}")
    data = data_of(file)
    assert (data["race"]["finished"], data["status"]) == (True, "finished")
    assert data["instances"] > 3


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("garbage", "expected the address of a Dask scheduler, such as tcp://host:8786, got 'garbage': missing port "),
        ("foo://host:1", "unknown address scheme 'foo'"),
        ("tls://127.0.0.1:1", "TLS expects"),
    ],
)
def test_a_race_without_its_cluster_creates_nothing_and_leaves_nothing_open(polarbear, race_toml, address, message):
    distributed = pytest.importorskip(
        "distributed", reason="needs polarbear-anytime[dask], which polarbear-anytime[dev] brings"
    )
    outcome = polarbear("race", race_toml, "--workers", address)
    assert outcome.code == 3
    assert message in outcome.err
    assert not (race_toml.parent / "my.race").exists()
    # Deleting a client that is not connected would block for minutes.
    gc.collect()
    assert not [each for each in gc.get_objects() if type(each) is distributed.Client and each.status != "closed"]


def test_every_drop_is_listed_with_its_error_bound(polarbear, race_toml, tmp_path):
    file = tmp_path / "some.race"
    command = ["race", race_toml, "--max-instances", 5, "--progress", "none"]
    outcome = polarbear(*command, "-o", file)
    assert (outcome.code, outcome.err) == (0, "")
    assert "Drop poor: " in outcome.out
    assert "not proven" in polarbear("show", file, "--details").out  # five instances prove nothing
    drop = polarbear("show", file, "--json").data["dropped"]["poor"]
    assert drop["error_bound"] > 0.99
    assert polarbear(*command, "-o", tmp_path / "none.race", "--confidence", 0.999).code == 0
    assert data_of(tmp_path / "none.race")["dropped"] == {}


def test_a_guarantee_eliminates_only_with_evidence(polarbear, race_toml, tmp_path):
    file = tmp_path / "proved.race"
    quiet = "--progress", "none"
    assert polarbear("race", race_toml, "--guarantee", 0.05, *quiet, "-o", file, "--max-instances", 5).code == 0
    assert data_of(file)["dropped"] == {}
    assert polarbear("race", file, "--max-instances", 60, *quiet).code == 0
    more = data_of(file)
    assert "poor" in more["dropped"]
    assert max(each["error_bound"] for each in more["dropped"].values()) <= 0.05
    with RaceFile.open(file, write=False) as stored:
        assert stored.about["configuration"]["overrides"] == {"race.guarantee": 0.05}
    assert polarbear("race", file, "--guarantee", 1e-9, "--max-instances", 1, *quiet).code == 0
    assert all(each["error_bound"] <= 1e-9 for each in data_of(file)["dropped"].values())


def test_an_existing_file_is_not_overwritten(polarbear, race_toml):
    (race_toml.parent / "my.race").write_text("precious")
    outcome = polarbear("race", race_toml)
    assert outcome.code == 3
    assert str(race_toml.parent / "my.race") in outcome.err
    assert (race_toml.parent / "my.race").read_text() == "precious"


def test_a_race_in_which_every_run_fails_reports_the_reason(polarbear, race_toml):
    for name in ("random_search", "climber", "poor"):
        race_toml.write_text(race_toml.read_text().replace(f":{name}", ":faulty"))
    outcome = polarbear("race", race_toml)
    assert outcome.code == 3
    assert outcome.err.count("failed in all 8 runs of its first round") == 3
    assert outcome.err.count("ZeroDivisionError: the optimiser's own fault") == 3
    assert outcome.out.startswith("No answer yet.")


def test_wrong_overrides_are_reported_before_the_race_begins(polarbear, race_toml):
    assert "expected --set name=value" in polarbear("race", race_toml, "--set", "race.margin").err
    outcome = polarbear("race", race_toml, "--set", "race.margn=1")
    assert "race.margn: there is no such key; did you mean 'margin'?" in outcome.err
    outcome = polarbear("race", race_toml, "--confidence", 3)
    assert "race.confidence: expected less than or equal to 1, got 3.0 (on the command line)" in outcome.err
    assert not (race_toml.parent / "my.race").exists()


def test_show_prints_the_answer_of_the_race_and_changes_nothing(polarbear, finished_outcome):
    outcome, finished = finished_outcome
    before = finished.read_bytes()
    shown = polarbear("show", finished, "--watch")
    assert (shown.code, shown.out) == (0, outcome.out)
    data = polarbear("show", finished, "--json").data
    assert finished.read_bytes() == before
    assert polarbear("race", finished, "--progress", "none").out == outcome.out
    continued = data_of(finished)
    assert {name: continued[name] for name in ("kept", "ranges", "findings")} == {
        name: data[name] for name in ("kept", "ranges", "findings")
    }
    assert data["race"]["finished"]
    assert data["status"] == "finished"


def test_show_of_a_running_race_says_so(polarbear, finished):
    with RaceFile.open(finished, write=True):
        assert f"The race is running in process {os.getpid()} on " in " ".join(polarbear("show", finished).out.split())
        assert polarbear("show", finished, "--json").data["status"] == "running"


def test_a_damaged_race_file_is_reported(polarbear, finished, monkeypatch):
    def fail(path):
        raise ValueError(f"{path} is damaged: half an event")

    monkeypatch.setattr("polarbear.driver.race.Race.open", fail)
    outcome = polarbear("show", finished)
    assert (outcome.code, "half an event" in outcome.err) == (3, True)


@pytest.mark.parametrize("command", ["race", "check"])
def test_a_folder_stands_for_its_race_toml(polarbear, race_toml, command):
    outcome = polarbear(command, race_toml.parent, "--set", "race.margin=7")
    assert outcome.code == 3
    assert f"{race_toml} has 1 fault" in outcome.err


def test_select_waits_for_a_first_round(polarbear, race_toml):
    file = race_toml.parent / "my.race"
    assert polarbear("race", race_toml, "--max-seconds", 0.001).code == 0
    shown = polarbear("show", file).out
    assert shown.startswith("No answer yet.")
    assert shown.rstrip().endswith(f"polarbear race {file}")
    with RaceFile.open(file, write=True):
        running = " ".join(polarbear("show", file).out.split())
    assert f"It is running in process {os.getpid()} on " in running
    assert "Next:" not in running
    with RaceFile.open(file, write=True):
        waiting = polarbear("select", file, "--budget", 20)
    assert (waiting.code, f"; it is running in process {os.getpid()} on " in waiting.err) == (3, True)
    for command in ("select", "report", "plot"):
        outcome = polarbear(command, file)
        assert (outcome.code, outcome.out) == (3, "")
        assert outcome.err.count("\n") == 1
        assert "expected a race with at least one round, got one in which no round has ended" in outcome.err
        assert outcome.err.endswith(f"; continue it with: polarbear race {file}\n")
