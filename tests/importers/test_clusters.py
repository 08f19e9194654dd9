"""Clusters of imported runs: which blocks belong together, by the rule and by the user's choice."""

import itertools
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from polarbear import Choices, Clusters, fit
from polarbear.importers import Block, read_runs
from polarbear.observe.clusters import plural

DATA = Path(__file__).parent / "data"
ALGORITHMS = ("cma", "de")


def table(path, rows, names):
    """A table with one run of each algorithm for each row of (key columns); all runs have one value at one time."""
    header = ["algorithm_name", *names, "evaluations", "raw_y"]
    filled = [(name, *row, 1, 1.0) for row in rows for name in ALGORITHMS]
    if path.suffix == ".parquet":
        parquet.write_table(pa.table(dict(zip(header, map(list, zip(*filled, strict=True)), strict=True))), path)
    else:
        lines = [",".join("" if cell is None else str(cell) for cell in line) for line in (header, *filled)]
        path.write_text("\n".join(lines) + "\n")
    return path


def described(imported):
    """(number, kind, unit) of the clusters, or None."""
    clusters = imported.clusters
    return None if clusters is None else (clusters.number, clusters.kind, clusters.unit)


def grouped(imported):
    """The blocks of each cluster, as a partition without labels."""
    of_label = {}
    for run in imported.runs:
        of_label.setdefault(run.cluster, set()).add(run.instance)
    return set(map(frozenset, of_label.values()))


