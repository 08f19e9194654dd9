"""Rows that may belong to several runs are refused, unless the user says which rows form a run."""

import pytest

from polarbear.importers import read_runs

HEADER = "algorithm_name,instance,evaluations,raw_y\n"


def table(folder, rows, header=HEADER):
    path = folder / "runs.csv"
    path.write_text(header + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


ONE = [("good", 1, 1, 5.0), ("good", 1, 10, 2.0)]
TWO_SEEDS = [("bad", 1, 1, 9.0), ("bad", 1, 10, 8.0), ("bad", 1, 2, 7.0), ("bad", 1, 10, 1.0)]
IN_ORDER_OF_BUDGET = [("bad", 1, 1, 9.0), ("bad", 1, 1, 8.0), ("bad", 1, 5, 7.0), ("bad", 1, 5, 3.0)]


@pytest.mark.parametrize(
    "rows", [TWO_SEEDS, IN_ORDER_OF_BUDGET], ids=["one after the other", "in the order of budgets"]
)
def test_what_may_be_several_runs_is_refused_with_the_options_that_decide(tmp_path, rows):
    with pytest.raises(ValueError, match=r"may be several runs in 1 case, first 'bad on 1'.*--column .*--repeated"):
        read_runs(table(tmp_path, ONE + rows))


def test_repeated_begins_a_run_wherever_budgets_go_back(tmp_path):
    imported = read_runs(table(tmp_path, ONE + TWO_SEEDS), repeated=True)
    assert [(run.algorithm, run.instance.run, run.values.tolist()) for run in imported.runs] == [
        ("good", 1, [5.0, 2.0]),
        ("bad", 1, [9.0, 8.0]),
        ("bad", 2, [7.0, 1.0]),
    ]


def test_repeated_takes_single_rows_at_one_budget_as_runs(tmp_path):
    imported = read_runs(table(tmp_path, [("a", 1, 100, value) for value in (3.0, 1.0, 2.0)]), repeated=True)
    assert [run.values.tolist() for run in imported.runs] == [[3.0], [1.0], [2.0]]


def test_each_file_begins_a_run_if_runs_are_repeated(tmp_path):
    for number, rows in enumerate(([("a", 1, 1, 3.0)], [("a", 1, 5, 2.0)])):
        table(tmp_path, rows).rename(tmp_path / f"{number}.csv")
    assert len(read_runs(tmp_path).runs) == 1  # budgets go on, so the second file may continue the first
    assert len(read_runs(tmp_path, repeated=True).runs) == 2


def test_repeated_cannot_distinguish_runs_in_the_order_of_budgets(tmp_path):
    with pytest.raises(ValueError, match=r"rows in the order of budgets.*--column run_id=COLUMN"):
        read_runs(table(tmp_path, IN_ORDER_OF_BUDGET), repeated=True)


def test_not_repeated_makes_one_run_of_rows_in_any_order(tmp_path):
    [run] = read_runs(table(tmp_path, [("a", 1, 10, 1.0), ("a", 1, 2, 7.0)]), repeated=False).runs
    assert (run.budgets.tolist(), run.values.tolist()) == ([2.0, 10.0], [7.0, 1.0])


def test_not_repeated_keeps_the_best_value_at_each_budget(tmp_path):
    [run] = read_runs(table(tmp_path, TWO_SEEDS), repeated=False).runs
    assert (run.budgets.tolist(), run.values.tolist()) == ([1.0, 2.0, 10.0], [9.0, 7.0, 1.0])


def test_a_column_of_seeds_is_named_even_if_budgets_never_go_back(tmp_path):
    rows = [("a", 1, 0.5, 9.0, 11), ("a", 1, 0.6, 8.0, 12), ("a", 1, 0.7, 7.0, 11), ("a", 1, 0.9, 3.0, 12)]
    path = table(tmp_path, rows, HEADER.replace("\n", ",seed\n"))
    with pytest.raises(ValueError, match="--column run_id=seed"):
        read_runs(path)
    imported = read_runs(path, columns={"run_id": "seed"})
    assert [(run.instance.run, run.values.tolist()) for run in imported.runs] == [(11, [9.0, 7.0]), (12, [8.0, 3.0])]
    assert len(read_runs(path, repeated=False).runs) == 1


def test_the_same_is_true_of_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow, an extra")
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow, an extra")
    columns = {"algorithm_name": ["a"] * 4, "evaluations": [1, 2, 3, 4], "raw_y": [4.0, 3, 2, 1], "seed": [1, 2, 1, 2]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "runs.parquet")
    with pytest.raises(ValueError, match="--column run_id=seed"):
        read_runs(tmp_path)


def test_a_seed_that_is_the_same_within_each_run_is_no_ambiguity(tmp_path):
    rows = [("a", 1, 1, 9.0, 11), ("a", 1, 2, 8.0, 11), ("a", 2, 1, 7.0, 12), ("a", 2, 2, 3.0, 12)]
    assert len(read_runs(table(tmp_path, rows, HEADER.replace("\n", ",seed\n"))).runs) == 2


def test_a_copy_of_a_file_is_no_repetition(tmp_path):
    table(tmp_path, ONE).rename(tmp_path / "copy.csv")
    table(tmp_path, ONE)
    assert len(read_runs(tmp_path).runs) == 1


def test_repetitions_are_ranked_together_whatever_the_clusters(tmp_path):
    """Runs on one instance are comparable, also if the clusters are functions."""
    rows = [
        (name, function, 1, run, 10, value)
        for function in (1, 2)
        for run, pair in enumerate([(3.0, 1.0), (2.0, 4.0)])
        for name, value in zip("ab", pair, strict=True)
    ]
    header = "algorithm_name,function_id,instance,run_id,evaluations,raw_y\n"
    imported = read_runs(table(tmp_path, rows, header))
    assert imported.cluster_kind == "function"
    repeated = imported.choices([10]).rankings.repeated
    assert repeated.ranks.tolist() == [[[2, 0]], [[1, 3]]] * 2
    assert repeated.problem.tolist() == [0, 0, 1, 1]
