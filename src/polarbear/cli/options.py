"""Arguments and options that several commands have.

The help "@module:name" of an option is the description of that parameter in Python, see `polarbear.cli.help`.
"""

import logging
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli.help import MORE, RUNS
from polarbear.literals import Clock, EndedRule, Indicator, ReaderName
from polarbear.output_file import check_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.features.table import FeatureTable
    from polarbear.result import Result

ANALYSE, READ, SETTINGS, SELECT = (
    "@polarbear.opening:analyse",
    "@polarbear.importers.reading:read_runs",
    "@polarbear.race.settings:Settings",
    "@polarbear.result:Result.select",
)

Config = Annotated[Path, typer.Argument(help="The configuration, or the folder of a race.toml.", show_default=True)]
RaceFileName = Annotated[Path, typer.Argument(metavar="RACE", help="The race file.")]
AnySource = Annotated[Path, typer.Argument(metavar="FILE", help="A race file, a saved result, or recorded runs.")]
Features = Annotated[
    Path | None, typer.Option(metavar="TABLE", help="Features of the instances: CSV, Parquet, or ARFF of ASlib.")
]
By = Annotated[
    str | None,
    typer.Option("--by", metavar="FEATURE", help="Also an answer for each group of instances by this feature."),
]
Only = Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this algorithm; repeatable.")]
Budget = Annotated[
    str | None,
    typer.Option(metavar="BUDGET", help="500, 100..1000, uniform, log-uniform, final, or a file of budgets."),
]
Gap = Annotated[
    str | None,
    typer.Option(metavar="AMOUNT", help="For gap: the smallest difference that matters: 0.5, or 10% of the value."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that PolarBear did not write.")]
Workers = Annotated[
    str | None, typer.Option(metavar="NUMBER", help="Simultaneous runs, or the address of a Dask scheduler.")
]
MaxInstances = Annotated[int | None, typer.Option(help="Stop at this total number of instances.")]
SetKeys = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a key of race.toml: race.prior=RandomWalk; repeatable."),
]


def silence(quiet: bool) -> bool:
    """Silence the log of the package, such as the expected duration of a long fit, as well."""
    logging.getLogger("polarbear").setLevel(logging.ERROR if quiet else logging.NOTSET)
    return quiet


Quiet = Annotated[bool, typer.Option("--quiet", "-q", callback=silence, help="Print no progress and no notes.")]


def _run_option(*names: str, help: str = READ, **details: Any) -> Any:  # noqa: A002  (the word of typer)
    return typer.Option(*names, help=help, rich_help_panel=RUNS, **details)


@dataclass(frozen=True)
class Reading:
    """Options of `read_runs` and `analyse`, which say how to read recorded runs, and which of them to compare."""

    reader: Annotated[ReaderName | None, _run_option(metavar="NAME")] = None
    columns: Annotated[
        list[str] | None,
        _run_option("--column", metavar="NAME=COLUMN", help="The name of a column: raw_y=loss; repeatable."),
    ] = None
    clock: Annotated[Clock | None, _run_option(help=ANALYSE)] = None
    maximise: Annotated[bool | None, _run_option("--maximise/--minimise")] = None
    objectives: Annotated[
        list[str] | None,
        _run_option("--objective", metavar="COLUMN", help="The column of an objective; repeatable."),
    ] = None
    indicator: Annotated[Indicator | None, _run_option()] = None
    reference: Annotated[str | None, _run_option(metavar="NUMBERS")] = None
    renumber: Annotated[bool, _run_option("--renumber")] = False
    cluster: Annotated[list[str] | None, _run_option(metavar="COLUMN")] = None
    ended: Annotated[EndedRule, _run_option()] = "auto"
    repeated: Annotated[bool | None, _run_option("--repeated/--not-repeated")] = None
    where: Annotated[
        list[str] | None,
        _run_option(metavar="COLUMN=VALUE", help="Only these runs: function=1,2 or dimension=2..10; repeatable."),
    ] = None
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Compare only this algorithm; repeatable.")] = (
        None
    )
    without: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Leave this algorithm out; repeatable.")] = (
        None
    )
    include: Annotated[
        list[str] | None,
        _run_option(metavar="NAME", help="Compare this algorithm although it ran on few instances; repeatable."),
    ] = None
    per: Annotated[str | None, _run_option(metavar="COLUMN")] = None
    budgets: Annotated[
        str | None,
        typer.Option(metavar="RANGE", help="Compare at these budgets: 10..500, ..500, 10..500:40, or 10,100,500."),
    ] = None
    tolerance: Annotated[
        str | None,
        typer.Option(metavar="AMOUNT", rich_help_panel=MORE, help="Values this close are tied: 0.5, or 0.1% of them."),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the options that were given, as arguments of `analyse`."""
        from polarbear.importers.part import parse_condition

        found = {each.name: getattr(self, each.name) for each in fields(self)}
        found = {each.name: found[each.name] for each in fields(self) if found[each.name] not in (each.default, [])}
        if "columns" in found:
            pairs = [split_pair("--column", each, "raw_y=loss") for each in found["columns"]]
            found["columns"] = {name: column or None for name, column in pairs}
        if "reference" in found:
            found["reference"] = _numbers("--reference", found["reference"])
        if "where" in found:
            found["where"] = [parse_condition(each) for each in found["where"]]
        if "only" in found:  # an algorithm that is named is compared
            found["include"] = [*found.get("include", ()), *found["only"]]
        return found

    def as_typed(self) -> str:
        """Return the options that were given, as you would type them after the path; with a blank before each."""
        from polarbear.importers.option_text import as_typed

        values = {each.name: getattr(self, each.name) for each in fields(self)}
        given = [each.name for each in fields(self) if values[each.name] not in (each.default, [])]
        return "".join(f" {as_typed(name, values[name])}" for name in given)


def load_with_features(file: Path, features: Path | None) -> "tuple[Result, tuple[FeatureTable, ...]]":
    """Return the result of a file, and the table of features if one is named."""
    from polarbear.opening import load

    result = load(file)
    return result, () if features is None else (read_table(features, result),)


def read_table(features: Path, result: "Result") -> "FeatureTable":
    """Return a table of features; it may name the listed instances of a race."""
    from polarbear.features.reading import read_features

    return read_features(features, instances=result.listed)


def require_writable(*paths: Path | None, inputs: "Sequence[Path | None]" = (), force: bool = False) -> None:
    """Raise an error, before any work is done, if one of these files could or should not be written at the end."""
    for number, path in enumerate(paths):
        if path is not None:
            check_output(path, inputs=(*inputs, *paths[:number]), force=force)


def overrides(given: dict[str, Any], settings: list[str] | None, workers: str | None = None) -> dict[str, Any]:
    """Return the values that the command line sets instead of the file, by dotted key."""
    from polarbear.configuration import parse_value

    changes = {key: value for key, value in given.items() if value is not None}
    if workers is not None:
        changes |= {"execution.workers": int(workers)} if workers.isdecimal() else {"execution.dask": workers}
    for each in settings or ():
        key, value = split_pair("--set", each, "race.margin=0.1")
        changes[key] = parse_value(value)
    for here, there in (("workers", "dask"), ("dask", "workers")):
        if f"execution.{here}" in changes:  # None removes a key of the file
            changes.setdefault(f"execution.{there}", None)
    return changes


def split_pair(option: str, text: str, example: str) -> tuple[str, str]:
    """Return the two sides of a `name=value` that was given with an option."""
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise ValueError(f"expected {option} name=value, such as {option} {example}, got {text!r}")
    return name.strip(), value.strip()


def read_gap(text: str | None) -> dict[str, Any]:
    """Return the tolerance of `gap_exceeds` that was typed, and whether it is a share; nothing if none was.

    Examples
    --------
    >>> read_gap("0.5"), read_gap("10%"), read_gap(None)
    ({'tolerance': 0.5, 'relative': False}, {'tolerance': 0.1, 'relative': True}, {})
    """
    if text is None:
        return {}
    number, relative = text.removesuffix("%").rstrip(), text.endswith("%")
    (amount,) = _numbers("--tolerance", number, "0.5 or 10%")
    return {"tolerance": amount / (100 if relative else 1), "relative": relative}


def _numbers(option: str, text: str, example: str = "1.1,1.1") -> list[float]:
    try:
        return [float(each) for each in text.split(",")]
    except ValueError as error:
        raise ValueError(f"expected {option} with numbers such as {example}, got {text!r}") from error
