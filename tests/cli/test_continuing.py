"""`race` on a race file: continue it, and add, restore or drop algorithms."""

import re

import pytest

from polarbear.race.stopping import StoppingLimits
from polarbear.storage import RaceFile
from tests.cli.conftest import RACE, data_of, write_race

QUIET = "--progress", "none"


def test_overrides_are_kept_when_the_race_is_resumed_but_limits_are_not(polarbear, race_toml):
    file = race_toml.parent / "other.race"
    polarbear(
        "race", race_toml, "-o", file, "--confidence", 0.8, "--max-instances", 2, "--set", "race.margin=0.1", *QUIET
    )
    with RaceFile.open(file, write=False) as stored:
        configuration = stored.about["configuration"]
        assert configuration["overrides"] == {"race.confidence": 0.8, "race.margin": 0.1}
        assert configuration["text"] == RACE
    outcome = polarbear("race", file, "--max-instances", 4)
    assert data_of(file)["instances"] == 4
    assert "from now on" not in outcome.err


def test_changed_settings_apply_from_now_on(polarbear, race_toml, finished):
    file = race_toml.parent / "my.race"
    file.write_bytes(finished.read_bytes())
    race_toml.write_text(RACE.replace("confidence = 0.9", "confidence = 0.95"))
    outcome = polarbear("race", race_toml, "-o", file, "--max-instances", 200)
    assert outcome.code == 0
    assert "confidence: 0.95 from now on, was 0.9" in outcome.err
    assert "confidence" not in polarbear("race", race_toml, "-o", file, "--max-instances", 200).err


def test_the_seed_of_a_race_cannot_change(polarbear, race_toml, finished):
    outcome = polarbear("race", finished, "--set", "race.seed=5")
    assert outcome.code == 3
    assert "seed, direction and clock of a race cannot change" in outcome.err
    assert "from now on" not in outcome.err


def test_candidates_must_stay_in_the_configuration(polarbear, race_toml):
    text = RACE.replace('prior = "RandomWalk"\n', "")  # the default prior eliminates no algorithm after one instance
    race_toml.write_text(text)
    polarbear("race", race_toml, *QUIET, "--max-instances", 1)
    race_toml.write_text(text.replace('poor = "cli_optimisers:poor"\n', ""))
    outcome = polarbear("race", race_toml.parent / "my.race")
    assert outcome.code == 3
    assert "expected every candidate of the race in" in outcome.err
    assert "got no poor; put it back, or drop it: polarbear race" in outcome.err


def test_new_algorithms_are_added(polarbear, race_toml, tmp_path):
    text = RACE.replace('poor = "cli_optimisers:poor"\n', "")
    file = write_race(tmp_path / "few", text).parent / "my.race"
    polarbear("race", file.parent / "race.toml", *QUIET, "--max-instances", 8)
    outcome = polarbear("race", file, "--add", "new")
    assert outcome.code == 3
    assert "every algorithm of" in outcome.err
    (file.parent / "race.toml").write_text(RACE)
    outcome = polarbear("race", file, "--max-instances", 8)
    assert "race.toml also has poor, which the race does not have; " in outcome.err
    assert f"; add with: polarbear race {file} --add new\n" in outcome.err
    outcome = polarbear("race", file, "--add", "pore")
    assert outcome.code == 3
    assert "did you mean 'poor'?" in outcome.err
    outcome = polarbear("race", file, "--add", "poor")
    assert outcome.code == 0
    assert "poor is added; it first runs on the instances used so far" in outcome.err
    data = data_of(file)
    assert data["candidates"] == ["random", "climber", "poor"]
    assert "poor" in data["dropped"]
    assert "is in the race already" in polarbear("race", file, "--add", "poor").err


def test_a_configuration_that_moved_is_found_beside_the_race_or_named_as_the_race(polarbear, finished, tmp_path):
    moved = tmp_path / "moved.race"
    moved.write_bytes(finished.read_bytes())
    with RaceFile.open(moved, write=True) as file:
        file.set_about("configuration", {**file.about["configuration"], "path": "/nowhere/race.toml"})
    outcome = polarbear("race", moved)
    assert outcome.code == 3
    assert "which no longer exists; " in outcome.err
    assert f"polarbear race CONFIGURATION --output {moved}" in outcome.err
    assert polarbear("export", moved, "configuration").out == RACE
    elsewhere = write_race(tmp_path / "elsewhere")
    assert polarbear("race", elsewhere, "--output", moved, *QUIET).code == 0
    write_race(tmp_path)
    assert polarbear("race", moved, *QUIET).code == 0
    assert not (tmp_path / "elsewhere" / "my.race").exists()


