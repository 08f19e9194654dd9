"""Run a race until it stops, and print its outcome and what to do next."""

import math
import signal
import threading
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from polarbear.cli import terminal
from polarbear.cli.report import after_each_round
from polarbear.literals import View
from polarbear.wording import round_off, with_noun

if TYPE_CHECKING:
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


def run_race(race: "Race", prepared: "Prepared", page: Path | None, *, view: View) -> "RaceResult":
    """Run a race until it is resolved or reaches a limit of its configuration; write its page after each round."""
    from polarbear.configuration.building import executor_of

    limits = prepared.tables.limits
    renew = after_each_round(race, None if page is None else page.resolve())
    with chdir(prepared.folder), terminate_like_interrupt(), executor_of(prepared.tables.execution) as executor:
        result = race.run(
            executor,
            max_instances=limits.instances,
            max_evaluations=limits.evaluations,
            max_seconds=limits.seconds,
            time_limit=limits.run_seconds,
            retries=limits.retries,
            stop=renew,
            progress=view,
        )
    if page is not None and result.rounds:
        from polarbear.reporting import report

        report(race, page)  # without `live`: the page of a stopped race does not reload itself
    return result


def print_outcome(result: "RaceResult", file: Path, *, as_json: bool, quiet: bool, leave: bool = True) -> None:
    """Print the result of a race; if `leave` is set and a limit or a signal stopped it, exit with code 2."""
    from polarbear.cli.account import best_over_time, print_account
    from polarbear.exports import account

    data = {"file": str(file), **account(result)}
    if as_json:
        terminal.print_json(data)
    else:
        print_account(data, best_over_time(result))
    if result.failures:
        first = result.failures[0]
        name, last = first.trajectory.algorithm, first.message.strip().splitlines()[-1:]
        failed = with_noun(len(result.failures), "run")
        terminal.print_remark(f"{failed} failed; the first, of {name}: {' '.join(last)}", quiet=quiet)
    if result.finished:
        return
    resume = f"polarbear resume {terminal.shell_path(file)}"
    if result.stopped == "no elimination likely":
        terminal.print_remark(
            "Stopped: further instances are unlikely to eliminate another algorithm; to decide every pair all the same: "
            f"{resume} --set race.resolution=crossing",
            quiet=quiet,
        )
        return
    reason, option = _why_stopped(result)
    terminal.print_remark(f"Not finished: {reason}; continue with: {resume}{option}", quiet=quiet)
    if leave:
        raise typer.Exit(2)


def _why_stopped(result: "RaceResult") -> tuple[str, str]:
    """Return why an unfinished race stopped, and the option that doubles the limit that it reached."""
    match result.stopped:
        case "max_instances":
            return (
                f"the limit of instances is reached{_beyond_limit(result)}",
                f" --max-instances {2 * max(result.instances, 1)}",
            )
        case "max_evaluations":
            spent = sum(result.cost.values())
            unit = result.state.settings.clock
            return f"the limit of {unit} is reached", f" --max-evaluations {2 * spent:.6g}" if spent else ""
        case "max_seconds":
            return "the time limit is reached", ""
        case "instances ran out":
            return "all instances are used; add more", ""
        case "interrupted":
            return "the race was interrupted", ""
        case "callback" | "paused" | "resolved" | "no elimination likely":
            return "the race was stopped", ""


def _beyond_limit(result: "RaceResult") -> str:
    """Return in words how many further instances would decide everything; nothing before the first round."""
    from polarbear.race.forecast import instances_needed

    if not result.rounds or set(result.posterior.names) != set(result.state.names):
        return ""
    needed = instances_needed(result.posterior, result.state.resolved, result.state.settings) - result.instances
    return f" (about {round_off(needed)} more would decide everything)" if 0 < needed < math.inf else ""


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
