"""Open race files and saved posteriors."""

from pathlib import Path
from typing import TYPE_CHECKING

from polarbear import file_kinds
from polarbear.cli import terminal
from polarbear.file_kinds import CREATES_RACES, is_posterior_file, require_exists
from polarbear.wording import join_names

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from polarbear.driver.race import Race
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import RaceOutcome


def is_race_file(path: Path) -> bool:
    """Return whether a file is a race file; raise an error if it is missing or a folder."""
    require_exists(path)
    if path.is_dir():
        raise ValueError(f"expected a race file or a saved posterior, got the folder {path}; name a file in it")
    return file_kinds.is_race_file(path)


def load_posterior(path: Path) -> "Posterior":
    """Load a saved posterior."""
    from polarbear.posterior.posterior import Posterior

    if not is_posterior_file(path):
        raise ValueError(f"expected a race file or a saved posterior, got neither in {path}; check its name")
    return Posterior.load(path)


def posterior_and_candidates(path: Path) -> "tuple[Posterior, tuple[str, ...]]":
    """Return the posterior of a file, and the algorithms to choose from: the candidates of a race, or all algorithms."""
    if not is_race_file(path):
        posterior = load_posterior(path)
        return posterior, posterior.names
    result = decided_result(path)
    return result.posterior, candidates_of(result)


def decided_result(path: Path, *, most_draws: int | None = None) -> "RaceOutcome":
    """Return the result of a race in which something has been decided; its posterior has at most this many draws."""
    from dataclasses import replace

    with open_race(path) as race:
        result = race.outcome
    if not result.rounds:
        raise no_decisions_error(path)
    settings = result.state.settings
    if most_draws is None or settings.draws <= most_draws or most_draws * (1 - settings.confidence) < 1:
        return result
    return replace(result, state=replace(result.state, settings=replace(settings, draws=most_draws)))


def candidates_of(result: "RaceOutcome") -> tuple[str, ...]:
    """Return the candidates of a race that have run; an added algorithm may not have run yet."""
    return tuple(name for name in result.kept if name in result.posterior.names)


def no_decisions_error(path: Path) -> ValueError:
    """Return the error for a race in which nothing has been decided."""
    from polarbear.storage import find_writer

    with open_race(path) as race:
        typed, failing = typed_name(race, path), [each.name for each in race.outcome.failing]
    if failing:
        return ValueError(
            f"nothing has been decided in {path} yet: {join_names(failing)} failed in every run of the first round; for "
            f"the reason and the next steps: polarbear show {terminal.shell_path(path)}"
        )
    if (writer := find_writer(path)) is not None:
        return ValueError(
            f"nothing has been decided in {path} yet; its first round is running in {writer}: wait for it"
        )
    step = f"with: polarbear race {typed}" if typed else "in the Python program that made it"
    return ValueError(f"nothing has been decided in {path} yet; continue it {step}")


def typed_race(path: Path) -> str:
    """Return a race file as you would type it; empty if a Python program made it, since commands cannot continue it."""
    with open_race(path) as race:
        return typed_name(race, path)


def typed_name(race: "Race", path: Path) -> str:
    """Return `typed_race` of an open race."""
    return terminal.shell_path(path) if "configuration" in race.about else ""


def open_race(path: Path) -> "AbstractContextManager[Race]":
    """Open a race to read it, also while another process writes it."""
    from polarbear.driver.race import Race

    require_race_file(path)
    return Race.open(path)


def require_race_file(path: Path) -> None:
    """Raise an error unless the file is a race file."""
    if not is_race_file(path):
        raise ValueError(f"expected a race file, got another file in {path}; {CREATES_RACES}")
