"""How imported runs ended: by the rules of each format, by the user's choice, and what this changes in the answer."""

import json
import math
from pathlib import Path

import pytest

import polarbear as pb
from polarbear.analysis import suggest_grid

HEADER = "% f evaluations | g evaluations | best noise-free fitness - Fopt (7.9e+01) + sum g_i+ | ...\n"


def write_coco(folder, algorithm, runs):
    """Write a COCO folder in which each run is a list of (evaluations, distance to the optimum)."""
    (folder / algorithm / "data_f1").mkdir(parents=True)
    listed = ", ".join(f"{number}:{run[-1][0]}|{run[-1][1]:.1e}" for number, run in enumerate(runs, 1))
    (folder / algorithm / "bbobexp_f1.info").write_text(
        f"suite = 'bbob', funcId = 1, DIM = 5, Precision = 1.000e-08, algId = '{algorithm}'\n% \n"
        f"data_f1/bbobexp_f1_DIM5.dat, {listed}\n"
    )
    rows = [
        HEADER + "".join(f"{budget} 0 {value:.9e} {value:.9e} {value:.9e} +1.0\n" for budget, value in run)
        for run in runs
    ]
    for suffix in ("dat", "tdat"):
        (folder / algorithm / "data_f1" / f"bbobexp_f1_DIM5.{suffix}").write_text("".join(rows))


@pytest.fixture(scope="module")
def sphere(tmp_path_factory):
    """A quick algorithm that solves each instance within 70 evaluations, and a slow one that does not within 1,000."""
    folder = tmp_path_factory.mktemp("sphere")
    write_coco(folder, "quick", [[(1, 50.0), (60 + k, 1e-9)] for k in range(15)])
    write_coco(folder, "slow", [[(1, 50.0), (100, 1.0), (500, 1e-5), (1000, 1e-6)] for _ in range(15)])
    return folder


def test_a_coco_run_finished_if_it_reached_the_target_precision(sphere):
    imported = pb.read_runs(sphere)
    assert imported.ended == {"finished": 15, "cut off": 15}
    assert {run.algorithm for run in imported.runs if run.finished} == {"quick"}
    assert [run.end for run in imported.runs if run.finished] == [60 + k for k in range(15)]


def test_an_algorithm_that_solved_its_problems_stays_the_winner(sphere):
    imported = pb.read_runs(sphere)
    grid = suggest_grid(imported.runs)
    assert grid.budgets[-1] == 1000  # the runs that finished do not end the comparison
    posterior = pb.fit(pb.Choices.from_trajectories(imported.runs, grid=grid, **imported.clustering))
    assert pb.select(posterior, pb.At(500)).recommendation == "quick"
    assert pb.dominance(posterior)[-1, posterior.names.index("quick"), posterior.names.index("slow")] > 0.9


def test_runs_that_are_treated_as_cut_off_end_the_comparison(sphere):
    runs = pb.read_runs(sphere, ended="censored").runs
    assert {run.ended for run in runs} == {"cut off"}
    assert suggest_grid(runs).budgets[-1] == 60


def test_runs_of_a_table_were_cut_off_unless_the_user_says_otherwise(tmp_path):
    table = tmp_path / "solvers.csv"
    table.write_text("algorithm_name,instance,evaluations,raw_y\na,1,1,5.0\na,1,10,3.0\nb,1,1,4.0\n")
    assert pb.read_runs(table).ended == {"cut off": 2}
    stays = pb.read_runs(table, ended="stays").runs
    assert [(run.ended, run.end, run.known_to) for run in stays] == [
        ("finished", 10, math.inf),
        ("finished", 1, math.inf),
    ]
    with pytest.raises(ValueError, match="expected ended='auto', 'stays' or 'censored', got 'never'"):
        pb.read_runs(table, ended="never")


@pytest.mark.parametrize(
    ("suite", "column", "best", "ended"),
    [
        ("BBOB", "raw_y", 1e-9, "finished"),
        ("MA_BBOB", "raw_y", -1e-13, "finished"),
        ("BBOB", "raw_y", 1e-7, "cut off"),
        ("PBO", "raw_y", 1e-9, "cut off"),  # its optimum is not zero
        ("BBOB", "transformed_y", -57.0, "cut off"),  # no distance to the optimum
    ],
)
def test_an_iohprofiler_run_finished_if_it_is_known_to_have_found_the_optimum(tmp_path, suite, column, best, ended):
    index = {
        "suite": suite,
        "function_id": 1,
        "maximization": False,
        "algorithm": {"name": "cma"},
        "scenarios": [{"dimension": 2, "path": "f.dat", "runs": [{"instance": 1, "evals": 40, "best": {"evals": 30}}]}],
    }
    (tmp_path / "f.json").write_text(json.dumps(index))
    (tmp_path / "f.dat").write_text(f"evaluations {column}\n1 5.0\n30 {best:.15f}\n")
    (run,) = pb.read_runs(tmp_path).runs
    assert (run.ended, run.end) == (ended, 40)


def test_coco_does_not_distinguish_distances_below_its_precision(tmp_path):
    write_coco(tmp_path, "exact", [[(1, 50.0), (60, 0.0)] for _ in range(3)])
    write_coco(tmp_path, "close", [[(1, 50.0), (60, 9e-9)] for _ in range(3)])
    imported = pb.read_runs(tmp_path)
    assert imported.ranking == {**imported.clustering, "absolute_tolerance": 1e-8, "relative_tolerance": 1e-12}
    choices = pb.Choices.from_trajectories(imported.runs, grid=[100], **imported.ranking)
    assert choices.rankings.ranks.max() == 0  # all tied for the first place
    other = pb.read_runs(Path(__file__).parent / "data" / "ioh")
    assert other.ranking == {**other.clustering, "relative_tolerance": 1e-12}


def test_renumbered_runs_keep_their_end(sphere):
    assert pb.read_runs(sphere, renumber=True).ended == {"finished": 15, "cut off": 15}
