"""Scenarios of irace as races, and survivors as its initial configurations."""

import shutil
import subprocess
from contextlib import chdir

import pytest

from polarbear.configuration import prepare
from polarbear.irace.conditions import read_condition
from polarbear.irace.configurations import read_configurations
from polarbear.irace.forbidden import read_forbidden
from polarbear.irace.parameters import read_parameters
from polarbear.irace.race_toml import race_toml, survivors_table
from polarbear.irace.scenario import read_irace_scenario
from tests.irace.scenario_folder import write_scenario

BUDGETS = [20, 100, 1000]
NAMES = ["mode=fast alpha=1", "mode=slow alpha=5 beta=0.5", "mode=slow alpha=1"]


@pytest.fixture
def path(tmp_path):
    return write_scenario(tmp_path)


def write_race_toml(path, **options):
    scenario = read_irace_scenario(path)
    configurations = read_configurations(scenario.configurations_file, scenario.parameters)
    file = path.parent / "race.toml"
    file.write_text(race_toml(scenario, configurations, BUDGETS, **options))
    return file


def test_a_scenario_is_read_with_its_files(path):
    scenario = read_irace_scenario(path)
    assert (scenario.seed, scenario.instances, scenario.bound) == (42, ("one", "two words", "three"), None)
    assert scenario.runner == path.parent / "target-runner"
    assert [(each.name, each.kind, each.domain, each.log) for each in scenario.parameters] == [
        ("mode", "c", ("fast", "slow"), False),
        ("alpha", "i", (0, 9), False),
        ("beta", "r", (0.01, 10), True),
    ]


def test_a_folder_of_instances_and_the_bound_are_as_irace_passes_them(path):
    folder = path.parent / "Instances"
    folder.mkdir()
    for name in ("b.tsp", "a.tsp"):
        (folder / name).touch()
    path.write_text('capping = TRUE\nboundMax = 30\nconfigurationsFile = "start.txt"')
    scenario = read_irace_scenario(path)
    assert scenario.instances == (str(folder / "a.tsp"), str(folder / "b.tsp"))
    assert scenario.bound == "30"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("maxExperiments = 10 * 20", r"scenario\.txt, line 1: expected an assignment .*, got '\*'"),
        ('parameterFile = file.path("a")', r"line 1: expected a string, .*R code is not evaluated, got 'file\.path'"),
        ("\ntargetRunner = function(x) 1", r"line 2: expected a string, .*got 'function'"),
        ("maxExperimens = 10", "got maxExperimens; did you mean 'maxExperiments'"),
        ('targetEvaluator = "./evaluate"', "targetEvaluator is not supported; let the target runner print the cost"),
        ('targetRunner = "./missing"', "expected a target runner that can be executed"),
    ],
)
def test_what_is_not_understood_in_a_scenario_is_refused(path, text, message):
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_irace_scenario(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('alpha "--a " i (1, 2, 3)', "expected two numbers as the domain of alpha"),
        ('alpha "--a " r (0, "beta")', "domains that depend on other parameters are not supported"),
        ('alpha "--a " x (0, 1)', r"expected name \"switch\" type"),
        ('alpha "--a " i (0, 1) | beta > 2', "line 1: .* to name parameters of the file, got 'beta'"),
        ('\na "-a " r,log (0, 1)', r"line 2: expected a domain of a above zero, .*got \(0, 1\)"),
        ('a "-a " r (3, 0.01)', r"line 1: expected the lower bound of a below the upper one, got \(3, 0\.01\)"),
        ('a "-a " i (0.5, 2)', "line 1: expected whole numbers as the domain of a"),
        ('a "-a " c (x, y, "x")', "line 1: expected each value of a once, got 'x' twice"),
        ('a "-a " c (x, y)\nb "-b " i (1, 9) | a %in% c("x", "z")', "line 2: .* to compare a with x, y, got 'z'"),
        ('a "-a " i (1, 9) | b > 2\nb "-b " i (1, 9) | a > 2', "line 2: .* in a circle, got those of a, b"),
        ('alpha "--a " i (0, 1) | floor(alpha) > 2', "line 1: expected %in%, ==, != or a comparison after floor"),
    ],
)
def test_what_is_not_understood_in_parameters_is_refused(tmp_path, text, message):
    (tmp_path / "parameters.txt").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_parameters(tmp_path / "parameters.txt")


def test_conditions_are_those_of_r():
    holds = read_condition('!(a == "x" | b != 2) && c >= 1.5', "test")
    assert holds({"a": "y", "b": 2.0, "c": 1.5})
    assert not holds({"a": "x", "b": 2.0, "c": 1.5})
    assert not holds({"a": "y", "b": 2.0, "c": 1.0})
    assert read_condition('a %in% c("1", "2")', "test")({"a": 1.0})  # R compares as text


@pytest.mark.parametrize(
    ("text", "holds"),  # as R evaluates them with a = NA and b = 1
    [
        ("a > 0", None),
        ("!(a > 0)", None),
        ("a != 0", None),
        ("a %in% c(0)", False),
        ("!(a %in% c(0))", True),
        ("a > 0 & b == 1", None),
        ("a > 0 & b == 2", False),
        ("a > 0 | b == 1", True),
        ("a > 0 | b == 2", None),
    ],
)
def test_a_comparison_with_an_inactive_parameter_is_unknown(text, holds):
    assert read_condition(text, "test")({"a": None, "b": 1.0}) is holds


