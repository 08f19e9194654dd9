"""Write the page about a race, recorded runs or a posterior to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from polarbear.driver.environment import environment
from polarbear.driver.race import Race
from polarbear.opening import result_of_posterior
from polarbear.output_file import write_output
from polarbear.posterior.posterior import Posterior
from polarbear.reporting.page import render
from polarbear.reporting.page_data import page_data
from polarbear.reporting.subject import Subject, own_features, tables_of
from polarbear.reporting.title import title_of
from polarbear.result import Result, result_of_race

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from polarbear.features.reading import FeatureSource
    from polarbear.features.table import FeatureTable
    from polarbear.findings import Finding
    from polarbear.inference.group_fitting import GroupPosterior


def report(
    source: Result | Race | Posterior,
    path: str | PathLike[str],
    *,
    title: str | None = None,
    live: float | None = None,
    optimum: float | None = None,
    features: FeatureSource | Sequence[FeatureTable] | None = None,
    groups: Mapping[str, Posterior | GroupPosterior] | None = None,
    group_findings: Sequence[Finding] = (),
    force: bool = False,
) -> Path:
    """Write one self-contained page, which opens in any browser without a server.

    Parameters
    ----------
    source
        A result, a race, or a posterior.
    path
        The file to write. An earlier page is replaced atomically, so that a browser never reads a partial page.
    title
        The heading of the page; by default the name of the page, or of its folder if the page has a generic name such as
        "my.html".
    live
        Seconds after which the page reloads itself, until the race is finished.
    optimum
        For a race: the optimum of every instance, 0 if values are distances to it. The page then states what AOCC would
        choose.
    features
        Features of the instances, as for `explain`. The page then shows after which features another algorithm should be
        chosen, and the explorer asks for these. Imported runs bring their function, dimension and kept columns along.
    groups, group_findings
        What `fit_groups` returns, or any posteriors of groups of the instances by name, which a section of their own shows
        side by side; and what was noticed about the groups.
    force
        Whether to replace an existing file that is no page of PolarBear.

    Returns
    -------
    Path
        The path of the page.
    """
    made = source.about.get("made") if isinstance(source, Race) else None
    if isinstance(source, Posterior):
        source = result_of_posterior(source)
    elif isinstance(source, Race):
        source = result_of_race(source.outcome)
    elif not isinstance(source, Result):
        raise ValueError(f"expected a result, a race or a posterior, got {source!r}; load a file with pb.load")
    if not source.instances:
        raise ValueError("nothing has been decided in this race yet, so there is nothing to report; let it run first")
    if optimum is not None and source.source == "posterior":
        raise ValueError(f"expected a race for optimum={optimum:g}, got a posterior, which has no runs; leave it out")
    if features is not None and source.source == "posterior":
        raise ValueError(
            "expected runs with features, got a posterior alone, which holds no instances; report the result of its runs"
        )
    subject = Subject(
        source,
        environment=made or environment(),
        live=live,
        groups=groups or {},
        group_findings=tuple(group_findings),
        optimum=optimum,
        features=(*own_features(source), *tables_of(features)),
        features_given=features is not None,
    )
    place = Path(path)
    write_output(place, render(page_data(subject, title=title or title_of(place)), source), force=force)
    return place
