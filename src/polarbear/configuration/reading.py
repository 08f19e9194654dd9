"""Read a `race.toml`: return the race that it describes, or report all of its faults at once."""

from __future__ import annotations

import tomllib
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pydantic import ValidationError

from polarbear.configuration import building
from polarbear.configuration.errors import ConfigurationError, Fault, message_of
from polarbear.configuration.schema import AlgorithmTable, BatchTable, PriorTable, RaceToml, Table
from polarbear.wording import suggest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from os import PathLike

    from polarbear.configuration.building import GivenFeatures
    from polarbear.race.settings import Settings


_REMOVED_KEYS = {  # keys of earlier versions, and what to do about them
    ("race", "calibration"): (
        'this key no longer exists, since prior = "BayesianBootstrap", the default, accounts for correlation over time '
        "itself; remove the line"
    ),
}
_LONGEST = 80  # longest value in a message, in characters


@dataclass(frozen=True, eq=False)
class Prepared:
    """A race that is ready to run.

    Attributes
    ----------
    path, text, overrides
        The path of the configuration, its text, and the values that the command line set instead, by key.
    tables
        The validated tables of the file.
    settings, algorithms, instances
        The arguments of `Race`.
    features
        The features of the instances, if the file names a table, with notes on them.
    """

    path: Path
    text: str
    overrides: dict[str, Any]
    tables: RaceToml
    settings: Settings
    algorithms: dict[str, Any]
    instances: Any
    features: GivenFeatures | None = None

    @property
    def folder(self) -> Path:
        """The folder to which paths in the file are relative."""
        return self.path.parent

    @property
    def race_file(self) -> Path:
        """The path of the race file."""
        name = self.tables.race.file
        return self.path.with_suffix(".race") if name is None else self.folder / name


def prepare(
    path: str | PathLike[str], overrides: Mapping[str, Any] | None = None, *, known_instances: Sequence[str] = ()
) -> Prepared:
    """Read a configuration and build everything that it names.

    Parameters
    ----------
    path
        The file, or the folder of a `race.toml`.
    overrides
        Values that override those of the file, by dotted key, such as {"race.confidence": 0.999}; None removes a key.
    known_instances
        Listed instances that the race has already used, in their order.

    Returns
    -------
    Prepared

    Raises
    ------
    ConfigurationError
        The file has faults; the error lists all of them.
    """
    place = Path(path).resolve()
    if place.is_dir():
        place /= "race.toml"
    text, data = _parse(place)
    changes = dict(overrides or {})
    data = _apply_overrides(place, data, changes)
    tables, valid, faults = _validate(data)
    collect = _Collector(faults)
    settings = instances = features = None
    parts: list[Any] = [
        collect(key, partial(make, valid[key])) if key in valid else None
        for key, make in (
            ("grid", building.grid_of),
            ("race.prior", building.prior_of),
            ("race.batch", building.batch_of),
        )
    ]
    if "race" in valid and all(part is not None for part in parts):
        settings = collect("race", partial(building.settings_of, valid["race"], *parts))
    algorithms = {
        name: collect(f"algorithms.{_quote(name)}", partial(building.algorithm_of, table, place.parent))
        for name, table in valid["algorithms"].items()
    }
    if "instances" in valid:
        seed = valid["race"].seed if "race" in valid else 0
        instances = collect(
            "instances",
            lambda: building.instances_of(valid["instances"], place.parent, seed=seed, known=known_instances),
        )
        if instances is not None:
            features = collect(
                "instances.features",
                lambda: building.features_of_instances(valid["instances"], place.parent, instances),
            )
    if faults or tables is None:
        raise ConfigurationError(place, [_mark_override(fault, changes) for fault in faults])
    assert settings is not None
    return Prepared(place, text, changes, tables, settings, algorithms, instances, features)


def algorithm_tables(path: str | PathLike[str]) -> dict[str, Any]:
    """Return the algorithms of a configuration as the file gives them, by name; nothing is checked or built."""
    place = Path(path).resolve()
    _, data = _parse(place / "race.toml" if place.is_dir() else place)
    tables = data.get("algorithms", {})
    return dict(tables) if isinstance(tables, dict) else {}


def parse_value(text: str) -> Any:
    """Return a value from its text in TOML; words need no quotes.

    Examples
    --------
    >>> parse_value("0.99"), parse_value("joint"), parse_value('{kind = "Dirichlet"}')
    (0.99, 'joint', {'kind': 'Dirichlet'})
    """
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def parse_prior(text: str) -> Any:
    """Return a prior from its text in TOML.

    Examples
    --------
    >>> parse_prior("{kind = 'Dirichlet', concentration = 2.0}")
    Dirichlet(concentration=2.0)
    """
    try:
        return building.prior_of(PriorTable.model_validate(parse_value(text)))
    except ValidationError as error:
        faults = "; ".join(str(_fault(each)) for each in error.errors(include_url=False))
        raise ValueError(f"expected a prior such as BayesianBootstrap, got {text!r}: {faults}") from None


