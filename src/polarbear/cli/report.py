"""Command `report`: write an HTML page about a race or a posterior."""

import time
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.features import own_tables, read_table, read_table_for
from polarbear.cli.groups import compare_groups, print_group_remarks
from polarbear.cli.open_file import candidates_of, is_race_file, no_decisions_error, open_race, typed_race
from polarbear.cli.recorded_runs import Reading
from polarbear.cli.source import Source, open_source, runs_with_values

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.driver.race import Race
    from polarbear.race.result import RaceResult
    from polarbear.verdict import Advice, Summary

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
    quiet: options.Quiet = False,
    *,
    reading: Reading,
) -> None:
    """Write a self-contained HTML page: the answer, how it was found, and an explorer for any other query."""
    page = output or file.with_suffix(".html")
    from polarbear.reporting.title import title_of

    heading = title or title_of(file)
    options.require_writable(page)
    about: dict[str, Any]
    if file.is_dir() or not is_race_file(file) or reading.given:
        if live:
            raise ValueError(f"expected a race file with --live, got {file}; leave --live out")
        rule: dict[str, Any] = {"confidence": 0.95 if confidence is None else confidence}
        source = open_source(file, reading, by=by, quiet=quiet, **rule)
        about = {"title": heading, "optimum": optimum, **_features_of(source, file, features)}
        _write_page(source, page, by, terminal.shell_path(file) + reading.as_typed(), about, rule)
        _print_page(page, show=show)
        return
    if confidence is not None:
        raise ValueError(
            f"expected a saved posterior with --confidence, got the race file {file}; change the confidence of the race "
            f"with: polarbear resume {terminal.shell_path(file)} --confidence {confidence:g}"
        )
    about = {"title": heading, "optimum": optimum}
    if features is not None:
        about["features"] = read_table(features, file)
    rounds, finished = _update_page(file, page, about, live=live, by=by, known=0)
    if not rounds and not live:
        raise no_decisions_error(file)
    if live and not finished:
        terminal.print_remark(
            "The page is written again after each round; Ctrl-C stops this command, not the race.", quiet=quiet
        )
    while live and not rounds:
        time.sleep(1.0)
        rounds, finished = _update_page(file, page, about, live=live, by=by, known=0)
    _print_page(page, show=show)
    while live and not finished:
        time.sleep(1.0)
        rounds, finished = _update_page(file, page, about, live=live, by=by, known=rounds)


def _write_page(
    source: Source, page: Path, by: str | None, typed: str, about: dict[str, Any], rule: dict[str, Any]
) -> None:
    """Write the page about recorded runs or a saved posterior, with its groups."""
    from polarbear.reporting import report as write
    from polarbear.verdict import Advice

    groups = compare_groups(source, by, table=about.get("features"), rule=rule)
    print_group_remarks(groups)
    advice = Advice("posterior" if source.recorded is None else "runs", typed)
    write(
        source.posterior,
        page,
        unit=source.unit,
        advice=advice,
        summary=_summary(source, advice, **rule),
        runs=runs_with_values(source),
        **groups.for_report,
        **about,
        **rule,
    )


def _features_of(source: Source, file: Path, features: Path | None) -> dict[str, Any]:
    """Return the features that recorded runs bring along, and those of a table, as options of the page."""
    table = None if features is None else read_table_for(source, file, features)
    return {"own_features": own_tables(source.recorded), "features": table}


def _summary(source: Source, advice: "Advice", **rule: Any) -> "Summary":
    """Return the summary of recorded runs or of a saved posterior, with all remarks."""
    from polarbear.cli.comparison import describe_data, remarks_on_ends
    from polarbear.verdict import summarise

    runs = () if source.recorded is None else source.recorded.runs
    remarks = [*remarks_on_ends(runs, source.posterior), *source.remarks]
    about: dict[str, Any] = {"choices": source.choices, "unit": source.unit, "advice": advice, "remarks": remarks}
    if source.choices is not None:
        about["effort"] = describe_data(source.choices, len(runs), source.unit)
    return summarise(source.posterior, **about, **rule)


def _update_page(
    file: Path, page: Path, about: dict[str, Any], *, live: bool, by: str | None, known: int
) -> tuple[int, bool]:
    """Write the page if the race has more than `known` rounds; return its number of rounds and whether it is finished."""
    from polarbear.reporting import report as write
    from polarbear.verdict import Advice

    with open_race(file) as race:
        rounds, finished = len(race.state.rounds), race.result.finished
        if rounds > known:
            about = {**about, "advice": Advice("race", typed_race(file))}
            if by is not None:
                result = race.result
                source = Source(result.posterior, candidates_of(result), result=result)
                rule = {"confidence": result.state.settings.confidence}
                groups = compare_groups(source, by, table=about.get("features"), rule=rule)
                print_group_remarks(groups)
                about |= groups.for_report
            write(race, page, live=_RELOAD_SECONDS if live else None, **about)
        return rounds, finished


def _print_page(page: Path, *, show: bool) -> None:
    terminal.print_result(str(page))
    if show:
        webbrowser.open(page.resolve().as_uri())


def after_each_round(race: "Race", page: Path | None) -> "Callable[[RaceResult], bool] | None":
    """Return a callback that rewrites the page after each round and never stops the race; None without a page."""
    if page is None:
        return None

    def renew(result: "RaceResult") -> bool:
        from polarbear.reporting import report as write

        write(race, page, live=None if result.finished else _RELOAD_SECONDS)
        return False

    return renew
