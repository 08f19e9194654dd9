"""Every fault of a `race.toml` is reported with its key and a message that says what is expected."""

import re

import pytest

from polarbear.configuration import ConfigurationError, prepare
from tests.configuration.conftest import RACE


def faults(path, **overrides):
    with pytest.raises(ConfigurationError) as caught:
        prepare(path, overrides)
    return {fault.key: fault.message for fault in caught.value.faults}


def test_all_faults_are_reported_at_once_each_with_its_key(write):
    path = write("""
        [race]
        confidense = 0.9
        clock = "minutes"
        margin = 0.7
        seed = "1"
        prior = "Bspline"

        [grid]
        start = 10

        [algorithms]
        a = "own_optimisers:random_serch"
        b = {function = "nowhere:f"}
        "c d" = {command = "solve {problem}"}
        e = {command = "solve", shape = "counted"}
        f = {shap = "counted", function = "own_optimisers:climber"}
        g = "own_optimisers:not_a_function"

        [algorithm.d]
        x = 1

        [instances]
        folder = "nothing"

        [limits]
        instances = 0

        [execution]
        workers = 2
        dask = "tcp://x"
        """)
    messages = faults(path)
    expected = {
        "race.confidense": "there is no such key; did you mean 'confidence'?",
        "race.clock": "expected 'evaluations' or 'seconds', got 'minutes'",
        "race.margin": "expected less than 0.5, got 0.7",
        "race.seed": "expected a valid integer, got '1'",
        "race.prior.kind": "did you mean 'BSpline'?",
        "grid": "expected start, stop and count, or times alone",
        "algorithms.a": "did you mean 'random_search'?",
        "algorithms.b": "there is no module 'nowhere'",
        'algorithms."c d"': "got {problem} in '{problem}'",
        "algorithms.e": "a command has no shape",
        "algorithms.f.shap": "there is no such key; did you mean 'shape'?",
        "algorithms.g": "which cannot be called",
        "algorithm": "did you mean 'algorithms'?",
        "instances": "there is no folder",
        "limits.instances": "expected greater than or equal to 1, got 0",
        "execution": "expected workers or dask, not both",
    }
    assert messages.keys() == expected.keys()
    for key, message in expected.items():
        assert message in messages[key], key


