import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import polarbear as pb
from polarbear.calibration import __main__ as command
from polarbear.calibration import coverage, races, reliability
from polarbear.calibration.coverage import CoverageCell, covered
from polarbear.calibration.races import RaceCell, raced
from polarbear.calibration.rank_tests import eliminated_by_rank_tests
from polarbear.calibration.reliability import ReliabilityCell, most_wins, predicted
from polarbear.calibration.resembling import resembling, spread_of
from polarbear.calibration.simulator import Simulator
from polarbear.calibration.study import gathered, key, run_study


@dataclass(frozen=True)
class Cell:
    base: int


def power(cell, replicate):
    return {"value": cell.base**replicate}


def test_a_study_computes_every_replicate_once(tmp_path):
    path, computed = tmp_path / "deep" / "outcomes.jsonl", []

    def counted(cell, replicate):
        computed.append((cell.base, replicate))
        return power(cell, replicate)

    cells = [Cell(2), Cell(3)]
    run_study(counted, cells, replicates=2, path=path)
    told = []
    outcomes = run_study(counted, cells, replicates=3, path=path, tell=lambda done, of: told.append((done, of)))
    assert computed == [(2, 0), (3, 0), (2, 1), (3, 1), (2, 2), (3, 2)]
    assert outcomes == {key(Cell(b)): [{"value": b**k} for k in range(3)] for b in (2, 3)}
    assert told == [(4, 6), (5, 6), (6, 6)]
    assert run_study(counted, [Cell(3)], replicates=2, path=path) == {key(Cell(3)): [{"value": 1}, {"value": 3}]}
    assert gathered([Cell(5)], path) == {key(Cell(5)): []}


def test_an_outcome_that_was_cut_off_is_computed_again(tmp_path):
    path = tmp_path / "outcomes.jsonl"
    whole = run_study(power, [Cell(2)], replicates=3, path=path)
    path.write_text(path.read_text()[:-10])
    assert run_study(power, [Cell(2)], replicates=3, path=path) == whole
    assert len(path.read_text().splitlines()) == 3


@pytest.mark.parametrize("text", [b"something else\n", b"no end of line", b"\xff\n", b"\n\n", b"{}\n", b"[1]\n"])
def test_a_file_of_another_kind_is_refused_and_left_alone(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=r"line 1, is no outcome of a study"):
        run_study(power, [Cell(2)], replicates=1, path=path)
    assert path.read_bytes() == text


def test_several_processes_find_the_same():
    cell = CoverageCell(prior="RandomWalk", algorithms=2, instances=8, times=4, draws=200)
    assert run_study(covered, [cell], replicates=2, workers=2) == run_study(covered, [cell], replicates=2)


def linger(folder, replicate):
    (folder / str(os.getpid())).touch()
    time.sleep(600)
    return {"value": replicate}


def test_no_process_outlives_a_study_that_was_killed(tmp_path):
    lines = "from pathlib import Path; from polarbear.calibration.study import _computed; "
    lines += "from tests.calibration.test_studies import linger; "
    lines += f"list(_computed(linger, [(Path({str(tmp_path)!r}), k) for k in range(4)], workers=2))"
    study = subprocess.Popen([sys.executable, "-c", lines], cwd=Path(__file__).parents[2])
    try:
        patience = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2:
            assert study.poll() is None
            assert time.monotonic() < patience
            time.sleep(0.05)
    finally:
        study.kill()
        study.wait()
    left = [int(each.name) for each in tmp_path.iterdir()]
    patience = time.monotonic() + 60
    while left and time.monotonic() < patience:  # on a busy machine they may need a moment
        time.sleep(0.05)
        left = [pid for pid in left if alive(pid)]
    assert left == []


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_calibrated_intervals_hold_the_truth_where_others_do_not():
    """At autocorrelation 1 the paper's intervals hold far fewer truths; standard errors are 2 and 5 % of 24 data sets."""
    cell = CoverageCell(prior="RandomWalk", autocorrelation=1.0, algorithms=3, instances=20, times=12, draws=200)
    share = {
        treatment: np.mean([covered(replace(cell, treatment=treatment), k)["coverage"] for k in range(24)])
        for treatment in ("none", "trajectory")
    }
    assert share["none"] < 0.8
    assert share["trajectory"] > 0.86
    told = coverage.summary(cell, [covered(cell, k) for k in range(2)])
    assert (told["data_sets"], told["prior"], told["unreliable"]) == (2, "RandomWalk", 0)
    assert 1 <= told["effective_times"] < 3


def test_the_scalar_remedy_weights_the_rankings():
    cell = CoverageCell(prior="RandomWalk", treatment="scalar", autocorrelation=1.0, instances=20, times=10, draws=300)
    plain, scalar = (covered(replace(cell, treatment=each), 0) for each in ("none", "scalar"))
    assert scalar["width"] > 1.3 * plain["width"]


