"""Data with several objectives: refused, compared by one of them, or turned into a hypervolume over time."""

import json

import moocore
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from polarbear.importers import Block, Reason, read_runs

RNG = np.random.default_rng(5)
# Two algorithms, each with two runs of 40 evaluations on one instance; the first objective, then the second.
POINTS = {name: RNG.random((2, 40, 2)).round(6) + shift for name, shift in (("NSGA2", 0.0), ("SMS-EMOA", 0.2))}


def write_iohprofiler(folder, points=POINTS, objectives=("raw_y", "F2"), maximise=False):
    """Write one folder per algorithm, as IOHexperimenter does with a logger that writes every evaluation."""
    for name, runs in points.items():
        (folder / name / "data_f0_ZDT1").mkdir(parents=True)
        index = {
            "version": "0.3.17",
            "suite": "unknown_suite",
            "function_id": 0,
            "function_name": "ZDT1",
            "maximization": maximise,
            "algorithm": {"name": name, "info": "10"},
            "attributes": ["evaluations", *objectives],
            "scenarios": [
                {
                    "dimension": 30,
                    "path": "data_f0_ZDT1/IOHprofiler_f0_DIM30.dat",
                    "runs": [{"instance": 1, "evals": 0, "best": {"evals": 1, "y": 0.1, "x": [0.1]}} for _ in runs],
                }
            ],
        }
        (folder / name / "IOHprofiler_f0_ZDT1.json").write_text(json.dumps(index))
        lines = []
        for run in runs:
            lines.append(" ".join(["evaluations", *objectives]))
            lines += [" ".join([str(budget), *(f"{each:.10f}" for each in row)]) for budget, row in enumerate(run, 1)]
        (folder / name / "data_f0_ZDT1" / "IOHprofiler_f0_DIM30.dat").write_text("\n".join(lines) + "\n")
    return folder


def table(points=POINTS, names=("raw_y", "F2")):
    rows = [
        {
            "algorithm_name": name,
            "instance": 1,
            "run_id": run,
            "evaluations": budget,
            **dict(zip(names, row, strict=True)),
        }
        for name, runs in points.items()
        for run, rows in enumerate(runs, 1)
        for budget, row in enumerate(rows.tolist(), 1)
    ]
    return pd.DataFrame(rows)


def expected(points, reference):
    """The hypervolume after each evaluation."""
    return [moocore.hypervolume(points[:count], ref=reference) for count in range(1, len(points) + 1)]


def check(imported, points, reference):
    budgets = np.arange(1, 1 + points["NSGA2"].shape[1])
    for run in imported.runs:
        own = points[run.algorithm][run.instance.run - 1]
        assert run.maximise
        assert run.at(budgets) == pytest.approx(expected(own, reference), rel=1e-9)
    assert len(imported.runs) == sum(map(len, points.values()))


def test_further_objectives_are_refused_with_the_two_ways_out(tmp_path):
    with pytest.raises(ValueError, match="expected one objective") as caught:
        read_runs(write_iohprofiler(tmp_path))
    assert str(caught.value) == (
        "expected one objective, got 'raw_y', 'F2' in NSGA2/data_f0_ZDT1/IOHprofiler_f0_DIM30.dat; to compare by the "
        "hypervolume of all of them, read with indicator='hypervolume' (--indicator hypervolume); to compare by the first "
        "alone, read with objectives=['raw_y'] (--objective raw_y)"
    )


@pytest.mark.parametrize(
    ("value", "other"), [("raw_y", "F2"), ("raw_y", "f2"), ("raw_y", "raw_y2"), ("y1", "y2"), ("loss_1", "loss_2")]
)
def test_usual_names_of_further_objectives_in_tables_are_known(value, other):
    with pytest.raises(ValueError, match=f"expected one objective, got '{value}', '{other}' in a table of 160 rows"):
        read_runs(table(names=(value, other)), columns={"raw_y": value})


def test_other_numbered_columns_are_no_objectives():
    frame = table().rename(columns={"F2": "x2"})
    assert len(read_runs(frame).runs) == 4


