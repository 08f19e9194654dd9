"""Remarks on how a race went: why it stopped, failed runs, unfair clocks, and doubtful eliminations."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.scope import unit_noun
from polarbear.posterior.elimination import dominated
from polarbear.race.failing import LAST_OUTPUT, end_of_message
from polarbear.race.forecast import STABLE_FROM, compared_instances, further_instances, instances_per_time, roughly
from polarbear.race.group_elimination import group_labels
from polarbear.race.stopping import is_futile
from polarbear.selection.observed_times import independent_units
from polarbear.verdict import Remark
from polarbear.verdict.leakage import leak_of_cells
from polarbear.verdict.summary import CHECKED, removal_remarks
from polarbear.wording import format_number, format_percent, join_names, percent, plural, round_off, with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from polarbear.race.instance_features import Value
    from polarbear.race.outcome import RaceOutcome
    from polarbear.verdict import Advice

_FAIR_SHARE = 0.9  # smallest ratio of processor time to wall-clock time without a remark
_MEASURABLE_SECONDS = 0.05  # for shorter runs the processor's clock is too coarse
_NAMED_PAIRS = 3  # undecided pairs that are named; the others are counted


def race_remarks(result: RaceOutcome, advice: Advice) -> list[Remark]:
    """Return the remarks on how a race went, in no particular order."""
    return [
        *_remarks_on_stop(result, advice),
        *_remarks_on_failures(result, advice),
        *_remarks_on_edits(result),
        *_remarks_on_clocks(result),
        *_remarks_on_eliminations(result, advice),
        *_remarks_on_groups(result),
        *_remarks_on_missing_runs(result),
    ]


def remarks_on_algorithms(result: RaceOutcome, advice: Advice) -> list[Remark]:
    """Return remarks on algorithms that failed or were removed, which need no look at the posterior."""
    return [*_remarks_on_failures(result, advice), *removal_remarks(dict(sorted(result.state.removed.items())))]


def doubts_by_algorithm(result: RaceOutcome) -> dict[str, str]:
    """Return why the standing of an algorithm is in doubt, as clauses about it.

    An elimination is in doubt if failed runs, which count as the worst outcome, contributed to it, or if the present
    posterior doubts it. Any other standing is in doubt if all runs of the algorithm failed.
    """
    out = {each.name for each in result.eliminations}
    doubts: dict[str, list[str]] = {}
    for name, (failed, total) in result.failure_counts.items():
        if name in result.accepted_failures:
            continue
        if failed == total:
            doubts[name] = ["all of its runs failed"]
        elif name in out and result.state.settings.failure != "missing":
            doubts[name] = [f"{failed:,} of its {total:,} runs failed"]
    for name, error in _doubted_eliminations(result).items():
        doubts.setdefault(name, []).append(
            f"given all runs so far, wrong with a probability of {format_percent(error)}"
        )
    return {name: "; ".join(clauses) for name, clauses in doubts.items()}


def _doubted_eliminations(result: RaceOutcome) -> dict[str, float]:
    """Return the eliminations of earlier rounds that the present posterior doubts, and how probably they are wrong."""
    allowed = 2 * (1 - result.state.settings.confidence)
    if result.wrong_elimination <= allowed:  # which no single error exceeds
        return {}
    errors = result.elimination_errors(result.state.settings.specialists)
    return {name: error for name, error in errors.items() if error > allowed}


def settled_sentence(result: RaceOutcome) -> str:
    """Return what a race has settled."""
    wrong = ""
    if result.eliminations:
        probability = format_percent(result.wrong_elimination)
        wrong = f" Under the posterior, an elimination is wrong with a probability of {probability}."
    if result.finished:
        return f"Every pair of algorithms is decided or practically equal.{wrong}"
    return f"{CHECKED}{wrong}"


def undecided_clause(result: RaceOutcome) -> str:
    """Return a sentence on the undecided pairs, with a blank before it; empty if all are decided."""
    pairs = result.undecided()
    if not pairs:
        return ""
    total = len(result.state.settings.grid)
    shown = list(pairs.items())[:_NAMED_PAIRS]
    forecasts = _forecasts(result, [pair for pair, _ in shown])
    named = []
    for pair, times in shown:
        start, stop = format_number(times[0]), format_number(times[-1])
        where = f"at {start}" if len(times) == 1 else f"at {len(times)} of {total} budgets from {start} to {stop}"
        named.append(f"{join_names(pair)} {where}{forecasts[pair]}")
    more = len(pairs) - len(named)
    named += [with_noun(more, "more pair")] if more else []
    return f" Not decided: {'; '.join(named)}."


def _forecasts(result: RaceOutcome, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return for each pair how many more instances it should take, in brackets with a blank before them; else empty.

    More repetitions of the same instances would not do, so of repeated instances each counts once.
    """
    state, names = result.state, result.state.names
    units = independent_units(result.posterior)
    if units < STABLE_FROM or result.posterior.names != names:
        return dict.fromkeys(pairs, "")
    places = {(names.index(first), names.index(second)): (first, second) for first, second in pairs}
    resolved = np.ones_like(state.resolved)
    for a, b in places:
        resolved[:, a, b] = state.resolved[:, a, b]
    texts = dict.fromkeys(pairs, "")
    for place, needed in instances_per_time(result.posterior, resolved, state.settings).items():
        if compared_instances(result.posterior, *place) < STABLE_FROM:
            continue
        further = float(needed.max()) - result.instances
        texts[places[place]] = (
            f" (about {_in_units(result, further)})"
            if math.isfinite(further)
            else " (even 1,000 times as many instances would hardly decide it)"
        )
    return texts


