"""The details behind an answer: probabilities, changes, drops, pairs, the course of a race, and all findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.elimination import drop_probabilities
from polarbear.show.answer import format_budget
from polarbear.show.environment import WIDTH, render, wrap
from polarbear.show.wording import text_of
from polarbear.table import as_lines
from polarbear.wording import format_error_bound, format_number, format_percent, percent, round_off, with_noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polarbear.answer import Answer
    from polarbear.findings import Finding
    from polarbear.literals import Dominance
    from polarbear.posterior.elimination import Drop
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import RaceOutcome
    from polarbear.selection import DecisionMap
    from polarbear.show.remedies import Python, Shell


_PAIRS = 30  # that are listed


def word_details(
    answer: Answer,
    overview: DecisionMap,
    posterior: Posterior,
    *,
    drops: Sequence[Drop],
    race: RaceOutcome | None,
    dominance: Dominance,
    clock: str,
    findings: Sequence[Finding],
    voice: Shell | Python,
) -> str:
    """Return the details of a result as text."""
    sections = {
        "Best algorithm, with probabilities": _ranges(answer, clock),
        "Changes of the best algorithm": _changes(overview, clock),
        "Dropped": _drops(drops),
        "Pairs": _pairs(posterior, answer.names, dominance),
        "The race": [] if race is None else list(_course(race)),
        "Notes": [line for each in findings for line in finding_lines(each, voice)],
    }
    return render("details.txt", sections={title: lines for title, lines in sections.items() if lines}).rstrip("\n")


def word_notes(findings: Sequence[Finding], voice: Shell | Python) -> str:
    """Return all findings as text, for a race in which no round has ended."""
    return "\n".join(line for each in findings for line in finding_lines(each, voice))


def finding_lines(finding: Finding, voice: Shell | Python) -> list[str]:
    """Return the text of a finding in lines, and its remedy in a line of its own."""
    label = "" if finding.severity == "note" else f"{finding.severity.capitalize()}: "
    lines = wrap(f"- {label}{text_of(finding)}", 2, WIDTH - 2).splitlines()
    remedy = "" if finding.remedy is None else voice.say(finding.remedy)
    return [*lines, f"  {remedy}"] if remedy else lines


def _ranges(answer: Answer, clock: str) -> list[str]:
    rows = []
    for each in answer.all_ranges:
        where = f"{format_budget(each.start, clock)} to {format_budget(each.stop, clock)}"
        who = ", ".join(
            f"{name} {format_percent(probability)}"
            for name, probability in zip(each.names, each.probabilities, strict=False)
        )
        rows.append([where, each.kind, who or ", ".join(each.names)])
    return as_lines(["budget", "answer", "best with a probability of"], rows)


def _changes(overview: DecisionMap, clock: str) -> list[str]:
    return [
        f"{each.before} to {each.after}: at {format_budget(each.budget, clock)} ({format_budget(each.lower, clock)} to "
        f"{format_budget(each.upper, clock)}), {format_percent(each.probability)} sure that it happens"
        for each in overview.leader_changes
    ]


def _drops(drops: Sequence[Drop]) -> list[str]:
    beaten = [each for each in drops if each.by]
    if not beaten:
        return []
    columns = {
        "dropped": [each.name for each in beaten],
        "beaten by": [each.by for each in beaten],
        "sure": [format_percent(each.probability) for each in beaten],
        "wrong at most": [format_error_bound(each.error_bound) for each in beaten],
        "after instances": ["" if each.instances is None else f"{each.instances:,}" for each in beaten],
    }
    if not any(columns["after instances"]):
        del columns["after instances"]
    return as_lines(list(columns), list(zip(*columns.values(), strict=True)))


def _pairs(posterior: Posterior, kept: Sequence[str], dominance: Dominance) -> list[str]:
    """Return one line per pair of kept algorithms: win rates at both ends, and how sure one beats the other everywhere."""
    if len(kept) < 2:
        return []
    everywhere = drop_probabilities(posterior, dominance=dominance)
    columns = [posterior.names.index(name) for name in kept]
    rows = []
    for place, a in enumerate(columns):
        for b in columns[place + 1 :]:
            known = np.flatnonzero(posterior.observed_pairs[:, a, b])
            rates = posterior.expected_win_rate(a, b)[known]
            ends = [percent(rates[0]), percent(rates[-1])] if known.size else ["-", "-"]
            sure = [format_percent(everywhere[a, b]), format_percent(everywhere[b, a])]
            rows.append([posterior.names[a], posterior.names[b], *ends, *sure])
    heads = ["first", "second", "wins at start", "wins at end", "beats second everywhere", "second beats first"]
    lines = as_lines(heads, rows[:_PAIRS])
    return [*lines, f"... and {with_noun(len(rows) - _PAIRS, 'more pair')}"] if len(rows) > _PAIRS else lines


def _course(race: RaceOutcome) -> Iterator[str]:
    """Yield the totals of a race, its undecided pairs, and how probably a drop is wrong."""
    clock = race.state.settings.clock
    runs = len(race.runs)
    yield (
        f"{with_noun(len(race.rounds), 'round')}, {race.data}, {round_off(sum(race.cost.values()))} {clock}, "
        f"{percent(race.saved_share)} saved, {with_noun(runs, 'run')}"
    )
    undecided = race.undecided()
    if not undecided:
        yield "Every pair of algorithms is decided or practically equal."
    for (first, second), budgets in list(undecided.items())[:10]:
        start, stop = format_number(budgets[0]), format_number(budgets[-1])
        where = f"at {start}" if start == stop else f"at {len(budgets)} budgets from {start} to {stop}"
        yield f"Undecided: {first} and {second} {where}"
    if len(undecided) > 10:
        yield f"... and {with_noun(len(undecided) - 10, 'more undecided pair')}"
    if race.drops:
        yield f"Some drop is wrong with a probability of {format_percent(race.wrong_drop)}."
