"""The studies behind docs/calibration.md: `python -m polarbear.calibration coverage|races|reliability`.

Outcomes are kept in a file and never computed twice, so that a study may be interrupted, resumed and extended at any time.
Its summary is what the documentation shows.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.calibration import coverage, races, reliability
from polarbear.calibration.coverage import TEMPORAL, CoverageCell
from polarbear.calibration.races import RaceCell
from polarbear.calibration.reliability import ReliabilityCell
from polarbear.calibration.study import gathered, key, run_study

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_RECORDED = ("case_studies/data/ma_bbob_d30.npz", "case_studies/data/gp_bbob_d40.npz")


def coverage_cells() -> list[CoverageCell]:
    """The whole table, beside it what happens without a remedy and with the scalar one, and noise of another kind."""
    whole = [
        CoverageCell(prior=prior, autocorrelation=autocorrelation, instances=instances, times=times)
        for times in (20, 50, 100)
        for autocorrelation in (1.0, 0.9, 0.0, 0.5, 0.99)
        for prior in TEMPORAL
        for instances in (8, 30, 100)
    ]
    beside = [
        CoverageCell(prior=prior, treatment=treatment, autocorrelation=autocorrelation, instances=instances, times=20)
        for autocorrelation in (1.0, 0.9, 0.0)
        for prior in ("GaussianProcess", "RandomWalk", "BSpline")
        for instances in (8, 30)
        for treatment in ("none", "scalar")
    ]
    renewed = [
        CoverageCell(prior=prior, treatment=treatment, autocorrelation=autocorrelation, dependence="renewal")
        for prior in ("RandomWalk", "BSpline")
        for autocorrelation in (0.9, 0.98)
        for treatment in ("none", "trajectory")
    ]
    return whole + beside + renewed


def race_cells() -> list[RaceCell]:
    """The four ways to decide, calibrated and not, times alone, a belief of another kind than the truths, and rank tests."""
    common: dict[str, Any] = {"confidence": 0.95, "times": 20, "autocorrelation": 0.95, "draws": 1000}
    ways: list[dict[str, Any]] = [
        {"elimination": elimination, "resolution": resolution}
        for elimination in ("joint", "pointwise")
        for resolution in ("crossing", "strict")
    ]
    cells = [RaceCell(calibration=each, **way, **common) for way in ways for each in ("trajectory", "none")]
    cells += [RaceCell(prior="Dirichlet", calibration="none", **way, **common) for way in ways[2:]]
    cells += [
        RaceCell(prior="BSpline", truth="RandomWalk", calibration=each, **ways[0], **common)
        for each in ("trajectory", "none")
    ]
    return [*cells, RaceCell(rule="rank tests", elimination="pointwise", **common)]


def reliability_cells() -> list[ReliabilityCell]:
    """Real runs, from a few instances and from half of them, calibrated and not; and simulated ones like them."""
    real = [
        ReliabilityCell(recorded, prior=prior, calibration=calibration, instances=instances)
        for recorded in _RECORDED
        for prior in ("BSpline", "RandomWalk")
        for instances in (0, 20)
        for calibration in ("trajectory", "none")
    ]
    return real + [replace(each, simulated=True) for each in real if each.prior == "BSpline"]


STUDIES: dict[str, tuple[Callable[..., Any], Callable[[], Sequence[Any]], Callable[..., Any], int]] = {
    "coverage": (coverage.covered, coverage_cells, coverage.summary, 400),
    "races": (races.raced, race_cells, races.summary, 500),
    "reliability": (reliability.predicted, reliability_cells, reliability.summary, 50),
}


def chosen(cells: Sequence[Any], wanted: Sequence[str]) -> list[Any]:
    """The cells whose fields are as wanted, such as times=20 or prior=BSpline,RandomWalk."""
    for each in wanted:
        field, separator, values = each.partition("=")
        if not separator or field not in asdict(cells[0]):
            raise ValueError(f"expected --cells FIELD=VALUE with one of {', '.join(asdict(cells[0]))}; got {each!r}")
        cells = [cell for cell in cells if str(getattr(cell, field)) in values.split(",")]
        if not cells:
            raise ValueError(f"no cell of this study has {each}")
    return list(cells)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a study, or go on with it, and write its summary."""
    parser = argparse.ArgumentParser(prog="python -m polarbear.calibration", description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument("--cells", nargs="*", default=[], metavar="FIELD=VALUE", help="only such, e.g. times=20")
    parser.add_argument("--replicates", type=int, help="of each cell")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--results", type=Path, help="where outcomes are kept; build/calibration by default")
    parser.add_argument("--summary", type=Path, help="where the summary goes; docs/data by default")
    parser.add_argument("--only-summary", action="store_true", help="of what is there already")
    asked = parser.parse_args(arguments)
    task, make, summary, usual = STUDIES[asked.study]
    results = asked.results or Path("build/calibration") / f"{asked.study}.jsonl"
    try:
        cells = chosen(make(), asked.cells)
        if not asked.only_summary:
            run_study(
                task,
                cells,
                replicates=usual if asked.replicates is None else asked.replicates,
                path=results,
                workers=asked.workers,
                tell=_counter(asked.study),
            )
        known = gathered(make(), results)
    except ValueError as error:
        parser.error(str(error))
    told = [summary(cell, known[key(cell)]) for cell in make() if known[key(cell)]]
    file = asked.summary or Path("docs/data") / f"{asked.study}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[\n" + ",\n".join(json.dumps(each) for each in told) + "\n]\n", encoding="utf-8")
    print(f"{len(told)} cells: {file}")


def _counter(name: str) -> Callable[[int, int], None]:
    started, first = time.monotonic(), -1

    def tell(done: int, of: int) -> None:
        nonlocal first
        first = done if first < 0 else first
        took = time.monotonic() - started
        left = f", {(of - done) * took / (done - first):,.0f} s left" if done > first else ""
        end = "\r" if sys.stderr.isatty() and done < of else "\n"
        if end == "\r" or done == of:
            print(f"{name}: {done} of {of}{left}    ", end=end, file=sys.stderr, flush=True)

    return tell


if __name__ == "__main__":
    main()
