"""Clusters of imported runs by fields and columns that the user names."""

import itertools
from pathlib import Path

import pytest

from polarbear import Choices, Clusters, fit
from polarbear.findings import ReadWith
from polarbear.importers import Block, read_runs
from polarbear.wording import plural
from tests.importers.cluster_tables import ALGORITHMS, assumptions, partition, summary, write_table

DATA = Path(__file__).parent / "data"
ROWS = [(f, d, i, f"set {i % 3}", r) for f, d, i, r in itertools.product((1, 2), (2, 5), range(6), (1, 2))]
NAMES = ["function_id", "dimension", "instance", "data_set", "run_id"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two functions, two dimensions, six instances with two repetitions; every third instance is of one data set."""
    return write_table(tmp_path_factory.mktemp("runs") / "r.csv", ROWS, NAMES)


@pytest.mark.parametrize(
    ("cluster", "expected", "key"),
    [
        ("auto", (2, "function", "instance"), lambda block: block.function),
        ("function", (2, "function", "instance"), lambda block: block.function),
        ("function_id", (2, "function", "instance"), lambda block: block.function),
        ("dimension", (2, "dimension", "instance"), lambda block: block.dimension),
        ("instance", (24, "instance of these functions", "run"), lambda block: block.problem),
        ("data_set", (3, "data set", "instance"), lambda block: f"set {block.instance % 3}"),
        (["data_set"], (3, "data set", "instance"), lambda block: f"set {block.instance % 3}"),
        (
            ("function", "dimension"),
            (4, "function-dimension combination", "instance"),
            lambda block: (block.function, block.dimension),
        ),
        (
            ("dimension", "data_set"),
            (6, "dimension-data set combination", "instance"),
            lambda block: (block.dimension, f"set {block.instance % 3}"),
        ),
    ],
    ids=lambda value: "by" if callable(value) else str(value),
)
def test_fields_and_columns_define_clusters(runs, cluster, expected, key):
    imported = read_runs(runs, cluster=cluster)
    assert summary(imported) == expected
    blocks = {}
    for function, dimension, instance, _, run in ROWS:
        block = Block(None, function, dimension, instance, run)
        blocks.setdefault(key(block), set()).add(block)
    assert partition(imported) == set(map(frozenset, blocks.values()))
    assert f"of {expected[0]} {plural(expected[1])}" in repr(imported)
    numbers = imported.about.notes[-1].numbers
    assert numbers["assumption"] == "CLUSTERS"
    assert (numbers["clusters"], numbers["kind"], numbers["unit"]) == expected
    assert numbers["by_rule"] == (cluster == "auto")


@pytest.mark.parametrize("cluster", ["data_set", ("dimension", "data_set"), "none"])
def test_columns_of_parquet_define_the_same_clusters_as_those_of_csv(runs, tmp_path, cluster):
    path = write_table(tmp_path / "r.parquet", ROWS, NAMES)
    of_csv, of_parquet = read_runs(runs, cluster=cluster), read_runs(path, cluster=cluster)
    assert of_parquet.runs == of_csv.runs
    assert of_parquet.clusters == of_csv.clusters


@pytest.mark.parametrize("cluster", ["none", None, ["none"]])
def test_without_clusters_every_run_counts_as_independent(runs, cluster):
    imported = read_runs(runs, cluster=cluster)
    assert summary(imported) == (48, "run on these instances", "run")
    assert assumptions(imported) == ["SEVERAL_DIMENSIONS"]
    choices = Choices.from_trajectories(imported.runs, grid=[1], **imported.clustering)
    assert str(fit(choices, draws=100).scope) == "to new runs on these instances, based on 48 repetitions"


def test_choices_of_imports_with_different_numbers_of_instances_can_be_joined(tmp_path):
    choices = []
    for names in ("ab", "cde"):
        rows = list(itertools.product(names, (1, 2)))
        imported = read_runs(write_table(tmp_path / f"{names}.csv", rows, ["instance", "run_id"]), cluster="none")
        choices.append(Choices.from_trajectories(imported.runs, grid=[1], **imported.clustering))
    assert (
        str(fit(choices[0] + choices[1], draws=100).scope) == "to new runs on these instances, based on 10 repetitions"
    )


def test_the_labels_of_a_column_are_its_cells(runs):
    assert {run.cluster for run in read_runs(runs, cluster="data_set").runs} == {"set 0", "set 1", "set 2"}


def test_a_mapped_column_is_known_by_both_names(tmp_path):
    path = write_table(tmp_path / "r.csv", [("a", 1), ("a", 2), ("b", 1)], ["problem", "seed"])
    for cluster, kind in (("instance", "instance"), ("problem", "problem")):
        imported = read_runs(path, columns={"instance": "problem", "run_id": "seed"}, cluster=cluster)
        assert imported.clusters == Clusters(("a", "a", "b"), kind, "run")


def test_a_column_may_have_the_name_of_a_field_that_no_run_has(tmp_path):
    path = write_table(tmp_path / "r.csv", [("f", 1), ("g", 2), ("f", 3)], ["function", "instance"])
    assert read_runs(path, cluster="function").clusters == Clusters(("f", "g", "f"), "function", "instance")


def test_the_error_for_an_unknown_column_lists_the_existing_ones(runs):
    with pytest.raises(ValueError, match=r"^expected clusters by .*got 'dataset'; did you mean 'data_set'") as refused:
        read_runs(runs, cluster="dataset")
    message = str(refused.value)
    assert message.startswith("expected clusters by 'function', 'dimension', 'instance', 'algorithm_name', ")
    assert all(f"{name!r}, " in message for name in [*NAMES, "evaluations", "raw_y"])
    with pytest.raises(ValueError, match="got 'suite'; choose one of these"):
        read_runs(runs, cluster=["function", "suite"])


def test_a_folder_without_tables_has_fields_and_no_columns():
    assert summary(read_runs(DATA / "ioh", cluster="instance")) == (
        10,
        "instance of these functions",
        "instance",
    )
    there = "'suite', 'function', 'dimension', 'instance', or by 'auto' or 'none'"
    with pytest.raises(ValueError, match=f"expected clusters by {there}, got 'data_set'"):
        read_runs(DATA / "ioh", cluster="data_set")


def test_one_label_for_all_is_kept_and_noted(tmp_path):
    path = write_table(tmp_path / "r.csv", [(1, "same"), (2, "same"), (3, "same")], ["instance", "lab"])
    imported = read_runs(path, cluster="lab")
    assert imported.clusters == Clusters(("same",) * 3, "lab", "instance")
    [note] = imported.about.notes
    expected = {"assumption": "ONE_CLUSTER", "members": 3, "unit": "instance", "kind": "lab", "label": "'same'"}
    assert (note.numbers, note.remedy) == (expected, ReadWith("cluster", "none"))
    assert "on 3 blocks of 1 lab from" in repr(imported)


@pytest.mark.parametrize("empty", ["", "nan"])
def test_some_rows_may_lack_the_label_of_their_block(tmp_path, empty):
    """The label may be in the first row of a run only, or in the run of one algorithm only."""
    lines = ["algorithm_name,instance,data_set,evaluations,raw_y"]
    for instance, label in ((1, "a"), (2, "b")):
        lines += [f"cma,{instance},{label},1,3", f"cma,{instance},{empty},2,2", f"de,{instance},{empty},1,4"]
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    imported = read_runs(tmp_path, cluster="data_set")
    assert imported.clusters == Clusters(("a", "b"), "data set", "instance")
    assert {(run.algorithm, run.cluster) for run in imported.runs} == set(itertools.product(ALGORITHMS, "ab"))
    assert {(run.algorithm, run.budgets.size) for run in imported.runs} == {("cma", 2), ("de", 1)}


def test_a_block_without_any_label_is_refused(tmp_path):
    path = write_table(tmp_path / "r.csv", [(1, "a"), (2, None), (3, "b")], ["instance", "data_set"])
    with pytest.raises(
        ValueError,
        match=r"expected 'data_set' for every run, got none for 1 of 3 blocks, first instance 2, run 1; fill it in",
    ):
        read_runs(path, cluster="data_set")


def test_a_file_without_the_column_is_refused(tmp_path):
    write_table(tmp_path / "first.csv", [(1, "a"), (2, "b")], ["instance", "data_set"])
    write_table(tmp_path / "second.csv", [(3,), (4,)], ["instance"])
    with pytest.raises(ValueError, match="expected 'data_set' for every run, got none for 2 of 4 blocks"):
        read_runs(tmp_path, cluster="data_set")


def test_a_field_that_some_runs_lack_is_refused(tmp_path):
    path = write_table(tmp_path / "r.csv", [(1, 1), (None, 2)], ["function_id", "instance"])
    with pytest.raises(ValueError, match="expected 'function' for every run, got none for 1 of 2 blocks"):
        read_runs(path, cluster="function")


@pytest.mark.parametrize("column", ["algorithm_name", "step"])
def test_a_column_with_two_values_on_one_block_is_refused(tmp_path, column):
    lines = ["algorithm_name,instance,step,evaluations,raw_y", "cma,1,s1,1,3", "cma,1,s2,2,2", "de,1,s1,1,1"]
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(
        ValueError, match=f"expected one '{column}' for all rows of a block, got .* and .* on instance 1, run 1;"
    ):
        read_runs(tmp_path, cluster=column)


def test_a_duplicate_column_is_refused(tmp_path):
    path = write_table(tmp_path / "r.csv", [(1, "a", "b")], ["instance", "data_set", "data_set"])
    with pytest.raises(ValueError, match="has 2 columns 'data_set'"):
        read_runs(path, cluster="data_set")


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        (5, "expected cluster='auto', 'none', or names of columns such as 'function', got 5"),
        ([], r"got \[\]; name at least one column"),
        (["function", 5], r"got \['function', 5\]; name"),
        ("", "got ''; name"),
        (["auto", "function"], "expected cluster='auto' alone"),
        (["function", "none"], "expected cluster='none' alone"),
    ],
)
def test_other_values_are_refused(runs, cluster, message):
    with pytest.raises(ValueError, match=message):
        read_runs(runs, cluster=cluster)


def test_labels_follow_their_runs_when_these_are_renumbered(tmp_path):
    lines = ["algorithm_name,instance,run_id,data_set,evaluations,raw_y"]
    lines += [f"{name},{i},{name}{r},set {i % 2},1,1" for name in ALGORITHMS for i in range(4) for r in (1, 2)]
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    imported = read_runs(tmp_path, renumber=True, cluster="data_set")
    assert summary(imported) == (2, "data set", "instance")
    assert all(run.cluster == f"set {run.instance.instance % 2}" for run in imported.runs)
