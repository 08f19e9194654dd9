"""Collect the data of the page: what all sections share, and the data of each section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polarbear.defaults import LEVEL
from polarbear.plots import RatingCurves, assign_looks
from polarbear.plots.lettering import short_names
from polarbear.reporting.sections import DOUBTS, SECTIONS
from polarbear.selection.answers import SURE_ENOUGH

if TYPE_CHECKING:
    from polarbear.reporting.subject import Subject

_KINDS = {"race": "race report", "runs": "report on recorded runs", "posterior": "posterior report"}


def page_data(subject: Subject, *, title: str) -> dict[str, Any]:
    """Return the data of the page in plain values; arrays are indexed by algorithm, in the order of the posterior."""
    posterior = subject.posterior
    looks, short = assign_looks(subject.algorithms), short_names(posterior.names)
    curves = RatingCurves.of(posterior, level=LEVEL)
    # Where something is wrong, the reader should see first whether to trust the rest.
    wrong = subject.source.trust == "unreliable" or any(each.code in DOUBTS for each in subject.source.findings)
    first = [section for section in SECTIONS if section.name == "trust" and wrong]
    order = [*first, *(section for section in SECTIONS if section not in first)]
    sections = {section.name: section.data(subject) for section in order}
    return {
        "title": title,
        "kind": _KINDS[subject.source.source],
        "answer": subject.source.words().headline,
        "trust": subject.source.trust,
        "sure_enough": SURE_ENOUGH,
        "version": subject.environment.get("polarbear", ""),
        "live": None if subject.finished else subject.live,
        "unit": subject.unit,
        "by_pairs": posterior.beliefs is not None,
        "names": list(posterior.names),
        "short_names": [short[name] for name in posterior.names],
        "looks": [[looks[name].colour, _dash_array(looks[name].dashes)] for name in posterior.names],
        "candidates": [posterior.names.index(name) for name in subject.candidates],
        "comparisons": None if posterior.comparisons is None else posterior.comparisons.T.tolist(),
        "grid": {"budgets": posterior.grid.budgets.tolist(), "axis": posterior.grid.axis},
        "ratings": {
            "mean": curves.mean.T.round(5).tolist(),
            "lower": curves.lower.T.round(5).tolist(),
            "upper": curves.upper.T.round(5).tolist(),
        },
        "sections": {name: data for name, data in sections.items() if data is not None},
    }


def _dash_array(dashes: str | tuple[float, tuple[float, ...]]) -> str:
    """Return a Matplotlib line style as an SVG dash array, for a line two pixels wide."""
    return "" if isinstance(dashes, str) else " ".join(f"{2 * length:g}" for length in dashes[1])
