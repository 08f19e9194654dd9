"""Record the race on GP-BBOB by the wall clock: `python -m case_studies.gp_bbob.record RACE`.

The command runs a live race, or continues it, and stores its runs as they were compared.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from case_studies.gp_bbob.recorded import FILE, Recording
from case_studies.gp_bbob.settings import RECORDED, race_live

if TYPE_CHECKING:
    from polarbear.race.outcome import RaceOutcome


def store(result: RaceOutcome, file: Path = FILE) -> None:
    """Write the runs of a race. Every run must have reached its end."""
    if failed := [run.trajectory for run in result.runs if run.status != "done"]:
        end = result.state.settings.grid.budgets[-1]
        raise RuntimeError(f"expected every run to reach {end:g} seconds, got {failed}; record again")
    Recording.of(result).save(file)


def main() -> None:
    """Record, and print what the race found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("race", type=Path, metavar="RACE", help="the race file, which a later call continues")
    parser.add_argument("--out", type=Path, default=FILE, help="the recording to write")
    parser.add_argument("--workers", type=int, default=2, help="the number of simultaneous runs")
    parser.add_argument("--max-seconds", type=float, help="the seconds after which the race pauses")
    options = parser.parse_args()
    result = race_live(options.race, RECORDED, workers=options.workers, max_seconds=options.max_seconds)
    print(result)
    store(result, options.out)


if __name__ == "__main__":
    main()
