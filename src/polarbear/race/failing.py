"""Algorithms that fail in every run of their first round, which points to a mistake and not to a poor algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from polarbear.findings import RunFailure
from polarbear.race.observations import instance_of
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polarbear.race.jobs import Run
    from polarbear.race.state import State

LAST_OUTPUT = "\n\nIts last output:\n"  # separates the error of a failed run from what it printed
_LINES = 8  # last lines of a failed run's output in a message
_PACKAGE = str(Path(__file__).parent.parent)


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
        The instance of the run that `output` comes from.
    output
        The error of this run, and the last lines of its traceback or standard error.
    """

    name: str
    runs: int
    instance: int
    output: str

    @property
    def sentence(self) -> str:
        """What happened, followed by the last lines of the output."""
        failed = f"all {self.runs} runs" if self.runs > 1 else "the only run"
        lines = "\n".join(f"    {line}" for line in self.output.splitlines())
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
        if own and all(run.status != "done" for run in own):
            failing.append(FailingAlgorithm(name, len(own), instance_of(own[0]), end_of_message(own[0].message)))
    return tuple(failing)


def read_failure(message: str) -> RunFailure:
    """Return why a run failed, from its message."""
    report, _, output = message.strip().partition(LAST_OUTPUT)
    error, separator, tracebacks = report.partition("\n\nTraceback (most recent call last):\n")
    frames = _foreign_frames(tracebacks.rpartition("Traceback (most recent call last):\n")[2]) if separator else []
    lines = _shorten(error.splitlines(), first=True)
    return RunFailure(
        "\n".join(lines) or "no message", "\n".join(_shorten(frames)), "\n".join(_shorten(output.splitlines()))
    )


def _foreign_frames(traceback: str) -> list[str]:
    """Return the lines of a traceback without the frames of PolarBear itself."""
    frames, own = [], False
    for line in traceback.splitlines():
        own = _PACKAGE in line if line.startswith("  File ") else own and line.startswith("  ")
        if line.startswith("  ") and not own:
            frames.append(line)
    return frames


def end_of_message(message: str) -> str:
    """Return the error of a failed run with the end of its traceback and of its output.

    Frames of PolarBear itself are left out of the traceback.
    """
    failure = read_failure(message)
    return "\n".join(part for part in (failure.error, failure.traceback, failure.output) if part)


def _shorten(lines: list[str], *, first: bool = False) -> list[str]:
    """Return the last lines, after the first one if it matters most."""
    if len(lines) <= _LINES + first:
        return lines
    return [*lines[:first], "...", *lines[-_LINES:]]


def python_advice(failing: Iterable[FailingAlgorithm], *, removable: bool) -> str:
    """Return what to do about failing algorithms in a Python program; they are `removable` if enough others remain."""
    names = [each.name for each in failing]
    removal = f"or call {'; '.join(f'race.drop({name!r})' for name in names)}; " if removable else ""
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
