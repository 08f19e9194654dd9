"""The durations of all fits of the figure; an interrupted study continues from its file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from case_studies.runtime.cell import PRIORS, Cell, Duration, Engine, measure, measure_alone

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

TEMPORAL = tuple(name for name in PRIORS if name != "Dirichlet")
_LAST = {"exact GP": 60}  # the largest T for which the paper gives a time


@dataclass(frozen=True)
class Scale:
    """The sizes of both panels, and the number of repetitions, each on other data."""

    repetitions: int
    temporal_budgets: tuple[int, ...]
    algorithms: tuple[int, ...]
    instances: tuple[int, ...]

    def temporal(self, engine: Engine, seed: int) -> list[Cell]:
        """Return the fits of the temporal models: n = 5, P = 30."""
        return [
            Cell(engine, name, 5, T, 30, seed)
            for T in self.temporal_budgets
            for name in TEMPORAL
            if engine == "default" or _LAST.get(name, T) >= T
        ]

    def independent(self, engine: Engine, seed: int) -> list[Cell]:
        """Return the fits of the independent Dirichlet model at one time."""
        return [Cell(engine, "Dirichlet", n, 1, P, seed) for P in self.instances for n in self.algorithms]


QUICK = Scale(1, (10, 60, 100), (5, 30), (10, 100, 1000))
PAPER = Scale(5, (10, 20, 40, 60, 80, 100), (3, 5, 10, 20, 30), (10, 30, 100, 300, 1000))


def measure_here(cells: Iterable[Cell]) -> dict[Cell, Duration]:
    """Measure fits in this process."""
    return {cell: measure(cell) for cell in cells}


def measure_each_alone(cells: Iterable[Cell], file: Path, *, patience: float) -> dict[Cell, Duration]:
    """Measure each fit in a process of its own, except those that are in the file already."""
    durations = read(file)
    cells = list(cells)
    with file.open("a") as stream:
        for cell in cells:
            if cell not in durations:
                durations[cell] = measure_alone(cell, patience=patience)
                stream.write(json.dumps(asdict(cell) | asdict(durations[cell])) + "\n")
                stream.flush()
    return {cell: durations[cell] for cell in cells}


def read(file: Path) -> dict[Cell, Duration]:
    """Return the measured fits in a file."""
    durations = {}
    for line in file.read_text().splitlines() if file.exists() else ():
        try:
            fields = json.loads(line)
            duration = Duration(fields.pop("wall"), fields.pop("processor"))
            durations[Cell(**fields)] = duration
        except (ValueError, TypeError, KeyError):  # a line that was being written when the process was killed
            continue
    return durations


def means(durations: Mapping[Cell, Duration], engine: Engine, *, temporal: bool) -> dict[str, dict[int, float]]:
    """Return the mean seconds over repetitions for each curve of a panel, by T or by P, without fits that did not end.

    They are wall-clock seconds for NUTS, whose chains run in parallel. The other methods use one core, and their processor
    seconds are the same on a busy machine.
    """
    points: dict[str, dict[int, list[float]]] = {}
    for cell, duration in durations.items():
        seconds = duration.wall if engine == "pymc-nuts" else duration.processor
        if cell.engine == engine and (cell.prior != "Dirichlet") == temporal and seconds is not None:
            name, size = (cell.prior, cell.budgets) if temporal else (f"n = {cell.algorithms}", cell.instances)
            points.setdefault(name, {}).setdefault(size, []).append(seconds)
    return {name: {size: float(np.mean(row[size])) for size in sorted(row)} for name, row in points.items()}
