"""Posteriors from files: of a race, or saved by itself."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from polarbear.driver import Race
    from polarbear.posterior import Posterior

_SQLITE = b"SQLite format 3\0"


def is_race_file(path: Path) -> bool:
    """Whether a file looks like a race; what is not there is an error."""
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; expected a race file, or a posterior that was saved")
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE


def belief(path: Path) -> "tuple[Posterior, tuple[str, ...]]":
    """A posterior, and the algorithms that it leaves to choose from."""
    from polarbear.posterior import Posterior

    if not is_race_file(path):
        posterior = Posterior.load(path)
        return posterior, posterior.names
    with opened(path) as race:
        result = race.result
        if not result.instances:
            raise ValueError(f"nothing has been decided in {path} yet; go on with: polarbear resume {path}")
        known = result.posterior.names  # a newcomer may not have run yet
        return result.posterior, tuple(name for name in result.pareto_set if name in known)


def opened(path: Path) -> "AbstractContextManager[Race]":
    """A race, to look at, also while another process writes it."""
    from polarbear.driver import Race

    if not is_race_file(path):
        raise ValueError(f"{path} is not a race file")
    return Race.open(path)