def _in_units(result: RaceOutcome, further: float) -> str:
    """Return a number of further instances in words; if instances are repeated, as a number of other instances."""
    units = independent_units(result.posterior)
    more = roughly(max(further * units / result.instances, 1.0))
    return f"{more:,.0f} more {plural(unit_noun(result.state.clusters))}"


def _remarks_on_stop(result: RaceOutcome, advice: Advice) -> list[Remark]:
    if result.finished:
        return []
    clause = undecided_clause(result)
    spent, unit = sum(result.cost.values()), result.state.settings.clock
    match result.stopped:
        case "no elimination likely":
            text = (
                f"Within its limit, the race is unlikely to eliminate another algorithm.{clause} With the resolution "
                f'"crossing", the race continues {_until_decided(result)}.'
            )
            return [Remark("solid", text, advice.decide_every_pair())]
        case "pairs left undecided":
            text = (
                f"The race left pairs undecided that would each need more than {result.state.settings.patience:,} further "
                f"instances, its patience.{clause}"
            )
            return [Remark("solid", text, advice.settle_pair(*next(iter(result.undecided()))))]
        case "max_instances":
            needed = 0 if advice.only else _further_instances(result)
            beyond = f"; about {_in_units(result, needed)} would decide everything" if needed else ""
            reason = f"The race stopped at its limit of instances; it has used {result.instances:,}{beyond}."
            reason, step = _with_higher_limit(result, reason, advice)
        case "max_evaluations":
            reason = f"The race stopped at its limit of {round_off(spent)} {unit}."
            reason, step = _with_higher_limit(result, reason, advice)
        case "max_seconds":
            reason, step = "The race stopped at its time limit.", advice.continue_race("", "")
        case "instances ran out":
            repeats = "repeats in [instances]" if advice.file else "pb.problems.Repeated"
            repeat = f", or repeat them with {repeats}" if result.state.clusters is None else ""
            reason, step = f"The race has used all instances; add more{repeat}.", ""
        case "selected pairs decided":
            reason = "Every pair of the selected algorithms is decided."
            step = replace(advice, only=()).continue_race("", "")
        case "algorithm failed":
            they = "it" if len(result.failing) == 1 else "them"
            reason = (
                f"The race is paused: {join_names([each.name for each in result.failing])} failed in every run of the first "
                f"round. Fix {they} and continue, or remove {they} from the race."
            )
            step = _rerun_failed(advice, [each.name for each in result.failing])
        case "interrupted":
            reason, step = "The race was interrupted.", advice.continue_race("", "")
        case _:
            reason, step = "The race is not finished.", advice.continue_race("", "")
    # What is in doubt follows from the posterior, not from why the race stopped.
    return [Remark("provisional" if result.failing else "solid", f"{reason}{clause}", step)]


def _until_decided(result: RaceOutcome) -> str:
    limited = ", or its instances run out" if math.isfinite(result.available) else ""
    return f"until every pair is decided{limited}"


