"""Command `plot`: draw figures for papers and slides."""

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from polarbear.cli import options, terminal
from polarbear.cli.features import own_tables, read_table_for
from polarbear.cli.groups import Groups, compare_groups, print_group_remarks
from polarbear.cli.open_file import decided_result, is_race_file
from polarbear.cli.recorded_runs import Reading, runs_of_result
from polarbear.cli.source import Source, open_source, runs_with_values
from polarbear.plots.registry import FIGURES, FigureName
from polarbear.wording import find_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from polarbear.features.table import FeatureTable

Format = Literal["pdf", "svg", "png"]
_WITH_PANELS = ", ".join(name for name, entry in FIGURES.items() if entry.panels)

_DRAWS = 1000  # as in the report: bands of a figure need no more, and inference takes less than half the time
_WITH_ALL_DRAWS = (None, "decision-map")  # it states when the leader changes, with the numbers of the terminal


def plot(  # noqa: D103  (its docstring lists the figures of the registry; see below)
    file: options.AnySource,
    figure: Annotated[
        FigureName | None,
        typer.Option("--figure", "-f", help="The figure; by default all of them, those of a pair only with --pair."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file, ending in .pdf, .svg or .png; for all figures the folder."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="The format, if --output names no file.")] = "pdf",
    log: Annotated[
        bool | None, typer.Option("--log/--linear", help="The time axis; by default that of the grid.")
    ] = None,
    width: Annotated[
        float | None, typer.Option(max=100, help="In inches; by default the width of the text on a page.")
    ] = None,
    among: Annotated[list[str] | None, typer.Option(help="Show only this algorithm; repeatable.")] = None,
    pair: Annotated[
        tuple[str, str] | None, typer.Option(help="The algorithms of the figures pair, speed-up and gap.")
    ] = None,
    tolerance: options.Tolerance = None,
    by: options.By = None,
    features: options.Features = None,
    force: options.Force = False,
    quiet: options.Quiet = False,
    *,
    budgets: options.Budgets,
    reading: Reading,
) -> None:
    from polarbear.features.scores import TooFewRunsError
    from polarbear.selection.observed_budgets import NotObservedError

    style: dict[str, Any] = {
        "axis": None if log is None else "log" if log else "linear",
        "width": width,
        "preference": budgets.preference(),
        "limit": _limit_of(file) if figure in (None, "forecast") else None,
        **options.read_tolerance(tolerance),
    }
    path = output or Path(f"{file.stem}-{figure}.{form}" if figure else f"{file.stem}-figures")
    if figure is not None:
        options.require_writable(path, inputs=[file, features], force=force)
    elif path.suffix in (".pdf", ".svg", ".png") or path.is_file():
        raise ValueError(f"expected a folder for all figures, got the file {path}; choose one figure with --figure")
    if figure is not None and FIGURES[figure].needs == "race":
        if by is not None:
            raise ValueError(
                f"expected no --by with the figure {figure}, which shows a whole race; leave it out, or draw another figure"
            )
        _draw_of_race(figure, file, path, reading, style, force=force)
        return
    most_draws = None if figure in _WITH_ALL_DRAWS else _DRAWS
    source = open_source(file, reading, by=by, quiet=quiet, most_draws=most_draws)
    style["among"] = None if among is None else find_names("--among", among, source.posterior.names)
    style["pair"] = None if pair is None else tuple(find_names("--pair", pair, source.posterior.names))
    style["features"] = _feature_tables(source, file, features)
    if figure is not None:
        _require_data(figure, file, source, pair, has_features=bool(style["features"]))
    groups = compare_groups(source, by, table=None if features is None else style["features"][-1])
    print_group_remarks(groups, quiet=quiet)
    if figure is not None:
        _save_all(_drawings(figure, path, source, groups, style), force=force)
        return
    for name in _possible_figures(source, pair, has_features=bool(style["features"])):
        try:
            _save_all(_drawings(name, path / f"{name}.{form}", source, groups, style), force=force)
        except (NotObservedError, TooFewRunsError) as error:
            terminal.print_remark(f"no figure {name}: {error}")


def _draw_of_race(
    figure: FigureName, file: Path, path: Path, reading: Reading, style: dict[str, Any], *, force: bool
) -> None:
    """Draw a figure of a race; some of these need no posterior, which takes a second to infer."""
    from polarbear import plots

    if not is_race_file(file) or reading.given:
        raise ValueError(f"expected a race file for the figure {figure}, got {file}; choose another figure")
    plots.save(plots.draw_figure(figure, None, decided_result(file, most_draws=_DRAWS), **style), path, force=force)
    terminal.print_result(str(path))


def _feature_tables(source: Source, file: Path, features: Path | None) -> "tuple[FeatureTable, ...]":
    """Return the features that recorded runs bring along or a race stores, and those of a table."""
    own = own_tables(source.recorded if source.result is None else runs_of_result(source.result))
    return own if features is None else (*own, read_table_for(source, file, features))


def _require_data(
    figure: FigureName, file: Path, source: Source, pair: tuple[str, str] | None, *, has_features: bool
) -> None:
    """Raise an error if a figure needs data that the file does not hold, or features or a pair that were not named."""
    entry = FIGURES[figure]
    if entry.needs in ("runs", "features") and not source.has_values:
        raise ValueError(
            f"expected a race file or recorded runs for the figure {figure}, got the saved posterior {file}, which holds no "
            "values; give the file that it was fitted to"
        )
    if entry.needs == "features" and not has_features:
        raise ValueError(
            f"expected a table of features for the figure {figure}, got none; add --features FILE, with a column instance"
        )
    if entry.pair and pair is None:
        names = " ".join(map(shlex.quote, source.posterior.names[:2]))
        raise ValueError(f"expected two algorithms for the figure {figure}, got none; add --pair {names}")


def _possible_figures(source: Source, pair: tuple[str, str] | None, *, has_features: bool) -> "Iterator[FigureName]":
    """Yield the figures for which there are data."""
    available = {"posterior": True, "race": source.result is not None, "runs": source.has_values}
    available["features"] = source.has_values and has_features
    for name, entry in FIGURES.items():
        if not available[entry.needs] or (entry.pair and pair is None):
            continue
        if name != "comparisons" or source.posterior.comparisons is not None:
            yield name


def _drawings(
    name: FigureName, path: Path, source: Source, groups: Groups, style: dict[str, Any]
) -> "Iterator[tuple[Path, Figure]]":
    """Yield a figure and its file: one with a panel per group if it has panels, otherwise one of all runs and each group."""
    from polarbear import plots

    if groups.fitted and FIGURES[name].panels:
        unit = source.unit or "budget"
        options = {option: style[option] for option in ("axis", "width", "preference", "among")}
        yield path, plots.by_group(name, {"all runs": source.posterior, **groups.posteriors}, unit=unit, **options)
        return
    needs_runs = FIGURES[name].needs in ("runs", "features")
    style = {**style, "unit": source.unit or None}
    if FIGURES[name].needs == "features" and style["among"] is None and source.result is not None:
        style["among"] = source.candidates  # as `explain`; the runs alone do not say what the race eliminated
    runs = runs_with_values(source) if needs_runs else None
    yield path, plots.draw_figure(name, source.posterior, source.result, runs=runs, **style)
    if FIGURES[name].needs in ("features", "race"):  # the first divides the instances by itself, and a group is no race
        return
    for group, posterior in groups.posteriors.items():
        part = Source(posterior, posterior.names, source.unit, recorded=groups.recorded[group])
        try:
            values = runs_with_values(part, pooled=group in groups.pooled) if needs_runs else None
            drawing = plots.draw_figure(name, posterior, runs=values, **style)
        except ValueError as error:  # for example, an algorithm of the pair has no runs in this group
            terminal.print_remark(f"no figure {name} for {group}: {error}")
            continue
        ending = re.sub(r"[^\w.+-]+", "-", group)
        yield path.with_stem(f"{path.stem}-{ending}"), drawing


def _save_all(drawings: "Iterator[tuple[Path, Figure]]", *, force: bool) -> None:
    from polarbear import plots

    for path, drawing in drawings:
        path.parent.mkdir(parents=True, exist_ok=True)
        plots.save(drawing, path, force=force)
        terminal.print_result(str(path))


def _limit_of(file: Path) -> int | None:
    """Return the limit of instances of a race that was started from a configuration; None for all other files."""
    if not file.is_file() or not is_race_file(file):
        return None
    from polarbear.configuration.stored import load_stored

    try:
        return load_stored(file).most_instances
    except (ValueError, OSError):  # another database, or a race of a Python program
        return None


def _describe(needs: str) -> str:
    return ", ".join(f"{name} ({entry.shows})" for name, entry in FIGURES.items() if entry.needs == needs)


plot.__doc__ = f"""Draw figures of a race or a posterior, for papers and slides.

Of a race or a posterior: {_describe("posterior")}.

Of a race only: {_describe("race")}.

Of the values in a race or in recorded runs: {_describe("runs")}.

With features of the instances, see --features: {_describe("features")}.

With --by, a figure has one panel for all runs and one per group ({_WITH_PANELS}); others have one file for all runs and
one per group.
"""