@pytest.mark.parametrize("objective", [0, 1])
def test_one_objective_may_be_chosen(tmp_path, objective):
    name = ("raw_y", "F2")[objective]
    for imported in (read_runs(write_iohprofiler(tmp_path), objectives=[name]), read_runs(table(), objectives=[name])):
        run = imported.runs[0]
        assert not run.maximise
        assert run.archive is None
        assert run.values[-1] == POINTS["NSGA2"][0][:, objective].min()


def test_iohprofilers_runs_are_compared_by_their_hypervolume(tmp_path):
    imported = read_runs(write_iohprofiler(tmp_path), indicator="hypervolume", reference=[1.1, 1.1])
    check(imported, POINTS, [1.1, 1.1])
    assert imported.runs[0].instance == Block("unknown_suite", 0, 30, 1, 1)
    assert imported.skipped == ()
    assert not imported.optimum_known


def test_tables_are_compared_by_their_hypervolume(tmp_path):
    frame = table(names=("loss", "size"))
    frame.to_csv(tmp_path / "runs.csv", index=False)
    parquet.write_table(pa.Table.from_pandas(frame), tmp_path / "runs.parquet")
    for source in (frame, tmp_path / "runs.csv", tmp_path / "runs.parquet"):
        imported = read_runs(source, objectives=["loss", "size"], indicator="hypervolume", reference=[1, 1.3])
        check(imported, POINTS, [1, 1.3])


def test_rows_may_come_in_any_order():
    frame = table().sample(frac=1, random_state=1)
    check(read_runs(frame, indicator="hypervolume", reference=[1, 1]), POINTS, [1, 1])


def test_three_objectives_are_found_by_themselves(tmp_path):
    points = {name: RNG.random((1, 30, 3)).round(4) for name in POINTS}
    imported = read_runs(
        write_iohprofiler(tmp_path, points, ("raw_y", "F2", "F3")), indicator="hypervolume", reference=[1, 1, 1]
    )
    check(imported, points, [1, 1, 1])


def first_and_better(points):
    """The points that no earlier point of the run dominates."""
    return [point for count, point in enumerate(points) if not any((other <= point).all() for other in points[:count])]


def test_by_default_the_reference_is_that_of_all_algorithms_on_an_instance(tmp_path):
    counting = np.array([point for runs in POINTS.values() for run in runs for point in first_and_better(run)])
    reference = counting.max(axis=0) + 0.1 * np.ptp(counting, axis=0)
    imported = read_runs(write_iohprofiler(tmp_path), indicator="hypervolume")
    check(imported, POINTS, reference)
    assert {"assumption": "REFERENCE_POINTS", "points": 1} in [each.numbers for each in imported.about.notes]
    only = read_runs(tmp_path, indicator="hypervolume", only=["NSGA2"])  # the other one still counts for the reference
    assert [run.values.tolist() for run in only.runs] == [run.values.tolist() for run in imported.runs[:2]]


def test_each_instance_has_its_own_reference():
    far = table().assign(instance=2)
    far[["raw_y", "F2"]] *= 1000
    imported = read_runs(pd.concat([table(), far]), indicator="hypervolume")
    near, other = (next(run for run in imported.runs if run.instance.instance == each) for each in (1, 2))
    assert other.archive.reference == pytest.approx(1000 * near.archive.reference)
    assert other.values == pytest.approx(1e6 * near.values)


@pytest.mark.parametrize("stated", [True, False], ids=["by the data", "by the user"])
def test_objectives_may_all_be_maximised(tmp_path, stated):
    negative = {name: -points for name, points in POINTS.items()}
    folder = write_iohprofiler(tmp_path, negative, maximise=stated)
    options = {} if stated else {"maximise": True}
    check(read_runs(folder, indicator="hypervolume", reference=[-1.1, -1.1], **options), POINTS, [1.1, 1.1])
    reference = read_runs(folder, indicator="hypervolume", **options).runs[0].archive.reference
    assert reference == pytest.approx(read_runs(table(), indicator="hypervolume").runs[0].archive.reference)


