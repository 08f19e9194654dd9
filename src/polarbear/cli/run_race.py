"""Run a race until it stops, and print its outcome and what to do next."""

import shlex
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from polarbear.cli import terminal
from polarbear.cli.report import after_each_round
from polarbear.literals import View

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from polarbear.configuration import Prepared
    from polarbear.driver.race import Race
    from polarbear.race.result import RaceResult

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
    """Return the features of the instances that a configuration names, and print remarks on them."""
    if prepared.features is None:
        return None
    for remark in prepared.features.remarks:
        terminal.print_remark(remark, quiet=quiet)
    return prepared.features.rows


@contextmanager
def open_executor(prepared: "Prepared") -> Iterator["Executor"]:
    """Yield the executor of a configuration, and let SIGTERM stop the race while it is open.

    Open it before the race file is created or changed, so that a cluster that does not answer leaves no trace.
    """
    from polarbear.configuration.building import executor_of

    with terminate_like_interrupt(), executor_of(prepared.tables.execution) as executor:
        yield executor


def run_race(
    race: "Race", prepared: "Prepared", executor: "Executor", page: Path | None, *, view: View, **choices: Any
) -> "RaceResult":
    """Run a race until it is resolved or reaches a limit of its configuration; write its page after each round.

    Further arguments, such as `only`, are those of `Race.run`.
    """
    limits = prepared.tables.limits
    renew = after_each_round(race, None if page is None else page.resolve())
    with chdir(prepared.folder):
        result = race.run(
            executor,
            max_instances=limits.instances,
            max_evaluations=limits.evaluations,
            max_seconds=limits.seconds,
            time_limit=limits.run_seconds,
            retries=limits.retries,
            stop=renew,
            progress=view,
            **choices,
        )
    if page is not None and result.rounds:
        from polarbear.reporting import report

        report(race, page)  # without `live`: the page of a stopped race does not reload itself
    return result


def print_outcome(
    result: "RaceResult", file: Path, *, as_json: bool, leave: bool = True, only: Sequence[str] = ()
) -> None:
    """Print the result of a race; if `leave` is set and a limit or a signal stopped it, exit with code 2.

    The commands that continue the race select the same algorithms, `only`.
    """
    from polarbear.cli.account import best_over_time, print_totals
    from polarbear.cli.sparklines import format_curves
    from polarbear.exports import account
    from polarbear.magnitude.summary import how_much_better

    known = terminal.shell_path(file)
    if as_json:
        terminal.print_json({"file": str(file), **account(result, file=known)})
    elif result.rounds:
        terminal.print_result(str(result.summary(known, only=only)))
        if (curves := best_over_time(result)) is not None:
            terminal.print_result("\n" + "\n".join(format_curves(curves)))
        terminal.print_paragraph("How much better", how_much_better(result, result.posterior, among=result.pareto_set))
        terminal.print_result()
        print_totals(account(result, infer=False))
    elif not result.failing:
        terminal.print_result(
            f"Nothing is decided yet: the first round has not ended. {result.why_stopped} "
            f"Next step: polarbear resume {known}"
        )
    for line in failing_lines(result, known) if result.failing else ():
        terminal.print_remark(line)  # not a remark but an error, which --quiet does not hide
    if leave and not result.settled:
        raise typer.Exit(2)


def failing_lines(result: "RaceResult", known: str) -> list[str]:
    """Return which algorithms paused the race, the end of their output, and what to do.

    `known` is the race file as you would type it in a shell; without it, the steps are calls in Python.
    """
    from polarbear.race.failing import python_advice

    names = [each.name for each in result.failing]
    they, their = ("it", "its") if len(names) == 1 else ("them", "their")
    lines = [each.sentence for each in result.failing]
    if not known:
        return [*lines, python_advice(result.failing, removable=result.failing_are_removable)]
    lines.append(f"Fix {they} and continue with: polarbear resume {known} --rerun-failed")
    if result.failing_are_removable:
        lines.append(f"or remove {they}: polarbear remove {known} {shlex.join(names)}")
    return [*lines, f"or let {their} failures count: polarbear resume {known} --accept-failures"]


def print_next_commands(file: Path, *, quiet: bool) -> None:
    """Print the commands to try next."""
    known = terminal.shell_path(file)
    terminal.print_remark(f"Now try: polarbear select {known} --map, or: polarbear report {known}", quiet=quiet)


@contextmanager
def terminate_like_interrupt() -> Iterator[None]:
    """Let SIGTERM stop the race as Ctrl-C does: in a valid state, with no worker left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        del number, frame
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
