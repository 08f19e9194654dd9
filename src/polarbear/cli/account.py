"""Print the status of a race from its file, and the curves and totals that go with its summary."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.sparklines import Curves, format_curves
from polarbear.wording import (
    REMOVED_BY_HAND,
    format_error_bound,
    format_number,
    format_percent,
    percent,
    round_off,
    with_noun,
)

if TYPE_CHECKING:
    from polarbear.race.result import RaceResult

_MOST_PAIRS = 10  # undecided pairs to print


def print_status(
    account: dict[str, Any], curves: Curves | None = None, verdict: str = "", steps: Sequence[str] = ()
) -> None:
    """Print the status of a race.

    Parameters
    ----------
    account
        The totals, which `polarbear.exports.account` returns.
    curves
        Curves over the rounds.
    verdict
        The summary as text; without it, candidates and undecided pairs are printed instead.
    steps
        Lines on the algorithms that paused the race, and on what to do.
    """
    if not account["rounds"]:
        runs = with_noun(account["stored_runs"], "run")
        terminal.print_result(f"Nothing is decided yet: the first round has not ended. {runs} stored.")
        terminal.print_result("\n".join([_why_not_running(account), *steps]))
        return
    if verdict:
        terminal.print_result(verdict)
    else:
        _print_candidates(account)
    if curves is not None:
        terminal.print_result("\n" + "\n".join(format_curves(curves)))
    if account["eliminations"]:
        terminal.print_result()
        _print_eliminations(account["eliminations"])
    if verdict or curves is not None or account["eliminations"]:
        terminal.print_result()
    if not verdict:
        _print_removed(account)
        if account["scope"]:
            terminal.print_result(f"The answer generalises {account['scope']}.")
    print_totals(account)
    if not verdict:
        terminal.print_result(_why_not_running(account))
    for line in steps:
        terminal.print_result(line)
    if not verdict:
        _print_undecided(account)


def _why_not_running(account: dict[str, Any]) -> str:
    """Return that a race is running, or why it has stopped."""
    if not account["running"]:
        return str(account["why_stopped"])
    return f"The race is open in {account['running']}. Its verdict follows when it stops."


def _print_candidates(account: dict[str, Any]) -> None:
    number, candidates = len(account["algorithms"]), account["pareto_set"]
    if len(candidates) < number:
        terminal.print_result(f"Not eliminated: {', '.join(candidates)} ({len(candidates)} of {number})")
    else:
        terminal.print_result(f"No algorithm is eliminated: {', '.join(candidates)}")


def _print_removed(account: dict[str, Any]) -> None:
    if by_hand := [name for name, reason in account["why_removed"].items() if reason == REMOVED_BY_HAND]:
        terminal.print_result(f"Removed by hand: {', '.join(by_hand)}")
    for name, reason in account["why_removed"].items():
        if name not in by_hand:
            terminal.print_result(f"{name}: {reason}")


def _print_undecided(account: dict[str, Any]) -> None:
    for each in account["undecided"][:_MOST_PAIRS]:
        first, last = (format_number(edge(each["times"])) for edge in (min, max))
        many = f"at {len(each['times'])} budgets from {first} to {last}"
        terminal.print_result(f"Not decided: {' and '.join(each['pair'])} {f'at {first}' if first == last else many}")
    if more := account["undecided"][_MOST_PAIRS:]:
        terminal.print_result(f"... and {with_noun(len(more), 'more pair')}")


def print_totals(account: dict[str, Any]) -> None:
    """Print the totals of a race in one line: rounds, instances, cost, decided share and runs."""
    terminal.print_result(" · ".join(_totals(account)))


def _print_eliminations(eliminations: Sequence[dict[str, Any]]) -> None:
    """Print a table of eliminations, each with its probability, its error bound, and when it happened."""
    heads = ("eliminated", "beaten by", "sure", "wrong at most", "round", "instances")
    rows = [
        (
            each["name"],
            each["by"],
            format_percent(each["probability"]),
            format_error_bound(each["error_bound"]),
            each["round"],
            each["instances"],
        )
        for each in eliminations
    ]
    terminal.print_table(heads, rows)


def _totals(account: dict[str, Any]) -> list[str]:
    """Return the totals of a race: rounds, instances, cost, decided share and runs."""
    spent = sum(account["cost"].values())
    totals = [
        with_noun(account["rounds"], "round"),
        account["data"],
        f"{round_off(spent)} {account['unit']}",
        f"{percent(account['saved_share'])} saved",
        f"{percent(account['decided_share'])} of all comparisons of two algorithms at a budget decided",
    ]
    if account.get("stored_runs") is not None:
        totals.append(f"{with_noun(account['stored_runs'], 'run')} stored")
    if by_themselves := account["ended"]["finished"]:
        totals.append(f"{with_noun(by_themselves, 'run')} ended by {'itself' if by_themselves == 1 else 'themselves'}")
    if account["failed_runs"]:
        totals.append(f"{with_noun(account['failed_runs'], 'run')} failed")
    return totals


def best_over_time(result: "RaceResult") -> Curves | None:
    """Return P(best) at each time for each candidate that has run; NaN where it was not observed."""
    from polarbear.selection import decision_map

    known = [name for name in result.pareto_set if result.instances and name in result.posterior.names]
    if not known:
        return None
    overview = decision_map(result.posterior, among=known)
    first, last = map(format_number, overview.grid.times[[0, -1]])
    title = f"Probability of being the best choice, from {first} to {last} {result.state.settings.clock}"
    curves = [
        [each if known else math.nan for each, known in zip(probabilities, observed, strict=True)]
        for probabilities, observed in zip(overview.probability_best.T.tolist(), overview.observed.T, strict=True)
    ]
    places = [f"at {format_number(time)}" for time in overview.grid.times]
    return Curves(title, dict(zip(overview.names, curves, strict=True)), places)


def dominated_by_round(result: "RaceResult") -> Curves | None:
    """Return P(dominated) of each candidate in each round, from the recorded rounds without inference."""
    if not result.rounds:
        return None
    threats = [dict(each.threat) for each in result.rounds]
    curves = {name: [each.get(name, math.nan) for each in threats] for name in result.pareto_set}
    when = "round 1" if len(threats) == 1 else f"rounds 1 to {len(threats)}"
    places = [f"in round {number}" for number in range(1, len(threats) + 1)]
    return Curves(f"Probability that another algorithm beats it at every budget, in {when}", curves, places)
