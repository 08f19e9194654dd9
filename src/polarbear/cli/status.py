"""Command `status`: print the verdict on a race that has stopped, or the progress of one that is running."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.account import dominated_by_round, print_status
from polarbear.cli.open_file import open_race, typed_name
from polarbear.cli.run_race import failing_lines

if TYPE_CHECKING:
    from polarbear.cli.sparklines import Curves


def status(
    file: options.RaceFileName,
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Print it again after each change, until the end.")
    ] = False,
    every: Annotated[float, typer.Option(min=0.1, help="With --watch: seconds between two readings.")] = 2.0,
    progress_only: Annotated[
        bool, typer.Option("--progress-only", help="Leave the verdict out, so that nothing is inferred.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Print the verdict on a race that has stopped, or the progress of one that is running. Nothing is changed.

    The exit code is 2 if the race is not finished: if pairs are undecided and further instances may decide them.
    """
    shown = _read_status(file, with_verdict=not progress_only)
    _show(shown, as_json=as_json)
    while watch and not shown.account["settled"]:
        time.sleep(every)
        before, shown = shown, _read_status(file, with_verdict=not progress_only)
        if shown != before:
            if sys.stdout.isatty() and not as_json:
                print("\033[2J\033[H", end="")  # clears the screen
            elif not as_json:
                terminal.print_result()
            _show(shown, as_json=as_json)
    if not shown.account["settled"]:
        raise typer.Exit(2)


@dataclass(frozen=True)
class _Status:
    """What a race file says.

    `account` holds the totals for JSON. `verdict` is empty while the race runs. `steps` has lines on algorithms that
    paused the race, and on what to do if its first round has not ended.
    """

    account: dict[str, Any]
    curves: "Curves | None"
    verdict: str
    steps: tuple[str, ...]


def _read_status(file: Path, *, with_verdict: bool) -> _Status:
    """Return the status of a race from its file; while another process writes it, without the verdict."""
    from polarbear.exports import account
    from polarbear.storage import RaceFile, find_writer

    with open_race(file) as race:
        result = race.result
        writer = find_writer(file)
        infer = with_verdict and writer is None and bool(result.rounds)
        known = typed_name(race, file)
        data = {"file": str(file), "running": writer, **account(result, infer=infer, file=known)}
        verdict = str(result.summary(known)) if infer else ""
        steps = tuple(failing_lines(result, known)) if result.failing else ()
        if known and not (result.rounds or steps or writer):
            steps = (f"Next step: polarbear resume {known}",)
    with RaceFile.open(file, write=False) as stored:
        data["stored_runs"] = len(stored.runs())
    return _Status(data, dominated_by_round(result), verdict, steps)


def _show(shown: _Status, *, as_json: bool) -> None:
    if as_json:
        terminal.print_json(shown.account)
    else:
        print_status(shown.account, shown.curves, shown.verdict, shown.steps)
