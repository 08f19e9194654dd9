"""A part of the runs: by the values of fields and columns, by algorithm, per field, and split into groups."""

import numpy as np
import pytest

from polarbear.findings import ReadWith
from polarbear.importers import Block, read_runs, split_runs
from polarbear.importers.part import parse_condition
from tests.importers.cluster_tables import assumptions

HEADER = "algorithm_name,function_id,dimension,instance,noise,evaluations,raw_y"


@pytest.fixture
def file(tmp_path):
    """Two algorithms on two functions in dimensions 2, 3 and 10, with two instances each and a column of noise."""
    rows = [
        f"{name},{function},{dimension},{instance},{0.25 * instance},{evaluations},{1 / evaluations}"
        for name in ("cma", "de")
        for function in (1, 8)
        for dimension in (2, 3, 10)
        for instance in (1, 2)
        for evaluations in (10, 60)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def blocks(imported):
    return {run.instance for run in imported.runs}


@pytest.mark.parametrize(
    ("where", "text", "number"),
    [
        ({"dimension": 3}, ["dimension=3"], 8),
        ({"dimension": [2, 3]}, ["dimension=2,3"], 16),
        ({"dimension": (3, None)}, ["dimension=3.."], 16),
        ({"dimension": (None, 9.5)}, ["dimension=..9.5"], 16),
        ({"dimension": 3, "function": "8"}, ["dimension=3", "function=8"], 4),
        ({"dimension": [2, 10]}, ["dimension=2", "dimension=10"], 16),  # alternatives
        ({"function_id": 1}, ["function_id=1"], 12),
        ({"noise": (0.3, 0.6)}, ["noise=0.3..0.6"], 12),
        ({"noise": "0.25"}, ["noise=0.25"], 12),
    ],
)
def test_conditions_in_python_and_as_text(file, where, text, number):
    chosen = read_runs(file, where=where)
    assert len(chosen.runs) == number
    assert chosen.runs == read_runs(file, where=[parse_condition(each) for each in text]).runs
    assert set(chosen.runs) < set(read_runs(file).runs) or chosen.cluster_kind != "function"


def test_algorithms_can_be_chosen_or_left_out(file):
    assert set(read_runs(file, only=["de"]).algorithms) == {"de"}
    assert set(read_runs(file, without=["de"]).algorithms) == {"cma"}
    assert read_runs(file, where={"algorithm": "de"}).runs == read_runs(file, only=["de"]).runs


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"where": {"dimension": 7}}, r"runs with dimension=7, got none: dimension has 2, 3, 10"),
        ({"where": {"dimenson": 7}}, r"got 'dimenson'; did you mean 'dimension'"),
        ({"where": {"dimension": []}}, r"expected values of 'dimension', got \[\]"),
        ({"where": {"dimension": ("a", "b")}}, r"a range of numbers such as 2..10 for 'dimension', got 'a..b'"),
        (
            {"where": {"raw_y": (0, 1)}},
            r"one value of 'raw_y' in all rows of a run, got .* of 'cma' on function 1, dimension 2, instance 1, run 1;",
        ),
        ({"only": ["cmaes"]}, r"got 'cmaes'; did you mean 'cma'"),
        ({"only": "cma"}, r"only as a list of names, got 'cma'; write \['cma'\]"),
        ({"without": ["cma", "de"]}, r"at least one algorithm, got none"),
        ({"per": "suite"}, r"expected one of the fields"),
        ({"per": "raw_y"}, r"one value of 'raw_y' in all rows of a run"),
    ],
)
def test_impossible_parts_are_refused(file, options, message):
    with pytest.raises(ValueError, match=message):
        read_runs(file, **options)


@pytest.mark.parametrize("text", ["dimension", "=5", "dimension=", "dimension=b..c", "dimension=9..2"])
def test_text_that_is_no_condition_is_refused(text):
    with pytest.raises(ValueError, match=r"expected a (condition|range)"):
        parse_condition(text)


def test_per_divides_the_times_of_each_run_by_its_own_value(file):
    whole, divided = (read_runs(file, per=per) for per in (None, "dimension"))
    for before, after in zip(whole.runs, divided.runs, strict=True):
        np.testing.assert_array_equal(after.budgets, before.budgets / before.instance.dimension)
        assert after.end == 60 / before.instance.dimension
        np.testing.assert_array_equal(after.values, before.values)


def test_a_run_whose_times_cannot_be_divided_is_named_in_words(file):
    file.write_text(file.read_text().replace(",3,", ",three,"))
    with pytest.raises(ValueError, match=r"got 'three' for '?\w+'? on (\w+ \w+, )*dimension three(, \w+ \w+)*; choose"):
        read_runs(file, per="dimension")


def test_pooled_dimensions_are_noted_with_the_options_that_avoid_it(file):
    [note] = [each for each in read_runs(file).about.notes if each.numbers["assumption"] == "SEVERAL_DIMENSIONS"]
    assert note.numbers["dimensions"] == [2, 3, 10]
    assert note.remedy == ReadWith("per", "dimension", ReadWith("where", {"dimension": 2}))
    for options in ({"per": "dimension"}, {"where": {"dimension": 2}}):
        assert "SEVERAL_DIMENSIONS" not in assumptions(read_runs(file, **options))


def test_clusters_are_those_of_the_part(file):
    assert (read_runs(file).cluster_kind, read_runs(file).clusters.number) == ("function", 2)
    part = read_runs(file, where={"function": 8})
    assert part.cluster_kind == "instance of this function"


def test_runs_are_split_by_a_field_and_clustered_again(file):
    groups = split_runs(read_runs(file), "dimension")
    assert list(groups) == [2, 3, 10]
    assert blocks(groups[3]) == {Block(None, f, 3, i, 1) for f in (1, 8) for i in (1, 2)}
    assert all(group.cluster_kind == "function" for group in groups.values())
    by_function = split_runs(read_runs(file), "function")
    assert {group.cluster_kind for group in by_function.values()} == {"instance of this function"}


@pytest.mark.parametrize("keep", [(), ["noise"]])
def test_columns_that_describe_runs_are_kept_and_split_them(file, keep):
    groups = split_runs(read_runs(file, keep=keep), "noise")
    assert {value: len(group.runs) for value, group in groups.items()} == {"0.25": 12, "0.5": 12}


def test_columns_that_change_within_a_run_are_kept_on_request_only(tmp_path):
    table = tmp_path / "runs.csv"
    rows = [f"{name},{i},{t},{5 - t},{t % 2},{i % 3}" for name in "ab" for i in range(4) for t in range(1, 5)]
    table.write_text("\n".join(["algorithm_name,instance,evaluations,raw_y,phase,kind", *rows]))
    imported = read_runs(table)
    assert set(imported.cells) == {"kind"}
    assert {value: len(each.runs) for value, each in split_runs(imported, "kind").items()} == {0: 4, 1: 2, 2: 2}
    with pytest.raises(ValueError, match=r"read with keep=\['phase'\]"):
        split_runs(imported, "phase")
    with pytest.raises(ValueError, match="expected one value of 'phase' in all rows of a run"):
        split_runs(read_runs(table, keep=["phase"]), "phase")


def test_clusters_by_a_column_survive_a_choice_and_a_split(file):
    imported = read_runs(file, cluster="noise", where={"dimension": (2, 3)})
    assert imported.clusters.number == 2
    assert {group.clusters.number for group in split_runs(imported, "dimension").values()} == {2}
