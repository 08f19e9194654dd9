"""Draw the pictures of docs/start: the race of `polarbear init`, run until it stops (about a minute)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import polarbear as pb

FOLDER = Path(__file__).parent / "start"


def main() -> None:
    """Race as a new user would, and draw the result."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        program = [sys.executable, "-c", "from polarbear.cli.main import run; run()"]
        for arguments in (["init"], ["race", "--max-instances", "400"], ["select", "my.race", "--budget", "50"]):
            subprocess.run([*program, *arguments], check=True)  # prints the output that the pages quote
        with pb.Race.open("my.race") as race:
            result = race.result
        pb.plots.save(pb.plots.ratings(result.posterior, unit="evaluations"), FOLDER / "ratings.svg", force=True)
        bands = pb.plots.decision_map(result.posterior, among=result.kept, unit="evaluations")
        pb.plots.save(bands, FOLDER / "map.svg", force=True)
        os.chdir(FOLDER)


if __name__ == "__main__":
    main()
