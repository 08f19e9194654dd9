"""ASlib scenarios: times to solve, with runs that did not solve their instance tied for the last place."""

import math

import pytest

import polarbear as pb
from polarbear.importers import Block, Reason, read_runs

DESCRIPTION = """scenario_id: 'SAT-X'
performance_measures:
    - runtime
maximize:
    - false
performance_type:
    - runtime   # not solution_quality
algorithm_cutoff_time: 100
feature_steps:
  Basic:
    provides:
    - vars
"""
HEADER = """@RELATION algorithm_runs
% a comment

@ATTRIBUTE instance_id STRING
@ATTRIBUTE 'repetition' NUMERIC
@ATTRIBUTE algorithm {a, "b, new"}
@ATTRIBUTE runtime NUMERIC
@attribute runstatus {ok, timeout, memout, not_applicable, crash, other}

@DATA
"""
ROWS = """i1,1,a,10.5,ok
i1,1,"b, new",100,timeout
i2,1,a,3,memout
'i 2',1,a,?,crash
% between
i2,1,'b, new',20.0,ok
i2,2,'b, new',101,ok
"""


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "description.txt").write_text(DESCRIPTION)
    (tmp_path / "algorithm_runs.arff").write_text(HEADER + ROWS)
    (tmp_path / "feature_values.arff").write_text("@RELATION f\n@ATTRIBUTE instance_id STRING\n@DATA\ni1\n")
    return tmp_path


def test_a_run_is_unsolved_until_its_runtime_and_solved_from_then_on(scenario):
    imported = read_runs(scenario, clock="seconds")
    assert imported.skipped == ()
    assert imported.about.formats == ("aslib",)
    runs = {(run.algorithm, *run.instance[3:]): run for run in imported.runs}
    assert {run.instance[:3] for run in imported.runs} == {("SAT-X", None, None)}
    solved, timeout, memout, crash, other, late = runs.values()
    assert list(runs) == [
        *(("a", "i1", 1), ("b, new", "i1", 1), ("a", "i2", 1)),
        *(("a", "i 2", 1), ("b, new", "i2", 1), ("b, new", "i2", 2)),
    ]
    assert solved.at([0, 10, 10.5, 1000]).tolist() == [1, 1, 0, 0]
    assert [run.ended for run in (solved, other)] == ["finished"] * 2
    for run in (timeout, memout, crash, late):
        assert run.ended == "cut off"
        values = run.at([0, 3, 50, 100, 100.1])
        assert values[:4].tolist() == [1] * 4
        assert math.isnan(values[4])


def test_runs_that_did_not_solve_are_tied_for_the_last_place(tmp_path):
    (tmp_path / "description.txt").write_text(DESCRIPTION)
    rows = "".join(f"i{n},1,a,10,ok\ni{n},1,b,5,crash\ni{n},1,c,100,timeout\n" for n in range(20))
    (tmp_path / "algorithm_runs.arff").write_text(HEADER + rows)
    runs = read_runs(tmp_path, clock="seconds").runs
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=[6, 50]), seed=0)
    a, b, c = (posterior.names.index(name) for name in "abc")
    rates = pb.dominance(posterior)
    assert rates[0, a, b] == pytest.approx(0.5, abs=0.1)  # draws have an error of 0.02
    assert rates[1, b, c] == pytest.approx(0.5, abs=0.1)
    assert rates[1, a, b] > 0.99
    assert rates[1, a, c] > 0.99


def test_evaluations_are_refused_with_the_option_to_add(scenario):
    with pytest.raises(ValueError, match=r"holds seconds and no evaluations.*--clock seconds"):
        read_runs(scenario)
    assert len(read_runs(scenario, reader="aslib").runs) == 6
    with pytest.raises(ValueError, match="as all ASlib data do; read with maximise=False"):
        read_runs(scenario, reader="aslib", maximise=True)


def test_a_scenario_about_quality_is_refused(scenario):
    text = DESCRIPTION.replace(
        "performance_type:\n    - runtime", "performance_type:\n    - solution_quality\n    - runtime"
    )
    (scenario / "description.txt").write_text(text)
    with pytest.raises(ValueError, match="'runtime', is of the type 'solution_quality' rather than runtime"):
        read_runs(scenario, clock="seconds")
    (scenario / "description.txt").unlink()
    with pytest.raises(ValueError, match=r"has no description.txt beside it"):
        read_runs(scenario, clock="seconds")


def test_the_measure_names_the_column_of_runtimes(scenario):
    (scenario / "description.txt").write_text(DESCRIPTION.replace("    - runtime\nmax", "    - PAR10\nmax"))
    (scenario / "algorithm_runs.arff").write_text(HEADER.replace("runtime", "PAR10") + ROWS)
    assert len(read_runs(scenario, clock="seconds").runs) == 6
    (scenario / "algorithm_runs.arff").write_text(HEADER + ROWS)
    with pytest.raises(ValueError, match="has no column 'par10'"):
        read_runs(scenario, clock="seconds")


def test_without_a_cutoff_a_run_is_known_until_its_own_end(scenario):
    (scenario / "description.txt").write_text(DESCRIPTION.replace("100", "'?'"))
    imported = read_runs(scenario, clock="seconds")
    untils = {(run.algorithm, *run.instance[3:]): run.end for run in imported.runs}
    assert untils["a", "i2", 1] == 3
    assert untils["b, new", "i2", 2] == 101
    assert [each.reason for each in imported.skipped] == [Reason.NO_RUNTIME]


def test_rows_that_cannot_be_used_are_reported(scenario):
    rows = "i1,1,a,?,ok\ni1,1,a\n{0 i1}\ni3,1,'a,1,ok\ni1,1,,4,ok\ni1,2,a,4,ok\ni1,2,a,5,ok\n"
    (scenario / "algorithm_runs.arff").write_text(HEADER + rows)
    imported = read_runs(scenario / "algorithm_runs.arff", clock="seconds")
    assert [run.instance for run in imported.runs] == [Block("SAT-X", None, None, "i1", 2)]
    assert {each.reason: each.count for each in imported.skipped} == {
        Reason.NO_RUNTIME: 1,
        Reason.WRONG_WIDTH: 3,
        Reason.NO_ALGORITHM: 1,
        Reason.SECOND_RUN: 1,
    }


@pytest.mark.parametrize("content", ["", "x", "@attribute a string\n", "@data\n1\n"])
def test_a_file_that_is_not_a_table_is_refused(scenario, content):
    (scenario / "algorithm_runs.arff").write_text(content)
    with pytest.raises(ValueError, match="is not an ARFF table"):
        read_runs(scenario / "algorithm_runs.arff", clock="seconds")
