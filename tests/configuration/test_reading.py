"""A `race.toml` gives the settings of a race, and values of the command line override it."""

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


def test_a_valid_file_gives_a_race_that_can_run(write):
    prepared = prepare(write())
    assert prepared.settings == pb.Settings(pb.log_grid(5, 40, 4), seed=1, confidence=0.9)
    assert list(prepared.algorithms) == ["random", "climber"]
    assert prepared.instances == pb.problems.MixedProblems(dimension=2)
    assert prepared.race_file == prepared.path.with_suffix(".race")
    race = pb.Race(prepared.algorithms, prepared.instances, prepared.settings.grid)
    assert race.drive(max_instances=2, progress="none").instances == 2


def test_every_key_of_a_race_becomes_a_setting(write):
    text = RACE.replace(
        "[race]",
        """[race]
        file = "out/one.race"
        clock = "seconds"
        maximise = true
        margin = 0.1
        dominance = "pointwise"
        until = "every-budget"
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
    ).replace("start = 5\nstop = 40\ncount = 4", "budgets = [1, 2, 4.5]")
    prepared = prepare(write(text))
    assert prepared.settings == pb.Settings(
        pb.as_grid([1, 2, 4.5]),
        clock="seconds",
        maximise=True,
        seed=1,
        confidence=0.9,
        margin=0.1,
        dominance="pointwise",
        until="every-budget",
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
    with pytest.raises(
        ConfigurationError, match=r"race\.confidence: expected less than or equal to 1, got 2 \(on the command line\)"
    ):
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