@pytest.mark.parametrize("rule", ["bayes", "rank tests"])
def test_a_race_is_judged_by_its_truth(rule, monkeypatch):
    cell = RaceCell(rule=rule, confidence=0.9, times=4, algorithms=3, most_instances=48, draws=200)
    # The first beats the last everywhere, the middle one wins in the end.
    truth = np.array([[3.0, 0.0, -3.0]] * 3 + [[1.5, 3.0, -3.0]])
    monkeypatch.setattr(pb.RandomWalk, "sample", lambda *_, **__: truth[None])
    found = raced(cell, 0)
    assert (found["eliminated"], found["wrong"], found["clearly_wrong"]) == (1, 0, 0)
    assert found["right_set"]
    assert 8 <= found["instances"] <= 48
    monkeypatch.setattr(races, "_bayesian", lambda *_, seed: ([1], 0.01, 8, True, 0.1))
    monkeypatch.setattr(races, "_tested", lambda *_: ([1], 0.01, 8, True, 0.1))
    mistaken = raced(cell, 0)
    assert (mistaken["wrong"], mistaken["clearly_wrong"], mistaken["right_set"]) == (1, 1, False)
    told = races.summary(cell, [found, mistaken])
    assert told["any_wrong"][0] == 0.5
    assert told["races"] == 2


def test_rank_tests_eliminate_whom_another_beats_at_every_time():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 3, 3)) + np.array([0.0, 2.0, 0.0])
    out, seen, runs = eliminated_by_rank_tests(values, level=0.01, batch=8)
    assert out == [1]
    assert seen == 40
    assert runs < 40 * 3
    crossing = rng.normal(size=(40, 2, 2)) + np.array([[0.0, 2.0], [2.0, 0.0]])
    assert eliminated_by_rank_tests(crossing, level=0.01, batch=8)[0] == []
    assert eliminated_by_rank_tests(np.zeros((16, 2, 3)), level=0.01, batch=8)[0] == []


def test_a_prediction_of_the_other_half_counts_its_chance_too():
    grid, names = pb.as_grid([1.0]), ("a", "b")
    diagnostics = pb.Diagnostics("known", reliable=True, message="", effective_draws=1)
    known = pb.Posterior(np.array([[[0.6, 0.4]]]), names, grid, False, diagnostics, "", 1)
    three, two = (most_wins(known, np.full((1, 2, 2), number))[0, 0, 1] for number in (3.0, 2.0))
    assert three == pytest.approx(0.6**3 + 3 * 0.6**2 * 0.4)
    assert two == pytest.approx(0.6**2 + 0.6 * 0.4)  # one each is half of it


def test_predictions_are_counted_by_their_probability(tmp_path):
    rng = np.random.default_rng(1)
    values = Simulator(0.5).values(np.tile([[1.0, 0.0, -2.0]], (6, 1)), 40, rng=rng)
    np.savez(tmp_path / "runs.npz", values=values, evaluations=np.geomspace(10, 1000, 6))
    cell = ReliabilityCell(str(tmp_path / "runs.npz"), prior="Dirichlet", times=3, draws=200)
    outcomes = [predicted(cell, k) for k in range(2)]
    assert all(sum(each["cases"]) == 9 for each in outcomes)  # three pairs at three times
    told = reliability.summary(cell, outcomes)
    assert sum(each["cases"] for each in told["classes"]) == 18
    assert told["classes"][-1]["came"] > 0.9
    # Runs like these, with whose ratings nothing is close but the first two: what is said of the third comes true.
    alike = [predicted(replace(cell, simulated=True), k) for k in range(2)]
    assert alike[0] != alike[1]
    assert all(sum(each["cases"]) == 9 for each in alike)
    assert reliability.summary(cell, alike)["classes"][-1]["came"] > 0.9


@pytest.mark.parametrize(("algorithms", "solved"), [(2, 0.3), (3, 0.0), (3, 0.3), (4, 0.6)])
def test_runs_are_resembled(algorithms, solved):
    first = np.linspace(1.0, -1.0, algorithms)
    utilities = np.linspace(first, -first, 12)
    values = Simulator(0.9, solved=solved).values(utilities, 400, rng=np.random.default_rng(2))
    choices = pb.Choices.from_values(values, grid=range(1, 13), per_instance=True)
    found = resembling(pb.fit(choices, draws=200), choices, rng=np.random.default_rng(3))
    assert found.autocorrelation == pytest.approx(0.9, abs=0.04)
    # The share of ties among 400 instances is known to some hundredths, and ties make the fitted ratings more alike.
    assert found.solved == pytest.approx(solved, abs=0.06)


