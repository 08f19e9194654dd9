"""Command `plot`: draw figures for papers and slides."""

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from polarbear.cli import options, terminal
from polarbear.plots.registry import FIGURES, FigureName

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

    from polarbear.result import Result, Split

Format = Literal["pdf", "svg", "png"]


def plot(
    file: options.AnySource,
    figure: Annotated[
        FigureName | None,
        typer.Argument(metavar="FIGURE", help="The figure, see polarbear list figures; all by default."),
    ] = None,
    pair: Annotated[
        list[str] | None, typer.Argument(metavar="A B", help="The algorithms of a figure of a pair.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A .pdf, .svg or .png file; for all figures the folder.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="The format, if --output names no file.")] = "pdf",
    log: Annotated[bool | None, typer.Option("--log/--linear", help="The axis of budgets.")] = None,
    width: Annotated[float | None, typer.Option(max=100, help="In inches; by default the width of text.")] = None,
    only: options.Only = None,
    tolerance: options.Gap = None,
    by: options.By = None,
    features: options.Features = None,
    budget: options.Budget = None,
    force: options.Force = False,
) -> None:
    """Draw figures of a race or a result, for papers and slides.

    With --by, a figure has one panel for all runs and one per group, or one file for all runs and one per group.
    """
    if pair is not None and len(pair) != 2:
        raise ValueError(f"expected two algorithms of a figure of a pair, got {len(pair)}; name two")
    if pair is not None and figure is not None and not FIGURES[figure].pair:
        raise ValueError(f"expected no pair for the figure {figure}, got {' '.join(pair)}; leave it out")
    if by is not None and figure is not None and FIGURES[figure].needs == "race":
        raise ValueError(f"expected no --by with the figure {figure}, which shows the race as a whole; leave it out")
    path = output or Path(f"{file.stem}-{figure}.{form}" if figure else f"{file.stem}-figures")
    if figure is not None:
        options.require_writable(path, inputs=[file, features], force=force)
    elif path.suffix in (".pdf", ".svg", ".png") or path.is_file():
        raise ValueError(f"expected a folder for all figures, got the file {path}; name one figure")
    result, tables = options.load_with_features(file, features)
    style: dict[str, Any] = {
        "axis": None if log is None else "log" if log else "linear",
        "width": width,
        "budget": budget,
        "only": only,
        "features": tables,
        "limit": _limit_of(file, result),
        **options.read_gap(tolerance),
    }
    split = None if by is None else result.split(by, *tables)
    if split is not None:
        for line in split.lines(shell=True):
            terminal.print_note(line)
    if figure is not None:
        _require_data(figure, result, pair, has_features=bool(tables))
        _save_all(_drawings(figure, pair or [], path, result, split, style), force=force)
        return
    from polarbear.features.scores import TooFewRunsError
    from polarbear.selection.observed_budgets import NotObservedError

    for name in _possible_figures(result, pair, has_features=bool(tables)):
        try:
            drawings = _drawings(name, pair or [], path / f"{name}.{form}", result, split, style)
            _save_all(drawings, force=force)
        except (NotObservedError, TooFewRunsError) as error:
            terminal.print_note(f"no figure {name}: {error}")


def _require_data(figure: FigureName, result: "Result", pair: list[str] | None, *, has_features: bool) -> None:
    """Raise an error if a figure needs data that the result does not hold, or features or a pair that were not named."""
    needs = FIGURES[figure].needs
    if needs == "race" and result.race is None:
        raise ValueError(f"expected a race file for the figure {figure}, got {result.path}; choose another figure")
    if needs in ("runs", "features") and not result.runs:
        raise ValueError(
            f"expected runs for the figure {figure}, got {result.path}, which holds none; give the file of the runs"
        )
    if needs == "features" and not (has_features or result.imported is not None or result.features):
        raise ValueError(
            f"expected a table of features for the figure {figure}, got none; add --features FILE, with a column instance"
        )
    if FIGURES[figure].pair and pair is None:
        names = " ".join(map(shlex.quote, result.posterior.names[:2]))
        raise ValueError(f"expected two algorithms for the figure {figure}, got none; add {names}")


def _possible_figures(result: "Result", pair: list[str] | None, *, has_features: bool) -> "Iterator[FigureName]":
    """Yield the figures for which there are data."""
    own = has_features or result.imported is not None or bool(result.features)
    available = {"posterior": True, "race": result.race is not None, "runs": bool(result.runs)}
    available["features"] = available["runs"] and own
    for name, entry in FIGURES.items():
        if not available[entry.needs] or (entry.pair and pair is None):
            continue
        if name != "comparisons" or result.posterior.comparisons is not None:
            yield name


def _drawings(
    name: FigureName, pair: list[str], path: Path, result: "Result", split: "Split | None", style: dict[str, Any]
) -> "Iterator[tuple[Path, Figure]]":
    """Yield a figure and its file: one with a panel per group if it has panels, otherwise one of all runs and each group."""
    from polarbear.plots import by_group
    from polarbear.selection.query import as_preference

    entry = FIGURES[name]
    if split is not None and entry.panels:
        own = {f"{split.groups.feature} {group}": each.posterior for group, each in split.own_results.items()}
        look = {"axis": style["axis"], "width": style["width"], "among": style["only"]}
        unit = result.clock or "budget"
        panels = {"all runs": result.posterior, **own}
        yield path, by_group(name, panels, unit=unit, preference=as_preference(style["budget"]), **look)
        return
    pair = pair if entry.pair else []
    yield path, result.plot(name, *pair, **style)
    if split is None or entry.needs in (
        "features",
        "race",
    ):  # a tree divides the instances itself, and a group is no race
        return
    for group, each in split.own_results.items():
        try:
            drawing = each.plot(name, *pair, **style)
        except ValueError as error:  # for example, an algorithm of the pair has no runs in this group
            terminal.print_note(f"no figure {name} for {split.groups.feature} {group}: {error}")
            continue
        ending = re.sub(r"[^\w.+-]+", "-", f"{split.groups.feature} {group}")
        yield path.with_stem(f"{path.stem}-{ending}"), drawing


def _save_all(drawings: "Iterator[tuple[Path, Figure]]", *, force: bool) -> None:
    from polarbear import plots

    for path, drawing in drawings:
        path.parent.mkdir(parents=True, exist_ok=True)
        plots.save(drawing, path, force=force)
        terminal.print_result(str(path))


def _limit_of(file: Path, result: "Result") -> int | None:
    """Return the limit of instances of a race that was started from a configuration; None for all others."""
    if result.race is None or not result.continues:
        return None
    from polarbear.configuration.stored import load_stored

    return load_stored(file).most_instances
