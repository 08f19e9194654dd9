"""Run histories of all versions of SMAC, and trajectories of folders without one, written as SMAC's own code writes them."""

import json

import pytest

from polarbear.importers import Block, Reason, read_runs
from tests.importers.cluster_tables import assumptions

START = 1_656_580_052.0
COSTS = [9.0, 4.0, 6.0, 1.0]


def history_of_smac_1(costs, *, instances=(None,), statuses=()):
    """Pairs of [config, instance, seed, budget] and [cost, time, status, start, end, info]; a status is an enumeration."""
    data = [
        [
            [k, instances[k % len(instances)], 0, 0.0],
            [cost, 0.5, {"__enum__": f"StatusType.{dict(statuses).get(k, 'SUCCESS')}"}, START + k, START + k + 0.5, {}],
        ]
        for k, cost in enumerate(costs)
    ]
    return {"data": data, "config_origins": {}, "configs": {}}


def history_of_smac_2(costs, *, instances=(None,)):
    """Lists as SMAC 2.0 to 2.2 write them."""
    data = [
        [k, instances[k % len(instances)], 0, None, cost, 0.5, 1, START + k, START + k + 0.5, {}]
        for k, cost in enumerate(costs)
    ]
    stats = {"submitted": len(data), "finished": len(data), "running": 0}
    return {"stats": stats, "data": data, "configs": {}, "config_origins": {}}


def trajectory_lines(costs, *, budgets=None, aclib=False):
    """The lines of traj.json or traj_aclib2.json; the first line is written before any evaluation."""
    entries = [(0, 2147483648.0), *enumerate(costs, 1)]
    lines = []
    for k, (evaluations, cost) in enumerate(entries):
        entry = {"cpu_time": 0.1 * k, "wallclock_time": 0.25 * k, "evaluations": evaluations, "cost": cost}
        entry |= {"incumbent": ["x='1'"]} if aclib else {"incumbent": {"x": 1}, "budget": budgets[k] if budgets else 0}
        lines.append(json.dumps(entry | {"origin": "Sobol"}) + "\n")
    return "".join(lines)


OLD = (
    '"CPU Time Used","Estimated Training Performance","Wallclock Time","Incumbent ID",'
    '"Automatic Configurator (CPU) Time","Configuration..."\n'
    "0.000000, 2147483648.000000, 0.100000, 1, 0.100000, x='1',y='a'\n"
    "0.500000, 9.000000, 1.500000, 1, 1.000000, x='1',y='a'\n"
    "0.700000, 4.500000, 2.500000, 2, 1.800000, x='2',y='b'\n"
)


def intensifier(costs):
    items = [{"config_ids": [k], "costs": [cost], "trial": 2 * k, "walltime": k / 2} for k, cost in enumerate(costs, 1)]
    return {"incumbent_ids": [1], "rejected_config_ids": [], "incumbents_changed": 2, "trajectory": items, "state": {}}


