"""irace's parameters as a ConfigSpace, and a design on an irace scenario."""

from pathlib import Path

import pytest

pytest.importorskip("ConfigSpace", reason="parameter spaces need ConfigSpace")

import polarbear as pb
from polarbear.irace.configurations import read_configurations
from polarbear.irace.parameters import read_parameters
from tests.designing.climbers import InProcess
from tests.irace.scenario_folder import write_scenario

EXAMPLES = Path("/usr/lib/R/site-library/irace")  # where Debian's r-cran-irace has them

OWN = """mode  "--mode="  c  (fast, slow, "very slow")
level "--level " o  (low, mid, high)
steps "--steps " i,log (1, 1000) | mode != "fast"
rate  "--rate "  r,log (0.001, 1) | level %in% c("mid", high_) & steps >= 10
width "--width " r  (-1, 1) | (steps < 5 | steps == 7) && level == "low"
[global]
digits = 2
"""


def read(folder, text):
    (folder / "parameters.txt").write_text(text)
    return pb.read_irace_parameters(folder / "parameters.txt", dict)


def check_activity(space, path, *, count):
    """Check that sampled configurations have exactly the parameters whose conditions hold, and return them."""
    parameters, found = read_parameters(path), [each.configuration for each in space.sample(count, seed=1).values()]
    for configuration in found:
        values = dict.fromkeys((each.name for each in parameters), None) | configuration
        assert {each.name for each in parameters if each.is_active(values)} == set(configuration)
    return found


def test_parameters_and_conditions_become_a_parameter_space(tmp_path):
    space = read(tmp_path, OWN.replace("high_", '"high"').replace("0.001", "0.01"))
    found = check_activity(space, tmp_path / "parameters.txt", count=50)
    assert [len([each for each in found if name in each]) > 0 for name in ("steps", "rate", "width")] == 3 * [True]
    rates = [each["rate"] for each in found if "rate" in each]
    assert all(round(rate, 2) == rate for rate in rates)  # digits = 2
    assert sum(rate < 0.1 for rate in rates) > len(rates) / 4  # half of them on a logarithmic scale
    assert {type(each["steps"]) for each in found if "steps" in each} == {int}
    assert space.space["level"].sequence == ("low", "mid", "high")
    (default,) = read(tmp_path, 'a "-a " r,log (0.01, 3)\n[global]\ndigits = 3').algorithm().values()
    assert default.configuration == {"a": 0.173}  # the middle of the scale, sqrt(0.03), with three digits


def test_real_parameters_have_as_many_digits_as_the_file_says(tmp_path):
    space = read(tmp_path, 'a "-a " r (1000, 1001)\n[global]\ndigits = 6')
    names, values = zip(
        *((name, each.configuration["a"]) for name, each in space.sample(20, seed=1).items()), strict=True
    )
    assert len(set(values)) == 20
    assert all(round(value, 6) == value for value in values)
    assert names == tuple(f"a={value}" for value in values)


def test_parameters_that_the_default_configuration_does_not_have_get_their_defaults(tmp_path):
    space = read(tmp_path, 'mode "-m " c (a, b)\ny "-y " r (0, 1) | mode == "b"')
    (made,) = space.algorithm(mode="b").values()
    assert made.configuration == {"mode": "b", "y": 0.5}


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
def test_whole_numbers_may_be_compared_with_fractions(tmp_path, sign):
    space = read(tmp_path, f'k "-k " i (1, 5)\ny "-y " i (1, 9) | k {sign} 2.5')
    found = check_activity(space, tmp_path / "parameters.txt", count=40)
    assert {each["k"] for each in found if "y" in each} == ({1, 2} if "<" in sign else {3, 4, 5})


def test_only_configurations_of_the_scenario_are_written(tmp_path):
    scenario = pb.read_irace_scenario(write_scenario(tmp_path))
    for wrong, message in (({"mode": "fast", "typo": 3}, "got 'typo'"), (None, "got no configuration")):
        with pytest.raises(ValueError, match=f"expected values of the parameters mode, alpha, beta, {message}"):
            scenario.format_configurations([wrong])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OWN, r"line 4: expected a string, a number, .*R code is not evaluated, got 'high_'"),
        ('\na "-a " r,log (0.00001, 1)', r"line 2: expected a domain of a above zero, .*got \(0, 1\) with 4 decimal"),
        ('a "-a " r (0.1, 0.2)\n[global]\ndigits = 0', r"line 1: expected the lower bound of a below .*got \(0, 0\)"),
        (
            'a "-a " i (1, 9)\nb "-b " i (1, 9) | a == 2.5',
            "line 2: expected a to be compared with whole numbers, got 2.5; write a whole number",
        ),
        ('a "-a " i (1, 9)\nb "-b " i (1, 9) | a > 20', "line 2: .*illegal value '20'"),
        ('a "-a " o (x, y)\nb "-b " i (1, 9) | a < "x"', "line 2: expected a condition that some value of a fulfils"),
        ('a "-a " c (x, y)\nb "-b " i (1, 9) | !(a == "x")', "line 2: expected a condition of comparisons .*with !"),
        ('a "-a " i (1, 9)\n[forbidden]\na == 1', "line 3: expected no forbidden configurations"),
        ('a "-a " i (1, 9)\n[global]\nprecision = 1', "line 3: expected a line such as digits = 4"),
        ('a "-a " i (1, 9)\n[repair]', r"line 2: expected the section \[global\] or \[forbidden\], got \[repair\]"),
    ],
)
def test_what_is_not_supported_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"parameters\.txt, {message}"):
        read(tmp_path, text)


def test_the_examples_of_irace_are_understood():
    files = sorted(EXAMPLES.glob("**/parameters*.t*"))
    if not files:
        pytest.skip("irace's examples are not installed; on Debian: apt install r-cran-irace")
    for file in files:
        assert check_activity(pb.read_irace_parameters(file, dict), file, count=5)


def test_a_scenario_is_searched_by_a_design(tmp_path):
    path, budgets = write_scenario(tmp_path), [20, 100, 1000]
    path.write_text(path.read_text() + "digits = 2\n")
    scenario = pb.read_irace_scenario(path)
    space = scenario.parameter_space(budgets, budget_switch="--evals ", sampled=1, mutated=0)
    (slow,) = space.algorithm(mode="slow", alpha=3, beta=0.5).values()
    assert slow("one", 7, 1000) == [(20, 530), (100, 130), (1000, 40)]
    assert (space.decimals, scenario.instances) == (2, ("one", "two words", "three"))
    race = pb.Race(space.algorithm(mode="fast", alpha=0) | space.sample(1), scenario.instances, budgets, draws=200)
    answer = pb.design(space.propose, race, executor=InProcess(), iterations=1, max_instances=2)
    assert answer.at(20).configuration["mode"] == "fast"
    table = scenario.format_configurations([slow.configuration, *(each.configuration for each in answer.stages)])
    (tmp_path / "survivors.txt").write_text(table + "\n")
    back = read_configurations(tmp_path / "survivors.txt", scenario.parameters)
    assert back[0] == {"mode": "slow", "alpha": "3", "beta": "0.5"}
    assert {"mode": "fast", "alpha": "0", "beta": "NA"} in back[1:]
    path.write_text(path.read_text() + 'forbiddenFile = "forbidden.txt"\n')
    with pytest.raises(ValueError, match="expected no forbiddenFile, as it is not supported"):
        pb.read_irace_scenario(path).parameter_space(budgets)
