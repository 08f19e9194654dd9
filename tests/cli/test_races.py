import json

import pytest

from polarbear.storage import RaceFile
from tests.cli.conftest import RACE, write_race


def test_a_race_prints_its_result_to_stdout_and_all_else_to_stderr(polarbear, race_toml):
    said = polarbear("race", race_toml, "--json")
    assert said.code == 0
    assert said.data["finished"]
    assert said.data["stopped"] == "resolved"
    assert "poor" not in said.data["pareto_set"]
    assert said.data["file"] == str(race_toml.parent / "my.race")
    assert "round 1" in said.err


def test_a_limit_leaves_with_2_and_resume_goes_on(polarbear, race_toml):
    said = polarbear("race", race_toml, "--max-instances", 3, "--quiet")
    assert said.code == 2
    assert said.err == ""
    assert said.out.startswith("Candidates: random, climber")
    file = race_toml.parent / "my.race"
    stands = polarbear("status", file)
    assert stands.code == 2
    assert "P(dominated) in round 1\n" in stands.out
    again = polarbear("resume", file, "--json")
    assert again.code == 0
    assert again.data["instances"] > 3


def test_eliminations_are_judged_where_there_are_some(polarbear, race_toml, tmp_path):
    asked = ["race", race_toml, "--max-instances", 5, "--quiet"]
    said = polarbear(*asked, "-o", tmp_path / "some.race")
    assert said.out.startswith("Candidates: random, climber (2 of 3)")
    assert "Probability that some elimination is wrong" in said.out
    said = polarbear(*asked, "-o", tmp_path / "none.race", "--confidence", 0.999)
    assert said.out.startswith("Candidates: random, climber, poor (3 of 3)")
    assert "Probability that some elimination is wrong" not in said.out


def test_every_elimination_is_printed_with_the_bound_on_its_error(polarbear, race_toml, tmp_path):
    file = tmp_path / "some.race"
    said = polarbear("race", race_toml, "--max-instances", 5, "--quiet", "-o", file)
    head, row = (line.split() for line in said.out.splitlines() if line.startswith(("out ", "poor ")))
    assert head[:7] == ["out", "beaten", "by", "probability", "wrong", "at", "most"]
    assert row[3:5] == ["not", "proven"]  # five instances prove nothing
    (told,) = polarbear("status", file, "--json").data["eliminations"]
    assert told["error_bound"] > 0.99


def test_a_guarantee_eliminates_only_with_evidence(polarbear, race_toml, tmp_path):
    file = tmp_path / "proved.race"
    asked = ["race", race_toml, "--guarantee", 0.05, "--quiet", "--json", "-o", file]
    few = polarbear(*asked, "--max-instances", 5).data
    assert few["eliminations"] == []
    more = polarbear("resume", file, "--max-instances", 60, "--quiet", "--json").data
    assert "poor" in [each["name"] for each in more["eliminations"]]
    assert max(each["error_bound"] for each in more["eliminations"]) <= 0.05
    with RaceFile.open(file, write=False) as stored:
        assert stored.about["configuration"]["overrides"] == {"race.guarantee": 0.05}
    said = polarbear("resume", file, "--guarantee", 1e-9, "--max-instances", 1, "--quiet", "--json")
    assert all(each["error_bound"] <= 1e-9 for each in said.data["eliminations"])


def test_an_existing_race_is_not_begun_again(polarbear, race_toml):
    (race_toml.parent / "my.race").write_text("precious")
    said = polarbear("race", race_toml)
    assert said.code == 1
    assert "exists already; go on with: polarbear resume" in said.err
    assert (race_toml.parent / "my.race").read_text() == "precious"


def test_what_the_command_line_said_holds_when_the_race_goes_on_but_limits_do_not(polarbear, race_toml):
    file = race_toml.parent / "other.race"
    polarbear("race", race_toml, "-o", file, "--confidence", 0.8, "--max-instances", 2, "--set", "race.rope=0.1", "-q")
    with RaceFile.open(file, write=False) as stored:
        told = stored.about["configuration"]
        assert told["overrides"] == {"race.confidence": 0.8, "race.rope": 0.1}
        assert told["text"] == RACE
    said = polarbear("resume", file, "--max-instances", 4, "--json")
    assert said.data["instances"] == 4
    assert "from now on" not in said.err


