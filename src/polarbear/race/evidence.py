"""What the race has seen: every run, and the choices that follow from them."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe import Choices, Rankings, rank_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from polarbear.race.jobs import Run
    from polarbear.race.settings import Settings


@dataclass(frozen=True)
class Evidence:
    """All runs so far, by (algorithm, instance), and the choices of each block of instances that were run together.

    Runs of an eliminated algorithm stay; where an algorithm was not run it takes no part in the ranking.
    """

    runs: Mapping[tuple[str, int], Run] = field(default_factory=dict)
    blocks: tuple[tuple[tuple[int, ...], Choices], ...] = ()
    choices: Choices | None = None  # of all blocks together

    @property
    def instances(self) -> tuple[int, ...]:
        """All instances on which something was run, in order of running."""
        return tuple(instance for block, _ in self.blocks for instance in block)


def with_runs(evidence: Evidence, runs: Iterable[Run], names: tuple[str, ...], settings: Settings) -> Evidence:
    """Add runs: those on new instances form a block, those on known ones are injected into the rankings there."""
    added = {(run.trajectory.algorithm, instance_of(run)): run for run in runs}
    together = {**evidence.runs, **added}
    touched = {instance for _, instance in added}
    fresh = tuple(sorted(touched.difference(evidence.instances)))
    blocks = [
        (block, _counted(block, together, names, settings) if touched.intersection(block) else choices)
        for block, choices in evidence.blocks
    ]
    if not fresh:
        return Evidence(together, tuple(blocks), _sum(blocks))
    new = _counted(fresh, together, names, settings)
    before = evidence.choices if touched == set(fresh) else _sum(blocks)
    return Evidence(together, (*blocks, (fresh, new)), new if before is None else before + new)


def recounted(evidence: Evidence, names: tuple[str, ...], settings: Settings) -> Evidence:
    """The same runs, ranked again: with another algorithm in the list, or on another grid."""
    blocks = [(block, _counted(block, evidence.runs, names, settings)) for block, _ in evidence.blocks]
    return Evidence(evidence.runs, tuple(blocks), _sum(blocks))


def instance_of(run: Run) -> int:
    """The index of the instance of a run."""
    instance = run.trajectory.instance
    assert isinstance(instance, int)
    return instance


def _sum(blocks: list[tuple[tuple[int, ...], Choices]]) -> Choices | None:
    return reduce(operator.add, (choices for _, choices in blocks)) if blocks else None


def _counted(
    block: tuple[int, ...], runs: Mapping[tuple[str, int], Run], names: tuple[str, ...], settings: Settings
) -> Choices:
    values = np.full((len(block), len(settings.grid), len(names)), np.nan)
    for row, instance in enumerate(block):
        for column, name in enumerate(names):
            run = runs.get((name, instance))
            if run is None:
                continue
            if run.status != "done" and settings.failure == "raise":
                why = f"{run.status}: {run.message.strip()}".rstrip(": ")
                raise ValueError(
                    f"the run of {name!r} on instance {instance} failed ({why}); "
                    "mend it, or choose failure='last' or failure='missing'"
                )
            values[row, :, column] = run.trajectory.at(settings.grid.times, failure=settings.failure)
    ranks = rank_values(
        values,
        absolute_tolerance=settings.absolute_tolerance,
        relative_tolerance=settings.relative_tolerance,
        maximise=settings.maximise,
    )
    return Choices.from_rankings(Rankings(ranks, names, settings.grid), per_instance=True)
