"""Command `status`: print where a race stands."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.account import dominated_by_round, print_status
from polarbear.cli.open_file import open_race

if TYPE_CHECKING:
    from polarbear.cli.sparklines import Curves


def status(
    file: options.RaceFileName,
    watch: Annotated[
        bool, typer.Option("--watch", "-w", help="Print it again after each change, until the end.")
    ] = False,
    every: Annotated[float, typer.Option(min=0.1, help="With --watch: seconds between two readings.")] = 2.0,
    as_json: options.Json = False,
) -> None:
    """Print the status of a race, even while it runs. Nothing is inferred or changed.

    The exit code is 2 if the race is not finished: if pairs are undecided and further instances may decide them.
    """
    account, curves = _read_status(file)
    _show(account, curves, as_json=as_json)
    while watch and not account["settled"]:
        time.sleep(every)
        before, (account, curves) = account, _read_status(file)
        if account != before:
            if sys.stdout.isatty() and not as_json:
                print("\033[2J\033[H", end="")  # clears the screen
            elif not as_json:
                terminal.print_result()
            _show(account, curves, as_json=as_json)
    if not account["settled"]:
        raise typer.Exit(2)


def _read_status(file: Path) -> "tuple[dict[str, Any], Curves | None]":
    """Return the account of a race and its curves, from the race file alone."""
    from polarbear.exports import account
    from polarbear.storage import RaceFile

    with open_race(file) as race:
        data = {"file": str(file), **account(race.result, infer=False)}
        curves = dominated_by_round(race.result)
    with RaceFile.open(file, write=False) as stored:
        data["stored_runs"] = len(stored.runs())
    return data, curves


def _show(account: dict[str, Any], curves: "Curves | None", *, as_json: bool) -> None:
    if as_json:
        terminal.print_json(account)
    else:
        print_status(account, curves)