def test_rows_without_an_objective_have_no_value_and_infinitely_bad_ones_no_point():
    frame = table({"A": np.array([[[0.9, 0.9], [0.1, np.nan], [0.1, np.inf], [0.1, -np.inf], [0.5, 0.5]]])})
    imported = read_runs(frame, indicator="hypervolume", reference=[1, 1])
    (run,) = imported.runs
    assert (run.budgets.tolist(), run.end) == ([1, 5], 5)
    assert run.values == pytest.approx([0.01, 0.25])
    assert [each.reason for each in imported.skipped] == [Reason.NO_VALUE, Reason.INFINITELY_GOOD]


def test_runs_beyond_the_reference_are_noted():
    imported = read_runs(table(), indicator="hypervolume", reference=[0.15, 0.15])
    zero = sum(run.values[-1] == 0 for run in imported.runs)
    assert zero >= 2  # those of SMS-EMOA are at least 0.2
    expected = {"assumption": "BEYOND_REFERENCE", "without": zero, "runs": 4}
    assert expected in [each.numbers for each in imported.about.notes]


def test_per_divides_the_times_of_archives_too(tmp_path):
    imported = read_runs(write_iohprofiler(tmp_path), indicator="hypervolume", per="dimension")
    assert imported.runs[0].archive.budgets[0] == imported.runs[0].budgets[0] == pytest.approx(1 / 30)


def test_copies_are_recognised_by_all_objectives(tmp_path):
    """The first objectives agree, so that only the second ones show that the runs are different."""
    same = {"A": POINTS["NSGA2"][:1]}
    other = {"A": np.concatenate([same["A"][..., :1], same["A"][..., 1:] / 2], axis=2)}
    for folder, points in (("exp-1", same), ("exp-2", same), ("exp-3", other)):
        write_iohprofiler(tmp_path / folder, points)
    imported = read_runs(tmp_path, indicator="hypervolume")
    assert len(imported.runs) == 2
    assert [each.reason for each in imported.skipped] == [Reason.COPY]


def test_runs_with_one_objective_have_no_hypervolume():
    with pytest.raises(
        ValueError, match=r"runs with one objective, which have no hypervolume.*; read with objectives="
    ):
        read_runs(table().drop(columns="F2"), indicator="hypervolume")


def test_runs_on_one_problem_must_have_the_same_objectives(tmp_path):
    write_iohprofiler(tmp_path, {"A": RNG.random((1, 5, 2))})
    write_iohprofiler(tmp_path, {"B": RNG.random((1, 5, 3))}, ("raw_y", "F2", "F3"))
    with pytest.raises(ValueError, match=r"the same objectives in all runs on a problem.*got 2 and 3 objectives"):
        read_runs(tmp_path, indicator="hypervolume")
    with pytest.raises(ValueError, match=r"got 2 and 3 objectives on instance 1; name"):
        read_runs(table(), indicator="hypervolume", reference=[1, 1, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objectives": ["raw_y", "F2"]}, r"expected indicator='hypervolume' .* with 2 objectives, got None"),
        (
            {"objectives": ["raw_y"], "indicator": "hypervolume"},
            "two or more objectives with an indicator, got 'raw_y'",
        ),
        ({"objectives": ["F2", "F2"], "indicator": "hypervolume"}, "expected objectives as different names"),
        ({"indicator": "igd"}, "expected indicator='hypervolume' or None, got 'igd'"),
        ({"reference": [1, 1]}, "a reference point only with indicator='hypervolume'"),
        ({"indicator": "hypervolume", "reference": [1]}, "a reference point of two or more numbers"),
        ({"indicator": "hypervolume", "reference": ["a", 1]}, "a reference point of two or more numbers"),
        ({"indicator": "hypervolume", "reference": [1, np.inf]}, "a reference point of two or more numbers"),
        (
            {"indicator": "hypervolume", "objectives": ["raw_y", "F2"], "reference": [1, 1, 1]},
            "a reference point of 2 numbers",
        ),
        (
            {"indicator": "hypervolume", "objectives": ["raw_y", "F9"]},
            "has no column 'F9', only .*read with objectives=",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        read_runs(table(), **options)
