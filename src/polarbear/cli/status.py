"""Command `status`, and printing the account of a race."""

import math
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.open_file import open_race
from polarbear.cli.sparklines import Curves, format_curves

if TYPE_CHECKING:
    from polarbear.race.result import RaceResult


def status(
    file: options.RaceFileName,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Look again and again until all is decided.")] = False,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two looks.")] = 2.0,
    as_json: options.Json = False,
) -> None:
    """Say where a race stands, also while it runs. Nothing is inferred or changed. Leaves with 2 if it is not finished."""
    told, curves = _look(file)
    _show(told, curves, as_json=as_json)
    while watch and not told["finished"]:
        time.sleep(every)
        before, (told, curves) = told, _look(file)
        if told != before:
            if sys.stdout.isatty() and not as_json:
                print("\033[2J\033[H", end="")  # clears the screen
            elif not as_json:
                terminal.print_result()
            _show(told, curves, as_json=as_json)
    if not told["finished"]:
        raise typer.Exit(2)


def _look(file: Path) -> tuple[dict[str, Any], Curves | None]:
    from polarbear.exports import account
    from polarbear.storage import RaceFile

    with open_race(file) as race:
        told = {"file": str(file), **account(race.result, believe=False)}
        curves = _threats_by_round(race.result)
    with RaceFile.open(file, write=False) as stored:
        told["stored_runs"] = len(stored.runs())
    return told, curves


def _show(told: dict[str, Any], curves: Curves | None, *, as_json: bool) -> None:
    if as_json:
        terminal.print_json(told)
    else:
        print_account(told, curves)


def best_over_time(result: "RaceResult") -> Curves | None:
    """Return P(best) at each time for each candidate that has run."""
    from polarbear.selection import decision_map

    known = [name for name in result.pareto_set if result.instances and name in result.posterior.names]
    if not known:
        return None
    found = decision_map(result.posterior, among=known)
    first, last = found.grid.times[[0, -1]]
    title = f"P(best) from {first:,.6g} to {last:,.6g} {result.state.settings.clock}"
    return Curves(title, dict(zip(found.names, found.probability_best.T.tolist(), strict=True)))


def _threats_by_round(result: "RaceResult") -> Curves | None:
    """Return P(dominated) of each candidate in each round, from the recorded rounds without inference."""
    if not result.rounds:
        return None
    threats = [dict(each.threat) for each in result.rounds]
    curves = {name: [each.get(name, math.nan) for each in threats] for name in result.pareto_set}
    when = "round 1" if len(threats) == 1 else f"rounds 1 to {len(threats)}"
    return Curves(f"P(dominated) in {when}", curves)


def print_account(told: dict[str, Any], curves: Curves | None = None) -> None:
    """Print the account of a race: candidates, curves, eliminations, cost, undecided pairs and warnings."""
    from polarbear.posterior.elimination import Specialist

    number, inside = len(told["algorithms"]), told["pareto_set"]
    kind = "Anytime Pareto set" if told["finished"] else "Candidates"
    terminal.print_result(f"{kind}: {', '.join(inside)} ({len(inside)} of {number})")
    if curves is not None:
        terminal.print_result()
        for line in format_curves(curves):
            terminal.print_result(line)
        if not told["eliminations"]:
            terminal.print_result()
    if told["eliminations"]:
        from polarbear.exports import format_error_bound

        heads = ["out", "beaten by", "probability", "wrong at most", "round", "instances"]
        rows = [
            [
                each["name"],
                each["by"],
                each["probability"],
                format_error_bound(each["error_bound"]),
                each["round"],
                each["instances"],
            ]
            for each in told["eliminations"]
        ]
        if "own_outcomes" in told:
            heads.append("own outcomes")
            rows = [[*row, each["own"]] for row, each in zip(rows, told["own_outcomes"], strict=True)]
        terminal.print_result()
        terminal.print_table(heads, rows)
        terminal.print_result()
    for each in told.get("specialists", ()):
        terminal.print_result(Specialist(**each).sentence(told["unit"]))
    if told["removed"]:
        terminal.print_result(f"Taken out by hand: {', '.join(told['removed'])}")
    if told["scope"]:
        terminal.print_result(f"The answer generalises {told['scope']}.")
    spent = sum(told["cost"].values())
    words = [
        terminal.with_noun(told["rounds"], "round"),
        terminal.with_noun(told["instances"], "instance"),
        f"{spent:,.6g} {told['unit']}, {told['saved_share']:.0%} saved",
        f"{told['decided_share']:.1%} of pairs and times decided",
    ]
    if told.get("stored_runs") is not None:
        words.append(f"{terminal.with_noun(told['stored_runs'], 'run')} stored")
    if told["failed_runs"]:
        words.append(f"{terminal.with_noun(told['failed_runs'], 'run')} failed")
    terminal.print_result(" · ".join(words))
    for each in told["undecided"][:10]:
        first, last = min(each["times"]), max(each["times"])
        where = f"at {first:,.6g}" if first == last else f"between {first:,.6g} and {last:,.6g}"
        terminal.print_result(f"undecided: {' and '.join(each['pair'])} {where}")
    if told["undecided"][10:]:
        terminal.print_result(f"... and {terminal.with_noun(len(told['undecided']) - 10, 'more pair')}")
    if "wrong_elimination" in told:
        if told["eliminations"]:
            terminal.print_result(f"Probability that some elimination is wrong: {told['wrong_elimination']:.3f}")
        for warning in told["warnings"]:
            terminal.print_result(warning)
