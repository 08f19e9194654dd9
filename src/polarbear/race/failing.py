"""Algorithms that fail in every run of their first round, which points to a mistake and not to a poor algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.race.observations import instance_of
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polarbear.findings import RunFailure
    from polarbear.race.jobs import Run
    from polarbear.race.state import State


@dataclass(frozen=True)
class FailingAlgorithm:
    """An algorithm that failed in every run of its first round.

    Attributes
    ----------
    name
        The algorithm.
    runs
        The number of its runs.
    instance
        The instance of its first run.
    failure
        Why this run failed.
    """

    name: str
    runs: int
    instance: int
    failure: RunFailure

    @property
    def sentence(self) -> str:
        """What happened, followed by the last lines of the output."""
        failed = f"all {self.runs} runs" if self.runs > 1 else "the only run"
        lines = "\n".join(f"    {line}" for line in self.failure.text().splitlines())
        return (
            f"{self.name!r} failed in {failed} of its first round, so the race is paused and has not judged it. On "
            f"instance {self.instance}:\n{lines}"
        )


def find_failing(state: State, runs: Iterable[Run]) -> tuple[FailingAlgorithm, ...]:
    """Return the candidates that had not run before and have failed in each of these runs.

    Parameters
    ----------
    state
        The state of the race without these runs.
    runs
        Completed runs, of the round under way.
    """
    ran = {name for name, _ in state.observations.runs}
    by_name: dict[str, list[Run]] = {}
    for run in runs:
        if run.trajectory.algorithm in state.candidates - ran:
            by_name.setdefault(run.trajectory.algorithm, []).append(run)
    failing = []
    for name in state.names:
        own = by_name.get(name, [])
        failures = [run.failure for run in own if run.failure is not None]
        if own and len(failures) == len(own):
            failing.append(FailingAlgorithm(name, len(own), instance_of(own[0]), failures[0]))
    return tuple(failing)


def python_advice(failing: Iterable[FailingAlgorithm], *, droppable: bool) -> str:
    """Return what to do about failing algorithms in a Python program; they are `droppable` if enough others remain."""
    names = [each.name for each in failing]
    removal = f"or call {'; '.join(f'race.drop({name!r})' for name in names)}; " if droppable else ""
    return (
        f"Fix {'it' if len(names) == 1 else 'them'} and call run(rerun_failed=True); {removal}or let the failures count "
        "with run(accept_failures=True)."
    )


def count_failures(runs: Iterable[Run]) -> str:
    """Return how many runs failed, by algorithm, such as "3 runs of solver"."""
    counts: dict[str, int] = {}
    for run in runs:
        if run.status != "done":
            counts[run.trajectory.algorithm] = counts.get(run.trajectory.algorithm, 0) + 1
    return ", ".join(f"{with_noun(number, 'run')} of {name}" for name, number in counts.items())
