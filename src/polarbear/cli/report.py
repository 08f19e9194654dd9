"""Command `report`: write an HTML page about a race or a result."""

import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal

if TYPE_CHECKING:
    from polarbear.result import Result

_RELOAD_SECONDS = 5.0  # seconds after which the page of a running race reloads itself


def report(
    file: options.AnySource,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page; by default the name of the file with .html.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading; by default the name of the file.")] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Write it after each round, until the race is finished.")
    ] = False,
    show: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
    by: options.By = None,
    features: options.Features = None,
    optimum: Annotated[float | None, typer.Option(help="The known optimum, to compare with the AOCC.")] = None,
    force: options.Force = False,
) -> None:
    """Write a self-contained HTML page: the answer, how it was found, and an explorer for any other query."""
    from polarbear.opening import load
    from polarbear.reporting.title import title_of

    page = output or file.with_suffix(".html")
    options.require_writable(page, inputs=[file, features], force=force)
    result = load(file)
    if live and result.race is None:
        raise ValueError(f"expected a race file with --live, got {file}; leave --live out")
    table = None if features is None else options.read_table(features, result)
    about: dict[str, Any] = {"title": title or title_of(file), "optimum": optimum, "features": table, "force": force}
    seconds = _RELOAD_SECONDS if live else None
    if not live:
        result.posterior  # noqa: B018  # raises an error before the first round has ended
    if result.fitted is not None:
        result.report(page, by=by, live=seconds, **about)
        _print_page(page, show=show)
    if live and not _is_over(result):
        terminal.print_note("The page is written again after each round; Ctrl-C stops this command, not the race.")
    while live and not _is_over(result):
        time.sleep(1.0)
        rounds, result = _rounds(result), load(file)
        if _rounds(result) > rounds:
            result.report(page, by=by, live=seconds, **about)
            if not rounds:
                _print_page(page, show=show)


def _rounds(result: "Result") -> int:
    return 0 if result.race is None else len(result.race.rounds)


def _is_over(result: "Result") -> bool:
    return result.race is None or result.race.finished


def _print_page(page: Path, *, show: bool) -> None:
    terminal.print_result(str(page))
    if show:
        webbrowser.open(page.resolve().as_uri())
