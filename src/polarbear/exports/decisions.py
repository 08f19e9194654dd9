"""The status and the decisions of a race as plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from polarbear.observe.scope import describe_scope
from polarbear.race.serialisation import to_plain

if TYPE_CHECKING:
    from polarbear.race.result import RaceResult


def account(result: RaceResult, *, infer: bool = True, file: str = "") -> dict[str, Any]:
    """Return the status of a race: candidates, eliminations, cost, undecided pairs, and the summary.

    Parameters
    ----------
    result
        The result of the race.
    infer
        Whether to include quantities that need the posterior, which may trigger inference.
    file
        The race file as you would type it in a shell, for the commands that the summary suggests.
    """
    status: dict[str, Any] = {
        "stopped": result.stopped,
        "why_stopped": result.why_stopped,
        "finished": result.finished,
        "settled": result.settled,
        "pareto_set": list(result.pareto_set),
        "eliminations": [asdict(each) for each in result.eliminations],
        "removed": sorted(result.state.removed),
        "why_removed": dict(sorted(result.state.removed.items())),
        "algorithms": list(result.state.names),
        "rounds": len(result.rounds),
        "instances": result.instances,
        "data": result.data,
        "scope": _scope(result, infer=infer),
        "unit": result.state.settings.clock,
        "cost": result.cost,
        "saved_share": result.saved_share,
        "decided_share": result.rounds[-1].resolved_share if result.rounds else 0.0,
        "ended": result.ended,
        "failed_runs": len(result.failures),
        "undecided": [{"pair": list(pair), "times": times.tolist()} for pair, times in result.undecided().items()],
    }
    if result.failing:
        status["failing"] = [asdict(each) for each in result.failing]
    if infer and result.instances:
        summary = result.summary(file)
        status |= {
            "summary": summary.as_dict(),
            "wrong_elimination": result.wrong_elimination,
            "cycles": [list(each) for each in result.cycles],
            "regret": asdict(result.regret),
            "reliable": result.posterior.diagnostics.reliable,
            "diagnostics": result.posterior.diagnostics.message,
            **result.check.as_dict(result.eliminations),
            "warnings": [each.sentence for each in summary.remarks if each.status != "solid"],
        }
    return status


def _scope(result: RaceResult, *, infer: bool) -> str:
    """Return the scope of the answer; without `infer`, only a posterior in memory is used."""
    if not result.instances:
        return ""
    if infer or result.state.posterior is not None:
        return result.posterior.scope
    # A race file stores the clusters of repeated instances. Plackett-Luce priors treat all instances as independent.
    generalise_to = getattr(result.state.settings.prior, "generalise_to", "instances")
    return describe_scope(result.rankings, result.instances, generalise_to=generalise_to)


def decisions(result: RaceResult) -> dict[str, Any]:
    """Return the status of a race, its settings, and its decisions round by round."""
    return {
        **account(result),
        "settings": to_plain(result.state.settings),
        "history": [to_plain(each) for each in result.rounds],
    }