def test_a_changed_file_holds_from_now_on(polarbear, race_toml, finished):
    file = race_toml.parent / "my.race"
    file.write_bytes(finished.read_bytes())
    race_toml.write_text(RACE.replace("confidence = 0.9", "confidence = 0.95"))
    said = polarbear("resume", file, "--config", race_toml, "--json", "--max-instances", 200)
    assert said.code == 0
    assert "confidence: 0.95 from now on, was 0.9" in said.err
    assert "confidence" not in polarbear("resume", file, "--config", race_toml, "--max-instances", 200).err


def test_the_seed_of_a_race_cannot_change(polarbear, race_toml, finished):
    said = polarbear("resume", finished, "--set", "race.seed=5")
    assert said.code == 1
    assert "seed, direction and clock of a race cannot change" in said.err
    assert "from now on" not in said.err


def test_candidates_must_stay_in_the_file(polarbear, race_toml):
    text = RACE.replace('prior = "RandomWalk"\n', "")  # the default belief eliminates no algorithm after one instance
    race_toml.write_text(text)
    polarbear("race", race_toml, "-q", "--max-instances", 1)
    race_toml.write_text(text.replace('poor = "cli_optimisers:poor"\n', ""))
    said = polarbear("resume", race_toml.parent / "my.race")
    assert said.code == 1
    assert "poor can still win the race" in said.err


def test_newcomers_are_let_in(polarbear, race_toml, tmp_path):
    text = RACE.replace('poor = "cli_optimisers:poor"\n', "")
    file = write_race(tmp_path / "few", text).parent / "my.race"
    polarbear("race", file.parent / "race.toml", "-q", "--max-instances", 8)
    said = polarbear("add", file)
    assert said.code == 1
    assert "every algorithm of" in said.err
    (file.parent / "race.toml").write_text(RACE)
    said = polarbear("resume", file, "--max-instances", 8)
    assert "race.toml names poor besides; let them in with: polarbear add" in said.err
    said = polarbear("add", file, "pore")
    assert said.code == 1
    assert "did you mean 'poor'?" in said.err
    said = polarbear("add", file, "poor", "--json")
    assert said.code in (0, 2)
    assert "poor is let in and runs on known instances first" in said.err
    assert said.data["algorithms"] == ["random", "climber", "poor"]
    assert [each["name"] for each in said.data["eliminations"]].count("poor") == 1
    assert "is in the race already" in polarbear("add", file, "poor").err


def test_a_configuration_that_moved_is_found_beside_the_race_or_asked_for(polarbear, finished, tmp_path):
    moved = tmp_path / "moved.race"
    moved.write_bytes(finished.read_bytes())
    with RaceFile.open(moved, write=True) as file:
        told = file.about["configuration"]
        file.set_about("configuration", {**told, "path": "/nowhere/race.toml"})
    said = polarbear("resume", moved)
    assert said.code == 1
    assert "which is not there any more; say where it is with --config" in said.err
    assert polarbear("export", moved, "configuration").out == RACE
    write_race(tmp_path)
    assert polarbear("resume", moved, "--quiet").code == 0


def test_a_race_of_a_python_program_can_be_resumed_from_a_configuration(polarbear, race_toml):
    import polarbear as pb

    path = race_toml.parent / "python.race"
    pb.Race(["random", "climber", "poor"], None, [5, 60], path=path).close()
    said = polarbear("resume", path)
    assert said.code == 1
    assert "was made by a Python program" in said.err
    said = polarbear("resume", path, "--config", race_toml, "--max-instances", 2, "--set", "race.seed=0", "--json")
    assert (said.code in (0, 2), said.data["instances"]) == (True, 2)


