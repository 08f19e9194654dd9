"""Write the page about a race or a posterior to a file."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.driver.environment import environment
from polarbear.driver.race import Race
from polarbear.posterior.posterior import Posterior
from polarbear.race.result import RaceResult
from polarbear.reporting.page import render
from polarbear.reporting.page_data import page_data
from polarbear.reporting.subject import Subject
from polarbear.reporting.title import title_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from polarbear.features.reading import FeatureSource
    from polarbear.features.table import FeatureTable


def report(
    source: Race | RaceResult | Posterior,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    live: float | None = None,
    optimum: float | None = None,
    features: FeatureSource | Sequence[FeatureTable] | None = None,
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
        The heading of the page; by default the name of the page, or of its folder if the page has a generic name such as
        "my.html".
    live
        Seconds after which the page reloads itself, until the race is finished.
    optimum
        For a race: the optimum of every instance, 0 if values are distances to it. The page then states what AOCC would
        choose.
    features
        Features of the instances, as for `explain`; for a posterior, together with its `runs`. The page then shows after
        which features another algorithm should be chosen, and the explorer asks for these. Imported runs bring their
        function, dimension and kept columns along.
    **about
        For a posterior: `confidence` and `elimination`, by which algorithms are eliminated; the `unit` of time; its
        `summary`, see `summarise`; and `runs`, the runs that it was fitted to, from which the page shows how much better an
        algorithm is. For both: `groups`, what `fit_groups` returns, or any posteriors of groups of the instances by name,
        which a section of their own shows side by side; `group_remarks`, sentences about them; `advice`, where the data
        come from, for the commands that the page suggests.

    Returns
    -------
    Path
        The path of the page.
    """
    place = Path(path)
    subject = _subject(source, live, optimum, {**about, "features": features})
    _replace(place, render(page_data(subject, title=title or title_of(place)), subject.summary))
    return place


def _subject(source: Any, live: float | None, optimum: float | None, about: dict[str, Any]) -> Subject:
    if isinstance(source, Posterior):
        if optimum is not None:
            raise ValueError(
                f"expected a race for optimum={optimum:g}, got a posterior, which has no runs; leave it out"
            )
        return Subject.of_posterior(source, environment=environment(), **about)
    if not isinstance(source, Race | RaceResult):
        raise ValueError(
            f"expected a race, its result or a posterior, got {source!r}; open files with Race.open or Posterior.load"
        )
    result = source.result if isinstance(source, Race) else source
    if not result.instances:
        raise ValueError("nothing has been decided in this race yet, so there is nothing to report; let it run first")
    recorded = source.about.get("made") if isinstance(source, Race) else None
    return Subject.of_race(result, environment=recorded or environment(), live=live, optimum=optimum, **about)


def _replace(place: Path, text: str) -> None:
    unfinished = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(place)
    finally:
        unfinished.unlink(missing_ok=True)
