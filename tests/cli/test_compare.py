"""`polarbear compare`: two versions as functions, commands or recorded runs; one sentence and an exit code."""

import re

import numpy as np
import pytest

import polarbear as pb

SOLVER = """
import random, sys
instance, seed, until, bonus = sys.argv[1:]
rng = random.Random(int(seed))
best = 1e9
for time in range(1, int(float(until)) + 1):
    value = rng.random() - float(bonus)
    if value < best:
        best = value
        print(time, best)
"""


def test_the_same_function_is_no_worse(polarbear, race_toml):
    outcome = polarbear("compare", *2 * ["cli_optimisers:random_search"], "--config", race_toml)
    assert outcome.code == 0, outcome.err
    assert outcome.out == (
        "NEW is nowhere worse than OLD by more than the margin: over 99 % sure that it wins on at least 45 % of instances "
        "at every budget from 5 to 60 evaluations (at worst 50 %, at 5).\n"
    )
    assert outcome.err.splitlines()[0].startswith("24 instances · ")


def test_a_worse_algorithm_of_the_configuration_has_exit_code_1(polarbear, race_toml):
    outcome = polarbear("compare", "random", "poor", "--config", race_toml, "--quiet")
    assert outcome.code == 1
    assert outcome.out.startswith("poor is worse than random: at ")
    assert outcome.err == ""


def test_a_look_shows_probabilities_of_the_posterior_and_what_decides(polarbear, race_toml):
    outcome = polarbear("compare", "random", "random", "--config", race_toml, "--max-instances", 24, "--margin", 0.01)
    *_, look = outcome.err.splitlines()
    words = (
        r"24 instances · (.+) sure that NEW is nowhere worse by more than the margin, (.+) that it is worse somewhere"
    )
    assert re.fullmatch(rf"{words} \(95 % decides\)", look)


def test_too_few_instances_have_exit_code_2(polarbear, race_toml):
    given = ("compare", "random", "climber", "--config", race_toml, "--max-instances", 3, "--margin", 0.3, "--json")
    outcome = polarbear(*given)
    assert outcome.code == 2
    assert outcome.data["answer"] == "undecided"
    assert (outcome.data["instances"], outcome.data["margin"], outcome.data["exit_code"]) == (3, 0.3, 2)


def test_commands_are_compared(polarbear, race_toml):
    (race_toml.parent / "solver.py").write_text(SOLVER)
    template = "python solver.py {{instance}} {{seed}} {{budget}} {}"
    text = race_toml.read_text().replace('generator = "polarbear.problems:MixedProblems"', 'names = ["a", "b", "c"]')
    race_toml.write_text(text.replace("arguments = {dimension = 2}\n", "").replace("stop = 60", "stop = 8"))
    given = ("compare", template.format(5), template.format(0), "--config", race_toml, "--confidence", 0.8)
    outcome = polarbear(*given)
    assert outcome.code == 1, outcome.err
    assert re.search(r"NEW is worse than OLD: at \d evaluations it wins on \d+ % of instances", outcome.out)


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Recorded runs of an algorithm before and after a change for the worse, and both in one file."""
    folder = tmp_path_factory.mktemp("recorded")
    rng = np.random.default_rng(0)
    head = "algorithm_name,instance,evaluations,raw_y"

    def rows(name, shift):
        return [f"{name},{i},{t},{10 / t + shift + rng.random()}" for i in range(60) for t in (1, 10, 100)]

    for name, shift in (("main", 0.0), ("branch", 0.5)):
        (folder / f"{name}.csv").write_text("\n".join([head, *rows("cma", shift)]) + "\n")
    (folder / "both.csv").write_text("\n".join([head, *rows("main", 0.0), *rows("branch", 0.5)]) + "\n")
    return folder


def test_recorded_runs_in_two_files_are_compared(polarbear, tables):
    outcome = polarbear("compare", tables / "main.csv", tables / "branch.csv")
    assert outcome.code == 1, outcome.err
    assert outcome.out.startswith("NEW is worse than OLD: at ")
    assert polarbear("compare", tables / "branch.csv", tables / "main.csv").code == 0


def test_two_algorithms_of_recorded_runs_are_compared(polarbear, tables):
    outcome = polarbear("compare", "main", "branch", "--runs", tables / "both.csv", "--json")
    assert (outcome.code, outcome.data["old"], outcome.data["new"]) == (1, "main", "branch")
    assert outcome.data["looks"] == 1


def test_a_race_file_is_compared_at_its_own_times(polarbear, finished):
    outcome = polarbear("compare", "random", "poor", "--runs", finished, "--json")
    assert (outcome.code, outcome.data["answer"]) == (1, "worse")
    with pb.Race.open(finished) as race:
        assert set(outcome.data["budgets"]) <= set(race.state.settings.grid.budgets)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            ("both.csv", "main.csv"),
            "expected runs of one algorithm in both.csv, got branch, main; compare two of them with --runs both.csv",
        ),
        (("main", "branhc", "--runs", "both.csv"), "got 'branhc'; did you mean 'branch'?"),
        (("main.csv", "branch.csv", "--workers", "2"), "expected algorithms to run with --workers, got recorded runs"),
        (("main.csv", "cma", "--config", "race.toml"), "expected two recordings or two algorithms"),
        (("cma", "de", "--config", "race.toml"), "got 'cma', which is none of these"),
        (("main.csv", "branch.csv", "--max-instances", "9"), "expected algorithms to run with --max-instances"),
        (("main", "branch", "--runs", "both.csv", "--set", "a=1"), "expected algorithms to run with --set"),
    ],
)
def test_impossible_requests_have_a_message_and_no_output(polarbear, tables, race_toml, monkeypatch, given, message):
    (tables / "race.toml").write_text(race_toml.read_text())
    monkeypatch.chdir(tables)
    outcome = polarbear("compare", *given)
    assert (outcome.code, outcome.out) == (3, "")
    assert message in outcome.err