def test_an_unknown_condition_counts_as_one_that_does_not_hold(tmp_path):
    (tmp_path / "parameters.txt").write_text(
        'mode "-m " c (a, b)\nx "-x " r (0, 1) | mode == "a"\ny "-y " r (0, 1) | !(x > 0.5)\n[forbidden]\n!(x > 0.2)\n'
    )
    parameters = read_parameters(tmp_path / "parameters.txt")
    forbidden = read_forbidden(parameters, tmp_path / "parameters.txt")
    table = tmp_path / "configurations.txt"
    table.write_text("mode x y\nb NA NA\na 0.4 0.1\n")
    assert len(read_configurations(table, parameters, forbidden)) == 2
    table.write_text("mode x y\nb NA 0.5\n")
    with pytest.raises(ValueError, match=r"expected NA, as .* does not hold for y, got 0\.5"):
        read_configurations(table, parameters, forbidden)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("fast 10 NA", "expected alpha to be a whole number from 0 to 9, got '10'"),
        ("fast 1 0.5", r'expected NA, as mode %in% c\("slow"\) & alpha > 2 does not hold for beta'),
        ("slow 5 NA", "expected a value for beta, got NA"),
        ("other 1 NA", "expected mode to be one of fast, slow, got 'other'"),
        ("slow 1", "expected 3 values, got 2"),
        ("slow 1 NA\nslow 1 NA", "expected different configurations, got number 2 twice"),
    ],
)
def test_configurations_that_irace_would_refuse_are_refused(path, row, message):
    (path.parent / "start.txt").write_text(f"mode alpha beta\n{row}\n")
    scenario = read_irace_scenario(path)
    with pytest.raises(ValueError, match=message):
        read_configurations(scenario.configurations_file, scenario.parameters)


def test_forbidden_configurations_are_refused(path):
    (path.parent / "forbidden.txt").write_text('# none of these\n(mode == "slow") & alpha > 3\n')
    path.write_text(path.read_text() + 'forbiddenFile = "forbidden.txt"\n')
    parameters = path.parent / "parameters.txt"
    parameters.write_text(parameters.read_text() + '[forbidden]\nmode == "fast" & alpha == 0\n')
    scenario = read_irace_scenario(path)
    files = (scenario.parameter_file, scenario.forbidden_file)
    forbidden = read_forbidden(scenario.parameters, *files)
    assert [each.where for each in forbidden] == ["parameters.txt, line 6", "forbidden.txt, line 2"]
    plain = (path.parent / "forbidden.txt").read_text()
    (path.parent / "forbidden.txt").write_text(f"[forbidden]\n{plain}")
    assert len(read_forbidden(scenario.parameters, *files)) == 2  # with a heading, too
    with pytest.raises(ValueError, match=r"configuration 2: expected none that is forbidden by forbidden\.txt, line 2"):
        read_configurations(scenario.configurations_file, scenario.parameters, forbidden)
    (path.parent / "forbidden.txt").write_text("gamma == 1")
    with pytest.raises(
        ValueError, match=r"forbidden\.txt, line 1: expected a condition of the parameters mode, .*'gamma'"
    ):
        read_forbidden(scenario.parameters, *files)


@pytest.mark.parametrize("switch", ["--evals ", None], ids=["one call per budget", "lines budget cost"])
def test_a_race_calls_the_target_runner_by_its_protocol(path, switch):
    prepared = prepare(write_race_toml(path, budget_switch=switch))
    assert list(prepared.algorithms) == NAMES
    assert (prepared.settings.seed, sorted(prepared.instances)) == (42, ["one", "three", "two words"])
    slow = prepared.algorithms["mode=slow alpha=1"]
    assert list(slow("two words", 7, 1000)) == [(20, 510), (100, 110), (1000, 20)]
    rest = [] if switch else [(150, 110)]  # the budget after the last improvement counts
    assert list(slow("one", 7, 150)) == [(20, 510), (100, 110), *rest]


def test_a_runner_that_fails_is_an_error_with_its_output(path):
    (path.parent / "target-runner").write_text("#!/bin/sh\necho no licence >&2; exit 3\n")
    algorithm = prepare(write_race_toml(path, budget_switch="--evals ")).algorithms[NAMES[0]]
    with pytest.raises(ValueError, match=r"(?s)target-runner 1 \d+ 7 one --mode=fast --alpha 1 --evals 20.*no licence"):
        list(algorithm("one", 7, 1000))
    (path.parent / "target-runner").write_text("#!/bin/sh\necho done: 12\n")
    with pytest.raises(ValueError, match="to print a cost, or a cost and a time, got 'done: 12"):
        list(algorithm("one", 7, 1000))


def test_survivors_are_initial_configurations_that_irace_accepts(path):
    table = survivors_table(write_race_toml(path).read_text(), [NAMES[0], NAMES[1]])
    assert table == '"mode" "alpha" "beta"\n"fast" "1" NA\n"slow" "5" "0.5"\n'
    with pytest.raises(ValueError, match="expected a race of configurations from an irace scenario, got 'other'"):
        survivors_table("", ["other"])
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed; on Debian: apt install r-cran-irace")
    (path.parent / "start.txt").write_text(table)
    code = 'if (!requireNamespace("irace", quietly = TRUE)) quit(status = 77); irace::irace.cmdline("")'
    with chdir(path.parent):
        done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip("R has no package irace; on Debian: apt install r-cran-irace")
    assert done.returncode == 0, done.stderr
    assert "# Read 2 configuration(s) from file" in done.stdout
    assert "# Best configurations as commandlines" in done.stdout
