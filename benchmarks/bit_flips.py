"""Share of single-bit flips in a race file that are noticed when the race is opened.

    python benchmarks/bit_flips.py                # 2,000 flips, about half a minute
    python benchmarks/bit_flips.py --flips 20000

Each flip goes to a random bit of a copy of the file. Opening the race then either reports damage, finds everything
unchanged (the bit was in unused space or in a comment), changes the data, or fails with an error that does not name the
file. The last two must not happen.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import polarbear as pb


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=2000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        whole, flipped = Path(folder) / "whole.race", Path(folder) / "flipped.race"
        make_race(whole)
        content, expected = whole.read_bytes(), read(whole)
        positions = np.random.default_rng(0).integers(8 * len(content), size=arguments.flips)
        outcomes = Counter(outcome(content, int(position), flipped, expected) for position in positions)
    print(f"{arguments.flips:,} flips in a race file of {len(content):,} bytes")
    for what, count in outcomes.most_common():
        print(f"{count:7,} {100 * count / arguments.flips:5.1f} %  {what}")


def make_race(path: Path) -> None:
    """Write the file of a race of three algorithms on 24 instances."""
    generator, names = np.random.default_rng(0), ["random search", "CMA-ES", "differential evolution"]
    runs = [
        pb.Trajectory(name, instance, np.arange(1.0, 41), -np.sort(generator.normal(size=40)), end=100)
        for instance in range(24)
        for name in names
    ]
    settings: dict[str, Any] = {"draws": 1000, "until": "pairs", "batch": pb.FixedBatch(8)}
    with pb.Race(names, None, pb.log_grid(1, 40, 6), path=path, **settings) as race:
        race.drive(pb.ReplayExecutor(runs), progress="none")


def read(path: Path) -> tuple[object, ...]:
    """Return everything that a race file holds, after opening its race."""
    with pb.Race.open(path) as race:
        rounds = race.state.rounds
    with pb.RaceFile.open(path, write=False) as file:
        return file.about, file.runs(), file.events(), rounds


def outcome(content: bytes, position: int, path: Path, expected: tuple[object, ...]) -> str:
    """Return in words what happens to a race of which one bit was flipped."""
    changed = bytearray(content)
    changed[position // 8] ^= 1 << position % 8
    path.write_bytes(changed)
    try:
        found = read(path)
    except (ValueError, OSError) as error:
        return "noticed" if path.name in str(error) else f"not named: {type(error).__name__}"
    except Exception as error:
        return f"not named: {type(error).__name__}"
    return "harmless" if found == expected else "changed data"


if __name__ == "__main__":
    main()
