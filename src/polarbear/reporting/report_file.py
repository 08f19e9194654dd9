"""Write the page about a race or a posterior to a file."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.driver.race import Race
from polarbear.driver.resume import environment
from polarbear.posterior.posterior import Posterior
from polarbear.race.result import RaceResult
from polarbear.reporting.page import render
from polarbear.reporting.page_data import posterior_page_data, race_page_data

if TYPE_CHECKING:
    from os import PathLike


def report(
    source: Race | RaceResult | Posterior,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    live: float | None = None,
    **about: Any,
) -> Path:
    """Write one self-contained page about a race or a posterior, which opens in any browser without a server.

    Parameters
    ----------
    source
        A race, its result, or a posterior.
    path
        The file to write. An existing file is replaced atomically, so that a browser never reads a partial page.
    title
        The heading of the page.
    live
        Seconds after which the page reloads itself, until the race is finished.
    **about
        For a posterior: `confidence` and `elimination`, by which algorithms are eliminated, and the `unit` of time.

    Returns
    -------
    Path
        The path of the page.
    """
    place = Path(path)
    _replace(place, render(_contents(source, title or place.stem, live, about)))
    return place


def _contents(source: Any, title: str, live: float | None, about: dict[str, Any]) -> dict[str, Any]:
    if isinstance(source, Posterior):
        return posterior_page_data(source, title=title, made=environment(), **about)
    if isinstance(source, RaceResult):
        return _of_race(source, title, environment(), live)
    if isinstance(source, Race):
        return _of_race(source.result, title, source.about.get("made", environment()), live)
    raise ValueError(
        f"expected a race, its result or a posterior, got {source!r}; open files with Race.open or Posterior.load"
    )


def _of_race(result: RaceResult, title: str, where: dict[str, str], live: float | None) -> dict[str, Any]:
    if not result.instances:
        raise ValueError("nothing has been decided in this race yet, so there is nothing to report; let it run first")
    return race_page_data(result, title=title, made=where, live=live)


def _replace(place: Path, text: str) -> None:
    unfinished = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)
