"""Optuna studies in SQLite databases, which the tests make without Optuna."""

import json
import sqlite3
import zipfile
from contextlib import closing

import pytest

from polarbear.importers import Block, Reason, read_runs
from polarbear.importers.optuna import holds_studies

SCHEMA = """
CREATE TABLE studies (study_id INTEGER PRIMARY KEY, study_name VARCHAR(512) NOT NULL);
CREATE TABLE study_directions (study_id INTEGER, direction VARCHAR(8), objective INTEGER);
CREATE TABLE study_user_attributes (study_id INTEGER, "key" VARCHAR(512), value_json TEXT);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, number INTEGER, study_id INTEGER, state VARCHAR(8),
                     datetime_start DATETIME, datetime_complete DATETIME);
CREATE TABLE trial_values (trial_id INTEGER, objective INTEGER, value FLOAT, value_type VARCHAR(7));
"""
# state, value, the second of its end
TRIALS = [("COMPLETE", 5.0, 1), ("PRUNED", 0.1, 2), ("COMPLETE", 2.0, 9), ("FAIL", None, 4), ("COMPLETE", 3.0, 5)]


def write(file, studies):
    """Write studies, each as (name, attributes, directions, trials)."""
    with closing(sqlite3.connect(file)) as database:
        database.executescript(SCHEMA)
        for study, (name, attributes, directions, trials) in enumerate(studies, 1):
            database.execute("INSERT INTO studies VALUES (?, ?)", (study, name))
            for objective, direction in enumerate(directions):
                database.execute("INSERT INTO study_directions VALUES (?, ?, ?)", (study, direction, objective))
            for key, value in attributes.items():
                database.execute("INSERT INTO study_user_attributes VALUES (?, ?, ?)", (study, key, json.dumps(value)))
            for number, (state, value, second) in enumerate(trials):
                budgets = "2026-11-17 17:26:00.250000", second and f"2026-11-17 17:26:{second:02}.250000"
                row = (None, number, study, state, *budgets)
                trial = database.execute("INSERT INTO trials VALUES (?, ?, ?, ?, ?, ?)", row).lastrowid
                if value is not None:
                    kind = "INF_POS" if value == float("inf") else "FINITE"
                    row = (trial, 0, None if kind == "INF_POS" else value, kind)
                    database.execute("INSERT INTO trial_values VALUES (?, ?, ?, ?)", row)
        database.commit()


def test_the_name_of_a_study_is_its_algorithm(tmp_path):
    write(tmp_path / "s.db", [("tpe", {}, ["MINIMIZE"], TRIALS), ("random", {}, ["MINIMIZE"], TRIALS)])
    imported = read_runs(tmp_path)
    assert imported.skipped == ()
    assert imported.about.formats == ("optuna",)
    assert imported.algorithms == {"tpe": 1, "random": 1}
    run = imported.runs[0]
    assert run.instance == Block(None, None, None, None, 1)
    # Pruned and failed trials count as evaluations without a value; the order is that of their ends.
    assert (run.budgets.tolist(), run.values.tolist(), run.end) == ([1, 4, 5], [5.0, 3.0, 2.0], 5)
    assert (run.ended, run.maximise) == ("cut off", False)


def test_seconds_count_from_the_start_of_the_first_trial(tmp_path):
    write(tmp_path / "s.db", [("tpe", {}, ["MINIMIZE"], TRIALS)])
    run = read_runs(tmp_path / "s.db", clock="seconds").runs[0]
    assert (run.budgets.tolist(), run.end) == ([1, 5, 9], 9)


def test_user_attributes_identify_a_study(tmp_path):
    studies = [
        (f"{name}-{seed}", {"algorithm": name, "instance": "iris", "run": seed}, ["MAXIMIZE"], TRIALS)
        for name in ("tpe", "cma")
        for seed in (3, 8)
    ]
    write(tmp_path / "s.sqlite3", studies)
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"tpe": 2, "cma": 2}
    assert {run.instance for run in imported.runs} == {Block(None, None, None, "iris", seed) for seed in (3, 8)}
    assert imported.runs[0].maximise
    assert imported.runs[0].values.tolist() == [5.0]


def test_attributes_that_are_no_names_are_ignored(tmp_path):
    write(tmp_path / "s.db", [("tpe", {"algorithm": [1], "instance": {"a": 1}, "run": None}, ["MINIMIZE"], TRIALS)])
    assert read_runs(tmp_path).runs[0].algorithm == "tpe"


def test_infinite_values_and_open_trials(tmp_path):
    trials = [("COMPLETE", float("inf"), 1), ("RUNNING", None, None), ("WAITING", None, None), ("COMPLETE", 2.0, 2)]
    write(tmp_path / "s.db", [("tpe", {}, ["MINIMIZE"], trials)])
    run = read_runs(tmp_path).runs[0]
    assert (run.values[-1], run.end) == (2.0, 2)


def test_several_objectives_are_refused(tmp_path):
    write(tmp_path / "s.db", [("nsga", {}, ["MINIMIZE", "MAXIMIZE"], TRIALS), ("tpe", {}, ["MINIMIZE"], TRIALS)])
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"tpe": 1}
    assert [(each.reason, each.first) for each in imported.skipped] == [(Reason.SEVERAL_OBJECTIVES, "study 'nsga'")]


def test_a_database_in_an_archive_or_in_another_mode_is_read_without_writing(tmp_path):
    file = tmp_path / "s.db"
    write(file, [("tpe", {}, ["MINIMIZE"], TRIALS)])
    expected = read_runs(file).runs
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA journal_mode = WAL")
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as archive:
        archive.write(file, "inner/s.db")
    before = sorted(tmp_path.iterdir())
    assert read_runs(file).runs == read_runs(tmp_path / "s.zip").runs == expected
    assert sorted(tmp_path.iterdir()) == before


def test_other_databases_are_reported(tmp_path):
    with closing(sqlite3.connect(tmp_path / "other.db")) as database:
        database.execute("CREATE TABLE studies (study_id INTEGER)")
    with pytest.raises(ValueError, match="is an SQLite database without the tables of Optuna studies"):
        read_runs(tmp_path)
    assert not holds_studies(tmp_path / "other.db")
    write(tmp_path / "s.db", [("tpe", {}, ["MINIMIZE"], TRIALS)])
    assert holds_studies(tmp_path / "s.db")
    content = (tmp_path / "s.db").read_bytes()
    (tmp_path / "s.db").write_bytes(content[:6000])
    with pytest.raises(ValueError, match="is damaged"):
        read_runs(tmp_path / "s.db")


def test_a_database_of_optuna_itself(tmp_path):
    optuna = pytest.importorskip("optuna", reason="needs the extra `oracles`")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(study_name="tpe", storage=f"sqlite:///{tmp_path / 's.db'}")
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=5)
    assert read_runs(tmp_path / "s.db").runs[0].values[-1] == study.best_value
