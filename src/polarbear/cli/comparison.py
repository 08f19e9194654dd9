"""The comparison of algorithms on recorded runs that `analyse` prints, as text or as JSON."""

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, get_args

from polarbear.cli import terminal
from polarbear.cli.selections import select_or_explain, selection_as_data, sentence_of
from polarbear.literals import Elimination, Ended
from polarbear.wording import format_number, format_percent, percent, plural, round_off, with_noun, with_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.analysis import Replay
    from polarbear.baselines import AoccComparison
    from polarbear.observe import Choices, Trajectory
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import Selection
    from polarbear.table import Table
    from polarbear.verdict import Advice, Remark, Summary


_FEW = 30  # algorithms, up to which all pairs are compared, and not only those of the Pareto set


@dataclass(frozen=True)
class Comparison:
    """How algorithms compare on recorded runs.

    Attributes
    ----------
    posterior, runs, clock, confidence, elimination
        The posterior, the number of runs, their unit of time, and the rule of elimination.
    ended, cut_early
        How many runs ended in which way, and how many were cut off before the last time of the grid.
    summary
        The verdict: which algorithm at which budget, the standing of each algorithm, and all remarks.
    eliminated, cycles, checks
        The eliminations as plain data, the groups of algorithms that beat each other in a circle, and the findings of the
        model check as plain data.
    how_much_better
        Sentences on the speed-up of the leader and on median values.
    pairs, selections, aocc
        The pairwise table, the selections by preference (or a sentence that there is none), and what AOCC would choose;
        None where AOCC does not apply.
    replay, skipped
        The replayed race, if there is one, and the data that were skipped.
    """

    posterior: "Posterior"
    runs: int
    ended: dict[str, int]
    cut_early: int
    clock: str
    confidence: float
    elimination: Elimination
    summary: "Summary"
    eliminated: list[dict[str, Any]]
    cycles: tuple[tuple[str, ...], ...]
    checks: dict[str, list[dict[str, Any]]]
    how_much_better: tuple[str, ...]
    pairs: "Table"
    selections: "dict[str, Selection | str]"
    aocc: "AoccComparison | None"
    replay: "Replay | None"
    skipped: list[str]

    @property
    def pareto_set(self) -> tuple[str, ...]:
        """The algorithms that are not eliminated."""
        return self.summary.overview.names


def compare(
    posterior: "Posterior",
    choices: "Choices",
    runs: "Sequence[Trajectory]",
    *,
    clock: str,
    confidence: float,
    elimination: Elimination,
    optimum: float | None,
    optimum_known: bool,
    advice: "Advice",
    remarks: "Sequence[Remark]",
    **rest: Any,
) -> Comparison:
    """Return the comparison of all algorithms of a posterior that was fitted to these choices."""
    from polarbear import selection
    from polarbear.checks.model_check import model_check
    from polarbear.exports import pairwise_table
    from polarbear.posterior.elimination import cycles, dominated
    from polarbear.verdict.summary import CHECKED, bounds_of, collect

    rule: dict[str, Any] = {"confidence": confidence, "elimination": elimination}
    decisions, circles = dominated(posterior, **rule), cycles(posterior, **rule)
    bounds = bounds_of(decisions, choices)
    check = model_check(posterior, choices)
    losers = {each.name for each in decisions}
    pareto_set = [name for name in posterior.names if name not in losers]
    preferences: dict[str, Any] = {"final": selection.Final(), "uniform": selection.Uniform()}
    if posterior.grid.axis == "log":
        preferences["log-uniform"] = selection.LogUniform()
    ended, cut_early = _count_ends(runs, posterior)
    return Comparison(
        posterior=posterior,
        runs=len(runs),
        ended=ended,
        cut_early=cut_early,
        clock=clock,
        confidence=confidence,
        elimination=elimination,
        summary=collect(
            posterior,
            candidates=pareto_set,
            decisions=decisions,
            cycles=circles,
            check=check,
            unit=clock,
            advice=advice,
            remarks=[*remarks_on_ends(runs, posterior), *remarks],
            effort=describe_data(choices, len(runs), clock),
            error_bounds=bounds,
            settled=CHECKED,
        ),
        eliminated=[{**asdict(each), "error_bound": bounds[each.name]} for each in decisions],
        cycles=circles,
        checks=check.as_dict(decisions),
        pairs=pairwise_table(posterior, among=None if len(posterior.names) <= _FEW else pareto_set),
        selections={name: select_or_explain(posterior, each, pareto_set) for name, each in preferences.items()},
        aocc=_choice_by_aocc(runs, posterior, pareto_set, optimum, optimum_known),
        **rest,
    )


def describe_data(choices: "Choices", runs: int, clock: str) -> str:
    """Return what was compared: runs, algorithms, instances and times."""
    from polarbear.observe.scope import count_instances

    times, rankings = choices.grid.times, choices.rankings
    data = count_instances(choices.instances, None if rankings is None else rankings.clusters)
    first, last = format_number(times[0]), format_number(times[-1])
    where = (
        f"{len(times)} times from {first} to {last} {clock}" if len(times) > 1 else with_unit(float(times[0]), clock)
    )
    return f"{with_noun(runs, 'run')} of {len(choices.names)} algorithms on {data}, compared at {where}"


def _choice_by_aocc(
    runs: "Sequence[Trajectory]", posterior: "Posterior", among: list[str], optimum: float | None, optimum_known: bool
) -> "AoccComparison | None":
    """Return what AOCC would choose; None without an optimum, or if AOCC does not apply and no optimum was given."""
    from polarbear.baselines import compare_with_aocc

    if optimum is None and not optimum_known:
        return None
    comparison = compare_with_aocc(runs, posterior, among=among, optimum=optimum or 0.0)
    return None if optimum is None and comparison.choice is None else comparison


