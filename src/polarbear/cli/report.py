"""Command `report`: write one page about a race or a posterior."""

import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polarbear.cli import options, terminal
from polarbear.cli.open_file import is_race_file, load_posterior, no_decisions_error, open_race

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.driver.race import Race
    from polarbear.race.result import RaceResult

RENEWED = 5.0  # seconds after which the page of a running race reloads itself


def report(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A race file, or a posterior that was saved.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page; by default the file's name, ending in .html.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading; by default the file's name.")] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Write it again after each round of a running race, until all is decided.")
    ] = False,
    show: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
    confidence: Annotated[
        float | None, typer.Option(help="Of a saved posterior: how sure it must be that one is out; 0.95 by default.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Write one self-contained page: the answer, how it was found, and an explorer for any other wish."""
    page = output or file.with_suffix(".html")
    heading = title or file.stem
    options.require_writable(page)
    if not is_race_file(file):
        from polarbear.reporting import report as write

        if live:
            raise ValueError(f"{file} is no race, so nothing in it will change; leave --live out")
        write(load_posterior(file), page, title=heading, confidence=0.95 if confidence is None else confidence)
        _wrote(page, show=show)
        return
    if confidence is not None:
        raise ValueError(f"a race has its own confidence; decide anew with: polarbear resume {file} --confidence ...")
    rounds, finished = _written(file, page, heading, live=live, known=0)
    if not rounds and not live:
        raise no_decisions_error(file)
    if live and not finished:
        terminal.print_remark(
            "The page is written again after each round; Ctrl-C ends this, not the race.", quiet=quiet
        )
    while live and not rounds:
        time.sleep(1.0)
        rounds, finished = _written(file, page, heading, live=live, known=0)
    _wrote(page, show=show)
    while live and not finished:
        time.sleep(1.0)
        rounds, finished = _written(file, page, heading, live=live, known=rounds)


def _written(file: Path, page: Path, heading: str, *, live: bool, known: int) -> tuple[int, bool]:
    """Write the page if the race has more than `known` rounds; return its number of rounds and whether it is finished."""
    from polarbear.reporting import report as write

    with open_race(file) as race:
        rounds, finished = len(race.state.rounds), race.result.finished
        if rounds > known:
            write(race, page, title=heading, live=RENEWED if live else None)
        return rounds, finished


def _wrote(page: Path, *, show: bool) -> None:
    terminal.print_result(str(page))
    if show:
        webbrowser.open(page.resolve().as_uri())


def after_each_round(race: "Race", page: Path | None) -> "Callable[[RaceResult], bool] | None":
    """Return a callback that rewrites the page after each round and never stops the race; None without a page."""
    if page is None:
        return None

    def renew(result: "RaceResult") -> bool:
        from polarbear.reporting import report as write

        write(race, page, live=None if result.finished else RENEWED)
        return False

    return renew