@pytest.mark.parametrize(
    ("change", "key", "message"),
    [
        (("[grid]", "[gird]"), "gird", "did you mean 'grid'?"),
        (("[grid]", "[gird]"), "grid", "it is missing"),
        (
            ('climber = {function = "own_optimisers:climber"}', ""),
            "algorithms",
            "expected two algorithms or more, got 1",
        ),
        (("confidence = 0.9", 'prior = "Dirichlet"\ndominance = "joint"'), "race", "dominance='pointwise'"),
        (
            ("confidence = 0.9", "confidence = 0.99999"),
            "race",
            "expected enough draws to distinguish",
        ),
        (
            ("confidence = 0.9", 'prior = {kind = "BSpline", kernel = "matern32"}'),
            "race.prior",
            "BSpline has no kernel; it has basis, degree",
        ),
        (
            ("confidence = 0.9", 'prior = {kind = "BSpline", bases = 9}'),
            "race.prior",
            "BSpline has no bases; did you mean 'basis'?",
        ),
        (
            ("confidence = 0.9", 'prior = {kind = "BSpline", amplitude = 1.0}'),
            "race.prior",
            "amplitude of BSpline is a distribution, which can be set in Python only; leave it out",
        ),
        (
            ("confidence = 0.9", 'calibration = "trajectory"'),
            "race.calibration",
            'this key no longer exists, since prior = "BayesianBootstrap", the default, accounts for correlation over time '
            "itself; remove the line",
        ),
        *(
            (
                ("confidence = 0.9", f'prior = {{kind = "BayesianBootstrap", {given}}}'),
                "race.prior",
                f"BayesianBootstrap no longer has the {names}: each pair of algorithms now has a prior of its own, see "
                f"near_equal; leave {them} out",
            )
            for given, names, them in [
                ("plackett_luce = 0", "parameter plackett_luce", "it"),
                ('plackett_luce = "auto"', "parameter plackett_luce", "it"),
                ("shrink = false", "parameter shrink", "it"),
                ("near_equal = 0.2, pseudo_instances = 2.0", "parameter pseudo_instances", "it"),
                ("shrink = false, plackett_luce = 0", "parameters plackett_luce and shrink", "them"),
            ]
        ),
        (
            ("confidence = 0.9", 'prior = {kind = "BayesianBootstrap", near_equl = 0.2}'),
            "race.prior",
            "BayesianBootstrap has no near_equl; did you mean 'near_equal'?",
        ),
        (("confidence = 0.9", "batch = {smallest = 9, largest = 8}"), "race.batch", "largest batch"),
        (
            ("confidence = 0.9", "batch = {size = 3, largest = 9}"),
            "race.batch",
            "expected size alone, or the other keys",
        ),
        (("confidence = 0.9", "prior = 7"), "race.prior", "expected a table, got 7"),
        (("confidence = 0.9", "guarantee = 0.0"), "race.guarantee", "expected greater than 0, got 0.0"),
        (("confidence = 0.9", "guarantee = 0.9"), "race.guarantee", "expected less than or equal to 0.5, got 0.9"),
        (("stop = 40", "stop = 4"), "grid", "expected start < stop"),
        (("count = 4", "count = 4_000_000_000"), "grid.count", "expected less than or equal to 100000"),
        (("stop = 40", "stop = inf"), "grid.stop", "expected a finite number, got inf"),
        (("{dimension = 2}", "{dimension = 1}"), "instances", "MixedProblems cannot be created: expected a dimension"),
        (("{dimension = 2}", "{dimensions = 2}"), "instances", "unexpected keyword argument 'dimensions'"),
        (
            ("{dimension = 2}", '{dimension = 2}\nfile = "x"'),
            "instances",
            "expected one of names, file, folder, generator",
        ),
        (('"own_optimisers:random_search"', '"own_optimisers.py:x"'), "algorithms.random", "write own_optimisers:x"),
        (('"own_optimisers:random_search"', '"own_optimisers"'), "algorithms.random", "expected module:function"),
        (('"own_optimisers:random_search"', '{function = "os:sep"}'), "algorithms.random", "cannot be called"),
        (('"own_optimisers:random_search"', "{}"), "algorithms.random", "expected either function or command"),
        (('"own_optimisers:random_search"', "3"), "algorithms.random", "expected a table, got 3"),
        (("[race]", "confidence = 0.8\n[race]"), "confidence", "did you mean race.confidence?"),
        (("seed = 1", "start = 1"), "race.start", "did you mean grid.start?"),
        (("seed = 1", "absolute_tolerance = inf"), "race.absolute_tolerance", "expected a finite number, got inf"),
        (("stop = 40", f"stop = 1{'0' * 400}"), "grid.stop", "0..."),
        (
            ('"own_optimisers:random_search"', '{command = ["solve", 3]}'),
            "algorithms.random.command",
            "expected a string or a list of strings, got ['solve', 3]",
        ),
        (
            ('"own_optimisers:random_search"', '{function = "own_optimisers:random_search", arguments = {with = 3}}'),
            "algorithms.random",
            "does not take these arguments: got an unexpected keyword argument 'with'",
        ),
        (
            (
                '"polarbear.problems:MixedProblems"\narguments = {dimension = 2}',
                '"own_optimisers:text"\narguments = {x = 1}',
            ),
            "instances",
            "own_optimisers:text does not take these arguments",
        ),
        (('"own_optimisers:random_search"', '"..own_optimisers:x"'), "algorithms.random", "write own_optimisers:x"),
    ],
)
def test_each_fault_has_its_message(write, change, key, message):
    assert message in faults(write(RACE.replace(*change)))[key]


def test_an_import_error_names_the_line(write, tmp_path):
    (tmp_path / "failing_module.py").write_text("x = 1\ny = x / 0\n")
    (tmp_path / "needy_module.py").write_text("import nothing_like_this\n")
    (tmp_path / "unfinished_module.py").write_text("x = 1\ndef f(:\n")
    text = RACE.replace("own_optimisers:random_search", "failing_module:f").replace(
        "own_optimisers:climber", "needy_module:f"
    )
    messages = faults(write(text))
    assert re.search(r"failing_module.py, line 2: ZeroDivisionError", messages["algorithms.random"])
    assert "No module named 'nothing_like_this'; install" in messages["algorithms.climber"]
    messages = faults(write(RACE.replace("own_optimisers:random_search", "unfinished_module:f")))
    assert re.search(r"unfinished_module.py, line 2: invalid syntax", messages["algorithms.random"])


def test_a_file_that_is_not_toml_is_reported_with_its_line(write, tmp_path):
    with pytest.raises(ConfigurationError, match=r"it is not TOML: .*line 2"):
        prepare(write("[race]\nx = = 3"))
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="not a text in UTF-8"):
        prepare(tmp_path / "binary.toml")
    with pytest.raises(FileNotFoundError, match="polarbear init"):
        prepare(tmp_path / "nowhere.toml")
    for text in ("x = " + "[" * 5000, "x = " + "1" * 5000):  # too deep, and too long, for Python
        with pytest.raises(ConfigurationError, match="it is not TOML"):
            prepare(write(text))
    (tmp_path / "begun.race").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="continue a race with `polarbear race`"):
        prepare(tmp_path / "begun.race")
