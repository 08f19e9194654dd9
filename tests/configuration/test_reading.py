"""Reading a `race.toml`: the settings it gives, its faults, and values of the command line."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import polarbear as pb
from polarbear.configuration import ConfigurationError, parse_value, prepare
from polarbear.configuration.schema import RaceToml
from tests.configuration.conftest import RACE

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = [
    *RaceToml.model_fields,
    *(
        f"{name}.{key}"
        for name in ("race", "grid", "instances", "limits", "execution")
        for key in RaceToml.model_fields[name].annotation.model_fields
    ),
    "algorithms.random",
    "algorithms.random.command",
    "algorithms.random.arguments",
    "algorithms.climber.shape",
]


def faults(path, **overrides):
    with pytest.raises(ConfigurationError) as caught:
        prepare(path, overrides)
    return {fault.key: fault.message for fault in caught.value.faults}


def test_a_valid_file_gives_a_race_that_can_run(write):
    prepared = prepare(write())
    assert prepared.settings == pb.Settings(pb.log_grid(5, 40, 4), seed=1, confidence=0.9)
    assert list(prepared.algorithms) == ["random", "climber"]
    assert prepared.instances == pb.problems.MixedProblems(dimension=2)
    assert prepared.race_file == prepared.path.with_suffix(".race")
    race = pb.Race(prepared.algorithms, prepared.instances, prepared.settings.grid)
    assert race.run(max_instances=2, progress="none").instances == 2


def test_every_key_of_a_race_becomes_a_setting(write):
    text = RACE.replace(
        "[race]",
        """[race]
        file = "out/one.race"
        clock = "seconds"
        maximise = true
        rope = 0.1
        elimination = "pointwise"
        resolution = "strict"
        prior = {kind = "Dirichlet", concentration = 2.0}
        method = "gibbs"
        draws = 1000
        batch = {smallest = 4, largest = 16}
        failure = "missing"
        absolute_tolerance = 1e-9
        relative_tolerance = 1e-6
        common_random_numbers = true
        guarantee = 0.05
        """,
    ).replace("start = 5\nstop = 40\ncount = 4", "times = [1, 2, 4.5]")
    prepared = prepare(write(text))
    assert prepared.settings == pb.Settings(
        pb.as_grid([1, 2, 4.5]),
        clock="seconds",
        maximise=True,
        seed=1,
        confidence=0.9,
        rope=0.1,
        elimination="pointwise",
        resolution="strict",
        prior=pb.Dirichlet(2.0),
        method="gibbs",
        draws=1000,
        batch=pb.AdaptiveBatch(4, 16),
        failure="missing",
        absolute_tolerance=1e-9,
        relative_tolerance=1e-6,
        common_random_numbers=True,
        guarantee=0.05,
    )
    assert prepared.race_file == prepared.folder / "out/one.race"


def test_a_name_or_a_number_stands_for_a_table(write):
    text = RACE.replace("seed = 1", 'prior = "RandomWalk"\nbatch = 10')
    settings = prepare(write(text)).settings
    assert settings.prior == pb.RandomWalk()
    assert settings.batch == pb.FixedBatch(10)


def test_all_faults_are_reported_at_once_each_with_its_key(write):
    path = write("""
        [race]
        confidense = 0.9
        clock = "minutes"
        rope = 0.7
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
        "race.rope": "expected less than 0.5, got 0.7",
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
        (("confidence = 0.9", 'prior = "Dirichlet"\nelimination = "joint"'), "race", "elimination='pointwise'"),
        (
            ("confidence = 0.9", "confidence = 0.99999"),
            "race",
            "expected enough draws to distinguish",
        ),
        (
            ("confidence = 0.9", 'prior = {kind = "BSpline", kernel = "matern32"}'),
            "race.prior",
            "BSpline has no kernel",
        ),
        (
            ("confidence = 0.9", 'calibration = "trajectory"'),
            "race.calibration",
            'this key no longer exists, since prior = "BayesianBootstrap", the default, accounts for correlation over time '
            "itself; remove the line",
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


def test_of_two_modules_of_one_name_the_one_beside_the_file_is_imported(write, tmp_path):
    prepare(write())
    other = tmp_path / "other"
    other.mkdir()
    (other / "own_optimisers.py").write_text(
        "def random_search(objective, budget, rng): ...\nclimber = random_search\n"
    )
    (other / "race.toml").write_text(RACE)
    function = prepare(other / "race.toml").algorithms["climber"].function
    assert function.__code__.co_filename == str(other / "own_optimisers.py")


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
    with pytest.raises(ConfigurationError, match="continue a race with `polarbear resume`"):
        prepare(tmp_path / "begun.race")


def test_a_folder_stands_for_its_file_and_a_byte_order_mark_is_ignored(write):
    path = write("\ufeff" + RACE)
    assert prepare(path.parent).path == path


def test_the_command_line_overrides_the_file(write):
    text = RACE + '\n[execution]\ndask = "tcp://x"\n'
    overrides = {"race.confidence": 0.8, "limits.instances": 7, "execution.workers": 3, "execution.dask": None}
    prepared = prepare(write(text), overrides)
    assert prepared.settings.confidence == 0.8
    assert prepared.tables.limits.instances == 7
    assert (prepared.tables.execution.workers, prepared.tables.execution.dask) == (3, None)
    with pytest.raises(ConfigurationError, match=r"race\.seed\.x: it cannot be set"):
        prepare(write(), {"race.seed.x": 1})
    with pytest.raises(ConfigurationError, match=r"race\.confidence: expected less than 1, got 2, on the command line"):
        prepare(write(), {"race.confidence": 2})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("[" * 5000, "[" * 5000),
        ("0.5", 0.5),
        ("true", True),
        ("[1, 2]", [1, 2]),
        ("joint", "joint"),
        ('"3"', "3"),
    ],
)
def test_values_are_parsed_as_in_toml(text, value):
    assert parse_value(text) == value


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(overrides=st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=8), ANYTHING, max_size=3))
def test_any_values_give_a_race_or_a_list_of_faults(write, overrides):
    faults = ()
    try:
        prepare(write(), overrides)
    except ConfigurationError as error:
        faults = error.faults or [None]
    assert all(fault is not None and fault.message for fault in faults)
