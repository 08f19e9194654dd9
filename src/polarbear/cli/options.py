"""Arguments and options shared by several commands."""

from pathlib import Path
from typing import Annotated, Any

import typer

Config = Annotated[Path, typer.Argument(help="The configuration, or its folder.", show_default=True)]
RaceFileName = Annotated[Path, typer.Argument(metavar="RACE", help="The race file.")]
OtherConfig = Annotated[Path | None, typer.Option("--config", help="The configuration, where it is not where it was.")]
Json = Annotated[bool, typer.Option("--json", help="The result as JSON, for programs.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no remarks on standard error.")]

Confidence = Annotated[float | None, typer.Option(help="How sure a decision must be.")]
Guarantee = Annotated[
    float | None, typer.Option(help="The largest probability of any wrong elimination, whatever the model.")
]
Rope = Annotated[float | None, typer.Option(help="Half the width of the region of practical equivalence.")]
Seed = Annotated[int | None, typer.Option(help="All randomness follows from it.")]
Workers = Annotated[int | None, typer.Option(help="Runs at the same time on this machine.")]
Dask = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Run on this Dask cluster.")]
MaxInstances = Annotated[int | None, typer.Option(help="Stop at so many instances in all.")]
MaxEvaluations = Annotated[float | None, typer.Option(help="Stop at such a cost in all, in the race's unit of time.")]
MaxSeconds = Annotated[float | None, typer.Option(help="Stop after so long on the wall clock.")]
Report = Annotated[Path | None, typer.Option(help="Write a page here, anew after each round; it renews itself.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any key of the file, for example race.prior=RandomWalk."),
]


def require_writable(*paths: Path | None) -> None:
    """Raise an error, before any work is done, if one of these files could not be written at the end."""
    for path in paths:
        if path is None:
            continue
        if path.is_dir():
            raise ValueError(f"expected a file to write, got the folder {path}; say also a name in it")
        if not path.parent.is_dir():
            raise ValueError(f"there is no folder {path.parent} for {path.name}; make it first")


def overrides(given: dict[str, Any], settings: list[str] | None) -> dict[str, Any]:
    """Return the values that the command line sets instead of the file, by dotted key."""
    from polarbear.configuration import parse_value

    changes = {key: value for key, value in given.items() if value is not None}
    for each in settings or ():
        key, separator, value = each.partition("=")
        if not separator or not key.strip():
            raise ValueError(f"expected --set key=value, such as --set race.rope=0.1, got {each!r}")
        changes[key.strip()] = parse_value(value.strip())
    for here, there in (("workers", "dask"), ("dask", "workers")):
        if f"execution.{here}" in changes:  # None removes a key of the file
            changes.setdefault(f"execution.{there}", None)
    return changes
