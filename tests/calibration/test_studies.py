"""Studies compute each outcome once, store it safely, stop with their processes, and run from the command line."""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from polarbear.calibration import __main__ as command
from polarbear.calibration import coverage
from polarbear.calibration.coverage import CoverageCell, measure_coverage
from polarbear.calibration.study import key, read_outcomes, run_study


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
    progress = []
    outcomes = run_study(counted, cells, replicates=3, path=path, progress=lambda done, of: progress.append((done, of)))
    assert computed == [(2, 0), (3, 0), (2, 1), (3, 1), (2, 2), (3, 2)]
    assert outcomes == {key(Cell(b)): [{"value": b**k} for k in range(3)] for b in (2, 3)}
    assert progress == [(4, 6), (5, 6), (6, 6)]
    assert run_study(counted, [Cell(3)], replicates=2, path=path) == {key(Cell(3)): [{"value": 1}, {"value": 3}]}
    assert read_outcomes([Cell(5)], path) == {key(Cell(5)): []}


def test_a_truncated_outcome_is_computed_again(tmp_path):
    path = tmp_path / "outcomes.jsonl"
    whole = run_study(power, [Cell(2)], replicates=3, path=path)
    path.write_text(path.read_text()[:-10])
    assert run_study(power, [Cell(2)], replicates=3, path=path) == whole
    assert len(path.read_text().splitlines()) == 3


def test_an_outcome_that_cannot_be_stored_names_the_file(tmp_path):
    lines = "import resource; from tests.calibration.test_studies import *; "
    lines += "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
    lines += f"run_study(power, [Cell(2)], replicates=3, path=Path({str(tmp_path / 'outcomes.jsonl')!r}))"
    arguments = [sys.executable, "-c", lines]
    study = subprocess.run(arguments, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert f"could not write {tmp_path / 'outcomes.jsonl'}: it is larger than this process may write" in study.stderr


@pytest.mark.parametrize("text", [b"something else\n", b"no end of line", b"\xff\n", b"\n\n", b"{}\n", b"[1]\n"])
def test_a_file_of_another_kind_is_rejected_and_unchanged(tmp_path, text):
    path = tmp_path / "notes.txt"
    path.write_bytes(text)
    with pytest.raises(ValueError, match="expected an outcome of a study on line 1"):
        run_study(power, [Cell(2)], replicates=1, path=path)
    assert path.read_bytes() == text


def test_several_processes_compute_the_same():
    cell = CoverageCell(algorithms=2, instances=8, budgets=4, draws=200)
    alone = run_study(measure_coverage, [cell], replicates=2)
    assert run_study(measure_coverage, [cell], replicates=2, workers=2) == alone


def test_no_process_outlives_a_study_that_was_killed(tmp_path):
    lines = "from pathlib import Path; from polarbear.calibration.study import _compute; "
    lines += "from tests.calibration.lingering import linger; "
    lines += f"list(_compute(linger, [(Path({str(tmp_path)!r}), k) for k in range(4)], workers=2))"
    study = subprocess.Popen([sys.executable, "-c", lines], cwd=Path(__file__).parents[2])
    try:
        patience = time.monotonic() + 300
        while len(list(tmp_path.iterdir())) < 2:
            assert study.poll() is None
            assert time.monotonic() < patience
            time.sleep(0.05)
    finally:
        study.kill()
        study.wait()
    left = [int(each.name) for each in tmp_path.iterdir()]
    patience = time.monotonic() + 300
    while left and time.monotonic() < patience:  # a busy machine may need a while
        time.sleep(0.05)
        left = [pid for pid in left if alive(pid)]
    assert left == []


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_outcomes_of_another_version_are_rejected(tmp_path, monkeypatch):
    path = tmp_path / "outcomes.jsonl"
    run_study(power, [Cell(2)], replicates=2, path=path)
    monkeypatch.setattr("polarbear.calibration.study.__version__", "99.0")
    before = path.read_text()
    with pytest.raises(ValueError, match=r"expected outcomes of polarbear 99\.0 in .*, got outcomes of "):
        run_study(power, [Cell(2)], replicates=3, path=path)
    assert path.read_text() == before


def test_the_command_continues_and_writes_its_summary(tmp_path, monkeypatch, capsys):
    cells = [
        CoverageCell(truth=truth, algorithms=2, instances=6, budgets=3, draws=200) for truth in ("smooth", "constant")
    ]
    monkeypatch.setitem(command.STUDIES, "coverage", (measure_coverage, lambda: cells, coverage.summarise, 400))
    files = ["--results", str(tmp_path / "outcomes.jsonl"), "--summary", str(tmp_path / "out" / "coverage.json")]
    command.main(["coverage", "--cells", "truth=smooth", "--replicates", "2", *files])
    assert "1 cells" in capsys.readouterr().out
    command.main(["coverage", "--replicates", "2", *files])
    command.main(["coverage", "--only-summary", *files])
    written = json.loads((tmp_path / "out" / "coverage.json").read_text())
    assert [(each["truth"], each["data_sets"]) for each in written] == [("smooth", 2), ("constant", 2)]
    for wrong in (["--cells", "colour=red"], ["--cells", "budgets=7"]):
        with pytest.raises(SystemExit):
            command.main(["coverage", *wrong, *files])


def test_every_cell_of_the_studies_can_be_simulated():
    assert len(command.coverage_cells()) == len(set(map(key, command.coverage_cells())))
    for cell in command.race_cells():
        cell.settings(0)
