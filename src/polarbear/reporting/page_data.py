"""Collect the data of the page about a race or a posterior, in plain values."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from polarbear.baselines import compare_with_aocc
from polarbear.plots import assign_looks
from polarbear.posterior.elimination import dominated, find_specialists
from polarbear.reporting.posterior_data import posterior_data
from polarbear.reporting.race_data import race_data
from polarbear.reporting.sentences import pareto_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polarbear.literals import Elimination
    from polarbear.posterior.elimination import Specialist
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.result import RaceResult


def race_page_data(result: RaceResult, *, title: str, made: Mapping[str, str], live: float | None) -> dict[str, Any]:
    """Return the data about a race; until the race is finished, the page reloads itself after `live` seconds."""
    posterior, state, unit = result.posterior, result.state, result.state.settings.clock
    # An added algorithm may not have run yet.
    candidates = [name for name in result.pareto_set if name in posterior.names]
    return {
        **_of(posterior, candidates, state.names, settled=result.finished, rule=state.settings.elimination, unit=unit),
        "title": title,
        "made": dict(made),
        "live": None if result.finished else live,
        "race": race_data(result, posterior.names, running=live is not None),
        "aocc": _aocc(result, candidates),
        "dominated": None,
        "specialists": _kept(result.specialists, unit),
    }


def posterior_page_data(
    posterior: Posterior,
    *,
    title: str,
    made: Mapping[str, str],
    confidence: float = 0.95,
    elimination: Elimination = "pointwise",
    unit: str = "",
) -> dict[str, Any]:
    """Return the data about a posterior without a race; its eliminations follow from the posterior."""
    out = dominated(posterior, confidence=confidence, elimination=elimination)
    gone = {each.name for each in out}
    candidates = [name for name in posterior.names if name not in gone]
    return {
        **_of(posterior, candidates, posterior.names, settled=True, rule=elimination, unit=unit),
        "title": title,
        "made": dict(made),
        "live": None,
        "race": None,
        "aocc": None,
        "dominated": {"confidence": confidence, "out": [asdict(each) for each in out]},
        "specialists": _kept(
            find_specialists(posterior, confidence=confidence, elimination=elimination, among=candidates), unit
        ),
    }


def _of(
    posterior: Posterior,
    candidates: Sequence[str],
    everybody: Sequence[str],
    *,
    settled: bool,
    rule: Elimination,
    unit: str,
) -> dict[str, Any]:
    look = assign_looks(everybody)
    return {
        "answer": pareto_sentence(candidates, posterior.names, settled=settled),
        "unit": unit,
        "names": list(posterior.names),
        "looks": [[look[name].colour, _dashes(look[name].dashes)] for name in posterior.names],
        "candidates": [posterior.names.index(name) for name in candidates],
        "elimination": rule,
        **posterior_data(posterior, candidates, elimination=rule, unit=unit),
    }


def _kept(specialists: Sequence[Specialist], unit: str) -> list[dict[str, str]]:
    return [{"name": each.name, "sentence": each.sentence(unit)} for each in specialists]


def _aocc(result: RaceResult, candidates: Sequence[str]) -> dict[str, Any]:
    """Return whether AOCC would have chosen differently, and its mean per algorithm (None if not compared)."""
    runs = [run.trajectory for run in result.runs]
    if result.state.settings.failure == "missing":
        runs = [run for run in runs if not run.failed]
    verdict = compare_with_aocc(runs, result.posterior, among=candidates)
    return {"sentence": verdict.sentence, "means": [verdict.means.get(name) for name in result.posterior.names]}


def _dashes(style: str | tuple[float, tuple[float, ...]]) -> str:
    """Return a Matplotlib line style as an SVG dash array, for a line two pixels wide."""
    return "" if isinstance(style, str) else " ".join(f"{2 * length:g}" for length in style[1])
