"""Run a race until it stops, and print its outcome and what to do next."""

import shlex
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from typing import TYPE_CHECKING, Any

import typer

from polarbear.cli import terminal
from polarbear.literals import View

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from polarbear.configuration import Prepared
    from polarbear.driver.race import Race
    from polarbear.race.outcome import RaceOutcome
    from polarbear.result import Result

_SIGNALS: list[int] = []  # those that asked this process to end
_STORED = ("race.", "grid.")  # the race file stores only overrides that affect decisions, not limits and workers


def values_to_store(prepared: "Prepared") -> dict[str, Any]:
    """Return the values that the race file stores about its configuration."""
    from polarbear.configuration import to_store

    return {
        key: {
            **value,
            "overrides": {name: each for name, each in value["overrides"].items() if name.startswith(_STORED)},
        }
        for key, value in to_store(prepared).items()
    }


def features_to_store(prepared: "Prepared", *, quiet: bool = False) -> "Mapping[int, Any] | None":
    """Return the features of the instances that a configuration names, and print notes on them."""
    if prepared.features is None:
        return None
    for note in prepared.features.notes:
        terminal.print_note(note, quiet=quiet)
    return prepared.features.rows


@contextmanager
def open_executor(prepared: "Prepared") -> Iterator["Executor"]:
    """Yield the executor of a configuration, and let SIGTERM stop the race while it is open.

    Open it before the race file is created or changed, so that a cluster that does not answer leaves no trace.
    """
    from polarbear.configuration.building import executor_of

    with terminate_like_interrupt(), executor_of(prepared.tables.execution) as executor:
        yield executor


def run_race(race: "Race", prepared: "Prepared", executor: "Executor", *, view: View, **choices: Any) -> "RaceOutcome":
    """Run a race until it is finished or reaches a limit of its configuration.

    Further arguments, such as `only`, are those of `Race.run`.
    """
    limits = prepared.tables.limits
    with chdir(prepared.folder):
        return race.drive(
            executor,
            max_instances=limits.instances,
            max_evaluations=limits.evaluations,
            max_seconds=limits.seconds,
            time_limit=limits.run_seconds,
            retries=limits.retries,
            progress=view,
            **choices,
        )


def print_result(result: "Result") -> None:
    """Print the result of a race, and exit with a code that says whether an algorithm or a signal stopped it."""
    terminal.print_result(str(result.words(shell=True)))
    assert result.race is not None
    if result.race.failing:
        for line in failing_lines(result.race, result.path):
            terminal.print_note(line)  # an error
        raise typer.Exit(3)
    if result.race.stopped == "interrupted":
        raise typer.Exit(128 + stopped_by())


def failing_lines(outcome: "RaceOutcome", known: str) -> list[str]:
    """Return which algorithms paused the race, the end of their output, and what to do."""
    names = [each.name for each in outcome.failing]
    they, their = ("it", "its") if len(names) == 1 else ("them", "their")
    lines = [each.sentence for each in outcome.failing]
    lines.append(f"Fix {they} and continue with: polarbear race {known} --failed rerun")
    if outcome.failing_are_droppable:
        drops = " ".join(f"--drop {shlex.quote(name)}" for name in names)
        lines.append(f"or drop {they}: polarbear race {known} {drops}")
    return [*lines, f"or let {their} failures count: polarbear race {known} --failed accept"]


def stopped_by() -> int:
    """Return the signal that stopped the race: SIGTERM if it arrived, and otherwise SIGINT."""
    return _SIGNALS[-1] if _SIGNALS else signal.SIGINT


@contextmanager
def terminate_like_interrupt() -> Iterator[None]:
    """Let SIGTERM stop the race as Ctrl-C does: in a valid state, with no worker left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        del frame
        _SIGNALS.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
