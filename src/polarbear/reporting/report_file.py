"""Putting the page into a file."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.driver.race import Race
from polarbear.driver.resume import made
from polarbear.posterior.posterior import Posterior
from polarbear.race.result import RaceResult
from polarbear.reporting.page import page
from polarbear.reporting.page_data import of_posterior, of_race

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
    """Write one self-contained page about a race or a posterior; it opens in any browser, without a server.

    Parameters
    ----------
    source
        A race, its result, or a posterior.
    path
        The page. What was there is replaced at one stroke, so that a browser never sees half of it.
    title
        Its heading.
    live
        Seconds after which the page loads itself again, while the race is not finished.
    **about
        Of a posterior: the `confidence` and the way of `elimination` by which algorithms are out, and the `unit` of time.

    Returns
    -------
    Path
        Where the page is.
    """
    place = Path(path)
    _replace(place, page(_contents(source, title or place.stem, live, about)))
    return place


def _contents(source: Any, title: str, live: float | None, about: dict[str, Any]) -> dict[str, Any]:
    if isinstance(source, Posterior):
        return of_posterior(source, title=title, made=made(), **about)
    if isinstance(source, RaceResult):
        return _of_race(source, title, made(), live)
    if isinstance(source, Race):
        return _of_race(source.result, title, source.about.get("made", made()), live)
    raise ValueError(
        f"expected a race, its result or a posterior, got {source!r}; open files with Race.open or Posterior.load"
    )


def _of_race(result: RaceResult, title: str, where: dict[str, str], live: float | None) -> dict[str, Any]:
    if not result.instances:
        raise ValueError("nothing has been decided in this race yet, so there is nothing to report; let it run first")
    return of_race(result, title=title, made=where, live=live)


def _replace(place: Path, text: str) -> None:
    unfinished = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)
