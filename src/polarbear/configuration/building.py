"""Build what the tables of a configuration describe: settings, algorithms, instances and executors."""

from __future__ import annotations

import random
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from inspect import isclass, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from polarbear.configuration.imports import import_object
from polarbear.wording import suggest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from polarbear.configuration.schema import (
        AlgorithmTable,
        BatchTable,
        ExecutionTable,
        GridTable,
        InstancesTable,
        PriorTable,
        RaceTable,
    )
    from polarbear.observe import Grid
    from polarbear.race.batching import Batch
    from polarbear.race.settings import Settings


class GivenFeatures(NamedTuple):
    """Features of instances by index, and notes on rows and columns that have no effect."""

    rows: Mapping[int, Mapping[str, Any]]
    notes: tuple[str, ...]


def settings_of(race: RaceTable, grid: Grid, prior: Any, batch: Batch) -> Settings:
    """Return the settings of a race from its table and from the parts that are already built."""
    from polarbear.race.settings import Settings

    parts: dict[str, Any] = {"prior": prior, "batch": batch}
    given = {key: parts.get(key, value) for key, value in race.given().items() if key != "file"}
    return Settings(grid=grid, **given)


def grid_of(table: GridTable) -> Grid:
    """Return the grid of times."""
    from polarbear.observe import as_grid, linear_grid, log_grid

    if table.budgets is not None:
        return as_grid(table.budgets)
    assert table.start is not None
    assert table.stop is not None
    assert table.count is not None
    return (log_grid if table.spacing == "log" else linear_grid)(table.start, table.stop, table.count)


def prior_of(table: PriorTable) -> Any:
    """Return the prior, with defaults for parameters that the table does not give."""
    from polarbear.models.registry import PRIORS, plain_parameters

    kind, parameters = PRIORS[table.kind], table.model_extra or {}
    known = list(plain_parameters(kind))
    unknown = {name: given for name, given in parameters.items() if name not in known}
    for name in unknown:
        if name in signature(kind).parameters:
            raise ValueError(f"{name} of {table.kind} is a distribution, which can be set in Python only; leave it out")
    for name in unknown:
        with suppress(TypeError):  # the prior itself explains parameters of earlier versions
            kind(**unknown)
        hint = suggest(name, known) or (f"it has {', '.join(known)}" if known else "it has no parameters")
        raise ValueError(f"{table.kind} has no {name}; {hint}")
    return kind(**parameters)


def batch_of(table: BatchTable) -> Batch:
    """Return the rule for the number of instances per round."""
    from polarbear.race.batching import AdaptiveBatch, FixedBatch

    return FixedBatch(table.size) if table.size is not None else AdaptiveBatch(**table.given())


def algorithm_of(table: AlgorithmTable, folder: Path) -> Any:
    """Return an algorithm that can be raced."""
    from polarbear import algorithms

    if table.command is not None:
        parse = None if table.parse is None else import_object(table.parse, folder)
        memory = None if table.memory is None else table.memory * 1_000_000
        program = algorithms.command(table.command, parse=parse, memory=memory, folder=folder)
        if program.template[0] == "python":  # this interpreter has the race's packages; the one on the path may not
            program = replace(program, template=(sys.executable, *program.template[1:]))
        return program
    assert table.function is not None
    function = import_object(table.function, folder)
    if table.arguments:
        function = _bind_arguments(_check_callable(function, table.function), table.arguments, table.function)
    if isinstance(function, algorithms.Wrapped):  # where it was defined, for example with @pb.counted
        return function
    if table.shape == "counted":
        return algorithms.counted(function)
    if table.shape == "ask-tell":
        return algorithms.ask_tell(function, style=table.style, restart=table.restart)
    return _check_callable(function, table.function)


