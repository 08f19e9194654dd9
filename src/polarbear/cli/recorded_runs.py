"""Read the runs that commands compare: recorded runs in files of any supported format, or the runs of a race file."""

from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options
from polarbear.cli.open_file import is_race_file, open_race
from polarbear.literals import Clock, EndedRule, Indicator, PresetName
from polarbear.wording import find_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polarbear.findings import Finding
    from polarbear.importers import Imported
    from polarbear.observe import Grid, Trajectory
    from polarbear.race.instance_features import Features
    from polarbear.race.outcome import RaceOutcome

_PANEL = "Recorded runs"  # the heading of these options in the help of commands that also take other files


def _option(*names: str, **details: Any) -> Any:
    """Return an option that the help of a command lists under the heading of recorded runs."""
    return typer.Option(*names, rich_help_panel=_PANEL, **details)


@dataclass(frozen=True)
class Reading:
    """Options that say how to read recorded runs."""

    preset: Annotated[
        PresetName | None, _option(help="The tool that wrote the data; sets the options that are not given.")
    ] = None
    columns: Annotated[
        list[str] | None,
        _option("--column", metavar="NAME=COLUMN", help="The name of a column: raw_y=loss; repeatable."),
    ] = None
    clock: Annotated[
        Clock | None, _option(help="The unit of time; evaluations by default, for a race file its own.")
    ] = None
    maximise: Annotated[
        bool | None,
        _option("--maximise/--minimise", help="Whether high or low values are better; by default as in the data."),
    ] = None
    objectives: Annotated[
        list[str] | None,
        _option(
            "--objective", metavar="COLUMN", help="The column of an objective; repeatable. Default: as in the data."
        ),
    ] = None
    indicator: Annotated[
        Indicator | None, _option(help="The quality by which runs with several objectives are compared.")
    ] = None
    reference: Annotated[
        str | None,
        _option(
            metavar="NUMBERS", help="The reference point of the hypervolume, such as 1.1,1.1; default: from the data."
        ),
    ] = None
    renumber: Annotated[bool, _option("--renumber", help="Number repeated runs in the order in which they appear.")] = (
        False
    )
    cluster: Annotated[
        list[str] | None,
        _option(
            metavar="COLUMN",
            help="Instances with equal values in this column are not independent; none: all are. Default: auto.",
        ),
    ] = None
    ended: Annotated[
        EndedRule,
        _option(
            help="Whether a run keeps its value after its end (stays) or is unknown there (censored); auto: by its format."
        ),
    ] = "auto"
    repeated: Annotated[
        bool | None,
        _option(
            "--repeated/--not-repeated",
            help="Whether tables without a run_id hold several runs per algorithm and instance, one after the other.",
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        _option(
            metavar="COLUMN=VALUE", help="Only runs with this value; also function=1,2 or dimension=2..10; repeatable."
        ),
    ] = None
    only: Annotated[list[str] | None, _option(metavar="NAME", help="Only this algorithm; repeatable.")] = None
    without: Annotated[list[str] | None, _option(metavar="NAME", help="Not this algorithm; repeatable.")] = None
    include: Annotated[
        list[str] | None,
        _option(metavar="NAME", help="This algorithm, although it ran on few of the instances; repeatable."),
    ] = None
    per: Annotated[str | None, _option(metavar="COLUMN", help="Divide times by this column, such as dimension.")] = None
    start: Annotated[float | None, _option(help="The first time at which to compare.")] = None
    stop: Annotated[float | None, _option(help="The last time at which to compare.")] = None
    count: Annotated[
        int | None, _option(min=1, max=100_000, help="The number of times at which to compare; 30 by default.")
    ] = None
    absolute_tolerance: Annotated[
        float | None,
        _option(min=0, help="Values that differ by no more than this are tied; 1e-8 for COCO's data, otherwise 0."),
    ] = None
    relative_tolerance: Annotated[
        float | None,
        _option(min=0, help="Values that differ by no more than this share are tied; 1e-12 by default."),
    ] = None

    def tolerances(self) -> dict[str, float]:
        """Return the tolerances that were given."""
        given = {name: getattr(self, name) for name in ("absolute_tolerance", "relative_tolerance")}
        return {name: value for name, value in given.items() if value is not None}

    def as_arguments(self) -> dict[str, Any]:
        """Return the options that were given, as arguments of `polarbear.opening.analyse`."""
        from polarbear.importers.part import parse_condition

        given = {each.name: getattr(self, each.name) for each in fields(self)}
        given = {name: value for name, value in given.items() if value not in (None, [], False) or value == 0}
        given |= {"maximise": self.maximise} if self.maximise is not None else {}
        given |= {"repeated": self.repeated} if self.repeated is not None else {}
        if self.ended == "auto":
            given.pop("ended", None)
        if not self.renumber:
            given.pop("renumber", None)
        if self.columns:
            given["columns"] = self.column_names()
        if self.reference is not None:
            given["reference"] = self.reference_point()
        if self.where:
            given["where"] = [parse_condition(each) for each in self.where]
        return given

    @property
    def given(self) -> list[str]:
        """The options that were given, by their names."""
        return [f"--{each.name.replace('_', '-')}" for each in fields(self) if getattr(self, each.name) != each.default]

    def as_typed(self) -> str:
        """Return the options that were given, as you would type them after the path; with a blank before each."""
        from polarbear.importers.option_text import as_typed

        values = {each.name: getattr(self, each.name) for each in fields(self)}
        given = [each.name for each in fields(self) if values[each.name] not in (each.default, [])]
        return "".join(f" {as_typed(name, values[name])}" for name in given)

    def column_names(self) -> dict[str, str | None]:
        """Return the column of each name that has another one in the data; None if the data have no such column."""
        pairs = [options.split_pair("--column", each, "raw_y=loss") for each in self.columns or ()]
        return {name: column or None for name, column in pairs}

    def reference_point(self) -> list[float] | None:
        """Return the numbers of the reference point, if it was given."""
        try:
            return None if self.reference is None else [float(each) for each in self.reference.split(",")]
        except ValueError as error:
            raise ValueError(f"expected --reference with numbers such as 1.1,1.1, got {self.reference!r}") from error


@dataclass(frozen=True)
class RecordedRuns:
    """Recorded runs, and how to compare them.

    Attributes
    ----------
    runs, clock, unit
        The runs, their clock, and the unit of their times, such as "evaluations per dimension".
    grid
        The times at which a race compares the runs; None for other files.
    ranking
        How ties, failures and clusters are treated.
    imported
        The import that the runs come from; None for a race.
    features
        For a race: the features of its instances that it stores, by index.
    remarks
        What was skipped, left out or assumed.
    """

    runs: "Sequence[Trajectory]"
    clock: Clock
    unit: str
    grid: "Grid | None" = None
    ranking: dict[str, Any] = field(default_factory=dict)
    imported: "Imported | None" = None
    features: "Mapping[int, Features]" = field(default_factory=dict)
    remarks: "tuple[Finding, ...]" = ()


def read_recorded_runs(path: Path, reading: Reading, *, by: str | None = None) -> RecordedRuns:
    """Return the runs in a folder, a file, an archive or a race file; they can be split `by` a column later."""
    if not path.exists():
        raise FileNotFoundError(f"there is no {path}")
    if path.is_file() and is_race_file(path) and not _holds_studies(path):
        if reading.cluster not in (None, ["none"], ["auto"]):
            raise ValueError(
                f"expected recorded runs for --cluster, got the race file {path}, which has the clusters of its race; leave "
                "it out"
            )
        if reading.preset is not None:
            raise ValueError(f"expected recorded runs for --preset, got the race file {path}; leave it out")
        if reading.ended != "auto":
            raise ValueError(
                f"expected recorded runs for --ended, got the race file {path}, whose runs count until the time that the "
                "race asked for; leave it out"
            )
        if reading.objectives or reading.indicator or reading.reference:
            raise ValueError(
                f"expected recorded runs for --objective, --indicator and --reference, got the race file {path}, whose runs "
                "have one value; leave them out"
            )
        if reading.where or reading.per:
            option = "--where" if reading.where else "--per"
            raise ValueError(
                f"expected recorded runs for {option}, got the race file {path}, which has no columns; leave it out"
            )
        return _runs_of_race(path, reading)
    from polarbear.importers import read_runs
    from polarbear.importers.part import parse_condition
    from polarbear.importers.presets import PRESETS
    from polarbear.opening import without_sparse

    clock = reading.clock or (PRESETS[reading.preset].clock if reading.preset else "evaluations")
    imported = read_runs(
        path,
        preset=reading.preset,
        columns=reading.column_names() or None,
        maximise=reading.maximise,
        objectives=reading.objectives,
        indicator=reading.indicator,
        reference=reading.reference_point(),
        clock=clock,
        renumber=reading.renumber,
        cluster=reading.cluster or "auto",
        ended=reading.ended,
        repeated=reading.repeated,
        where=[parse_condition(each) for each in reading.where or ()],
        only=reading.only,
        without=reading.without,
        per=reading.per,
        keep=[] if by is None else [by],
    )
    runs, sparse = without_sparse(list(imported.runs), [*(reading.include or ()), *(reading.only or ())])
    return RecordedRuns(
        runs,
        clock,
        f"{clock} per {reading.per}" if reading.per else clock,
        ranking=imported.ranking | reading.tolerances(),
        imported=imported,
        remarks=(*sparse, *imported.findings),
    )


def _holds_studies(path: Path) -> bool:
    """Return whether an SQLite database is one of Optuna studies, rather than a race file."""
    from polarbear.importers.optuna import holds_studies

    return holds_studies(path)


def runs_of_result(result: "RaceOutcome") -> RecordedRuns:
    """Return the runs of a race, at its own times and by its own rules."""
    settings, runs = result.state.settings, [run.trajectory for run in result.runs]
    ranking = {name: getattr(settings, name) for name in ("failure", "absolute_tolerance", "relative_tolerance")}
    if (clusters := result.state.clusters) is not None:
        ranking |= {"cluster_kind": clusters.kind, "cluster_unit": clusters.unit}
    return RecordedRuns(
        runs, settings.clock, settings.clock, grid=settings.grid, ranking=ranking, features=result.state.features
    )


def _runs_of_race(path: Path, reading: Reading) -> RecordedRuns:
    with open_race(path) as race:
        whole = runs_of_result(race.outcome)
    runs = whole.runs
    names = list(dict.fromkeys(run.algorithm for run in runs))
    only, without = (
        find_names("--only", reading.only or (), names),
        find_names("--without", reading.without or (), names),
    )
    kept = [run for run in runs if (not only or run.algorithm in only) and run.algorithm not in without]
    if reading.clock not in (None, whole.clock):
        raise ValueError(
            f"expected --clock {whole.clock} for the race file {path}, got {reading.clock}; leave --clock out"
        )
    return replace(whole, runs=kept, ranking=whole.ranking | reading.tolerances())
