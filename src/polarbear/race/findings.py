"""What was noticed in the course of a race: why it stopped, failed runs, unfair clocks, groups, and doubtful drops.

In: the outcome of a race. Out: findings. What limits the posterior itself is found by `polarbear.answer.doubts`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from polarbear.checks.leakage import find_leak_in_cells
from polarbear.findings import AddInstances, Code, Continue, Decide, Finding, GoOnUntil, RerunFailed, Restore
from polarbear.posterior.elimination import dominated
from polarbear.posterior.findings import FIRM_INSTANCES
from polarbear.race.forecast import further_instances
from polarbear.race.group_drops import group_labels
from polarbear.race.stopping import is_futile
from polarbear.wording import DROPPED_BY_USER

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from polarbear.findings import Severity
    from polarbear.race.instance_features import Value
    from polarbear.race.outcome import RaceOutcome

_FAIR_SHARE = 0.9  # smallest ratio of processor time to wall-clock time without a finding
_MEASURABLE_SECONDS = 0.05  # for shorter runs the processor's clock is too coarse


def race_findings(outcome: RaceOutcome, only: Sequence[str] = ()) -> list[Finding]:
    """Return what was noticed in a race with at least one round; `only` names the algorithms to which it was confined."""
    return [
        *_on_stop(outcome, tuple(only)),
        *_on_waiting(outcome),
        *findings_on_algorithms(outcome),
        *_on_changed_code(outcome),
        *_on_clocks(outcome),
        *_on_drops(outcome),
        *_on_groups(outcome),
        *_on_missing_runs(outcome),
    ]


def before_first_round(outcome: RaceOutcome) -> list[Finding]:
    """Return what was noticed in a race in which no round has ended."""
    found = findings_on_algorithms(outcome)
    if outcome.failing:
        names = tuple(each.name for each in outcome.failing)
        return [Finding(Code.ALGORITHM_FAILS, "unreliable", names, remedy=RerunFailed(names)), *found]
    return [Finding(Code.NO_ROUND, "unreliable", remedy=Continue()), *found]


def findings_on_algorithms(outcome: RaceOutcome) -> list[Finding]:
    """Return the findings on algorithms that failed or were dropped by the user, which need no look at the posterior."""
    found = []
    for name, (failed, total) in outcome.failure_counts.items():
        first = next(run.failure for run in outcome.failures if run.failure and run.trajectory.algorithm == name)
        accepted = name in outcome.accepted_failures
        numbers = {
            "failed": failed,
            "runs": total,
            "missing": outcome.state.settings.failure == "missing",
            "accepted": accepted,
            **asdict(first),
        }
        racing = name in outcome.state.candidates
        remedy = RerunFailed((name,), acceptable=not accepted) if racing else Restore(name, rerun=True)
        settled = accepted or name in outcome.state.dropped_by_user
        found.append(Finding(Code.FAILED_RUNS, "note" if settled else "tentative", (name,), numbers, remedy))
    dropped_by_user = outcome.state.dropped_by_user
    by_user = tuple(sorted(name for name, reason in dropped_by_user.items() if reason == DROPPED_BY_USER))
    others = tuple(sorted(set(dropped_by_user) - set(by_user)))
    found += [Finding(Code.DROPPED_BY_USER, "tentative", by_user)] if by_user else []
    found += [Finding(Code.SET_ASIDE, "tentative", others)] if others else []
    return found


def _on_stop(outcome: RaceOutcome, only: tuple[str, ...]) -> list[Finding]:
    """Return why a race that is not finished stopped, with what would continue it."""
    if outcome.failing:
        names = tuple(each.name for each in outcome.failing)
        return [Finding(Code.ALGORITHM_FAILS, "tentative", names, remedy=RerunFailed(names))]
    if outcome.finished:
        return []
    open_pairs = [
        {"pair": list(pair), "budgets": len(budgets), "start": float(budgets[0]), "stop": float(budgets[-1])}
        for pair, budgets in outcome.undecided().items()
    ]
    numbers = {
        "reason": outcome.stopped,
        "instances": outcome.instances,
        "cost": sum(outcome.cost.values()),
        "clock": outcome.state.settings.clock,
        "patience": outcome.state.settings.patience,
        "undecided": open_pairs,
        "further": _further(outcome),
    }
    return [Finding(Code.STOPPED, "note", only, numbers, _continuing(outcome, only))]


def _continuing(outcome: RaceOutcome, only: tuple[str, ...]) -> AddInstances | Continue | Decide | GoOnUntil:
    """Return what continues a race: with a higher limit if it reached one, unless that is futile."""
    match outcome.stopped:
        case "instances ran out":
            return AddInstances(repeat=outcome.state.clusters is None)
        case "no drop likely":
            return GoOnUntil("pairs")
        case "pairs left undecided":
            return Decide(*next(iter(outcome.undecided())))
        case "selected pairs decided":
            return Continue()
    limit = higher_limit(outcome) if outcome.stopped == "max_instances" else outcome.available
    judged = not only and outcome.state.candidates.issubset(outcome.posterior.names)
    if outcome.stopped.startswith("max_") and judged and is_futile(outcome.state, outcome.posterior, limit):
        return GoOnUntil("pairs")
    if outcome.stopped == "max_instances":
        return Continue(instances=higher_limit(outcome), only=only)
    if outcome.stopped == "max_evaluations":
        return Continue(cost=float(f"{2 * max(sum(outcome.cost.values()), 1.0):.3g}"), only=only)
    return Continue(only=only)


def higher_limit(outcome: RaceOutcome) -> int:
    """Return a higher limit of instances for a race that has reached its limit, no higher than there are instances."""
    used, needed = max(outcome.instances, 1), _further(outcome)
    # A forecast far beyond the data is too uncertain to ask for all of it at once.
    return int(min(used + (needed if 0 < needed <= 4 * used else used), outcome.available))


def _further(outcome: RaceOutcome) -> int:
    """Return about how many further instances would decide every pair; 0 if that cannot be forecast."""
    if set(outcome.posterior.names) != set(outcome.state.names):
        return 0
    needed = further_instances(outcome.posterior, outcome.state.decided, outcome.state.settings)
    return int(needed) if needed is not None and 0 < needed < math.inf else 0


def _on_waiting(outcome: RaceOutcome) -> list[Finding]:
    """Return the finding that candidates have not run yet; those that failed in their first round are found elsewhere."""
    known = {*outcome.posterior.names, *(each.name for each in outcome.failing)}
    waiting = tuple(name for name in outcome.kept if name not in known)
    return [Finding(Code.NOT_RUN_YET, "tentative", waiting, remedy=Continue())] if waiting else []


def _on_changed_code(outcome: RaceOutcome) -> list[Finding]:
    """Return the finding that runs of an algorithm may come from different versions of its code."""
    changed = tuple(name for name in outcome.edited if name in outcome.state.candidates)
    return [Finding(Code.CHANGED_CODE, "tentative", changed)] if changed else []


def _on_clocks(outcome: RaceOutcome) -> list[Finding]:
    """Return the finding that some runs did not have a processor to themselves, if budgets are in seconds."""
    runs = [run for run in outcome.runs if run.cpu_seconds > 0 and run.seconds >= _MEASURABLE_SECONDS]
    waited = [run for run in runs if run.cpu_seconds < _FAIR_SHARE * run.seconds]
    if outcome.state.settings.clock != "seconds" or not waited:
        return []
    worst = min(run.cpu_seconds / run.seconds for run in waited)
    numbers = {"waited": len(waited), "runs": len(runs), "fair": _FAIR_SHARE, "worst": worst}
    return [Finding(Code.SHARED_PROCESSOR, "tentative", numbers=numbers)]


def _on_drops(outcome: RaceOutcome) -> list[Finding]:
    """Return the drops of earlier rounds that the present posterior doubts."""
    settings = outcome.state.settings
    allowed = 2 * (1 - settings.confidence)
    if outcome.wrong_drop <= allowed:  # which no single error exceeds
        return []
    errors, plain = outcome.drop_errors(settings.specialists), outcome.drop_errors("drop")
    found = []
    for name, error in sorted(errors.items(), key=lambda each: -each[1]):
        if error > allowed:
            specialist = 1 - error < settings.confidence <= 1 - plain[name]
            numbers = {"error": error, "any": outcome.wrong_drop, "specialist": specialist}
            # Restored, it would be judged by the same data if there are no more instances.
            remedy = None if outcome.stopped == "instances ran out" else Restore(name)
            found.append(Finding(Code.DROP_IN_DOUBT, "tentative", (name,), numbers, remedy))
    return found


def _on_groups(outcome: RaceOutcome) -> list[Finding]:
    """Return the findings on the groups of a race: which algorithms only the groups keep."""
    settings = outcome.state.settings
    if settings.groups is None:
        return []
    labels = sorted({label for label in group_labels(outcome.state) if label is not None}, key=_numbers_first)
    if not labels:
        return [Finding(Code.NO_GROUPS, "tentative", numbers={"feature": settings.groups})]
    cells: dict[Hashable, Value] = {
        index: outcome.state.features.get(index, {}).get(settings.groups)
        for index in outcome.state.observations.instances
    }
    leak = find_leak_in_cells(settings.groups, cells, [run.trajectory for run in outcome.runs])
    beaten = dominated(
        outcome.posterior,
        confidence=settings.confidence,
        dominance=settings.dominance,
        specialists=settings.specialists,
        among=[name for name in outcome.kept if name in outcome.posterior.names],
    )
    numbers = {"feature": settings.groups, "groups": labels}
    found = [Finding(Code.GROUP_RULE, "note", tuple(each.name for each in beaten), numbers)]
    # On all instances together the answer holds.
    return found if leak is None else [*found, replace(leak, severity="tentative")]


def _on_missing_runs(outcome: RaceOutcome) -> list[Finding]:
    """Return the finding that candidates ran on less than half of the instances."""
    counts = Counter(name for name, _ in outcome.state.observations.runs)
    few = tuple(name for name in outcome.kept if 0 < 2 * counts[name] < outcome.instances)
    numbers = {"instances": outcome.instances, "most": max((counts[name] for name in few), default=0)}
    severity: Severity = "tentative" if numbers["most"] < FIRM_INSTANCES else "note"
    return [Finding(Code.RAN_ON_FEW, severity, few, numbers)] if few else []


def _numbers_first(label: str) -> tuple[float, str]:
    """Return a key that sorts numbers by size, before text."""
    try:
        return float(label), ""
    except ValueError:
        return math.inf, label