def test_instances_that_are_gone_stop_a_race_and_new_ones_come_last(polarbear, tmp_path):
    folder = tmp_path / "listed"
    text = RACE.split("[instances]")[0] + '[instances]\nfile = "list.txt"\n[execution]\nworkers = 1\n'
    text = text.replace('"cli_optimisers:random_search"', '{command = "echo 1 {instance}"}')
    text = text.replace('"cli_optimisers:climber"', '{command = "echo 1 {instance}"}')  # never decided
    text = text.replace('"cli_optimisers:poor"', '{command = "echo 1 2{instance}"}').replace(
        "rope = 0.15", "rope = 0.01"
    )
    toml = write_race(folder, text)
    (folder / "list.txt").write_text("1\n2\n3\n")
    said = polarbear("race", toml, "--json", "-q")
    assert (said.code, said.data["stopped"], said.data["instances"]) == (2, "instances ran out", 3)
    (folder / "list.txt").write_text("0\n1\n2\n3\n4\n")
    said = polarbear("resume", folder / "my.race", "--json", "-q")
    assert said.data["instances"] == 5
    with RaceFile.open(folder / "my.race", write=False) as file:
        assert set(file.about["configuration"]["instances"][:3]) == {"1", "2", "3"}
    (folder / "list.txt").write_text("7\n")
    said = polarbear("resume", folder / "my.race")
    assert said.code == 1
    assert "which are not there any more" in said.err


def test_a_race_in_which_everything_fails_says_why(polarbear, race_toml):
    for name in ("random_search", "climber", "poor"):
        race_toml.write_text(race_toml.read_text().replace(f":{name}", ":faulty"))
    said = polarbear("race", race_toml)
    assert said.code == 1
    assert "runs of the first round failed" in said.err
    assert "the optimiser's own fault" in said.err
    assert said.out == ""


def test_status_tells_and_changes_nothing(polarbear, finished):
    before = finished.read_bytes()
    said = polarbear("status", finished, "--watch")
    assert said.code == 0
    assert said.out.startswith("Anytime Pareto set: ")
    assert "beaten by" in said.out
    told = polarbear("status", finished, "--json").data
    assert told["finished"]
    assert told["stored_runs"] > 0
    assert finished.read_bytes() == before


@pytest.mark.parametrize("command", ["resume", "add", "status", "select", "analyse"])
@pytest.mark.parametrize("content", [None, b"", b"hello", b"SQLite format 3\0" + bytes(200)])
def test_bad_files_are_an_error_of_the_user(polarbear, tmp_path, command, content):
    path = tmp_path / "bad.race"
    if content is not None:
        path.write_bytes(content)
    said = polarbear(command, path)
    assert said.code == 1
    assert said.out == ""
    assert said.err.startswith("polarbear: ")
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["race", "nowhere.toml"], "polarbear init"),
        (["check", "nowhere.toml"], "polarbear init"),
        (["race", "--workers", "many"], "--workers"),
        (["race", "--frobnicate"], "--frobnicate"),
        (["rcae"], "race"),
        (["reproduce", "synthetic", "--workers", "0"], "--workers"),
        (["export", "x.race", "everything"], "everything"),
        (["export", "x.race"], "what"),
        (["select", "x.race", "--risk", "brave"], "brave"),
    ],
)
def test_usage_errors_leave_with_1(polarbear, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = polarbear(*arguments)
    assert said.code == 1
    assert message.lower() in said.err.lower()
    assert said.out == ""


@pytest.mark.parametrize("command", ["race", "check"])
def test_a_folder_stands_for_its_race_toml(polarbear, race_toml, command):
    said = polarbear(command, race_toml.parent, "--set", "race.rope=7")
    assert said.code == 1
    assert f"{race_toml} has one fault" in said.err


@pytest.mark.parametrize("command", ["resume", "add", "status", "select", "plot", "report"])
def test_a_misspelled_file_is_asked_about(polarbear, tmp_path, command):
    assert "`polarbear race` makes one" in polarbear(command, tmp_path / "mine.race").err
    (tmp_path / "my.race").touch()
    assert "did you mean 'my.race'?" in polarbear(command, tmp_path / "mine.race").err


@pytest.mark.parametrize(
    "arguments",
    [
        ["race", "race.toml", "-o", "nowhere/x.race"],
        ["race", "race.toml", "--report", "nowhere/x.html"],
        ["resume", "my.race", "--report", "nowhere/x.html"],
        ["select", "my.race", "--save", "nowhere/x.npz"],
        ["plot", "my.race", "-f", "ratings", "-o", "nowhere/x.pdf"],
        ["report", "my.race", "-o", "nowhere/x.html"],
        ["export", "my.race", "runs", "-o", "nowhere/x.csv"],
        ["analyse", "my.race", "--save", "nowhere/x.npz"],
        ["analyse", "my.race", "--report", "nowhere/x.html"],
    ],
)
def test_what_could_not_be_written_is_not_begun(polarbear, finished, tmp_path, monkeypatch, arguments):
    write_race(tmp_path, RACE.replace("my.race", "new.race"))
    (tmp_path / "my.race").write_bytes(finished.read_bytes())
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    said = polarbear(*arguments)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("polarbear: there is no folder nowhere for x.")
    (tmp_path / "nowhere").mkdir()
    said = polarbear(*[str(each).partition("/")[0] for each in arguments])
    assert (said.code, said.out) == (1, "")
    assert "nowhere" in said.err
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}


