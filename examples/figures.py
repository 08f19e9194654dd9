"""Make the figures of the documentation: a race on recorded runs of six CMA-ES variants and random search, drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from bowls import race_bowls

import polarbear as pb

if TYPE_CHECKING:
    from polarbear.race.outcome import RaceOutcome

ROOT = Path(__file__).parents[1]
RECORDED = ROOT / "case_studies" / "data" / "ma_bbob_d30.npz"


def race_recorded(instances: int) -> RaceOutcome:
    """Race on the recorded runs, and stop at this number of instances."""
    with np.load(RECORDED) as recorded:
        names, budgets = [str(name) for name in recorded["algorithms"]], recorded["evaluations"].astype(float)
        values = recorded["values"]
    runs = [
        pb.Trajectory(name, index, budgets, values[index, :, column], end=budgets[-1])
        for index in range(len(values))
        for column, name in enumerate(names)
    ]
    race = pb.Race(names, None, pb.log_grid(100, 60_000, 30), confidence=0.95, seed=1, draws=2000)
    race.run(pb.ReplayExecutor(runs), max_instances=instances, progress="none")
    return race.outcome


def main(folder: Path = ROOT / "docs" / "images" / "figures") -> None:
    """Race, draw the figures, and print their paths."""
    result = race_recorded(96)
    posterior, inside = result.posterior, result.kept
    figures = {
        "ratings": pb.plots.ratings(posterior, unit="evaluations"),
        "decision-map": pb.plots.decision_map(posterior, among=inside, unit="evaluations"),
        "values": pb.plots.values(posterior, pb.LogUniform()),
        "dominance": pb.plots.dominance(posterior),
        "pair": pb.plots.pair(posterior, "CSA", "XNES", unit="evaluations"),
        "comparisons": pb.plots.comparisons(posterior, unit="evaluations"),
        "evolution": pb.plots.evolution(result),
        "allocation": pb.plots.allocation(result),
        "rounds": pb.plots.rounds(result),
        "forecast": pb.plots.forecast(race_recorded(40)),  # while pairs are undecided
        "quality": pb.plots.quality(result),
        "speed-up": pb.plots.speed_up(result, "CSA", "XNES"),
        "gap": pb.plots.gap(result, "CSA", "XNES", 0.01),
        "tree": pb.plots.tree(*race_bowls()),  # of another race, whose instances have features
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        pb.plots.save(figure, folder / f"{name}.png")
        print(folder / f"{name}.png")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