def _with_higher_limit(result: RaceOutcome, reason: str, advice: Advice) -> tuple[str, str]:
    """Return why a race stopped at a limit, and how to continue it: with a higher one, unless that is futile."""
    limit = _higher_instances(result) if result.stopped == "max_instances" else result.available
    applies = not advice.only and result.state.candidates.issubset(result.posterior.names)
    if applies and is_futile(result.state, result.posterior, limit):
        within = f" within {limit:,.0f} instances" if math.isfinite(limit) else ""
        futile = f"It is unlikely to eliminate another algorithm{within}"
        return (
            f'{reason} {futile}; with the resolution "crossing" it continues {_until_decided(result)}.',
            advice.decide_every_pair(),
        )
    return reason, advice.continue_race(*advice.limit)


def _higher_instances(result: RaceOutcome) -> int:
    """Return a higher limit of instances for a race that has reached its limit, no higher than there are instances."""
    used, needed = max(result.instances, 1), _further_instances(result)
    # A forecast far beyond the data is too uncertain to ask for all of it at once.
    return int(min(used + (needed if 0 < needed <= 4 * used else used), result.available))


def higher_limit(result: RaceOutcome) -> tuple[str, str]:
    """Return the option and the argument of `Race.run` that raise the limit at which a race stopped; empty if none did."""
    match result.stopped:
        case "max_instances":
            more = _higher_instances(result)
            return f"--max-instances {more}", f"max_instances={more}"
        case "max_evaluations":
            cost = f"{2 * max(sum(result.cost.values()), 1.0):.3g}"
            return f"--max-evaluations {float(cost):.12g}", f"max_evaluations={float(cost):.12g}"
    return "", ""


def _further_instances(result: RaceOutcome) -> int:
    """Return about how many further instances would decide every pair; 0 if that cannot be forecast."""
    if set(result.posterior.names) != set(result.state.names):
        return 0
    needed = further_instances(result.posterior, result.state.resolved, result.state.settings)
    return int(needed) if needed is not None and 0 < needed < math.inf else 0


def _rerun_failed(advice: Advice, names: Sequence[str]) -> str:
    """Return how to make failed runs again; a selection of algorithms that leaves some of them out is dropped."""
    chosen = advice if set(names) <= set(advice.only) else replace(advice, only=())
    return chosen.continue_race("--rerun-failed", "rerun_failed=True")


def _remarks_on_failures(result: RaceOutcome, advice: Advice) -> list[Remark]:
    """Return a remark per algorithm with failed runs, with the error of the first."""
    count = "are missing" if result.state.settings.failure == "missing" else "count as the worst outcome"
    accept = "--accept-failures" if advice.file else "accept_failures=True"
    remarks = []
    for name, (failed, total) in result.failure_counts.items():
        first = next(run for run in result.failures if run.trajectory.algorithm == name)
        settled = name in result.state.removed or name in result.accepted_failures
        share = _share(failed, total)
        text = f"{share} of {name} failed, and failed runs {count}; the first error: {_reason(first.message)}."
        step = advice.readmit(name, rerun_failed=True)
        if name in result.state.candidates:
            step = _rerun_failed(advice, [name])
            text += "" if settled else f" If failing is part of what it does, accept it with {accept}."
        remarks.append(Remark("solid" if settled else "provisional", text, step))
    return remarks


def _reason(message: str) -> str:
    """Return the error of a failed run in one line, with the last line of what it printed."""
    error = (end_of_message(message).splitlines() or ["no message"])[0].rstrip(".")
    output = message.partition(LAST_OUTPUT)[2].strip().splitlines()
    return f"{error} (last output: {output[-1].strip()})" if output else error


def _remarks_on_edits(result: RaceOutcome) -> list[Remark]:
    """Return a remark if runs of an algorithm may come from different versions of its code."""
    edited = [name for name in result.edited if name in result.state.candidates]
    if not edited:
        return []
    text = (
        f"The code of {join_names(edited)} has changed since runs of it were stored, so its runs may come from different "
        "versions. To race the new code from the start, give it a new name."
    )
    return [Remark("provisional", text)]


def _share(failed: int, total: int) -> str:
    """Return how many runs failed, to begin a sentence with."""
    if failed < total:
        return f"{failed:,} of {with_noun(total, 'run')}"
    return f"All {total:,} runs" if total > 1 else "The only run"


