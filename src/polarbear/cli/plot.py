"""Command `plot`: draw figures for papers and slides."""

import shlex
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from polarbear.cli import options, terminal
from polarbear.cli.open_file import decided_result, is_race_file
from polarbear.cli.recorded_runs import Reading
from polarbear.cli.source import open_source
from polarbear.plots.registry import FIGURES, FigureName

Format = Literal["pdf", "svg", "png"]

_DRAWS = 1000  # as in the report: bands of a figure need no more, and inference takes less than half the time


def plot(  # noqa: D103  (its docstring lists the figures of the registry; see below)
    file: options.AnySource,
    figure: Annotated[
        FigureName | None,
        typer.Option("--figure", "-f", help="The figure; by default all of them, pair only with --pair."),
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
    pair: Annotated[tuple[str, str] | None, typer.Option(help="The two algorithms of the figure pair.")] = None,
    *,
    budgets: options.Budgets,
    reading: Reading,
) -> None:
    from polarbear import plots
    from polarbear.selection.observed_times import NotObservedError

    style: dict[str, Any] = {
        "axis": None if log is None else "log" if log else "linear",
        "width": width,
        "among": among,
        "pair": pair,
        "preference": budgets.preference(),
        "limit": _limit_of(file) if figure in (None, "forecast") else None,
    }
    if figure is not None:
        path = output or Path(f"{file.stem}-{figure}.{form}")
        options.require_writable(path)
        if FIGURES[figure].needs == "race":
            if not is_race_file(file) or reading.given:
                raise ValueError(f"expected a race file for the figure {figure}, got {file}; choose another figure")
            # Some of these figures need no posterior, which takes a second to infer.
            plots.save(plots.draw_figure(figure, None, decided_result(file, most_draws=_DRAWS), **style), path)
            terminal.print_result(str(path))
            return
        source = open_source(file, reading, most_draws=_DRAWS)
        posterior, result = source.posterior, source.result
        if figure == "pair" and pair is None:
            names = " ".join(map(shlex.quote, posterior.names[:2]))
            raise ValueError(f"expected two algorithms for the figure pair, got none; add --pair {names}")
        plots.save(plots.draw_figure(figure, posterior, result, **style), path)
        terminal.print_result(str(path))
        return
    folder = output or Path(f"{file.stem}-figures")
    if folder.suffix in (".pdf", ".svg", ".png") or folder.is_file():
        raise ValueError(f"expected a folder for all figures, got the file {folder}; choose one figure with --figure")
    source = open_source(file, reading, most_draws=_DRAWS)
    posterior, result = source.posterior, source.result
    for name, entry in FIGURES.items():
        if (entry.needs == "race" and result is None) or (name == "pair" and pair is None):
            continue
        if name == "comparisons" and posterior.comparisons is None:
            continue
        try:
            path, drawing = folder / f"{name}.{form}", plots.draw_figure(name, posterior, result, **style)
        except NotObservedError as error:
            terminal.print_remark(f"no figure {name}: {error}")
            continue
        folder.mkdir(parents=True, exist_ok=True)
        plots.save(drawing, path)
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
"""
