"""Runs and features for the commands that answer "which algorithm for which problem"."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.cli import options
from polarbear.cli.open_file import decided_result, is_posterior_file, is_race_file
from polarbear.cli.recorded_runs import Reading, RecordedRuns, read_recorded_runs
from polarbear.cli.source import Source, grid_of, print_remarks, voice_of

if TYPE_CHECKING:
    from polarbear.features.table import FeatureTable
    from polarbear.magnitude.collection import RunCollection
    from polarbear.race.outcome import RaceOutcome


@dataclass(frozen=True)
class FeatureData:
    """Runs, and the features of their instances.

    Attributes
    ----------
    runs
        The result of a race, or recorded runs.
    tables
        The features that recorded runs bring along, and those of the file.
    """

    runs: "RaceOutcome | RunCollection"
    tables: "tuple[FeatureTable, ...]"

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms."""
        from polarbear.race.outcome import RaceOutcome

        return self.runs.state.names if isinstance(self.runs, RaceOutcome) else self.runs.names


def read_feature_data(path: Path, reading: Reading, features: Path | None, *, quiet: bool) -> FeatureData:
    """Return the runs of a race file or of recorded runs, and the features of their instances."""
    from polarbear.magnitude.collection import collect_runs

    if path.is_file() and is_posterior_file(path):
        raise ValueError(
            f"expected a race file or recorded runs, got the saved posterior {path}, which holds no instances; give the "
            "file that it was fitted to"
        )
    if not path.is_dir() and is_race_file(path) and not reading.given:
        result = decided_result(path)
        if features is None:
            if not result.state.features:
                raise ValueError(
                    f"expected a table of features for the race {path}, which stores none, got none; add --features FILE, "
                    "with a column instance"
                )
            return FeatureData(result, ())
        return FeatureData(result, (read_table(features, path),))
    recorded = read_recorded_runs(path, reading)
    grid, remarks = grid_of(recorded, reading)
    print_remarks(remarks, quiet=quiet, voice=voice_of(recorded, reading))
    planned = recorded.imported is None
    runs = collect_runs(recorded.runs, grid=grid, unit=recorded.unit, ends_planned=planned, **recorded.ranking)
    given = () if features is None else (read_table(features, path if planned else None),)
    return FeatureData(runs, (*own_tables(recorded), *given))


def own_tables(recorded: RecordedRuns | None) -> "tuple[FeatureTable, ...]":
    """Return the features that recorded runs, or the runs of a race, bring along."""
    from polarbear.features.own_features import features_of, table_of_rows

    if recorded is None:
        return ()
    if recorded.imported is not None:
        return (features_of(recorded.imported),)
    return (table_of_rows(list(recorded.features), list(recorded.features.values())),) if recorded.features else ()


def read_table(features: Path, race: Path | None) -> "FeatureTable":
    """Return a table of features; it may name the listed instances of a race."""
    from polarbear.features.reading import read_features

    return read_features(features, instances=() if race is None else _listed_instances(race))


def read_table_for(source: Source, file: Path, features: Path) -> "FeatureTable":
    """Return a table of features of the instances behind a source; it may name those that a race lists."""
    if not source.has_values:
        raise ValueError(
            f"expected a race file or recorded runs with --features, got the saved posterior {file}, which holds no "
            "instances; give the file that it was fitted to"
        )
    is_import = source.recorded is not None and source.recorded.imported is not None
    return read_table(features, None if is_import else file)


def _listed_instances(path: Path) -> tuple[str, ...]:
    """Return the listed instances of a race in their order; none if they come from a generator or a Python program."""
    from polarbear.configuration.stored import load_stored

    return load_stored(path, config="race.toml").instances


def parse_given(given: list[str] | None) -> dict[str, Any]:
    """Return the features that were given as name=value."""
    pairs = [options.split_pair("--given", each, "dimension=40") for each in given or ()]
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"expected each feature once with --given, got {twice[0]!r} twice; leave one out")
    return dict(pairs)
