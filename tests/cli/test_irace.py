"""`init --irace` writes a scenario as a race, and `export irace` writes the survivors."""

import tomllib

import polarbear as pb
from tests.irace.scenario_folder import write_scenario


def test_a_scenario_is_raced_and_its_survivors_are_exported(polarbear, tmp_path, monkeypatch):
    monkeypatch.chdir(write_scenario(tmp_path).parent)
    outcome = polarbear("init", "--irace", "scenario.txt", "--budgets", "20,1000")
    assert outcome.code == 0
    assert "race.toml has 3 configurations and 3 instances; now: polarbear race" in outcome.err
    assert tomllib.loads((tmp_path / "race.toml").read_text())["grid"] == {"budgets": [20, 1000]}
    assert "race.toml exists already" in polarbear("init", "--irace", "scenario.txt", "--budgets", "20").err
    wrong = polarbear("init", "b", "--irace", "scenario.txt", "--budgets", "a")
    assert "expected --budgets as numbers above zero" in wrong.err
    polarbear("race", "--workers", 1, "--set", "instances.repeats=4", "--progress", "none")
    table = polarbear("export", "race.race", "irace").out.splitlines()
    assert table[0] == '"mode" "alpha" "beta"'
    assert {'"fast" "1" NA', '"slow" "1" NA'} <= set(table[1:])
    pb.Race(["a", "b"], None, [1, 2], path="python.race").close()
    assert "write the table in that program: scenario.format_conf" in polarbear("export", "python.race", "irace").err