def test_why_a_race_stopped_and_what_to_type_next(polarbear, race_toml, finished):
    file = race_toml.parent / "my.race"
    said = polarbear("race", race_toml, "--max-instances", 3)
    assert f"the limit of instances is reached; go on with: polarbear resume {file} --max-instances 6" in said.err
    said = polarbear("resume", file, "--max-evaluations", 1)
    assert said.err.startswith("Going on after 1 round on 3 instances; 9 runs kept\n")
    assert "the limit of evaluations is reached; go on with: polarbear resume" in said.err
    assert said.err.endswith("--max-evaluations 1080\n")
    said = polarbear("resume", finished)
    assert said.err.endswith(f"Now try: polarbear select {finished} --map, or: polarbear report {finished}\n")


def test_bad_overrides(polarbear, race_toml):
    assert "expected --set key=value" in polarbear("race", race_toml, "--set", "race.rope").err
    assert (
        "race.ropee: there is no such key; did you mean 'rope'?"
        in polarbear("race", race_toml, "--set", "race.ropee=1").err
    )
    said = polarbear("race", race_toml, "--confidence", 3)
    assert "race.confidence: expected less than 1, got 3.0, on the command line" in said.err
    assert not (race_toml.parent / "my.race").exists()


def test_init_writes_an_example_that_is_right(polarbear, tmp_path):
    from polarbear.configuration import prepare

    said = polarbear("init", tmp_path / "new")
    assert said.code == 0
    assert len(said.out.splitlines()) == 3
    prepared = prepare(tmp_path / "new" / "race.toml")
    assert len(prepared.algorithms) == 4
    assert json.loads((tmp_path / "new" / "race.schema.json").read_text())["title"]
    again = polarbear("init", tmp_path / "new")
    assert again.code == 1
    assert "already; choose another folder, or say --force" in again.err
    assert polarbear("init", tmp_path / "new", "--force").code == 0
    said = polarbear("init", tmp_path / "new" / "race.toml")
    assert (said.code, "expected a folder, got the file" in said.err) == (1, True)


def test_demo(polarbear, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = polarbear("demo", "--max-instances", 4, "--workers", 1, "-q")
    assert said.code == 0
    assert "Which one, at which budget?" in said.out


def test_check_says_what_is_wrong(polarbear, race_toml):
    said = polarbear("check", race_toml)
    assert said.code == 0
    assert said.out.count("fine") == 3
    assert "remarks" not in said.out
    assert "expected a time above 0 for --until, got inf" in polarbear("check", race_toml, "--until", "inf").err
    text = race_toml.read_text().replace(":climber", ":faulty")
    text = text.replace('"cli_optimisers:poor"', "{command = \"sh -c 'echo 20 2.5'\"}")
    race_toml.write_text(text.replace('"cli_optimisers:random_search"', '{command = "no-such-program"}'))
    said = polarbear("check", race_toml, "--json", "-q")
    assert said.code == 1
    program, faulty, late = said.data
    assert "expected a program that can be started" in program["message"]
    assert "the optimiser's own fault" in faulty["message"]
    assert late["status"] == "done"
    assert late["remarks"] == [
        "has nothing yet at the first 3 of 5 times",
        "ended by itself at 20 of 60",
        "found only one value: does it report improvements as it goes?",
    ]
    said = polarbear("check", race_toml)
    assert "ZeroDivisionError: the optimiser's own fault" in said.out


def test_check_of_instances_that_cannot_be_made(polarbear, race_toml):
    text = race_toml.read_text().replace("arguments = {dimension = 2}", "")
    race_toml.write_text(text.replace("polarbear.problems:MixedProblems", "operator:truediv"))
    said = polarbear("check", race_toml, "--json", "-q")
    assert said.code == 1
    assert {each["status"] for each in said.data} <= {"setup", "error"}
