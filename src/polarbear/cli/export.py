"""Command `export`: write tables and draws for other programs and for papers."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polarbear.cli import options
from polarbear.cli.open_file import (
    decided_result,
    posterior_and_candidates,
    require_race_file,
)
from polarbear.cli.terminal import as_json
from polarbear.output_file import check_output, with_mark, write_output

if TYPE_CHECKING:
    from typing import Any

    from polarbear.table import Table

What = Literal[
    "answer",
    "runs",
    "posterior",
    "pairwise",
    "selection",
    "quality",
    "speed-up",
    "gap",
    "instances",
    "configuration",
    "irace",
]
Format = Literal["csv", "parquet", "json", "tex", "md", "nc", "npz", "toml", "txt"]

# The first format of each is the default, also on standard output.
_FORMATS: dict[str, tuple[Format, ...]] = {
    "answer": ("md", "tex", "json"),
    "runs": ("csv", "parquet"),
    "posterior": ("csv", "parquet", "nc", "npz"),
    "pairwise": ("csv", "tex", "parquet", "json"),
    "selection": ("csv", "tex", "parquet", "json"),
    "quality": ("csv", "tex", "parquet", "json"),
    "speed-up": ("csv", "tex", "parquet", "json"),
    "gap": ("csv", "tex", "parquet", "json"),
    "instances": ("csv", "tex", "parquet", "json"),
    "configuration": ("toml",),
    "irace": ("txt",),
}
_OF_VALUES = ("quality", "speed-up", "gap", "instances")
_BINARY = ("parquet", "nc", "npz")


def export(
    file: options.AnyFile,
    what: Annotated[What, typer.Argument(help="What to write.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file; its ending sets the format. Standard output by default."),
    ] = None,
    form: Annotated[Format | None, typer.Option("--format", help="The format, if --output has no such ending.")] = None,
    level: Annotated[float, typer.Option(help="The level of the credible intervals.")] = 0.95,
    margin: Annotated[
        float, typer.Option(help="For pairwise: win rates within this distance of 0.5 count as equal.")
    ] = 0.05,
    pair: Annotated[
        tuple[str, str] | None, typer.Option(help="For speed-up, gap and instances: the two algorithms.")
    ] = None,
    tolerance: options.Tolerance = None,
    force: options.Force = False,
    *,
    budgets: options.Budgets,
    attitude: options.Attitude,
    comparison: options.Comparison,
) -> None:
    """Write tables and draws of a race or a posterior, for other programs and for papers.

    Formats of answer: md (Markdown), tex, json (with the settings and the rounds of a race). Of runs: csv, parquet. Of
    posterior: csv, parquet (summaries), nc (draws, for ArviZ), npz (draws, for PolarBear). Of pairwise, selection, quality,
    speed-up, gap and instances: csv, tex (booktabs), parquet, json. Of configuration: toml. Of irace, the kept
    configurations of an irace scenario: txt.
    """
    kind = _format(what, output, form)
    if output is not None:  # by force: an earlier table is known only by the columns of the new one
        check_output(output, inputs=[file], force=True, configuration=kind == "toml")
    if what == "configuration":
        from polarbear.configuration import load_stored

        require_race_file(file)
        _write_text(load_stored(file).text, output, kind, force=force)
    elif what == "irace":
        _write_text(_survivors(file), output, kind, force=force)
    elif what == "answer":
        _write_text(_answer(file, kind), output, kind, force=force)
    elif kind in ("nc", "npz"):
        assert output is not None
        _write_draws(file, output, kind, force=force)
    else:
        if what == "selection":
            table, caption = _selection(file, budgets, attitude, comparison)
        elif what in _OF_VALUES:
            table, caption = _values(file, what, level, pair, budgets.at, options.read_tolerance(tolerance))
        else:
            table, caption = _table(file, what, level, margin)
        _write_table(table, caption, output, kind, force=force)


def _format(what: What, output: Path | None, form: Format | None) -> Format:
    known = _FORMATS[what]
    ending = None if output is None else output.suffix.removeprefix(".").lower()
    kind = form or ending or known[0]
    chosen = next((each for each in known if each == kind), None)
    if chosen is None:
        raise ValueError(f"expected {' or '.join(known)} for {what}, got {kind!r}; change the ending, or add --format")
    if output is None and chosen in _BINARY:
        raise ValueError(f"expected a file for the binary format {chosen}, got none; add --output FILE.{chosen}")
    return chosen


def _table(file: Path, what: What, level: float, margin: float) -> "tuple[Table, str]":
    from polarbear.exports import pairwise_table
    from polarbear.opening import load

    if what == "runs":
        return load(file, only_saved=True).to_table("runs"), ""
    posterior, _ = posterior_and_candidates(file)
    if what == "posterior":
        return posterior.to_table(level), ""
    caption = (
        "Each algorithm against each other one: the probability that it beats the other on most instances at every budget, "
        "at the first and at the last one; its mean win rate, and that at the first and the last budget; and the "
        f"probability, averaged over the budgets, that the win rate lies within {margin:g} of one half."
    )
    return pairwise_table(posterior, margin=margin), caption


def _selection(
    file: Path, budgets: options.Budgets, attitude: options.Attitude, comparison: options.Comparison
) -> "tuple[Table, str]":
    from polarbear.selection import select

    preference, risk = budgets.preference(), attitude.risk()
    comparison.criterion()  # reports options that exclude each other before anything is read
    posterior, candidates = posterior_and_candidates(file)
    selection = select(
        posterior,
        preference,
        risk,
        among=candidates,
        portfolio=attitude.portfolio,
        copies=attitude.copies,
        criterion=comparison.criterion(posterior.names),
    )
    return selection.to_table(), selection.sentence


def _values(
    file: Path,
    what: What,
    level: float,
    pair: tuple[str, str] | None,
    at: float | None,
    tolerance: "dict[str, Any]",
) -> "tuple[Table, str]":
    """Return a table of how much better an algorithm is, from the values in a race file."""
    from polarbear.magnitude.collection import collect_runs
    from polarbear.magnitude.gap import gap_exceeds
    from polarbear.magnitude.instances_won import instances_won
    from polarbear.magnitude.quality import quality_curves
    from polarbear.magnitude.speed_up import speed_up

    require_race_file(file)
    result = decided_result(file)
    runs = collect_runs(result, posterior=result.posterior)
    if what == "quality":
        curves = quality_curves(runs, level=level)
        return curves.to_table(), curves.sentence
    if pair is None:
        names = " ".join(map(shlex.quote, runs.names[:2]))
        raise ValueError(f"expected two algorithms for {what}, got none; add --pair {names}")
    if what == "speed-up":
        found = speed_up(runs, *pair, at=at, level=level)
        return found.to_table(), found.sentence
    if what == "gap":
        shares = gap_exceeds(runs, *pair, **tolerance, at=at, level=level)
        return shares.to_table(), shares.sentence
    won = instances_won(runs, *pair, at=at)
    return won.to_table(), won.sentence


def _answer(file: Path, kind: Format) -> str:
    """Return the answer of a race or a saved posterior."""
    from polarbear.opening import load

    result = load(file, only_saved=True)
    if kind == "json":
        return as_json(result.to_dict())
    words = result.words(shell=True)
    return words.to_latex() if kind == "tex" else words.to_markdown()


def _survivors(file: Path) -> str:
    """Return the Pareto set of a race of irace configurations as a table for irace."""
    from polarbear.configuration import load_stored
    from polarbear.irace.race_toml import survivors_table

    require_race_file(file)
    text = load_stored(file, config=file).text  # empty if the file stores no configuration
    if not text:
        raise ValueError(
            f"expected a race that polarbear init --irace has prepared, got {file}, which was made by a Python program; "
            "write the table in that program: scenario.format_configurations(stage.configuration for stage in answer.stages)"
        )
    return survivors_table(text, decided_result(file).kept, file)


def _write_draws(file: Path, output: Path, kind: Format, *, force: bool) -> None:
    from polarbear.posterior.arviz_data import as_netcdf

    posterior, _ = posterior_and_candidates(file)
    if kind == "npz":
        posterior.save(output, force=force)
    else:
        write_output(output, as_netcdf(posterior.to_xarray()), force=force)


def _write_table(table: "Table", caption: str, output: Path | None, kind: Format, *, force: bool) -> None:
    from polarbear import exports

    if output is None:
        _write_text(exports.as_text(table, kind, caption=caption), None, kind)
    else:
        exports.write_table(table, output, kind, caption=caption, force=force)


def _write_text(text: str, output: Path | None, kind: Format, *, force: bool = False) -> None:
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_output(output, with_mark(text, kind), force=force, configuration=kind == "toml")
