"""Command `export`: write tables and draws for other programs and for papers."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from polarbear.cli import options, select, terminal
from polarbear.cli.open_file import open_race, posterior_and_candidates, require_race_file

if TYPE_CHECKING:
    from polarbear.exports.tables import Table

What = Literal["runs", "posterior", "decisions", "pairwise", "selection", "configuration"]
Format = Literal["csv", "parquet", "json", "tex", "nc", "npz", "toml"]

# The first format of each is the default, also on standard output.
_FORMATS: dict[str, tuple[Format, ...]] = {
    "runs": ("csv", "parquet"),
    "posterior": ("csv", "parquet", "nc", "npz"),
    "decisions": ("json",),
    "pairwise": ("csv", "tex", "parquet", "json"),
    "selection": ("csv", "tex", "parquet", "json"),
    "configuration": ("toml",),
}
_BINARY = ("parquet", "nc", "npz")


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A race file, or a posterior that was saved.")],
    what: Annotated[What, typer.Argument(help="What to write.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to; its ending says how. Standard output by default.")
    ] = None,
    form: Annotated[Format | None, typer.Option("--format", help="How, where the ending does not say.")] = None,
    level: Annotated[float, typer.Option(help="Of the credible intervals.")] = 0.95,
    rope: Annotated[float, typer.Option(help="What counts as equal, in the pairwise table.")] = 0.05,
    at: select.At = None,
    final: select.Final = False,
    uniform: select.Uniform = False,
    log_uniform: select.LogUniform = False,
    between: select.Between = None,
    samples: select.Samples = None,
    risk: select.Risk_ = "expected",
    quantile: select.Level = None,
    portfolio: select.Portfolio = 1,
) -> None:
    """Write a race or a posterior for others to read.

    runs: csv, parquet. posterior: csv, parquet (summaries), nc (draws, for ArviZ), npz (draws, for PolarBear).
    decisions: json. pairwise, selection: csv, tex (booktabs), parquet, json. configuration: toml.
    """
    kind = _format(what, output, form)
    options.require_writable(output)
    if what == "configuration":
        from polarbear.configuration import load_stored

        require_race_file(file)
        _put(load_stored(file).text, output)
    elif what == "decisions":
        _put(_decisions(file), output)
    elif kind in ("nc", "npz"):
        assert output is not None
        _draws(file, output, kind)
    else:
        if what == "selection":
            preference = select.preference_of(at, final, uniform, log_uniform, between, samples)
            table, caption = _selection(file, preference, select.risk_of(risk, quantile), portfolio)
        else:
            table, caption = _table(file, what, level, rope)
        _put_table(table, caption, output, kind)


def _format(what: What, output: Path | None, form: Format | None) -> Format:
    known = _FORMATS[what]
    ending = None if output is None else output.suffix.removeprefix(".").lower()
    kind = form or ending or known[0]
    chosen = next((each for each in known if each == kind), None)
    if chosen is None:
        raise ValueError(f"{what} can be written as {', '.join(known)}, not as {kind!r}; choose an ending or --format")
    if output is None and chosen in _BINARY:
        raise ValueError(f"{chosen} is not text; say where to with --output FILE.{chosen}")
    return chosen


def _table(file: Path, what: What, level: float, rope: float) -> "tuple[Table, str]":
    from polarbear import exports

    if what == "runs":
        with open_race(file) as race:
            return exports.runs_table(race.result.runs, clock=race.state.settings.clock), ""
    posterior, _ = posterior_and_candidates(file)
    if what == "posterior":
        return exports.posterior_table(posterior, level=level), ""
    return exports.pairwise_table(posterior, rope=rope), "How surely the first algorithm beats the second."


def _selection(file: Path, preference: Any, risk: Any, portfolio: int) -> "tuple[Table, str]":
    from polarbear import exports
    from polarbear.selection import select

    posterior, candidates = posterior_and_candidates(file)
    selection = select(posterior, preference, risk, among=candidates, portfolio=portfolio)
    return exports.selection_table(selection), selection.sentence


def _decisions(file: Path) -> str:
    import json

    from polarbear.exports import decisions

    with open_race(file) as race:
        return json.dumps(terminal.to_json_types(decisions(race.result)), indent=2, ensure_ascii=False) + "\n"


def _draws(file: Path, output: Path, kind: Format) -> None:
    posterior, _ = posterior_and_candidates(file)
    if kind == "npz":
        posterior.save(output)
        return
    try:
        posterior.to_arviz().to_netcdf(output, engine="h5netcdf")
    except ImportError as error:
        raise ImportError("netCDF needs xarray and h5netcdf: pip install 'polarbear[arviz]'") from error


def _put_table(table: "Table", caption: str, output: Path | None, kind: Format) -> None:
    from polarbear import exports

    if output is None:
        _put(exports.as_text(table, kind, caption=caption), None)
    else:
        exports.write_table(table, output, kind, caption=caption)


def _put(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        output.write_text(text, encoding="utf-8")
