"""The comparison of algorithms on recorded runs that `analyse` prints, as text or as JSON."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, get_args

from polarbear.cli import terminal
from polarbear.cli.account import print_eliminations
from polarbear.cli.selections import list_names, select_or_explain, selection_as_data, sentence_of
from polarbear.literals import Clock, Elimination, Ended
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.analysis import Replay
    from polarbear.baselines import AoccComparison
    from polarbear.observe import Choices, Trajectory
    from polarbear.posterior.elimination import Specialist
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import DecisionMap, Selection
    from polarbear.table import Table


@dataclass(frozen=True)
class Comparison:
    """How algorithms compare on recorded runs.

    Attributes
    ----------
    posterior, runs, clock, confidence, elimination
        The posterior, the number of runs, their unit of time, and the rule of elimination.
    ended, cut_early
        How many runs ended in which way, and how many were cut off before the last time of the grid.
    pareto_set, eliminated, specialists
        The algorithms that no other one dominates, the others as plain data, and the specialists.
    checks, warnings
        The findings of the model check as plain data, and as sentences.
    pairs, leaders, selections, aocc
        The pairwise table, the decision map, the selections by preference (or a sentence that there is none), and what AOCC
        would choose; None where AOCC does not apply.
    replay, skipped
        The replayed race, if there is one, and the data that were skipped.
    """

    posterior: "Posterior"
    runs: int
    ended: dict[str, int]
    cut_early: int
    clock: Clock
    confidence: float
    elimination: Elimination
    pareto_set: list[str]
    eliminated: list[dict[str, Any]]
    specialists: "Sequence[Specialist]"
    checks: dict[str, list[dict[str, Any]]]
    warnings: list[str]
    pairs: "Table"
    leaders: "DecisionMap"
    selections: "dict[str, Selection | str]"
    aocc: "AoccComparison | None"
    replay: "Replay | None"
    skipped: list[str]


def compare(
    posterior: "Posterior",
    choices: "Choices",
    runs: "Sequence[Trajectory]",
    *,
    confidence: float,
    elimination: Elimination,
    optimum: float | None,
    optimum_known: bool,
    **rest: Any,
) -> Comparison:
    """Return the comparison of all algorithms of a posterior that was fitted to these choices."""
    from polarbear import selection
    from polarbear.checks.model_check import model_check
    from polarbear.exports import pairwise_table
    from polarbear.posterior.e_values import error_bounds
    from polarbear.posterior.elimination import dominated, find_specialists

    decisions = dominated(posterior, confidence=confidence, elimination=elimination)
    place = {name: position for position, name in enumerate(posterior.names)}
    bounds = error_bounds(choices).tolist()
    check = model_check(posterior, choices)
    losers = {each.name for each in decisions}
    pareto_set = [name for name in posterior.names if name not in losers]
    preferences: dict[str, Any] = {"final": selection.Final(), "uniform": selection.Uniform()}
    if posterior.grid.axis == "log":
        preferences["log-uniform"] = selection.LogUniform()
    return Comparison(
        posterior=posterior,
        runs=len(runs),
        ended={kind: sum(run.ended == kind for run in runs) for kind in get_args(Ended)},
        cut_early=sum(run.ended == "cut off" and run.until < posterior.grid.times[-1] for run in runs),
        confidence=confidence,
        elimination=elimination,
        pareto_set=pareto_set,
        eliminated=[{**asdict(each), "error_bound": bounds[place[each.by]][place[each.name]]} for each in decisions],
        specialists=find_specialists(posterior, confidence=confidence, elimination=elimination, among=pareto_set),
        checks=check.as_dict(decisions),
        warnings=check.sentences(decisions),
        pairs=pairwise_table(posterior),
        leaders=selection.decision_map(posterior, among=pareto_set),
        selections={name: select_or_explain(posterior, each, pareto_set) for name, each in preferences.items()},
        aocc=_choice_by_aocc(runs, posterior, pareto_set, optimum, optimum_known),
        **rest,
    )


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
        "pareto_set": comparison.pareto_set,
        "dominated": comparison.eliminated,
        "specialists": [asdict(each) for each in comparison.specialists],
        "confidence": comparison.confidence,
        "elimination": comparison.elimination,
        "reliable": posterior.diagnostics.reliable,
        "diagnostics": posterior.diagnostics.message,
        **comparison.checks,
        "warnings": comparison.warnings,
        "pairwise": comparison.pairs,
        "map": str(comparison.leaders).splitlines(),
        "selections": {name: selection_as_data(each) for name, each in comparison.selections.items()},
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
    """Print a comparison: Pareto set, eliminations, warnings, pairs, leaders, selections, and the replayed race.

    Of each list, entries after the first `most` are only counted.
    """
    from polarbear.selection.observed_times import thin_data_sentence, unobserved_sentence

    posterior, clock, pareto_set = comparison.posterior, comparison.clock, comparison.pareto_set
    grid, number = posterior.grid, len(posterior.names)
    terminal.print_result(
        f"{with_noun(comparison.runs, 'run')} of {number} algorithms on "
        f"{with_noun(posterior.instances, 'instance')}, compared at {with_noun(len(grid), 'time')} "
        f"from {grid.times[0]:,.6g} to {grid.times[-1]:,.6g} {clock}"
    )
    for sentence in (_how_runs_ended(comparison), unobserved_sentence(posterior), thin_data_sentence(posterior)):
        if sentence:
            terminal.print_result(sentence)
    terminal.print_result(f"The answer generalises {posterior.scope}.")
    terminal.print_result(f"\nAnytime Pareto set: {list_names(pareto_set, most)} ({len(pareto_set)} of {number})")
    if comparison.eliminated:
        terminal.print_result()
        print_eliminations(comparison.eliminated, comparison.checks["own_outcomes"], most=most)
    for each in comparison.specialists:
        terminal.print_result(f"\n{each.sentence(clock)}")
    if not posterior.diagnostics.reliable:
        terminal.print_result(f"\nThe posterior is not reliable: {posterior.diagnostics.message}")
    if comparison.warnings:
        terminal.print_result()
        terminal.print_lines(comparison.warnings, most=most)
    terminal.print_result("\nPairs")
    columns = [column.tolist() if hasattr(column, "tolist") else column for column in comparison.pairs.values()]
    rows = sorted(zip(*columns, strict=True), key=lambda row: {row[0], row[1]} - set(pareto_set) != set())
    terminal.print_table([name.replace("_", " ") for name in comparison.pairs], rows, most=most)
    terminal.print_result("\nWhich one, at which budget?")
    terminal.print_lines(str(comparison.leaders).splitlines(), most=most)
    terminal.print_result("\nWhat to deploy")
    for selection in comparison.selections.values():
        terminal.print_result(f"- {sentence_of(selection)}")
    if comparison.aocc is not None:
        terminal.print_result(f"\nWould AOCC have chosen differently? {comparison.aocc.sentence}")
    if comparison.replay is not None:
        _print_replay(comparison.replay, clock)


def _how_runs_ended(comparison: Comparison) -> str:
    """Return a sentence that counts how the runs ended; empty if all lasted to the last time of the grid."""
    finished, failed = (comparison.ended[kind] for kind in ("finished", "failed"))
    stop = f"{comparison.posterior.grid.times[-1]:,.6g}"
    parts = [
        f"{finished:,} finished and keep their value" if finished else "",
        f"{comparison.cut_early:,} were cut off before {stop} and are unknown afterwards"
        if comparison.cut_early
        else "",
        f"{failed:,} failed" if failed else "",
    ]
    told = [part for part in parts if part]
    return f"Of the runs, {', '.join(told)}." if told else ""


def _print_replay(replay: "Replay", clock: str) -> None:
    result = replay.result
    terminal.print_result(
        f"\nAs a race: {', '.join(result.pareto_set)} would remain after {result.instances} of {replay.instances} "
        f"instances and {replay.spent:,.6g} of {replay.recorded:,.6g} {clock}, {replay.saved_share:.0%} saved "
        f"({result.stopped})"
    )
    if replay.left_out:
        terminal.print_result(
            f"{replay.left_out} instances are left out of the race, since not every algorithm ran to the end on them"
        )