def write(folder, **files):
    """Write files by names such as traj_json; dictionaries as JSON."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        stem, _, suffix = name.rpartition("_")
        text = content if isinstance(content, str) else json.dumps(content, indent=2)
        (folder / f"{stem}.{suffix}").write_text(text)
    return folder


def curve(run):
    return run.budgets.tolist(), run.values.tolist(), run.end


@pytest.mark.parametrize("history", [history_of_smac_1(COSTS), history_of_smac_2(COSTS)])
def test_histories_of_older_versions(tmp_path, history):
    write(tmp_path / "roar" / "run_3", runhistory_json=history, stats_json={"finished_ta_runs": 4})
    imported = read_runs(tmp_path)
    assert (imported.skipped, imported.about.notes) == ((), ())
    assert imported.runs[0].instance == Block(None, None, None, None, 3)
    assert imported.algorithms == {"roar": 1}
    assert curve(imported.runs[0]) == ([1, 2, 4], [9.0, 4.0, 1.0], 4)
    assert curve(read_runs(tmp_path, clock="seconds").runs[0]) == ([0.5, 1.5, 3.5], [9.0, 4.0, 1.0], 3.5)


def test_trials_of_smac_1_that_failed_have_no_value(tmp_path):
    statuses = [(0, "CRASHED"), (1, "DONOTADVANCE"), (3, "RUNNING")]
    write(tmp_path / "a" / "run_1", runhistory_json=history_of_smac_1(COSTS, statuses=statuses))
    assert curve(read_runs(tmp_path).runs[0]) == ([2], [4.0], 3)


def test_a_history_is_preferred_to_the_trajectories_beside_it(tmp_path):
    write(
        tmp_path / "a" / "run_1",
        runhistory_json=history_of_smac_1(COSTS),
        traj_json=trajectory_lines([3.0]),
        traj_aclib2_json=trajectory_lines([3.0], aclib=True),
        traj_old_csv=OLD,
    )
    imported = read_runs(tmp_path)
    assert imported.skipped == ()
    assert imported.runs[0].values.tolist() == [9.0, 4.0, 1.0]
    assert assumptions(imported) == ["HISTORIES_READ"]
    [named] = read_runs(tmp_path / "a" / "run_1" / "traj.json").runs  # a file that was named is read
    assert named.values.tolist() == [3.0]


@pytest.mark.parametrize("aclib", [False, True])
def test_trajectories_of_smac_1(tmp_path, aclib):
    name = "traj_aclib2_json" if aclib else "traj_json"
    stats = {"finished_ta_runs": 20, "wallclock_time_used": 10.5}
    write(
        tmp_path / "a" / "run_1",
        **{name: trajectory_lines([9.0, 4.0, 5.0], aclib=aclib)},
        stats_json=stats,
        traj_old_csv=OLD,
    )
    imported = read_runs(tmp_path)
    assert imported.skipped == ()
    assert curve(imported.runs[0]) == ([1, 2], [9.0, 4.0], 20)
    assert assumptions(imported)[0] == "ESTIMATED_COSTS"
    assert curve(read_runs(tmp_path, clock="seconds").runs[0]) == ([0.25, 0.5], [9.0, 4.0], 10.5)


def test_the_oldest_trajectories_have_seconds_only(tmp_path):
    write(tmp_path / "a" / "run_1", traj_old_csv=OLD)
    assert curve(read_runs(tmp_path, clock="seconds").runs[0]) == ([1.5, 2.5], [9.0, 4.5], 2.5)
    with pytest.raises(ValueError, match="holds seconds and no evaluations, as all traj_old"):
        read_runs(tmp_path)


def test_trajectories_of_smac_2(tmp_path):
    write(
        tmp_path / "a" / "7",
        intensifier_json=intensifier([9.0, 4.0]),
        optimization_json={"used_walltime": 8.0, "finished": True},
    )
    imported = read_runs(tmp_path, reader="smac")
    assert (imported.algorithms, imported.runs[0].instance.run) == ({"a": 1}, 7)
    assert curve(imported.runs[0]) == ([2, 4], [9.0, 4.0], 4)
    assert curve(read_runs(tmp_path, clock="seconds").runs[0]) == ([0.5, 1.0], [9.0, 4.0], 8.0)


def test_trials_on_several_instances_are_compared_by_their_trajectory(tmp_path):
    for seed in (1, 2):
        write(
            tmp_path / "a" / str(seed),
            runhistory_json=history_of_smac_2(COSTS, instances=("x", "y")),
            intensifier_json=intensifier([5.0, 2.0]),
        )
    imported = read_runs(tmp_path)
    assert [run.values.tolist() for run in imported.runs] == [[5.0, 2.0]] * 2
    assert imported.runs[0].end == 4
    assert "ESTIMATED_COSTS" in assumptions(imported)


def test_only_incumbents_on_the_largest_budget_have_a_value(tmp_path):
    write(tmp_path / "a" / "run_1", traj_json=trajectory_lines([1.0, 6.0, 5.0], budgets=[0, 3, 9, 9]))
    assert curve(read_runs(tmp_path).runs[0]) == ([2, 3], [6.0, 5.0], 3)


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        ("iris/roar/run_1", ("roar", "iris", 1)),
        ("roar/smac3-output_2022-06-30_11:07:32_274878/run_2", ("roar", None, 2)),
        ("smac3-output_2022-06-30_11:07:32_274878/run_2", ("SMAC", None, 2)),
        ("roar/run_1.OLD", ("roar", None, "1.OLD")),
    ],
)
def test_folders_of_smac_1(tmp_path, folders, expected):
    write(tmp_path / folders, traj_json=trajectory_lines([2.0]))
    [run] = read_runs(tmp_path).runs
    assert (run.algorithm, run.instance.instance, run.instance.run) == expected


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"traj_json": trajectory_lines([[1.0, 2.0]])}, Reason.SEVERAL_OBJECTIVES),
        ({"traj_json": trajectory_lines([2.0]) + '{"cost": 1'}, Reason.NOT_JSON),
        ({"traj_json": trajectory_lines([2.0]) + "[1]"}, Reason.NOT_SMAC_TRAJECTORY),
        ({"intensifier_json": {"incumbent_ids": [1], "trajectory": 5}}, Reason.NOT_SMAC_TRAJECTORY),
        ({"intensifier_json": intensifier([])}, Reason.EMPTY_RUN),
        ({"runhistory_json": history_of_smac_1(COSTS, instances=("x", "y"))}, Reason.SEVERAL_INSTANCES),
        ({"traj_json": trajectory_lines([float("-inf"), 2.0])}, Reason.INFINITELY_GOOD),
    ],
)
def test_what_cannot_be_read_is_reported(tmp_path, files, reason):
    write(tmp_path / "good" / "run_1", traj_json=trajectory_lines([2.0]))
    write(tmp_path / "bad" / "run_1", **files)
    imported = read_runs(tmp_path)
    assert [each.reason for each in imported.skipped if each.reason is not Reason.NO_USABLE_RUN] == [reason]
