"""Store the configuration of a race in its race file, and find it again to continue the race."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.configuration.reading import prepare
from polarbear.storage import RaceFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from polarbear.configuration.reading import Prepared

KEY = "configuration"


def to_store(prepared: Prepared) -> dict[str, Any]:
    """Return what a race file stores so that the race can continue; none of it is executed as code."""
    names = [] if callable(prepared.instances) else list(prepared.instances)
    return {
        KEY: {
            "path": str(prepared.path),
            "text": prepared.text,
            "overrides": prepared.overrides,
            "instances": names,
        }
    }


@dataclass(frozen=True)
class StoredConfiguration:
    """The configuration that `to_store` stored."""

    race_file: Path
    path: Path
    text: str
    overrides: dict[str, Any]
    instances: tuple[str, ...]

    @property
    def most_instances(self) -> int | None:
        """The limit of instances in the stored text; None if it has none."""
        try:
            limit = tomllib.loads(self.text).get("limits", {}).get("instances")
        except (ValueError, AttributeError):
            return None
        return limit if isinstance(limit, int) else None

    def prepare(self, path: str | PathLike[str] | None, overrides: Mapping[str, Any]) -> Prepared:
        """Read the configuration at `path`, or at its stored path; new overrides take precedence over stored ones."""
        place = Path(path) if path is not None else self._find()
        return prepare(place, {**self.overrides, **overrides}, known_instances=self.instances)

    def _find(self) -> Path:
        beside = self.race_file.parent / self.path.name  # both files may have moved together
        for place in (self.path, beside):
            if place.is_file():
                return place
        raise FileNotFoundError(
            f"{self.race_file} was made from {self.path}, which no longer exists; name its new place with: "
            f"polarbear race CONFIGURATION --output {shlex.quote(str(self.race_file))}, or write it again with: polarbear "
            f"export {shlex.quote(str(self.race_file))} configuration -o race.toml"
        )


def load_stored(path: str | PathLike[str], *, config: str | PathLike[str] | None = None) -> StoredConfiguration:
    """Return the configuration that a race file stores; if it stores none, `config` must name one."""
    with RaceFile.open(path, write=False) as file:
        stored, place = file.about.get(KEY), file.path
    if stored is None and config is not None:
        return StoredConfiguration(place, Path(config), "", {}, ())
    if not isinstance(stored, dict):
        raise ValueError(
            f"{place} was made by a Python program, not by `polarbear race`; continue it with pb.Race.open(...) there, or "
            f"with a race.toml of its algorithms: polarbear race CONFIGURATION --output {shlex.quote(str(place))}"
        )
    try:
        overrides = {str(key): value for key, value in stored["overrides"].items()}
        names = tuple(map(str, stored["instances"]))
        return StoredConfiguration(place, Path(stored["path"]), str(stored["text"]), overrides, names)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{place} is damaged: its configuration cannot be read: {error}") from None
