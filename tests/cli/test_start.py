"""`demo`, `init` and `check`."""

import json
import shlex

from tests.cli.conftest import RACE, write_race


def test_init_writes_a_valid_example(polarbear, tmp_path):
    from polarbear.configuration import prepare

    outcome = polarbear("init", tmp_path / "new")
    assert outcome.code == 0
    assert len(outcome.out.splitlines()) == 3
    prepared = prepare(tmp_path / "new" / "race.toml")
    assert len(prepared.algorithms) == 4
    assert json.loads((tmp_path / "new" / "race.schema.json").read_text())["title"]
    again = polarbear("init", tmp_path / "new")
    assert again.code == 3
    assert (
        "already has race.toml, optimisers.py, race.schema.json; choose another folder, or replace with --force"
        in again.err
    )
    assert polarbear("init", tmp_path / "new", "--force").code == 0
    outcome = polarbear("init", tmp_path / "new" / "race.toml")
    assert (outcome.code, "expected a folder, got the file" in outcome.err) == (3, True)


def test_the_demo_ends_with_the_answer(polarbear, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    outcome = polarbear("demo", "--max-instances", 4, "-q")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Best algorithm by budget")
    assert "(4 instances, " in outcome.out
    (race,) = tmp_path.glob("polarbear-demo-*/*.race")
    assert outcome.out.rstrip().endswith(f"polarbear report {race}")


def test_check_reports_problems(polarbear, race_toml):
    outcome = polarbear("check", race_toml)
    assert outcome.code == 0
    assert outcome.out.count("fine") == 3
    assert "notes" not in outcome.out
    assert "No problems found; now try: polarbear race" in outcome.err
    assert "expected a budget above 0 for --budget, got inf" in polarbear("check", race_toml, "--budget", "inf").err
    text = race_toml.read_text().replace(":climber", ":faulty")
    text = text.replace('"cli_optimisers:poor"', "{command = \"sh -c 'echo 20 2.5'\"}")
    race_toml.write_text(text.replace('"cli_optimisers:random_search"', '{command = "no-such-program"}'))
    outcome = polarbear("check", race_toml, "--json")
    assert outcome.code == 1
    program, faulty, late = outcome.data
    assert "expected a program that can be started" in program["failure"]["error"]
    assert "the optimiser's own fault" in faulty["failure"]["error"]
    assert late["status"] == "done"
    assert late["notes"] == [
        "has no value at the first 3 of 5 budgets",
        "is taken to end with its last line, at 20 of 60",
        "reported only one value; does it report improvements as they happen?",
    ]
    outcome = polarbear("check", race_toml)
    assert "ZeroDivisionError: the optimiser's own fault" in outcome.out


def test_check_reports_instances_that_cannot_be_created(polarbear, race_toml):
    text = race_toml.read_text().replace("arguments = {dimension = 2}", "")
    race_toml.write_text(text.replace("polarbear.problems:MixedProblems", "operator:truediv"))
    outcome = polarbear("check", race_toml, "--json")
    assert outcome.code == 1
    assert {each["status"] for each in outcome.data} <= {"setup", "error"}


def test_check_shows_what_it_recognised_in_the_output_of_programs(polarbear, tmp_path):
    programs = {
        "good": "echo '# start'; echo note >&2; echo 5 3.5; echo 50 2.25; echo $0 # {instance}",
        "silent": "echo no licence >&2",
        "comments": "echo '# one'; echo '# two'",
        "chatty": "echo 1 7; echo solving {instance}",
    }
    text = RACE.split("[algorithms]")[0]
    text += "".join(
        f"[algorithms.{name}]\ncommand = ['sh', '-c', {line!r}, '60 1']\n" for name, line in programs.items()
    )
    text += '[instances]\nnames = ["a b"]\n[execution]\nworkers = 1\n'
    toml = write_race(tmp_path / "programs", text)
    outcome = polarbear("check", toml)
    assert outcome.code == 1
    blocks = dict(block.split("\n", 1) for block in outcome.out.split("\n\n")[1:5])
    assert blocks["good"].splitlines() == [
        "  instance    0: a b",
        f"  command     sh -c {shlex.quote(programs['good'].format(instance='a b'))} '60 1'",
        "  output      # start",
        "              5 3.5",
        "              50 2.25",
        "              60 1",
        "  errors      note",
        "  recognised  3 of 4 lines as (evaluations, value), first (5, 3.5), last (60, 1); 1 ignored",
    ]
    assert "recognised  nothing: see below" in blocks["silent"]
    assert "ended without one; yield (budget, value) whenever a better value is found\nno licence\n" in outcome.out
    assert "recognised  nothing: all 2 lines were ignored" in blocks["comments"]
    assert (
        "recognised  1 of 2 lines; the last one could not be read: ValueError: expected `budget value`"
        in blocks["chatty"]
    )
    assert "Traceback" not in outcome.out
    good = polarbear("check", toml, "--json").data[0]["program"]
    assert (good["lines"], good["recognised"], good["first"], good["last"]) == (4, 3, [5, 3.5], [60, 1])


def test_check_shows_the_output_of_a_program_that_is_killed(polarbear, tmp_path):
    text = RACE.split("[algorithms]")[0] + '[limits]\nrun_seconds = 0.3\n[instances]\nnames = ["a"]\n'
    for name in ("one", "two"):
        text += f"[algorithms.{name}]\ncommand = ['sh', '-c', 'echo 1 2; sleep 60']\n"
    outcome = polarbear("check", write_race(tmp_path / "killed", text))
    assert outcome.out.count("recognised  1 of 1 line as (evaluations, value), first (1, 2), last (1, 2)") == 2
    assert "the run took longer than the limit of 0.3 seconds" in outcome.out
