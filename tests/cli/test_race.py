"""`race` and `status`."""

import gc
import os

import pytest

from polarbear.storage import RaceFile


def test_a_race_prints_its_result_to_stdout_and_its_progress_to_stderr(finished_outcome):
    outcome, file = finished_outcome
    assert outcome.out.startswith("Which algorithm at which budget (")
    assert "\nEliminated\n  poor: beaten by " in outcome.out
    assert "\nStatus: " in outcome.out
    assert "round 1" in outcome.err
    assert outcome.err.endswith(f"Now try: polarbear select {file} --map, or: polarbear report {file}\n")


def test_a_race_ends_with_the_curves_of_its_pareto_set(finished_outcome):
    lines = finished_outcome[0].out.splitlines()
    title = lines.index("Probability of being the best choice, from 5 to 60 evaluations")
    curves = lines[title + 1 : lines.index("", title)]
    assert {line.split()[0] for line in curves} <= {"random", "climber"}
    assert all("  peak " in line for line in curves)


def test_a_race_that_reaches_a_limit_exits_with_2_and_can_be_resumed(polarbear, race_toml):
    file = race_toml.parent / "my.race"
    outcome = polarbear("race", race_toml, "--max-instances", 3)
    assert outcome.code == 2
    assert "Status: provisional. Few data: the answer is based on 3 instances." in outcome.out
    text = " ".join(outcome.out.split())
    assert "stopped at its limit of instances; it has used 3. Not decided: " in text  # too few for a forecast
    assert f"  Next step: polarbear resume {file} --max-instances 6\n" in outcome.out
    status = polarbear("status", file)
    assert status.code == 2
    assert "Probability that another algorithm beats it at every budget, in round 1\n" in status.out
    outcome = polarbear("resume", file, "--max-evaluations", 1)
    assert outcome.err.startswith("Continuing after 1 round on 3 instances; 9 stored runs\n")
    assert "The race stopped at its limit of 540 evaluations." in outcome.out
    assert f"  Next step: polarbear resume {file} --max-evaluations 1080\n" in outcome.out
    outcome = polarbear("resume", file, "--json")
    assert outcome.code == 0
    assert (outcome.data["finished"], outcome.data["stopped"]) == (True, "resolved")
    assert outcome.data["instances"] > 3
    assert outcome.data["file"] == str(file)


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
    outcome = polarbear("race", race_toml, "--dask", address)
    assert outcome.code == 1
    assert message in outcome.err
    assert not (race_toml.parent / "my.race").exists()
    # Deleting a client that is not connected would block for minutes.
    gc.collect()
    assert not [each for each in gc.get_objects() if type(each) is distributed.Client and each.status != "closed"]


def test_every_elimination_is_printed_with_its_error_bound_and_its_pair_check(polarbear, race_toml, tmp_path):
    file = tmp_path / "some.race"
    command = ["race", race_toml, "--max-instances", 5, "--quiet"]
    outcome = polarbear(*command, "-o", file)
    assert (outcome.code, outcome.err) == (2, "")
    text = " ".join(outcome.out.split())
    assert " Eliminated poor: beaten by " in text
    assert "sure; " in text
    assert " from the outcomes of these two alone; not proven without a model)" in text  # five instances prove nothing
    (elimination,) = polarbear("status", file, "--json").data["eliminations"]
    assert elimination["error_bound"] > 0.99
    outcome = polarbear(*command, "-o", tmp_path / "none.race", "--confidence", 0.999)
    assert "\nEliminated\n  none\n" in outcome.out


def test_a_guarantee_eliminates_only_with_evidence(polarbear, race_toml, tmp_path):
    file = tmp_path / "proved.race"
    few = polarbear("race", race_toml, "--guarantee", 0.05, "-q", "--json", "-o", file, "--max-instances", 5).data
    assert few["eliminations"] == []
    more = polarbear("resume", file, "--max-instances", 60, "--quiet", "--json").data
    assert "poor" in [each["name"] for each in more["eliminations"]]
    assert max(each["error_bound"] for each in more["eliminations"]) <= 0.05
    with RaceFile.open(file, write=False) as stored:
        assert stored.about["configuration"]["overrides"] == {"race.guarantee": 0.05}
    outcome = polarbear("resume", file, "--guarantee", 1e-9, "--max-instances", 1, "--quiet", "--json")
    assert all(each["error_bound"] <= 1e-9 for each in outcome.data["eliminations"])


