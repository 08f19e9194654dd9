"""Collect the page's data about a race: rounds, eliminations, cost, failures and settings."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.plots import DominanceEvolution, SampleAllocation
from polarbear.reporting.sentences import error_bound_clause, stop_sentence, uncertainty_sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.race.jobs import Run
    from polarbear.race.result import RaceResult

_KINDS = 20  # kinds of failures shown at most
_MESSAGE = 4000  # characters of a message shown at most, counted from its end


def race_data(result: RaceResult, names: Sequence[str], *, running: bool) -> dict[str, Any]:
    """Return the data about a race in plain values; arrays are indexed by algorithm, in the order of these names."""
    settings = result.state.settings
    return {
        "stopped": stop_sentence(result, running=running),
        "finished": result.finished,
        "doubts": uncertainty_sentences(result),
        "waiting": [name for name in result.pareto_set if name not in names],
        "removed": sorted(result.state.removed),
        "rounds": _rounds(result, names),
        "eliminations": [
            {**asdict(each), "own": opinion.own, "proof": error_bound_clause(each.error_bound)}
            for each, opinion in zip(result.eliminations, result.check.judged(result.eliminations), strict=True)
        ],
        "undecided": [
            {"pair": list(pair), "from": float(times[0]), "to": float(times[-1])}
            for pair, times in result.undecided().items()
        ],
        "confidence": settings.confidence,
        "allocation": _allocation(result, names),
        "failures": _failures(result.failures),
        "failed": len(result.failures),
        "settings": [[field.name.replace("_", " "), str(getattr(settings, field.name))] for field in fields(settings)],
    }


def _rounds(result: RaceResult, names: Sequence[str]) -> dict[str, Any]:
    evolution = DominanceEvolution.of(result)
    columns = [evolution.names.index(name) for name in names]
    return {
        "numbers": evolution.rounds.tolist(),
        "threat": evolution.threat[:, columns].T.tolist(),
        "eliminated": evolution.eliminated[:, columns].T.tolist(),
        "resolved": evolution.resolved[:, columns].T.tolist(),
        "share": evolution.share.tolist(),
        "cost": np.cumsum([each.cost for each in result.rounds]).tolist(),
    }


def _allocation(result: RaceResult, names: Sequence[str]) -> dict[str, Any]:
    allocation = SampleAllocation.of(result)
    columns = [allocation.names.index(name) for name in names]
    return {
        "cost": allocation.cost[columns].tolist(),
        "full": result.instances * float(allocation.grid.times[-1]),
        "runs": allocation.runs[columns].tolist(),
        "observed": allocation.counts[:, columns].T.tolist(),
        "instances": allocation.instances,
        "saved": allocation.saved_share,
    }


def _failures(failures: Sequence[Run]) -> list[dict[str, Any]]:
    """Return failed runs grouped by algorithm, status and reason, the most frequent first."""
    alike: dict[tuple[str, str, str], list[Run]] = {}
    for run in failures:
        last = (run.message.strip().splitlines() or ["no message"])[-1]
        alike.setdefault((run.trajectory.algorithm, run.status, last), []).append(run)
    return [
        {
            "algorithm": name,
            "status": status,
            "reason": reason[-_MESSAGE:],
            "instances": [run.trajectory.instance for run in runs],
            "message": runs[0].message.strip()[-_MESSAGE:],
        }
        for (name, status, reason), runs in sorted(alike.items(), key=lambda each: -len(each[1]))[:_KINDS]
    ]