class TestByRule:
    def test_functions_of_a_real_folder_are_clusters(self):
        imported = read_runs(DATA / "ioh")
        assert described(imported) == (2, "function", "instance")
        assert {(run.instance.function, run.cluster) for run in imported.runs} == {
            (8, ("unknown_suite", 8)),
            (21, ("unknown_suite", 21)),
        }
        assert "on 10 blocks of 2 functions from" in repr(imported)
        assert imported.about.notes == (
            "clusters: 10 instances of 2 functions, to generalise to new functions; for new instances of these read with "
            "cluster='none' (--cluster none)",
        )
        choices = Choices.from_trajectories(imported.runs, grid=[100], **imported.clustering)
        assert choices.rankings.clusters == imported.clusters
        assert choices.rankings.clusters.codes.tolist() == [0] * 5 + [1] * 5

    def test_instances_of_the_one_function_of_a_real_folder_are_independent(self):
        imported = read_runs(DATA / "coco")  # f8, in two dimensions
        assert described(imported) == (10, "instance of this function", "instance")
        assert "on 10 blocks from" in repr(imported)
        assert imported.about.notes == (
            "all 10 blocks are instances of one function: answers hold for new instances of it",
        )

    def test_the_function_is_the_cluster_in_all_dimensions_and_of_its_suite_alone(self, tmp_path):
        rows = list(itertools.product(("bbob", "other"), (1, 2), (2, 10), (1, 2, 3)))
        imported = read_runs(table(tmp_path / "r.csv", rows, ["suite", "function_id", "dimension", "instance"]))
        assert described(imported) == (4, "function", "instance")
        assert {run.cluster for run in imported.runs} == set(itertools.product(("bbob", "other"), (1, 2)))
        assert all(run.cluster == run.instance[:2] for run in imported.runs)

    def test_coco_functions_are_clusters(self, tmp_path):
        for function in (1, 2):
            (tmp_path / f"f{function}.info").write_text(
                f"suite = 'bbob', funcId = {function}, DIM = 2, Precision = 1.000e-08, algId = 'a'\n%\n"
                f"f{function}.dat, 1:2|1.0e+00, 2:2|1.0e+00\n"
            )
            (tmp_path / f"f{function}.dat").write_text("% header Fopt (1.0)\n1 0 2.0\n2 0 1.0\n" * 2)
        imported = read_runs(tmp_path)
        assert imported.about.formats == ("coco",)
        assert described(imported) == (2, "function", "instance")
        assert {run.cluster for run in imported.runs} == {("bbob", 1), ("bbob", 2)}

    @pytest.mark.parametrize("suffix", ["csv", "parquet"])
    def test_repetitions_on_data_sets_are_clusters(self, tmp_path, suffix):
        rows = list(itertools.product(("iris", "wine", "digits"), range(40)))
        imported = read_runs(table(tmp_path / f"r.{suffix}", rows, ["instance", "run_id"]))
        assert imported.blocks == 120
        assert imported.clusters == Clusters(
            tuple(name for name in ("iris", "wine", "digits") for _ in range(40)), "instance", "run"
        )
        assert "clusters: 120 runs of 3 instances, to generalise to new instances" in imported.about.notes[0]

    def test_functions_contain_the_repetitions(self, tmp_path):
        rows = list(itertools.product((1, 2), (1, 2, 3), (1, 2)))
        imported = read_runs(table(tmp_path / "r.csv", rows, ["function_id", "instance", "run_id"]))
        assert described(imported) == (2, "function", "instance")
        assert [len(each) for each in grouped(imported)] == [6, 6]

    def test_repetitions_on_functions_without_instances_are_runs(self, tmp_path):
        rows = list(itertools.product(("sphere", "ackley"), (1, 2)))
        imported = read_runs(table(tmp_path / "r.csv", rows, ["function_name", "run_id"]))
        assert imported.clusters == Clusters(("sphere", "sphere", "ackley", "ackley"), "function", "run")

    def test_a_function_for_each_instance_is_a_cluster_of_one(self, tmp_path):
        imported = read_runs(table(tmp_path / "r.csv", [(f, 1) for f in range(9)], ["function_id", "instance"]))
        assert described(imported) == (9, "function", "instance")

    def test_one_function_with_repetitions_is_clustered_by_instance(self, tmp_path):
        rows = list(itertools.product((1,), (2, 10), (1, 2), (1, 2, 3)))
        imported = read_runs(table(tmp_path / "r.csv", rows, ["function_id", "dimension", "instance", "run_id"]))
        assert described(imported) == (
            4,
            "instance of this function",
            "run",
        )  # instance 1 in 2-D is another one than in 10-D
        assert grouped(imported) == {
            frozenset(Block(None, 1, dimension, instance, run) for run in (1, 2, 3))
            for dimension, instance in itertools.product((2, 10), (1, 2))
        }

    @pytest.mark.parametrize(
        ("names", "rows", "note", "scope"),
        [
            (
                ["function_id", "instance"],
                [(1, i) for i in range(5)],
                "all 5 blocks are instances of one function: ",
                "instances of this function, based on 5",
            ),
            (
                ["instance", "run_id"],
                [("iris", r) for r in range(5)],
                "all 5 blocks are repetitions of one instance: ",
                "runs on this instance, based on 5",
            ),
            (
                ["function_id", "run_id"],
                [(1, r) for r in range(5)],
                "all 5 blocks are repetitions of one instance: ",
                "runs on this instance, based on 5",
            ),
            (["instance"], [(i,) for i in range(5)], "", "instances, based on 5"),
            (["instance"], [(1,)], "", "instances, based on 1"),
        ],
    )
    def test_blocks_of_a_single_cluster_are_independent(self, tmp_path, names, rows, note, scope):
        imported = read_runs(table(tmp_path / "r.csv", rows, names))
        assert len(imported.about.notes) == bool(note)
        assert all(each.startswith(note) for each in imported.about.notes)
        choices = Choices.from_trajectories(imported.runs, grid=[1], **imported.clustering)
        assert fit(choices, draws=100).scope == f"to new {scope}"

    def test_instances_without_a_function_stand_for_one_each(self, tmp_path):
        rows = [(1, 1, 1), (1, 2, 1), (None, 1, 1), (None, 1, 2), (None, 2, 1)]
        imported = read_runs(table(tmp_path / "r.csv", rows, ["function_id", "instance", "run_id"]))
        assert described(imported) == (3, "function", "instance")
        assert sorted(map(len, grouped(imported))) == [1, 2, 2]
        assert "3 of 5 blocks name no function; each of their instances counts as one" in imported.about.notes

    def test_repetitions_are_seen_after_renumbering(self, tmp_path):
        lines = ["algorithm_name,instance,run_id,evaluations,raw_y"]
        lines += [f"{name},{i},{name}{i}{r},1,1" for name in ALGORITHMS for i in (1, 2) for r in (1, 2)]
        (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
        imported = read_runs(tmp_path, renumber=True)
        assert imported.blocks == 4
        assert imported.clusters == Clusters((1, 1, 2, 2), "instance", "run")


ROWS = [(f, d, i, f"set {i % 3}", r) for f, d, i, r in itertools.product((1, 2), (2, 5), range(6), (1, 2))]
NAMES = ["function_id", "dimension", "instance", "data_set", "run_id"]


@pytest.fixture(params=["csv", "parquet"])
def runs(request, tmp_path):
    """Two functions, two dimensions, six instances with two repetitions; every third instance is of one data set."""
    return table(tmp_path / f"r.{request.param}", ROWS, NAMES)


class TestByChoice:
    @pytest.mark.parametrize(
        ("cluster", "expected", "key"),
        [
            ("auto", (2, "function", "instance"), lambda block: block.function),
            ("function", (2, "function", "instance"), lambda block: block.function),
            ("function_id", (2, "function", "instance"), lambda block: block.function),
            ("dimension", (2, "dimension", "instance"), lambda block: block.dimension),
            ("instance", (24, "instance of these functions", "run"), lambda block: block[:4]),
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
    def test_fields_and_columns_make_clusters(self, runs, cluster, expected, key):
        imported = read_runs(runs, cluster=cluster)
        assert described(imported) == expected
        partition = {}
        for function, dimension, instance, _, run in ROWS:
            block = Block(None, function, dimension, instance, run)
            partition.setdefault(key(block), set()).add(block)
        assert grouped(imported) == set(map(frozenset, partition.values()))
        assert f"of {expected[0]} {plural(expected[1])}" in repr(imported)
        assert f"to generalise to new {plural(expected[1])}" in imported.about.notes[-1]

    @pytest.mark.parametrize("cluster", ["none", None, ["none"]])
    def test_there_may_be_none(self, runs, cluster):
        imported = read_runs(runs, cluster=cluster)
        assert described(imported) == (48, "run on these instances", "run")
        assert imported.about.notes == ()
        choices = Choices.from_trajectories(imported.runs, grid=[1], **imported.clustering)
        assert fit(choices, draws=100).scope == "to new runs on these instances, based on 48"

    def test_choices_of_imports_with_different_numbers_of_instances_can_be_joined(self, tmp_path):
        choices = []
        for names in ("ab", "cde"):
            rows = list(itertools.product(names, (1, 2)))
            imported = read_runs(table(tmp_path / f"{names}.csv", rows, ["instance", "run_id"]), cluster="none")
            choices.append(Choices.from_trajectories(imported.runs, grid=[1], **imported.clustering))
        assert fit(choices[0] + choices[1], draws=100).scope == "to new runs on these instances, based on 10"

    def test_labels_are_the_cells(self, runs):
        assert {run.cluster for run in read_runs(runs, cluster="data_set").runs} == {"set 0", "set 1", "set 2"}

    def test_a_column_that_is_called_otherwise_is_known_by_both_names(self, tmp_path):
        path = table(tmp_path / "r.csv", [("a", 1), ("a", 2), ("b", 1)], ["problem", "seed"])
        for cluster, kind in (("instance", "instance"), ("problem", "problem")):
            imported = read_runs(path, columns={"instance": "problem", "run_id": "seed"}, cluster=cluster)
            assert imported.clusters == Clusters(("a", "a", "b"), kind, "run")

    def test_a_column_with_the_name_of_a_field_that_no_run_has(self, tmp_path):
        path = table(tmp_path / "r.csv", [("f", 1), ("g", 2), ("f", 3)], ["function", "instance"])
        assert read_runs(path, cluster="function").clusters == Clusters(("f", "g", "f"), "function", "instance")

    def test_an_unknown_column_is_refused_with_what_exists(self, runs):
        with pytest.raises(
            ValueError, match=r"^expected clusters by .*got 'dataset'; did you mean 'data_set'"
        ) as refused:
            read_runs(runs, cluster="dataset")
        message = str(refused.value)
        assert message.startswith("expected clusters by 'function', 'dimension', 'instance', 'algorithm_name', ")
        assert all(f"{name!r}, " in message for name in [*NAMES, "evaluations", "raw_y"])
        with pytest.raises(ValueError, match="got 'suite'; choose one of these"):
            read_runs(runs, cluster=["function", "suite"])

    def test_a_folder_has_fields_and_no_columns(self):
        assert described(read_runs(DATA / "ioh", cluster="instance")) == (
            10,
            "instance of these functions",
            "instance",
        )
        there = "'suite', 'function', 'dimension', 'instance', or by 'auto' or 'none'"
        with pytest.raises(ValueError, match=f"expected clusters by {there}, got 'data_set'"):
            read_runs(DATA / "ioh", cluster="data_set")

    def test_one_label_for_all_is_kept_and_noted(self, tmp_path):
        path = table(tmp_path / "r.csv", [(1, "same"), (2, "same"), (3, "same")], ["instance", "lab"])
        imported = read_runs(path, cluster="lab")
        assert imported.clusters == Clusters(("same",) * 3, "lab", "instance")
        assert imported.about.notes == (
            "clusters: all 3 blocks are of one lab, 'same', from which nothing follows about new labs; for new instances of "
            "this one read with cluster='none' (--cluster none)",
        )
        assert "on 3 blocks of 1 lab from" in repr(imported)

    @pytest.mark.parametrize("empty", ["", "nan"])
    def test_some_rows_may_lack_the_label_of_their_block(self, tmp_path, empty):
        """The label may stand in the first row of a run, or in the run of one algorithm alone."""
        lines = ["algorithm_name,instance,data_set,evaluations,raw_y"]
        for instance, label in ((1, "a"), (2, "b")):
            lines += [f"cma,{instance},{label},1,3", f"cma,{instance},{empty},2,2", f"de,{instance},{empty},1,4"]
        (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
        imported = read_runs(tmp_path, cluster="data_set")
        assert imported.clusters == Clusters(("a", "b"), "data set", "instance")
        assert {(run.algorithm, run.cluster) for run in imported.runs} == set(itertools.product(ALGORITHMS, "ab"))
        assert {(run.algorithm, run.times.size) for run in imported.runs} == {("cma", 2), ("de", 1)}

    def test_a_block_without_any_label_is_refused(self, tmp_path):
        path = table(tmp_path / "r.csv", [(1, "a"), (2, None), (3, "b")], ["instance", "data_set"])
        with pytest.raises(
            ValueError,
            match=r"expected 'data_set' for every run, got none for 1 of 3 blocks, first Block\(.*instance=2.*; fill it in",
        ):
            read_runs(path, cluster="data_set")

    def test_a_file_without_the_column_is_refused(self, tmp_path):
        table(tmp_path / "first.csv", [(1, "a"), (2, "b")], ["instance", "data_set"])
        table(tmp_path / "second.csv", [(3,), (4,)], ["instance"])
        with pytest.raises(ValueError, match="expected 'data_set' for every run, got none for 2 of 4 blocks"):
            read_runs(tmp_path, cluster="data_set")

    def test_a_field_that_some_runs_lack_is_refused(self, tmp_path):
        path = table(tmp_path / "r.csv", [(1, 1), (None, 2)], ["function_id", "instance"])
        with pytest.raises(ValueError, match="expected 'function' for every run, got none for 1 of 2 blocks"):
            read_runs(path, cluster="function")

    @pytest.mark.parametrize("column", ["algorithm_name", "step"])
    def test_a_block_has_one_label(self, tmp_path, column):
        lines = ["algorithm_name,instance,step,evaluations,raw_y", "cma,1,s1,1,3", "cma,1,s2,2,2", "de,1,s1,1,1"]
        (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
        with pytest.raises(
            ValueError, match=f"expected one '{column}' for all rows of a block, got .* and .* on Block"
        ):
            read_runs(tmp_path, cluster=column)

    def test_a_column_that_is_there_twice_is_refused(self, tmp_path):
        path = table(tmp_path / "r.csv", [(1, "a", "b")], ["instance", "data_set", "data_set"])
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
    def test_other_values_are_refused(self, runs, cluster, message):
        with pytest.raises(ValueError, match=message):
            read_runs(runs, cluster=cluster)

    def test_labels_follow_their_runs_when_these_are_renumbered(self, tmp_path):
        lines = ["algorithm_name,instance,run_id,data_set,evaluations,raw_y"]
        lines += [f"{name},{i},{name}{r},set {i % 2},1,1" for name in ALGORITHMS for i in range(4) for r in (1, 2)]
        (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
        imported = read_runs(tmp_path, renumber=True, cluster="data_set")
        assert described(imported) == (2, "data set", "instance")
        assert all(run.cluster == f"set {run.instance.instance % 2}" for run in imported.runs)


def test_many_affine_functions_are_one_function_with_many_instances(tmp_path):
    """MA-BBOB as ioh writes it: one function id, every instance another function."""
    scenario = {"dimension": 2, "path": "f.dat", "runs": [{"instance": i, "evals": 1} for i in range(6)]}
    index = {
        "suite": "MA-BBOB",
        "function_id": 0,
        "function_name": "MA",
        "maximization": False,
        "scenarios": [scenario],
    }
    for name in ALGORITHMS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "f.dat").write_text("evaluations raw_y\n1 1.0\n" * 6)
        (tmp_path / name / "f.json").write_text(json.dumps(index | {"algorithm": {"name": name}}))
    imported = read_runs(tmp_path)
    assert imported.blocks == 6
    assert described(imported) == (6, "instance of this function", "instance")
