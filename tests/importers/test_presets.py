"""Presets: how to read the data of well-known tools."""

from typing import get_args

import pytest

from polarbear.importers import Block, read_runs
from polarbear.importers.columns import COLUMNS
from polarbear.importers.presets import PRESETS
from polarbear.literals import FileFormat, ReaderName

BENCHOPT = (
    ",objective_name,data_name,dimension,idx_rep,solver_name,stop_val,time,objective_value,platform\n"
    '0,"Lasso[reg=0.5,fit=False]",leukemia,"(7129,)",0,Celer,0.0,0.5,12.5,Linux\n'
    '1,"Lasso[reg=0.5,fit=False]",leukemia,"(7129,)",0,Celer,1.0,0.7,10.0,Linux\n'
    '2,"Lasso[reg=0.5,fit=False]",leukemia,"(7129,)",0,glmnet,0.0,0.6,10.0000001,Linux\n'
    '3,"Lasso[reg=0.1,fit=False]",leukemia,"(7129,)",1,glmnet,0.0,0.6,9.0,Linux\n'
)
NEVERGRAD = (
    "budget,elapsed_time,function_name,noise_level,optimizer_name,loss,seed\n"
    "200,0.09,sphere,0,DE,3.5,11\n200,0.15,sphere,0,DE,2.5,12\n400,0.2,sphere,0,DE,1.5,13\n400,0.3,sphere,0,DE,0.5,14\n"
    "200,0.15,sphere,0.2,DE,9.0,15\n200,0.15,sphere,0,CMA,2.0,16\n"
)


def test_every_preset_has_a_name_and_maps_known_columns():
    assert set(PRESETS) | set(get_args(FileFormat)) == set(get_args(ReaderName))
    for preset in PRESETS.values():
        assert set(preset.mapping) <= set(COLUMNS)
        assert preset.about.endswith(".")


def test_an_unknown_preset_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"expected reader='iohprofiler', .*'benchopt', 'nevergrad', 'irace' or None, got 'hyperopt'"
    ):
        read_runs(tmp_path, reader="hyperopt")


def test_benchopt(tmp_path):
    (tmp_path / "one.csv").write_text(BENCHOPT)
    imported = read_runs(tmp_path, reader="benchopt")
    celer, glmnet, other = imported.runs
    objective = "Lasso[reg=0.5,fit=False]"
    assert celer.instance == glmnet.instance == Block(None, "leukemia", "(7129,)", objective, "0, one.csv")
    assert other.instance.instance == "Lasso[reg=0.1,fit=False]"
    assert (celer.budgets.tolist(), celer.values.tolist()) == ([0.5, 0.7], [12.5, 10.0])
    assert imported.ended == {"finished": 3}
    assert imported.ranking["relative_tolerance"] == 1e-6


def test_runs_of_different_benchopt_files_are_not_mixed(tmp_path):
    (tmp_path / "one.csv").write_text(BENCHOPT)
    (tmp_path / "two.csv").write_text(BENCHOPT.replace(",0.5,12.5", ",0.1,11.5"))
    imported = read_runs(tmp_path, reader="benchopt")
    assert imported.algorithms == {"Celer": 2, "glmnet": 4}
    assert imported.blocks == 4


def test_benchopt_in_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="needs polarbear-anytime[parquet], which polarbear-anytime[dev] brings")
    parquet = pytest.importorskip(
        "pyarrow.parquet", reason="needs polarbear-anytime[parquet], which polarbear-anytime[dev] brings"
    )
    columns = {"solver_name": ["a", "a"], "dataset_name": ["x", "x"], "objective_name": ["o", "o"], "idx_rep": [0, 0]}
    columns |= {"time": [0.1, 0.2], "objective_value": [2.0, 1.0], "objective_list": [[1], [2]]}
    parquet.write_table(pa.table(columns), tmp_path / "r.parquet")
    [run] = read_runs(tmp_path, reader="benchopt").runs
    assert run.instance == Block(None, "x", None, "o", "0, r.parquet")


def test_nevergrad_rows_of_all_budgets_form_one_curve(tmp_path):
    (tmp_path / "n.csv").write_text(NEVERGRAD)
    imported = read_runs(tmp_path / "n.csv", reader="nevergrad")
    runs = {(run.algorithm, run.instance.instance, run.instance.run): run for run in imported.runs}
    assert set(runs) == {("DE", 0, 1), ("DE", 0, 2), ("DE", "0.2", 1), ("CMA", 0, 1)}
    assert runs["DE", 0, 1].values.tolist() == [3.5, 1.5]
    assert runs["DE", 0, 2].values.tolist() == [2.5, 0.5]
    assert runs["DE", 0, 2].budgets.tolist() == [200, 400]
    assert {run.instance.function for run in imported.runs} == {"sphere"}


def test_all_other_columns_of_nevergrad_are_the_instance(tmp_path):
    wide = NEVERGRAD.replace("noise_level", "noise_level,rotation,num_workers").replace("sphere,0", "sphere,0,True,1")
    (tmp_path / "n.csv").write_text(wide)
    instances = {run.instance.instance for run in read_runs(tmp_path / "n.csv", reader="nevergrad").runs}
    assert "noise_level=0, rotation=True, num_workers=1" in instances


def test_irace(tmp_path):
    (tmp_path / "log.csv").write_text(
        "configuration,instance,seed,cost,time\n1,a.tsp,42,10.5,3.0\n2,a.tsp,42,9.5,4.0\n"
    )
    imported = read_runs(tmp_path, reader="irace")
    assert [(run.algorithm, run.instance[3:], run.end) for run in imported.runs] == [
        ("1", ("a.tsp", 42), 3.0),
        ("2", ("a.tsp", 42), 4.0),
    ]
    assert imported.ended == {"finished": 2}


def test_options_of_the_user_win(tmp_path):
    (tmp_path / "one.csv").write_text(BENCHOPT)
    imported = read_runs(
        tmp_path,
        reader="benchopt",
        ended="censored",
        clock="evaluations",
        columns={"evaluations": "stop_val", "run_id": "idx_rep"},
        maximise=True,
    )
    assert imported.ended == {"cut off": 3}
    run = imported.runs[0]
    assert (run.instance.run, run.maximise, run.end) == (0, True, 1.0)
    with pytest.raises(ValueError, match="has no column"):
        read_runs(tmp_path, reader="benchopt", columns={"raw_y": "loss"})


def test_rows_of_another_width_are_reported(tmp_path):
    (tmp_path / "one.csv").write_text(BENCHOPT + "4,Lasso,x\n")
    assert len(read_runs(tmp_path, reader="benchopt").skipped) == 1