def comparison_as_data(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as plain data for JSON."""
    from polarbear.exports import comparisons_by_name
    from polarbear.selection.observed_times import describe_unobserved, thin_data_sentence

    posterior = comparison.posterior
    data = {
        "algorithms": list(posterior.names),
        "runs": comparison.runs,
        "ended": {**comparison.ended, "cut off early": comparison.cut_early},
        "instances": posterior.instances,
        "scope": posterior.scope,
        "grid": posterior.grid.times.tolist(),
        "comparisons": comparisons_by_name(posterior),
        "not_observed": describe_unobserved(posterior),
        "few_data": thin_data_sentence(posterior),
        "summary": comparison.summary.as_dict(),
        "pareto_set": list(comparison.pareto_set),
        "dominated": comparison.eliminated,
        "cycles": [list(each) for each in comparison.cycles],
        "confidence": comparison.confidence,
        "elimination": comparison.elimination,
        "reliable": posterior.diagnostics.reliable,
        "diagnostics": posterior.diagnostics.message,
        **comparison.checks,
        "warnings": [each.sentence for each in comparison.summary.remarks if each.status != "solid"],
        "pairwise": comparison.pairs,
        "map": str(comparison.summary.overview).splitlines(),
        "selections": {name: selection_as_data(each) for name, each in comparison.selections.items()},
        "how_much_better": list(comparison.how_much_better),
        "aocc": None if comparison.aocc is None else asdict(comparison.aocc),
    }
    if comparison.replay is not None:
        data["race"] = _replay_as_data(comparison.replay)
    return {**data, "skipped": comparison.skipped}


def _replay_as_data(replay: "Replay") -> dict[str, Any]:
    from polarbear.exports import account

    return {
        **account(replay.result),
        "recorded": replay.recorded,
        "spent": replay.spent,
        "saved_of_recorded": replay.saved_share,
        "instances_recorded": replay.instances,
        "instances_left_out": replay.left_out,
    }


def print_comparison(comparison: Comparison, *, most: int | None) -> None:
    """Print a comparison: the summary, all pairs, what to deploy, and the replayed race.

    Of each list, entries after the first `most` are only counted.
    """
    from polarbear.verdict.rendering import as_text

    terminal.print_result(as_text(comparison.summary, most=most))
    terminal.print_paragraph("How much better", comparison.how_much_better)
    terminal.print_result("\nPairs of algorithms")
    columns = [_in_percent(name, column) for name, column in comparison.pairs.items()]
    kept = set(comparison.pareto_set)
    rows = sorted(zip(*columns, strict=True), key=lambda row: not {row[0], row[1]} <= kept)
    terminal.print_table([name.replace("_", " ") for name in comparison.pairs], rows, most=most)
    terminal.print_result("\nWhat to deploy")
    for selection in comparison.selections.values():
        terminal.print_result(f"- {sentence_of(selection)}")
    if comparison.aocc is not None:
        terminal.print_result(f"\nWould AOCC have chosen differently? {comparison.aocc.sentence}")
    if comparison.replay is not None:
        _print_replay(comparison.replay, comparison.clock)


def _in_percent(name: str, column: Any) -> list[str]:
    """Return a column of the pairwise table for people: names, whole per cents, or a dash for what is unknown."""
    if not hasattr(column, "tolist"):
        return list(column)
    form = percent if name.startswith("win_rate") else format_percent
    return ["-" if math.isnan(each) else form(each) for each in column.tolist()]


def _count_ends(runs: "Sequence[Trajectory]", posterior: "Posterior") -> tuple[dict[str, int], int]:
    """Return how many runs ended in which way, and how many were cut off before the last time of the grid."""
    ended = {kind: sum(run.ended == kind for run in runs) for kind in get_args(Ended)}
    return ended, sum(run.ended == "cut off" and run.until < posterior.grid.times[-1] for run in runs)


def remarks_on_ends(runs: "Sequence[Trajectory]", posterior: "Posterior") -> "list[Remark]":
    """Return a remark that counts how the runs ended; none if all lasted to the last time of the grid."""
    from polarbear.verdict import Remark

    ended, cut_early = _count_ends(runs, posterior)
    stop = format_number(posterior.grid.times[-1])
    parts = [
        _count(ended["finished"], "finished and keeps its value", "finished and keep their value"),
        _count(cut_early, f"was cut off before {stop} and is unknown", f"were cut off before {stop} and are unknown")
        + (" afterwards" if cut_early else ""),
        f"{ended['failed']:,} failed" if ended["failed"] else "",
    ]
    known = [part for part in parts if part]
    return [Remark("solid", f"Of the runs, {', '.join(known)}.")] if known else []


def _count(number: int, one: str, several: str) -> str:
    """Return a number with what one or several runs did; empty for none."""
    return f"{number:,} {one if number == 1 else several}" if number else ""


def _print_replay(replay: "Replay", clock: str) -> None:
    from polarbear.observe.scope import member_noun

    result = replay.result
    noun = member_noun(result.state.clusters)
    terminal.print_result(
        f"\nAs a race: {', '.join(result.pareto_set)} would remain after {result.instances:,} of {replay.instances:,} "
        f"{plural(noun)} and {round_off(replay.spent)} of {round_off(replay.recorded)} {clock}, "
        f"{percent(replay.saved_share)} saved. {result.why_stopped}"
    )
    if replay.left_out:
        who = f"{with_noun(replay.left_out, noun)} {'is' if replay.left_out == 1 else 'are'}"
        terminal.print_result(f"{who} left out of the race, since not every algorithm ran to the end there.")