def _remarks_on_clocks(result: RaceOutcome) -> list[Remark]:
    """Return a remark if time is in seconds and some runs did not have a processor to themselves."""
    runs = [run for run in result.runs if run.cpu_seconds > 0 and run.seconds >= _MEASURABLE_SECONDS]
    waited = [run for run in runs if run.cpu_seconds < _FAIR_SHARE * run.seconds]
    if result.state.settings.clock != "seconds" or not waited:
        return []
    worst = min(run.cpu_seconds / run.seconds for run in waited)
    return [
        Remark(
            "provisional",
            f"{len(waited)} of {len(runs)} runs had the processor for less than {percent(_FAIR_SHARE)} of their time (the "
            f"worst for {percent(worst)}), and time is in seconds: unless they wait on purpose, use fewer workers or an "
            "idle machine.",
        )
    ]


def _remarks_on_eliminations(result: RaceOutcome, advice: Advice) -> list[Remark]:
    """Return a remark if the present posterior doubts an elimination of an earlier round."""
    errors = _doubted_eliminations(result)
    if not errors:
        return []
    worst = max(errors, key=lambda name: errors[name])
    reason = ""
    beaten = 1 - result.elimination_errors("drop")[worst]
    if 1 - errors[worst] < result.state.settings.confidence <= beaten:
        reason = (
            f" Another algorithm beats it at every budget ({format_percent(beaten)} sure), but it may come first often "
            "enough to be kept as a specialist."
        )
    others = f" The probability that any elimination is wrong is {format_percent(result.wrong_elimination)}."
    text = (
        f"Under the present posterior, the elimination of {worst} is wrong with a probability of "
        f"{format_percent(errors[worst])}.{reason}{others if len(result.eliminations) > 1 else ''}"
    )
    # Readmitted, it would be judged by the same data if there are no more instances.
    return [Remark("provisional", text, "" if result.stopped == "instances ran out" else advice.readmit(worst))]


def _remarks_on_groups(result: RaceOutcome) -> list[Remark]:
    """Return a remark on the rule of a race with groups, and on the algorithms that only the groups keep."""
    settings = result.state.settings
    if settings.groups is None:
        return []
    labels = sorted({label for label in group_labels(result.state) if label is not None}, key=_numbers_first)
    if not labels:
        return [
            Remark("provisional", f"No instance has the feature {settings.groups} that defines the groups of the race.")
        ]
    cells: dict[Hashable, Value] = {
        index: result.state.features.get(index, {}).get(settings.groups)
        for index in result.state.observations.instances
    }
    leak = leak_of_cells(settings.groups, cells, [run.trajectory for run in result.runs])
    leaks = [] if leak is None else [replace(leak, status="provisional")]  # on all instances, the answer holds
    rule = (
        f"With groups by {settings.groups} ({join_names(labels)}), an algorithm is eliminated only if it is beaten at every "
        "budget on all instances together and within every group."
    )
    among = [name for name in result.pareto_set if name in result.posterior.names]
    beaten = dominated(
        result.posterior,
        confidence=settings.confidence,
        elimination=settings.elimination,
        specialists=settings.specialists,
        among=among,
    )
    kept = [each.name for each in beaten]
    if not kept:
        return [*leaks, Remark("solid", rule)]
    verb = "is" if len(kept) == 1 else "are"
    text = f"{rule} {join_names(kept)} {verb} beaten on all instances together, but not in every group."
    return [*leaks, Remark("solid", text)]


def _remarks_on_missing_runs(result: RaceOutcome) -> list[Remark]:
    """Return a remark on candidates that ran on less than half of the instances, as with `only`."""
    counts = Counter(name for name, _ in result.state.observations.runs)
    few = [name for name in result.pareto_set if 0 < 2 * counts[name] < result.instances]
    if not few:
        return []
    most, them = max(counts[name] for name in few), "it" if len(few) == 1 else "them"
    text = (
        f"Of {result.instances:,} instances, {join_names(few)} ran on only {most:,}{'' if len(few) == 1 else ' or fewer'}. "
        f"Comparisons with {them} rest on these."
    )
    return [Remark("solid", text)]


def _numbers_first(label: str) -> tuple[float, str]:
    """Return a key that sorts numbers by size, before text."""
    try:
        return float(label), ""
    except ValueError:
        return math.inf, label
