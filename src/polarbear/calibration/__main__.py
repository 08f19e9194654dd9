"""Run the studies behind docs/explanation/calibration.md and docs/how-to/continuous-integration.md.

Usage: `python -m polarbear.calibration coverage|races|versions|features|groups|fitness`.

Outcomes are stored in a file and never computed twice, so a study can be interrupted, resumed and extended at any time. The
documentation shows its summary.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from polarbear.calibration import coverage, features, fitness, groups, races, versions
from polarbear.calibration.coverage import CoverageCell
from polarbear.calibration.features import FeatureCell
from polarbear.calibration.fitness import FitnessCell
from polarbear.calibration.groups import GroupCell
from polarbear.calibration.races import RaceCell
from polarbear.calibration.study import key, read_outcomes, run_study
from polarbear.calibration.versions import Change, VersionCell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polarbear.calibration.truths import Truth

_COVERED: tuple[Truth, ...] = ("smooth", "two kinds", "near-equal", "near-equal and outliers", "constant", "crossing")
_RACED: tuple[Truth, ...] = ("smooth", "two kinds", "near-equal", "crossing")
_GUARANTEED = ("smooth", "two kinds")
_SIX_TRUTHS: tuple[Truth, ...] = ("random walk", "smooth", "constant", "crossing", "near-equal", "two kinds")


def coverage_cells() -> list[CoverageCell]:
    """Return the cells of the coverage study: six truths and three numbers of instances."""
    return [
        CoverageCell(truth=truth, instances=instances, budgets=10) for truth in _COVERED for instances in (8, 30, 100)
    ]


def race_cells() -> list[RaceCell]:
    """Return the cells of the race study: four truths under the default settings, and two of them with a guarantee."""
    default = [RaceCell(truth=truth, algorithms=5, budgets=10) for truth in _RACED]
    return [*default, *(replace(cell, guarantee=0.05) for cell in default if cell.truth in _GUARANTEED)]


def feature_cells() -> list[FeatureCell]:
    """Return the cells of the feature study: one of the features shows the kind of the instance, or none does."""
    return [FeatureCell(informative=informative) for informative in (True, False)]


def fitness_cells() -> list[FitnessCell]:
    """Return the cells of the fitness study: six truths with 30 and 100 instances, in a race, and with few budgets."""
    ways: tuple[dict[str, Any], ...] = (
        {"instances": 30},
        {"instances": 100},
        {"instances": 40, "raced": True},
        {"instances": 30, "budgets": 3},
    )
    return [FitnessCell(truth, **way) for way in ways for truth in _SIX_TRUTHS]


def group_cells() -> list[GroupCell]:
    """Return the cells of the group study: a group that is more or less odd, with more or fewer instances."""
    return [GroupCell(odd=odd, instances=instances) for odd in (0.4, 0.6, 0.8, 0.95) for instances in (3, 8, 30)]


def version_cells() -> list[VersionCell]:
    """Return the cells of the study of `compare`: five changes, and equal versions with a wider margin."""
    changes = [(change, 0.05) for change in get_args(Change)]
    return [
        VersionCell(change, autocorrelation, margin=margin)
        for change, margin in [*changes, ("equal", 0.1)]
        for autocorrelation in (0.0, 0.95)
    ]


STUDIES: dict[str, tuple[Callable[..., Any], Callable[[], Sequence[Any]], Callable[..., Any], int]] = {
    "coverage": (coverage.measure_coverage, coverage_cells, coverage.summarise, 100),
    "races": (races.simulate_race, race_cells, races.summarise, 100),
    "versions": (versions.simulate_comparison, version_cells, versions.summarise, 200),
    "groups": (groups.simulate_groups, group_cells, groups.summarise, 400),
    "fitness": (fitness.simulate_candidate, fitness_cells, fitness.summarise, 60),
    "features": (features.simulate_explanation, feature_cells, features.summarise, 200),
}


def select_cells(cells: Sequence[Any], conditions: Sequence[str]) -> list[Any]:
    """Return the cells that match all conditions, such as instances=30 or truth=smooth,constant."""
    for each in conditions:
        field, separator, values = each.partition("=")
        if not separator or field not in asdict(cells[0]):
            raise ValueError(f"expected --cells FIELD=VALUE with one of {', '.join(asdict(cells[0]))}; got {each!r}")
        cells = [cell for cell in cells if str(getattr(cell, field)) in values.split(",")]
        if not cells:
            raise ValueError(f"expected --cells that this study has, got {each}; leave --cells out to run all")
    return list(cells)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run or resume a study, and write its summary."""
    parser = argparse.ArgumentParser(prog="python -m polarbear.calibration", description=__doc__)
    parser.add_argument("study", choices=STUDIES)
    parser.add_argument(
        "--cells",
        nargs="*",
        default=[],
        metavar="FIELD=VALUE",
        help="run only cells with these values, such as budgets=20 or truth=smooth,constant",
    )
    parser.add_argument("--replicates", type=int, help="number of replicates per cell")
    parser.add_argument("--workers", type=int, default=1, help="number of processes")
    parser.add_argument("--results", type=Path, help="file of outcomes; in build/calibration by default")
    parser.add_argument("--summary", type=Path, help="file of the summary; in docs/data by default")
    parser.add_argument(
        "--only-summary", action="store_true", help="summarise stored outcomes without running anything"
    )
    options = parser.parse_args(arguments)
    task, make, summary, usual = STUDIES[options.study]
    results = options.results or Path("build/calibration") / f"{options.study}.jsonl"
    try:
        cells = select_cells(make(), options.cells)
        if not options.only_summary:
            run_study(
                task,
                cells,
                replicates=usual if options.replicates is None else options.replicates,
                path=results,
                workers=options.workers,
                progress=_progress_printer(options.study),
            )
        known = read_outcomes(make(), results)
    except ValueError as error:
        parser.error(str(error))
    summaries = [summary(cell, known[key(cell)]) for cell in make() if known[key(cell)]]
    file = options.summary or Path("docs/data") / f"{options.study}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[\n" + ",\n".join(json.dumps(each) for each in summaries) + "\n]\n", encoding="utf-8")
    print(f"{len(summaries)} cells: {file}")


def _progress_printer(name: str) -> Callable[[int, int], None]:
    started, first = time.monotonic(), -1

    def show(done: int, of: int) -> None:
        nonlocal first
        first = done if first < 0 else first
        took = time.monotonic() - started
        left = f", {(of - done) * took / (done - first):,.0f} s left" if done > first else ""
        end = "\r" if sys.stderr.isatty() and done < of else "\n"
        if end == "\r" or done == of:
            print(f"{name}: {done} of {of}{left}    ", end=end, file=sys.stderr, flush=True)

    return show


if __name__ == "__main__":
    main()
