"""`demo`, `init` and `check`."""

import json


def test_init_writes_a_valid_example(polarbear, tmp_path):
    from polarbear.configuration import prepare

    outcome = polarbear("init", tmp_path / "new")
    assert outcome.code == 0
    assert len(outcome.out.splitlines()) == 3
    prepared = prepare(tmp_path / "new" / "race.toml")
    assert len(prepared.algorithms) == 4
    assert json.loads((tmp_path / "new" / "race.schema.json").read_text())["title"]
    again = polarbear("init", tmp_path / "new")
    assert again.code == 1
    assert (
        "already has race.toml, optimisers.py, race.schema.json; choose another folder, or replace with --force"
        in again.err
    )
    assert polarbear("init", tmp_path / "new", "--force").code == 0
    outcome = polarbear("init", tmp_path / "new" / "race.toml")
    assert (outcome.code, "expected a folder, got the file" in outcome.err) == (1, True)


def test_the_demo_ends_with_the_decision_map(polarbear, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    outcome = polarbear("demo", "--max-instances", 4, "--workers", 1, "-q")
    assert outcome.code == 0
    assert "Which algorithm at which budget (4 instances, " in outcome.out


def test_check_reports_problems(polarbear, race_toml):
    outcome = polarbear("check", race_toml)
    assert outcome.code == 0
    assert outcome.out.count("fine") == 3
    assert "remarks" not in outcome.out
    assert "expected a time above 0 for --until, got inf" in polarbear("check", race_toml, "--until", "inf").err
    text = race_toml.read_text().replace(":climber", ":faulty")
    text = text.replace('"cli_optimisers:poor"', "{command = \"sh -c 'echo 20 2.5'\"}")
    race_toml.write_text(text.replace('"cli_optimisers:random_search"', '{command = "no-such-program"}'))
    outcome = polarbear("check", race_toml, "--json", "-q")
    assert outcome.code == 1
    program, faulty, late = outcome.data
    assert "expected a program that can be started" in program["message"]
    assert "the optimiser's own fault" in faulty["message"]
    assert late["status"] == "done"
    assert late["remarks"] == [
        "has no value at the first 3 of 5 times",
        "ended by itself at 20 of 60",
        "reported only one value; does it report improvements as they happen?",
    ]
    outcome = polarbear("check", race_toml)
    assert "ZeroDivisionError: the optimiser's own fault" in outcome.out


def test_check_reports_instances_that_cannot_be_created(polarbear, race_toml):
    text = race_toml.read_text().replace("arguments = {dimension = 2}", "")
    race_toml.write_text(text.replace("polarbear.problems:MixedProblems", "operator:truediv"))
    outcome = polarbear("check", race_toml, "--json", "-q")
    assert outcome.code == 1
    assert {each["status"] for each in outcome.data} <= {"setup", "error"}
