"""Read the runs that `analyse` compares: recorded runs in files of any supported format, or the runs of a race file."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.open_file import is_race_file, open_race
from polarbear.literals import Clock, EndedRule, FileFormat, PresetName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.observe import Grid, Trajectory

_MOST_SKIPPED = 10  # remarks on skipped data to print


@dataclass(frozen=True)
class Reading:
    """Options that say how to read recorded runs."""

    preset: Annotated[
        PresetName | None, typer.Option(help="The tool that wrote the data; sets the options that are not given.")
    ] = None
    form: Annotated[FileFormat | None, typer.Option("--format", help="Read only files of this format.")] = None
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="NAME=COLUMN", help="The name of a column: raw_y=loss; repeatable."),
    ] = None
    old_columns: Annotated[
        list[str] | None, typer.Option("--map", hidden=True, metavar="NAME=COLUMN", help="The same as --column.")
    ] = None
    clock: Annotated[
        Clock | None, typer.Option(help="The unit of time; evaluations by default, for a race file its own.")
    ] = None
    maximise: Annotated[
        bool | None,
        typer.Option("--maximise/--minimise", help="Whether high or low values are better; by default as in the data."),
    ] = None
    renumber: Annotated[
        bool, typer.Option("--renumber", help="Number repeated runs in the order in which they appear.")
    ] = False
    cluster: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Instances with equal values in this column are not independent; none: all are. Default: auto.",
        ),
    ] = None
    ended: Annotated[
        EndedRule,
        typer.Option(
            help="Whether a run keeps its value after its end (stays) or is unknown there (censored); auto: by its format."
        ),
    ] = "auto"
    absolute_tolerance: Annotated[
        float | None,
        typer.Option(
            min=0, help="Values that differ by no more than this are tied; 1e-8 for COCO's data, otherwise 0."
        ),
    ] = None
    relative_tolerance: Annotated[
        float | None,
        typer.Option(min=0, help="Values that differ by no more than this share are tied; 0 by default."),
    ] = None

    def tolerances(self) -> dict[str, float]:
        """Return the tolerances that were given."""
        given = {name: getattr(self, name) for name in ("absolute_tolerance", "relative_tolerance")}
        return {name: value for name, value in given.items() if value is not None}

    def column_names(self) -> dict[str, str | None]:
        """Return the column of each name that has another one in the data; None if the data have no such column."""
        pairs = [
            options.split_pair("--column", each, "raw_y=loss")
            for each in [*(self.columns or ()), *(self.old_columns or ())]
        ]
        return {name: column or None for name, column in pairs}


@dataclass(frozen=True)
class RecordedRuns:
    """Recorded runs with their clock, the data that were skipped, and how to compare them."""

    runs: "Sequence[Trajectory]"
    clock: Clock
    skipped: list[str] = field(default_factory=list)
    grid: "Grid | None" = None
    ranking: dict[str, Any] = field(default_factory=dict)  # how ties, failures and clusters are treated


def read_recorded_runs(path: Path, reading: Reading, *, quiet: bool) -> RecordedRuns:
    """Return the runs in a folder, a file, an archive or a race file; print remarks on what was skipped."""
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}")
    if path.is_file() and is_race_file(path) and not _holds_studies(path):
        if reading.cluster not in (None, ["none"], ["auto"]):
            raise ValueError(
                f"expected recorded runs for --cluster, got the race file {path}, which has no clusters; leave it out"
            )
        if reading.preset is not None:
            raise ValueError(f"expected recorded runs for --preset, got the race file {path}; leave it out")
        if reading.ended != "auto":
            raise ValueError(
                f"expected recorded runs for --ended, got the race file {path}, whose runs count until the time that the "
                "race asked for; leave it out"
            )
        return _runs_of_race(path, reading)
    from polarbear.importers import read_runs
    from polarbear.importers.presets import PRESETS

    clock = reading.clock or (PRESETS[reading.preset].clock if reading.preset else "evaluations")
    imported = read_runs(
        path,
        preset=reading.preset,
        format=reading.form,
        columns=reading.column_names() or None,
        maximise=reading.maximise,
        clock=clock,
        renumber=reading.renumber,
        cluster=reading.cluster or "auto",
        ended=reading.ended,
    )
    for note in imported.about.notes:
        terminal.print_remark(note, quiet=quiet)
    skipped = [str(each) for each in imported.skipped]
    for line in skipped[:_MOST_SKIPPED]:
        terminal.print_remark(f"skipped: {line}", quiet=quiet)
    if more := len(skipped[_MOST_SKIPPED:]):
        terminal.print_remark(f"... and {more} more", quiet=quiet)
    return RecordedRuns(imported.runs, clock, skipped, ranking=imported.ranking | reading.tolerances())


def _holds_studies(path: Path) -> bool:
    """Return whether an SQLite database is one of Optuna studies, rather than a race file."""
    from polarbear.importers.optuna import holds_studies

    return holds_studies(path)


def _runs_of_race(path: Path, reading: Reading) -> RecordedRuns:
    with open_race(path) as race:
        settings, runs = race.state.settings, [run.trajectory for run in race.result.runs]
    if reading.clock not in (None, settings.clock):
        raise ValueError(
            f"expected --clock {settings.clock} for the race file {path}, got {reading.clock}; leave --clock out"
        )
    ranking = {name: getattr(settings, name) for name in ("failure", "absolute_tolerance", "relative_tolerance")}
    return RecordedRuns(runs, settings.clock, grid=settings.grid, ranking=ranking | reading.tolerances())
