"""Run histories of SMAC: one folder NAME/SEED per run."""

import json

import pytest

from polarbear.importers import Block, Reason, read_runs
from tests.importers.cluster_tables import assumptions

STARTED = 1_794_936_309.5


def entry(number, cost, *, status=1, seed=0, budget=None, instance=None, end=None):
    return {
        "config_id": number,
        "instance": instance,
        "seed": seed,
        "budget": budget,
        "cost": cost,
        "time": 0.5,
        "cpu_time": 0.5,
        "status": status,
        "starttime": STARTED + number - 1,
        "endtime": STARTED + (number if end is None else end),
        "additional_info": {},
    }


def write(folder, entries, scenario=None):
    folder.mkdir(parents=True)
    stats = {"submitted": len(entries), "finished": len(entries), "running": 0}
    history = {"stats": stats, "data": entries, "configs": {}, "config_origins": {}}
    (folder / "runhistory.json").write_text(json.dumps(history, indent=2))
    (folder / "scenario.json").write_text(json.dumps(scenario or {}))
    (folder / "intensifier.json").write_text(json.dumps({"incumbent_ids": [1], "trajectory": []}))


ENTRIES = [entry(1, 5.0), entry(2, 7.0), entry(3, 2.0, end=5.0), entry(4, 3.0, end=4.5)]


def test_each_folder_is_a_run_of_the_algorithm_above_it(tmp_path):
    for name in ("hyperband", "random"):
        for seed in (0, 7):
            write(tmp_path / name / str(seed), ENTRIES)
    imported = read_runs(tmp_path)
    assert imported.skipped == ()
    assert imported.about.formats == ("smac",)
    assert imported.algorithms == {"hyperband": 2, "random": 2}
    assert {run.instance for run in imported.runs} == {Block(None, None, None, None, seed) for seed in (0, 7)}
    run = imported.runs[0]
    assert (run.budgets.tolist(), run.values.tolist(), run.end) == (
        [1, 3, 4],
        [5.0, 3.0, 2.0],
        4,
    )  # in order of their ends
    assert not run.finished


def test_seconds_count_from_the_start_of_the_first_trial(tmp_path):
    write(tmp_path / "a" / "1", ENTRIES)
    run = read_runs(tmp_path, clock="seconds").runs[0]
    assert (run.budgets.tolist(), run.end) == ([1.0, 4.5, 5.0], 5.0)


def test_folders_above_the_name_are_the_instance(tmp_path):
    for problem in ("iris", "wine"):
        write(tmp_path / problem / "a" / "1", ENTRIES)
    imported = read_runs(tmp_path)
    assert [(run.algorithm, run.instance.instance) for run in imported.runs] == [("a", "iris"), ("a", "wine")]


@pytest.mark.parametrize("name", ["facade", "0123456789abcdef0123456789abcdef"])
def test_a_single_run_is_named_by_its_scenario(tmp_path, name):
    write(tmp_path / "x", ENTRIES, {"name": name, "seed": 4, "_meta": {"facade": {"name": "facade"}}})
    for path in (tmp_path / "x", tmp_path / "x" / "runhistory.json"):
        [run] = read_runs(path).runs
        assert (run.algorithm, run.instance.run) == ("facade", 4)


def test_only_trials_that_succeeded_on_the_largest_budget_have_a_value(tmp_path):
    entries = [
        entry(1, 1.0, budget=3.0),
        entry(2, 6.0, budget=9.0),
        entry(3, 0.5, status=2, budget=9.0),
        entry(4, float("inf"), status=3, budget=9.0),
        entry(5, 4.0, budget=9.0),
        entry(6, 0.0, status=0, budget=9.0),
    ]
    write(tmp_path / "a" / "1", entries)
    imported = read_runs(tmp_path)
    assert imported.skipped == ()
    assert (imported.runs[0].budgets.tolist(), imported.runs[0].values.tolist()) == ([2, 5], [6.0, 4.0])


def test_several_seeds_are_noted(tmp_path):
    write(tmp_path / "a" / "1", [entry(1, 5.0), entry(2, 4.0, seed=1)])
    assert "SEVERAL_SEEDS" in assumptions(read_runs(tmp_path))


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ([entry(1, [1.0, 2.0])], "several objectives"),
        ([entry(1, 1.0, instance="x"), entry(2, 1.0, instance="y")], "its trials are on several instances"),
        ({"config_id": 1}, "is not a run history of SMAC"),
        ([], "SMAC|runs without any value|got none"),
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path, entries, message):
    write(tmp_path / "a" / "1", entries)
    with pytest.raises(ValueError, match=message):
        read_runs(tmp_path)


def test_damaged_histories_are_reported(tmp_path):
    write(tmp_path / "a" / "1", ENTRIES)
    write(tmp_path / "a" / "2", ENTRIES)
    file = tmp_path / "a" / "2" / "runhistory.json"
    file.write_text(file.read_text()[:-50])
    imported = read_runs(tmp_path)
    assert [each.reason for each in imported.skipped] == [Reason.NOT_JSON]
    with pytest.raises(ValueError, match="as all SMAC data do; read with maximise=False"):
        read_runs(tmp_path, maximise=True)