def instances_of(table: InstancesTable, folder: Path, *, seed: int, known: Sequence[str] = ()) -> Any:
    """Return the source of instances: a callable, a list of texts, or `Repeated` texts.

    Parameters
    ----------
    table, folder
        The table, and the folder of the configuration.
    seed
        Seed for the order of listed instances.
    known
        Instances that the race has already listed, with their repetitions; they keep their places, and new ones follow.
    """
    if table.generator is not None:
        thing = _check_callable(import_object(table.generator, folder), table.generator)
        if isclass(thing):
            try:
                return thing(**table.arguments)
            except (TypeError, ValueError) as error:
                raise ValueError(f"{table.generator} cannot be created: {error}") from error
        return _bind_arguments(thing, table.arguments, table.generator) if table.arguments else thing
    names = _instance_names(table, folder)
    listed = list(dict.fromkeys(known))
    missing = [name for name in listed if name not in set(names)]
    if missing:
        raise ValueError(
            f"expected all instances that the race has used, got no {', '.join(missing[:3])}"
            f"{' and others' if missing[3:] else ''}; put them back, or start another race"
        )
    new = [name for name in names if name not in set(known)]
    if table.shuffle:
        random.Random(seed).shuffle(new)
    order = [*listed, *new]
    if table.balance is not None:
        order = _balance(table, folder, order, len(listed))
    if table.repeats == 1 and len(listed) == len(known):
        return order
    from polarbear.problems import Repeated

    position = {name: k for k, name in enumerate(order)}
    return Repeated(order, table.repeats, first=tuple(position[name] for name in known))


def features_of_instances(table: InstancesTable, folder: Path, instances: Any) -> GivenFeatures | None:
    """Return the features of instances from their table; None if the configuration names no table.

    Parameters
    ----------
    table, folder
        The table of the configuration, and its folder.
    instances
        The source of instances, as `instances_of` returns it.
    """
    if table.features is None:
        return None
    from polarbear.features.joining import rows_by_instance
    from polarbear.features.reading import read_features
    from polarbear.show.wording import text_of

    listed = () if callable(instances) else tuple(map(str, instances))
    found = rows_by_instance(read_features(folder / table.features, instances=listed))
    return GivenFeatures(found.rows, tuple(text_of(each) for each in found.findings))


def _balance(table: InstancesTable, folder: Path, names: list[str], first: int) -> list[str]:
    """Return instances in an order in which groups take turns after the first ones, which the race has used."""
    from polarbear.features.joining import rows_by_instance
    from polarbear.features.reading import read_features
    from polarbear.problems.balanced import balanced_order

    assert table.features is not None
    rows = rows_by_instance(read_features(folder / table.features, instances=names)).rows
    known = list(dict.fromkeys(name for row in rows.values() for name in row))
    if table.balance not in known:
        hint = suggest(str(table.balance), known) or f"choose one of {', '.join(known)}"
        raise ValueError(f"expected balance as a column of {table.features}, got {table.balance!r}; {hint}")
    groups = [rows.get(index, {}).get(table.balance) for index in range(len(names))]
    return [names[index] for index in balanced_order(groups, first=first)]


def _instance_names(table: InstancesTable, folder: Path) -> list[str]:
    if table.names is not None:
        names, where = list(table.names), "the names"
    elif table.file is not None:
        names, where = _read_lines(folder / table.file), table.file
    else:
        assert table.folder is not None
        place = (folder / table.folder).resolve()
        if not place.is_dir():
            raise ValueError(f"there is no folder {place}; create it, or check the name")
        if table.pattern is not None and Path(table.pattern).is_absolute():
            raise ValueError(f"expected a pattern of files in the folder, such as *.mps, got {table.pattern!r}")
        files = sorted(path for path in place.glob(table.pattern or "*") if path.is_file())
        names, where = [str(path) for path in files if not path.name.startswith(".")], str(place)
    if not names:
        raise ValueError(f"expected instances in {where}, got none; add some")
    repeated = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
    if repeated:
        raise ValueError(f"expected different instances in {where}, got {repeated[0]!r} twice; remove one")
    return names


def _read_lines(path: Path) -> list[str]:
    """Return the lines of a file that are neither empty nor comments."""
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise ValueError(f"expected text in UTF-8 in {path}: {error}") from None
    return [line for line in lines if line and not line.startswith("#")]


@contextmanager
def executor_of(table: ExecutionTable) -> Iterator[Any]:
    """Yield the executor that the table names; on exit, do not wait for runs that have not ended."""
    from polarbear.execution import LocalExecutor, dask_executor

    executor = LocalExecutor(table.workers) if table.dask is None else dask_executor(table.dask)
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def _bind_arguments(function: Any, arguments: dict[str, Any], reference: str) -> Any:
    try:
        signature(function).bind_partial(**arguments)
    except TypeError as error:
        raise ValueError(f"{reference} does not take these arguments: {error}") from None
    except ValueError:
        pass  # functions that are not written in Python may have no signature
    return partial(function, **arguments)


def _check_callable(thing: Any, reference: str) -> Any:
    if not callable(thing):
        raise ValueError(f"expected {reference} to be a function, got {thing!r}")
    return thing
