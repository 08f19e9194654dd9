"""Command `report`: write an HTML page about a race or a posterior."""

import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.features import read_table
from polarbear.cli.reading import Reading, open_result

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.driver.race import Race
    from polarbear.race.outcome import RaceOutcome
    from polarbear.result import Result

_RELOAD_SECONDS = 5.0  # seconds after which the page of a running race reloads itself


def report(
    file: options.AnySource,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page; by default the name of the file with the ending .html."),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(
            help="The heading; by default the name of the file, or of its folder if it is called my.race or the like."
        ),
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Write it again after each round, until the race is finished.")
    ] = False,
    show: Annotated[bool, typer.Option("--open", help="Open it in a browser.")] = False,
    confidence: Annotated[
        float | None,
        typer.Option(help="Unless it is a race: the probability that an elimination needs; 0.95 by default."),
    ] = None,
    by: options.By = None,
    features: options.Features = None,
    optimum: Annotated[
        float | None,
        typer.Option(help="For a race file: the optimum of every instance, to compare with AOCC."),
    ] = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    *,
    reading: Reading,
) -> None:
    """Write a self-contained HTML page: the answer, how it was found, and an explorer for any other query."""
    from polarbear.reporting.title import title_of

    page = output or file.with_suffix(".html")
    options.require_writable(page, inputs=[file, features], force=force)
    rule: dict[str, Any] = {} if confidence is None else {"confidence": confidence}

    def read() -> "Result":
        return open_result(file, reading, keep=[] if by is None else [by], **rule)

    _check_race_options(file, live=live, confidence=confidence)
    result = read()
    table = None if features is None else read_table(features, file if result.race is not None else None)
    about: dict[str, Any] = {"title": title or title_of(file), "optimum": optimum, "features": table, "force": force}
    seconds = _RELOAD_SECONDS if live else None
    if result.fitted is not None or not live:
        write_page(result, page, by, live=seconds, **about)
        _print_page(page, show=show)
    if live and not _is_over(result):
        terminal.print_remark(
            "The page is written again after each round; Ctrl-C stops this command, not the race.", quiet=quiet
        )
    while live and not _is_over(result):
        time.sleep(1.0)
        rounds, result = _rounds(result), read()
        if _rounds(result) > rounds:
            write_page(result, page, by, live=seconds, **about)
            if not rounds:
                _print_page(page, show=show)


def _rounds(result: "Result") -> int:
    return 0 if result.race is None else len(result.race.rounds)


def _is_over(result: "Result") -> bool:
    return result.race is None or result.race.finished


def _check_race_options(file: Path, *, live: bool, confidence: float | None) -> None:
    from polarbear.opening import is_race_file

    is_race = is_race_file(file)
    if live and not is_race:
        raise ValueError(f"expected a race file with --live, got {file}; leave --live out")
    if confidence is not None and is_race:
        raise ValueError(
            f"expected recorded runs or a saved posterior with --confidence, got the race file {file}; change the "
            f"confidence of the race with: polarbear race {terminal.shell_path(file)} --confidence {confidence:g}"
        )


def write_page(result: "Result", page: Path, by: str | None, **about: Any) -> None:
    """Write the page of a result, with its groups by a feature."""
    from polarbear.reporting import report as write

    if by is not None:
        split = result.split(by, about["features"])
        about["groups"] = {f"{by} {name}": each for name, each in split.groups.posteriors.items()}
        about["group_findings"] = split.groups.findings
    write(result, page, **about)


def _print_page(page: Path, *, show: bool) -> None:
    terminal.print_result(str(page))
    if show:
        webbrowser.open(page.resolve().as_uri())


def after_each_round(race: "Race", page: Path | None) -> "Callable[[RaceOutcome], bool] | None":
    """Return a callback that rewrites the page after each round and never stops the race; None without a page.

    The command has checked before the race that the page may be written.
    """
    if page is None:
        return None

    def renew(result: "RaceOutcome") -> bool:
        from polarbear.reporting import report as write

        write(race, page, live=None if result.finished else _RELOAD_SECONDS, force=True)
        return False

    return renew