def test_a_race_of_a_python_program_can_be_resumed_from_a_configuration(polarbear, race_toml):
    import polarbear as pb

    path = race_toml.parent / "python.race"
    pb.Race(["random", "climber", "poor"], None, [5, 60], path=path).close()
    outcome = polarbear("race", path)
    assert outcome.code == 3
    assert "was made by a Python program" in outcome.err
    assert f"polarbear race CONFIGURATION --output {path}" in outcome.err
    outcome = polarbear("race", race_toml, "-o", path, "--max-instances", 2, "--set", "race.seed=0")
    assert (outcome.code, data_of(path)["instances"]) == (0, 2)


def test_missing_instances_stop_a_race_and_new_ones_come_last(polarbear, tmp_path):
    folder = tmp_path / "listed"
    text = RACE.split("[instances]")[0] + '[instances]\nfile = "list.txt"\n[execution]\nworkers = 1\n'
    text = text.replace('"cli_optimisers:random_search"', '{command = "echo 1 {instance}"}')
    text = text.replace('"cli_optimisers:climber"', '{command = "echo 1 {instance}"}')  # never decided
    text = text.replace('"cli_optimisers:poor"', '{command = "echo 1 2{instance}"}').replace(
        "margin = 0.15", "margin = 0.01"
    )
    toml = write_race(folder, text)
    (folder / "list.txt").write_text("1\n2\n3\n")
    file = folder / "my.race"
    outcome = polarbear("race", toml, *QUIET)
    assert (outcome.code, data_of(file)["status"], data_of(file)["instances"]) == (0, "instances ran out", 3)
    (folder / "list.txt").write_text("0\n1\n2\n3\n4\n")
    assert polarbear("race", file, *QUIET).code == 0
    assert data_of(file)["instances"] == 5
    with RaceFile.open(file, write=False) as stored:
        assert set(stored.about["configuration"]["instances"][:3]) == {"1", "2", "3"}
    (folder / "list.txt").write_text("7\n")
    outcome = polarbear("race", file)
    assert outcome.code == 3
    assert "expected all instances that the race has used, got no " in outcome.err