def test_an_existing_race_is_not_overwritten(polarbear, race_toml):
    (race_toml.parent / "my.race").write_text("precious")
    outcome = polarbear("race", race_toml)
    assert outcome.code == 1
    assert "exists already; continue it with: polarbear resume" in outcome.err
    assert (race_toml.parent / "my.race").read_text() == "precious"


def test_a_race_in_which_every_run_fails_reports_the_reason(polarbear, race_toml):
    for name in ("random_search", "climber", "poor"):
        race_toml.write_text(race_toml.read_text().replace(f":{name}", ":faulty"))
    outcome = polarbear("race", race_toml)
    assert outcome.code == 2
    assert outcome.err.count("failed in all 8 runs of its first round") == 3
    assert outcome.err.count("ZeroDivisionError: the optimiser's own fault") == 3
    assert outcome.out == ""


def test_wrong_overrides_are_reported_before_the_race_begins(polarbear, race_toml):
    assert "expected --set name=value" in polarbear("race", race_toml, "--set", "race.rope").err
    outcome = polarbear("race", race_toml, "--set", "race.ropee=1")
    assert "race.ropee: there is no such key; did you mean 'rope'?" in outcome.err
    outcome = polarbear("race", race_toml, "--confidence", 3)
    assert "race.confidence: expected less than or equal to 1, got 3.0 (on the command line)" in outcome.err
    assert not (race_toml.parent / "my.race").exists()


def test_status_prints_the_verdict_of_the_race_and_changes_nothing(polarbear, finished):
    before = finished.read_bytes()
    outcome = polarbear("status", finished, "--watch")
    assert outcome.code == 0
    data = polarbear("status", finished, "--json").data
    assert finished.read_bytes() == before
    resumed = polarbear("resume", finished, "--quiet", "--json").data
    assert data["summary"] == resumed["summary"]
    assert data["finished"]
    assert data["running"] is None
    assert data["stored_runs"] > 0
    lines = outcome.out.splitlines()
    assert lines[0].startswith("Which algorithm at which budget (")
    assert any(line.startswith(f"Status: {data['summary']['status']}.") for line in lines)
    rounds = f"in rounds 1 to {data['rounds']}"
    title = lines.index(f"Probability that another algorithm beats it at every budget, {rounds}")
    assert [line.split()[0] for line in lines[title + 1 : title + 1 + len(data["pareto_set"])]] == data["pareto_set"]
    assert data["scope"] == f"to new instances, based on {data['instances']} instances"
    assert f"The answer generalises {data['scope']}." in lines


def test_status_of_a_running_race_infers_nothing(polarbear, finished, monkeypatch):
    monkeypatch.setattr("polarbear.inference.fitting.fit", None)
    with RaceFile.open(finished, write=True):
        outcome = polarbear("status", finished)
        assert outcome.out.startswith("Not eliminated: ")
        assert "Status:" not in outcome.out
        assert f"The race is open in process {os.getpid()} on " in outcome.out
        assert "summary" not in polarbear("status", finished, "--json").data
    only = polarbear("status", finished, "--progress-only")
    assert only.out.startswith("Not eliminated: ")
    assert "Every pair of algorithms is decided at every budget." in only.out


def test_a_damaged_race_file_is_reported(polarbear, finished, monkeypatch):
    import polarbear as pb

    def fail(path):
        raise ValueError(f"{path} is damaged: half an event")

    monkeypatch.setattr(pb.Race, "open", fail)
    outcome = polarbear("status", finished)
    assert (outcome.code, "half an event" in outcome.err) == (1, True)


@pytest.mark.parametrize("command", ["race", "check"])
def test_a_folder_stands_for_its_race_toml(polarbear, race_toml, command):
    outcome = polarbear(command, race_toml.parent, "--set", "race.rope=7")
    assert outcome.code == 1
    assert f"{race_toml} has 1 fault" in outcome.err


def test_select_points_to_the_verdict_and_waits_for_a_first_round(polarbear, finished, race_toml):
    assert polarbear("select", finished, "--at", 20).err.endswith(
        f"How far to trust the race itself: polarbear status {finished}\n"
    )
    file = race_toml.parent / "my.race"
    assert polarbear("race", race_toml, "--max-seconds", 0.001).code == 2
    assert polarbear("status", file).out.endswith(f"Next step: polarbear resume {file}\n")
    with RaceFile.open(file, write=True):
        waiting = polarbear("select", file, "--at", 20)
    assert waiting.code == 1
    assert f"its first round is running in process {os.getpid()} on " in waiting.err
    assert f"continue it with: polarbear resume {file}" in polarbear("select", file, "--at", 20).err
