"""Command `export`: write tables and draws for other programs and for papers."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polarbear.cli import options
from polarbear.cli.terminal import as_json
from polarbear.output_file import check_output, with_mark, write_output

if TYPE_CHECKING:
    from typing import Any

    from polarbear.result import Result
    from polarbear.table import Table

What = Literal[
    "answer", "runs", "posterior", "pairwise", "quality", "speed-up", "gap", "instances", "configuration", "irace"
]
Format = Literal["csv", "parquet", "json", "tex", "md", "nc", "npz", "toml", "txt"]

_TABLE: tuple[Format, ...] = ("csv", "tex", "parquet", "json")
# The first format of each is the default, also on standard output.
_FORMATS: dict[str, tuple[Format, ...]] = {
    "answer": ("md", "tex", "json"),
    "runs": ("csv", "parquet"),
    "posterior": ("csv", "parquet", "nc", "npz"),
    **dict.fromkeys(("pairwise", "quality", "speed-up", "gap", "instances"), _TABLE),
    "configuration": ("toml",),
    "irace": ("txt",),
}
_OF_PAIRS = ("speed-up", "gap", "instances")
_OF_VALUES = ("quality", *_OF_PAIRS)
_BINARY = ("parquet", "nc", "npz")


def export(
    file: options.AnySource,
    what: Annotated[What, typer.Argument(help="What to write: " + ", ".join(_FORMATS) + ".")],
    pair: Annotated[
        list[str] | None, typer.Argument(metavar="A B", help="The two algorithms of speed-up, gap and instances.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The file, whose ending sets the format; else standard output."),
    ] = None,
    form: Annotated[Format | None, typer.Option("--format", help="The format, if --output has no such ending.")] = None,
    level: Annotated[float, typer.Option(help="The level of credible intervals.")] = 0.95,
    margin: Annotated[float | None, typer.Option(help=options.SETTINGS)] = None,
    budget: Annotated[float | None, typer.Option(help="For speed-up, gap and instances: at this budget.")] = None,
    tolerance: options.Gap = None,
    force: options.Force = False,
) -> None:
    """Write tables and draws of a race or a result, for other programs and for papers.

    Formats: answer md, tex, json; runs csv, parquet; posterior csv, parquet (summaries), nc (draws for ArviZ), npz (the
    saved result); pairwise, quality, speed-up, gap and instances csv, tex, parquet, json; configuration toml; irace txt
    (the kept configurations of a scenario).
    """
    kind = _format(what, output, form)
    if pair and what not in _OF_PAIRS:
        raise ValueError(f"expected no pair for {what}, got {' '.join(pair)}; leave it out")
    if output is not None:  # by force: an earlier table is known only by the columns of the new one
        check_output(output, inputs=[file], force=True, configuration=kind == "toml")
    if what == "configuration":
        from polarbear.configuration import load_stored

        _write_text(load_stored(_race_file(file)).text, output, kind, force=force)
        return
    if what == "irace":
        _write_text(_survivors(_race_file(file)), output, kind, force=force)
        return
    from polarbear.opening import load

    result = load(file)
    if what == "answer":
        _write_text(_answer(result, kind), output, kind, force=force)
    elif kind in ("nc", "npz"):
        assert output is not None
        _write_draws(result, output, kind, force=force)
    else:
        options_of_pair: dict[str, Any] = {"level": level, "at": budget, **options.read_gap(tolerance)}
        if what in _OF_VALUES:
            table, caption = _values(result, what, pair, options_of_pair)
        else:
            table, caption = _table(result, what, level, result.margin if margin is None else margin)
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


def _race_file(file: Path) -> Path:
    from polarbear.opening import require_race_file

    require_race_file(file)
    return file


def _table(result: "Result", what: What, level: float, margin: float) -> "tuple[Table, str]":
    from polarbear.exports import pairwise_table

    if what == "runs":
        return result.to_table("runs"), ""
    if what == "posterior":
        return result.posterior.to_table(level), ""
    caption = (
        "Each algorithm against each other one: the probability that it beats the other on most instances at every budget, "
        "at the first and at the last one; its mean win rate, and that at the first and the last budget; and the "
        f"probability, averaged over the budgets, that the win rate lies within {margin:g} of one half."
    )
    return pairwise_table(result.posterior, margin=margin), caption


def _values(result: "Result", what: What, pair: list[str] | None, given: "dict[str, Any]") -> "tuple[Table, str]":
    """Return a table of how much better an algorithm is, from the values of the runs."""
    from polarbear.magnitude.gap import gap_exceeds
    from polarbear.magnitude.instances_won import instances_won
    from polarbear.magnitude.quality import quality_curves
    from polarbear.magnitude.speed_up import speed_up

    runs = result.collection
    if runs is None:
        raise ValueError(f"expected runs for {what}, got {result.path}, which holds none; give the file of the runs")
    level, at = given.pop("level"), given.pop("at")
    if what == "quality":
        curves = quality_curves(runs, level=level)
        return curves.to_table(), curves.sentence
    if pair is None or len(pair) != 2:
        names = " ".join(map(shlex.quote, runs.names[:2]))
        raise ValueError(f"expected two algorithms for {what}, got {len(pair or ())}; add {names}")
    first, second = pair
    if what == "speed-up":
        found = speed_up(runs, first, second, at=at, level=level)
        return found.to_table(), found.sentence
    if what == "gap":
        shares = gap_exceeds(runs, first, second, **given, at=at, level=level)
        return shares.to_table(), shares.sentence
    won = instances_won(runs, first, second, at=at)
    return won.to_table(), won.sentence


def _answer(result: "Result", kind: Format) -> str:
    """Return the answer of a result."""
    if kind == "json":
        return as_json(result.to_dict())
    words = result.words(shell=True)
    return words.to_latex() if kind == "tex" else words.to_markdown()


def _survivors(file: Path) -> str:
    """Return the kept configurations of a race of an irace scenario as a table for irace."""
    from polarbear.configuration import load_stored
    from polarbear.irace.race_toml import survivors_table
    from polarbear.opening import load_race

    text = load_stored(file, config=file).text  # empty if the file stores no configuration
    if not text:
        raise ValueError(
            f"expected a race that polarbear init --irace has prepared, got {file}, which was made by a Python program; "
            "write the table in that program: scenario.format_configurations(stage.configuration for stage in answer.stages)"
        )
    result = load_race(file)
    result.posterior  # noqa: B018  # raises an error before the first round has ended
    return survivors_table(text, result.kept, file)


def _write_draws(result: "Result", output: Path, kind: Format, *, force: bool) -> None:
    if kind == "npz":
        result.save(output, force=force)
    else:
        from polarbear.posterior.arviz_data import as_netcdf

        write_output(output, as_netcdf(result.posterior.to_xarray()), force=force)


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