class _Collector:
    """Calls functions that may fail, and collects their errors as faults."""

    def __init__(self, faults: list[Fault]) -> None:
        self._faults = faults

    def __call__(self, key: str, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except (ValueError, OSError, ImportError) as error:
            self._faults.append(Fault(key, message_of(error)))
            return None


def _parse(path: Path) -> tuple[str, dict[str, Any]]:
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}; `polarbear init` writes one to start from")
    try:
        text = path.read_text(encoding="utf-8-sig")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        hint = "; continue a race with `polarbear race`" if path.suffix == ".race" else ""
        raise ConfigurationError(path, [Fault("", f"it is not a text in UTF-8: {error}{hint}")]) from None
    except (ValueError, RecursionError) as error:  # also raised for numbers too long and tables too deep for Python
        raise ConfigurationError(path, [Fault("", f"it is not TOML: {error}")]) from None


def _mark_override(fault: Fault, overrides: Mapping[str, Any]) -> Fault:
    """Return a fault, with a note if it is on the command line and not in the file."""
    return Fault(fault.key, f"{fault.message} (on the command line)") if fault.key in overrides else fault


def _apply_overrides(path: Path, data: dict[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    data = deepcopy(data)
    for key, value in overrides.items():
        table, *names = data, *key.split(".")
        for name in names[:-1]:
            table = table.setdefault(name, {})
            if not isinstance(table, dict):
                raise ConfigurationError(path, [Fault(key, "it cannot be set, since it is not a key of a table")])
        if value is None:
            table.pop(names[-1], None)
        else:
            table[names[-1]] = value
    return data


def _validate(data: dict[str, Any]) -> tuple[RaceToml | None, dict[str, Any], list[Fault]]:
    """Return the whole file if it is valid, those of its tables that are valid, and the faults."""
    faults: list[Fault] = []
    whole = None
    try:
        whole = RaceToml.model_validate(data)
    except ValidationError as error:
        faults += [_fault(each) for each in error.errors(include_url=False)]
    valid: dict[str, Any] = {"algorithms": {}}
    for name, field in RaceToml.model_fields.items():
        if name != "algorithms":
            kind = field.annotation
            assert isinstance(kind, type)
            assert issubclass(kind, Table)
            _add_if_valid(valid, name, kind, data.get(name, {}))
    race = data.get("race")
    for name, kind in (("prior", PriorTable), ("batch", BatchTable)):  # checked even if other keys have faults
        default = RaceToml.model_fields["race"].get_default()
        given = race.get(name) if isinstance(race, dict) else None
        _add_if_valid(valid, f"race.{name}", kind, getattr(default, name) if given is None else given)
    algorithms = data.get("algorithms")
    for name, table in algorithms.items() if isinstance(algorithms, dict) else ():
        _add_if_valid(valid["algorithms"], name, AlgorithmTable, table)
    return whole, valid, faults


def _add_if_valid(valid: dict[str, Any], name: str, kind: type[Table], given: Any) -> None:
    try:
        valid[name] = kind.model_validate(given)
    except ValidationError:
        return  # validating the whole file has already found its faults


def _fault(error: Any) -> Fault:
    """Translate an error of pydantic into a fault."""
    place, given = error["loc"], error["input"]
    key = ".".join(_quote(part) if isinstance(part, str) else str(part) for part in place)
    match error["type"]:
        case "extra_forbidden" if place in _REMOVED_KEYS:
            return Fault(key, _REMOVED_KEYS[place])
        case "extra_forbidden":
            return Fault(key, f"there is no such key; {_suggest_key(place)}")
        case "missing":
            return Fault(key, "it is missing; " + ("write a table" if len(place) == 1 else "give a value"))
        case "literal_error":
            expected = error["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
            hint = suggest(given, expected)
            message = f"expected {error['ctx']['expected']}, got {_shorten(given)}"
            return Fault(key, f"{message}; {hint}" if hint else message)
        case "value_error":
            return Fault(key, str(error["ctx"]["error"]))
        case "too_short":
            return Fault(key, f"expected two algorithms or more, got {error['ctx']['actual_length']}")
        case "model_type" | "dict_type":
            return Fault(key, f"expected a table, got {_shorten(given)}")
    message = error["msg"].replace("Input should be", "expected")
    return Fault(key, f"{message}, got {_shorten(given)}")


def _shorten(given: Any) -> str:
    text = repr(given)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _suggest_key(place: Sequence[Any]) -> str:
    """Suggest a key for an unknown one: a similar key in this table, or the same key in another table."""
    name, known = str(place[-1]), _keys(place[:-1])
    if hint := suggest(name, known):
        return hint
    elsewhere = [f"{table}.{name}" for table in RaceToml.model_fields if name in _keys([table])]
    return f"did you mean {' or '.join(elsewhere)}?" if elsewhere else f"choose one of {', '.join(known)}"


def _keys(place: Iterable[Any]) -> list[str]:
    """Return the keys of the table at a place in the file."""
    table: type[Table] | None = RaceToml
    for part in place:
        if table is None:
            return list(AlgorithmTable.model_fields)  # this part is the name of an algorithm
        field = table.model_fields.get(part)
        if field is None:
            return []
        kinds = [kind for kind in (field.annotation, *get_args(field.annotation)) if isinstance(kind, type)]
        table = next((kind for kind in kinds if issubclass(kind, Table) and part != "algorithms"), None)
    return list(table.model_fields) if table is not None else []


def _quote(name: str) -> str:
    """Return a key as TOML writes it, in quotes where it needs them."""
    return name if name.replace("-", "").replace("_", "").isalnum() and name.isascii() else f'"{name}"'