FAST = RACE.replace('prior = "RandomWalk"', 'prior = "Dirichlet"\ndraws = 400')


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of the finished race, beside its configuration."""
    path = write_race(tmp_path / "copied").parent / "my.race"
    path.write_bytes(finished.read_bytes())
    return path


def test_a_restored_algorithm_may_be_dropped_again(polarbear, copied):
    toml = copied.parent / "race.toml"
    before = data_of(copied)
    outcome = polarbear("race", toml, "-o", copied, "--restore", "poor")
    assert "poor is a candidate again; it was dropped in round 1, beaten by " in outcome.err
    assert data_of(copied)["dropped"]["poor"]["round"] > before["dropped"]["poor"]["round"]
    outcome = polarbear("race", toml, "--restore", "climber")
    assert (outcome.code, "'climber' is a candidate already" in outcome.err) == (3, True)
    outcome = polarbear("race", copied, "--restore", "pore")
    assert (outcome.code, "expected an algorithm that was dropped, such as poor, got 'pore'" in outcome.err) == (
        3,
        True,
    )


def test_dropped_algorithms_can_be_restored(polarbear, race_toml):
    race_toml.write_text(FAST)
    file = race_toml.parent / "my.race"
    few = "--max-instances", 4
    polarbear("race", race_toml, *QUIET, *few, "--confidence", 0.99)
    outcome = polarbear("race", file, "--drop", "poor", "--drop", "pore", *few)  # all or nothing
    assert (outcome.code, data_of(file)["dropped"]) == (3, {})
    drops = [word for name in ("poor", "random", "climber") for word in ("--drop", name)]
    outcome = polarbear("race", file, *drops, *few)  # all, which leaves nothing
    assert (outcome.code, "is the only candidate left" in outcome.err) == (3, True)
    assert data_of(file)["dropped"] == {}
    outcome = polarbear("race", file, "--drop", "poor", *few)
    data = data_of(file)
    assert (outcome.code, data["kept"], data["dropped"]["poor"]["by"]) == (0, ["random", "climber"], "")
    assert f"undo with: polarbear race {file} --restore poor\n" in outcome.err
    outcome = polarbear("race", file, "--drop", "poor", *few)
    assert (outcome.code, "expected one of the candidates random, climber" in outcome.err) == (3, True)
    outcome = polarbear("race", file, "--restore", "poor", *few)
    assert "poor is a candidate again; it was dropped by you" in outcome.err
    assert data_of(file)["kept"] == ["random", "climber", "poor"]


def test_only_selected_algorithms_run(polarbear, race_toml, monkeypatch):
    race_toml.write_text(FAST)
    file = race_toml.parent / "my.race"
    polarbear("race", race_toml, *QUIET, "--max-instances", 4, "--confidence", 0.99)
    with monkeypatch.context() as patch:
        patch.setattr(StoppingLimits, "is_futile", lambda limits, state: True)
        outcome = polarbear("race", file, "--max-instances", 8)
    assert "Nothing ran: the race stopped because it was unlikely to drop another algorithm" in outcome.err
    assert "To continue, use --max-instances 8 or more, --decide for a pair" in outcome.err
    outcome = polarbear("race", file, "--only", "climber", "--only", "random", "--max-instances", 8)
    data = data_of(file)
    assert data["instances"] == 8
    assert data["race"]["cost"]["climber"] > data["race"]["cost"]["poor"]
    outcome = polarbear("race", file, "--only", "climber")
    assert (outcome.code, "expected two candidates or more to run, got climber" in outcome.err) == (3, True)
    options = ["--only", "poor", "--only", "random", "--max-instances", 400, "--confidence", 0.9]
    outcome = polarbear("race", file, *options)
    assert outcome.code == 0
    both = polarbear("race", file, "--decide", "poor", "random", "--only", "poor")
    assert (both.code, "expected either --only or --decide, got both" in both.err) == (3, True)


def test_a_race_can_begin_with_some_of_the_algorithms(polarbear, race_toml):
    race_toml.write_text(FAST)
    polarbear("race", race_toml, "--only", "random", "--only", "poor", "--max-instances", 4, *QUIET)
    assert data_of(race_toml.parent / "my.race")["candidates"] == ["random", "poor"]
    outcome = polarbear("race", race_toml.parent / "my.race", "--max-instances", 4)
    assert "race.toml also has climber, which the race does not have" in outcome.err
    outcome = polarbear("race", race_toml, "-o", race_toml.parent / "a.race", "--only", "random")
    assert (outcome.code, "expected two algorithms or more with --only, got random" in outcome.err) == (3, True)
    outcome = polarbear("race", race_toml, "-o", race_toml.parent / "a.race", "--only", "random", "--only", "pore")
    assert (outcome.code, "did you mean 'poor'?" in outcome.err) == (3, True)


def test_a_failing_algorithm_pauses_the_race_until_it_is_fixed(polarbear, race_toml):
    file, few = race_toml.parent / "my.race", ("--max-instances", 8)
    race_toml.write_text(FAST.replace(":climber", ":faulty"))
    outcome = polarbear("race", race_toml, *few, *QUIET)
    assert (outcome.code, outcome.out.startswith("No answer yet.")) == (3, True)
    assert outcome.err.startswith("'climber' failed in all 8 runs of its first round")
    assert "ZeroDivisionError: the optimiser's own fault\n" in outcome.err
    assert f"polarbear race {file} --failed rerun\n" in outcome.err
    assert f"polarbear race {file} --drop climber\n" in outcome.err
    assert f"polarbear race {file} --failed accept\n" in outcome.err
    assert polarbear("race", file, *few, *QUIET).code == 3
    data = data_of(file)
    assert data["status"] == "algorithm failed"
    assert data["findings"][0]["code"] == "algorithm_fails"
    assert data["findings"][0]["subject"] == ["climber"]
    race_toml.write_text(FAST)
    before = file.read_bytes()
    assert polarbear("race", file, "--drop", "climber", *few).code == 0
    outcome = polarbear("race", file, "--restore", "climber")
    assert (outcome.code, f"add it with: polarbear race {file} --add climber" in outcome.err) == (3, True)
    outcome = polarbear("race", file, "--failed", "rerun", "--max-instances", 1)
    assert f"to let it race again: polarbear race {file} --add climber\n" in outcome.err
    assert polarbear("race", file, "--add", "climber", *few).code == 0
    data = data_of(file)
    assert (data["race"]["failures"], "climber" in data["candidates"]) == ({}, True)
    file.write_bytes(before)
    outcome = polarbear("race", file, *few, "--failed", "rerun")
    assert "Made again: 8 runs of climber\n" in outcome.err
    data = data_of(file)
    assert (data["race"]["failures"], data["instances"]) == ({}, 8)


def test_if_every_algorithm_fails_nothing_is_said_about_removing_them(polarbear, race_toml):
    race_toml.write_text(re.sub(r":(random|climber|poor)\w*", ":faulty", FAST))
    outcome = polarbear("race", race_toml, "--max-instances", 8, *QUIET)
    assert outcome.code == 3
    assert outcome.err.count("failed in all 8 runs of its first round") == 3
    assert "--failed rerun\n" in outcome.err
    assert "--drop" not in outcome.err


def test_accepted_failures_count_and_can_be_made_again(polarbear, race_toml):
    file = race_toml.parent / "my.race"
    race_toml.write_text(FAST.replace(":climber", ":faulty"))
    polarbear("race", race_toml, "--max-instances", 8, "--failed", "accept", *QUIET)
    data = data_of(file)
    assert data["race"]["failures"]["climber"]["failed"] == 8
    assert data["kept"] == ["random"]
    race_toml.write_text(FAST)
    outcome = polarbear("race", file, "--max-instances", 8, "--failed", "rerun")
    assert "No failed runs to make again\n" in outcome.err
    assert f"to let it race again: polarbear race {file} --restore climber --failed rerun" in outcome.err
    assert "Nothing ran: every pair of algorithms is decided" in outcome.err
    outcome = polarbear("race", file, "--restore", "climber", "--failed", "rerun", "--max-instances", 8)
    assert "Made again: 8 runs of climber\n" in outcome.err
    data = data_of(file)
    assert (data["race"]["failures"], "climber" in data["kept"]) == ({}, True)


def test_listed_instances_are_repeated(polarbear, tmp_path):
    text = RACE.split("[instances]")[0].replace("margin = 0.15", "margin = 0.01")
    text = text.replace('prior = "RandomWalk"', "draws = 400")  # the default prior, which knows clusters
    text += '[instances]\nnames = ["1", "2"]\n[execution]\nworkers = 1\n'
    for name in ("random_search", "climber", "poor"):
        text = text.replace(f'"cli_optimisers:{name}"', '{command = "echo 1 {seed}"}')
    toml = write_race(tmp_path / "listed", text)
    assert polarbear("race", toml).code == 0
    assert data_of(toml.parent / "my.race")["status"] == "instances ran out"
    details = " ".join(polarbear("show", toml.parent / "my.race", "--details").out.split())
    assert "add instances to [instances], or repeat them with repeats" in details
    toml.write_text(text.replace('"2"]', '"2"]\nrepeats = 3'))
    assert polarbear("race", toml.parent / "my.race", *QUIET).code == 0
    assert data_of(toml.parent / "my.race")["instances"] == 6
    assert polarbear("show", toml.parent / "my.race").out.startswith(
        "Best algorithm by budget, tentative (2 instances with 6 repetitions, "
    )
    with RaceFile.open(toml.parent / "my.race", write=False) as file:
        first, second = file.about["configuration"]["instances"][:2]
        assert file.about["configuration"]["instances"] == [first, second] * 3
    toml.write_text(text.replace('"2"]', '"2", "3"]\nrepeats = 3'))
    assert polarbear("race", toml.parent / "my.race", *QUIET).code == 0
    assert data_of(toml.parent / "my.race")["instances"] == 9