@pytest.mark.parametrize("algorithms", [2, 3])
@pytest.mark.parametrize("apart", [1.0, 3.0])
def test_who_lies_far_apart_and_never_ties_is_not_taken_to_be_at_the_optimum(algorithms, apart):
    utilities = np.tile(np.linspace(apart, -apart, algorithms), (10, 1))
    values = Simulator(0.9).values(utilities, 40, rng=np.random.default_rng(4))
    choices = pb.Choices.from_values(values, grid=range(1, 11), per_instance=True)
    assert resembling(pb.fit(choices, draws=200), choices, rng=np.random.default_rng(5)).solved == 0


def test_runs_that_ended_early_are_resembled_by_such():
    # Complete runs tell an autocorrelation of 0.9 from 120 instances to 0.02; three quarters of these end at time 8.
    utilities = np.tile([0.4, 0.1, -0.1, -0.4], (20, 1))
    values = Simulator(0.9, solved=0.3).values(utilities, 120, rng=np.random.default_rng(6))
    values[30:, 8:] = np.nan
    values[16:30, 8:, :2] = np.nan  # and these two were out after 16
    choices = pb.Choices.from_values(values, grid=range(1, 21), per_instance=True)
    found = resembling(pb.fit(choices, draws=200), choices, rng=np.random.default_rng(7))
    assert found.autocorrelation == pytest.approx(0.9, abs=0.03)


@pytest.mark.parametrize("spread", [0.3, 1.0, 2.0])
def test_algorithms_lie_as_far_apart_as_those_that_were_seen(spread):
    prior, rng = pb.RandomWalk(), np.random.default_rng(10)
    grid, found = pb.linear_grid(1, 10, 10), []
    for truth in prior.sample(grid, 4, 12, rng=rng):
        choices = pb.Choices.from_values(Simulator().values(spread * truth, 100, rng=rng), grid=grid)
        found.append(spread_of(pb.fit(choices, prior=prior, draws=200), prior, rng=rng))
    # Truths of one prior differ among themselves by a factor of two or so; of twelve the median is known to a third.
    assert np.median(found) == pytest.approx(spread, rel=0.35)


def test_one_time_has_no_autocorrelation():
    values = Simulator().values(np.array([[0.5, -0.5]]), 30, rng=np.random.default_rng(8))
    choices = pb.Choices.from_values(values, grid=[1], per_instance=True)
    assert (
        resembling(pb.fit(choices, prior=pb.Dirichlet(), draws=200), choices, rng=np.random.default_rng(9))
        == Simulator()
    )


def test_outcomes_of_another_version_are_not_mixed_with_ours(tmp_path, monkeypatch):
    path = tmp_path / "outcomes.jsonl"
    run_study(power, [Cell(2)], replicates=2, path=path)
    monkeypatch.setattr("polarbear.calibration.study.__version__", "99.0")
    before = path.read_text()
    with pytest.raises(ValueError, match=r"holds outcomes of polarbear .*, and this is 99\.0"):
        run_study(power, [Cell(2)], replicates=3, path=path)
    assert path.read_text() == before


def test_a_race_is_simulated_with_its_batches():
    batches = RaceCell(batch=(16, 8, 32)).settings(0).batch, RaceCell(batch=(5, 5, 5)).settings(0).batch
    assert [(each.first, each.after(each.first, 0.0), each.after(8, 0.5)) for each in batches] == [
        (16, 32, 8),
        (5, 5, 5),
    ]


def test_the_command_goes_on_and_writes_its_summary(tmp_path, monkeypatch, capsys):
    cells = [
        CoverageCell(prior=prior, algorithms=2, instances=6, times=3, draws=200) for prior in ("RandomWalk", "BSpline")
    ]
    monkeypatch.setitem(command.STUDIES, "coverage", (covered, lambda: cells, coverage.summary, 400))
    files = ["--results", str(tmp_path / "outcomes.jsonl"), "--summary", str(tmp_path / "out" / "coverage.json")]
    command.main(["coverage", "--cells", "prior=RandomWalk", "--replicates", "2", *files])
    assert "1 cells" in capsys.readouterr().out
    command.main(["coverage", "--replicates", "2", *files])
    command.main(["coverage", "--only-summary", *files])
    told = json.loads((tmp_path / "out" / "coverage.json").read_text())
    assert [(each["prior"], each["data_sets"]) for each in told] == [("RandomWalk", 2), ("BSpline", 2)]
    for wrong in (["--cells", "colour=red"], ["--cells", "times=7"]):
        with pytest.raises(SystemExit):
            command.main(["coverage", *wrong, *files])


def test_every_cell_of_the_studies_can_be_simulated():
    assert len(command.coverage_cells()) == len(set(map(key, command.coverage_cells())))
    for cell in command.race_cells():
        cell.settings(0)
    assert {each.calibration for each in command.reliability_cells()} == {"trajectory", "none"}
    root = Path(__file__).parents[2]
    assert all((root / each.recorded).exists() for each in command.reliability_cells())
