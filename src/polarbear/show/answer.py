"""The answer in words: one screen for a terminal, and the same statements in Markdown, LaTeX and HTML.

`word_answer` chooses the statements, whose sentences are in `templates/statements.jinja`. The templates `answer.txt`,
`answer.md`, `answer.tex` and `answer.html` arrange them.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from polarbear.findings import Code, most_serious_first
from polarbear.show.environment import environment, render, wrap
from polarbear.show.environment import names as name_list
from polarbear.show.wording import text_of
from polarbear.wording import format_number, shorten_names, with_noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from polarbear.answer import Answer
    from polarbear.answer.ranges import Range
    from polarbear.findings import Finding, Remedy, Trust
    from polarbear.show.remedies import Python, Shell

_LONGEST = 24  # letters of a name in the answer
_LINES = 15
_GROUPS = 5  # that get a line each
_SAID_ELSEWHERE = (Code.FEW_INSTANCES, Code.STOPPED, Code.SAME_RESULTS)  # by the heading, the next step, and a sentence


@dataclass(frozen=True)
class Facts:
    """What the heading says about the data.

    Attributes
    ----------
    instances
        The number of instances in words, such as "6 data sets with 54 splits".
    unit
        What further data would be, in the singular: "instance", or a cluster such as "function".
    start, stop, clock
        The first and the last budget, and their unit; the unit is empty if it is not known.
    direction
        Which values are better: "lower" or "higher"; empty if it is not known.
    tolerance
        Within which values tie, as text; empty for the default.
    trust
        How far the answer can be trusted.
    """

    instances: str
    unit: str
    start: float
    stop: float
    clock: str
    direction: str
    tolerance: str
    trust: Trust


@dataclass(frozen=True)
class Words:
    """The statements of an answer.

    Attributes
    ----------
    heading
        What was compared.
    rows
        The ranges of budgets, each with its answer.
    warnings
        The findings that make the answer unreliable.
    sentences
        The choice for all budgets, how much it matters, what may be dropped, and one other finding.
    step, command
        The next step, and how to take it; empty if there is none.
    footer
        Where the details and the page are.
    headline
        The choice in one line: the algorithm for all budgets, where another answer holds, and whether it is firm.
    """

    heading: str
    rows: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    sentences: tuple[str, ...]
    step: str = ""
    command: str = ""
    footer: str = ""
    headline: str = ""

    @property
    def width(self) -> int:
        """The width of the first column."""
        return max((len(where) for where, _ in self.rows), default=0)

    @property
    def fits(self) -> bool:
        """Whether the answer fits on one screen: 15 lines, without blank ones."""
        return sum(bool(line.strip()) for line in str(self).splitlines()) <= _LINES

    def __str__(self) -> str:
        return render("answer.txt", text=self).rstrip("\n")

    def to_markdown(self) -> str:
        """Return the answer as Markdown."""
        return render("answer.md", text=self)

    def to_latex(self) -> str:
        """Return the answer in LaTeX, for a document that loads booktabs."""
        return render("answer.tex", text=self)

    def to_html(self) -> str:
        """Return the answer as HTML, for notebooks."""
        return render("answer.html", text=self)


def word_answer(
    answer: Answer,
    facts: Facts,
    *,
    dropped: Mapping[str, str],
    findings: Sequence[Finding],
    voice: Shell | Python,
    remedy: Remedy | None,
    running: str = "",
) -> Words:
    """Return the answer in words, on at most 15 lines.

    What does not fit is left to the details: first the note, then what is needed at the last budget, then names of long
    lists and many warnings, which are counted instead.

    Parameters
    ----------
    answer, facts, findings
        The answer, what the heading says, and what was noticed.
    dropped
        The dropped algorithms, each with the algorithm that beats it.
    voice
        How next steps are worded.
    remedy
        How to take the next step; None where nothing can run.
    running
        That the race is running, as a sentence; empty if it is not.
    """
    names = [*answer.names, *dropped, *(name for each in answer.same.values() for name in each)]
    short = shorten_names(names, width=_LONGEST)
    for notes, last_need, most, warnings in _LEVELS:
        say = _statements(short, facts.clock, most)
        step = "" if answer.step is None else say.next(answer.step, facts.unit)
        serious, note, more = _notes(findings, most=notes, warnings=warnings)
        words = Words(
            heading=say.heading(facts),
            rows=tuple((say.where(each), say.choice(each)) for each in answer.ranges),
            warnings=serious,
            sentences=(
                *_sentences(answer, facts, dropped, say, last_need=last_need, most=most),
                *note,
                *filter(None, [running]),
            ),
            step=step,
            command=voice.say(remedy) if step and remedy is not None else "",
            footer=voice.footer(more),
            headline=_headline(answer, facts, say),
        )
        if words.fits:
            break
    return words


def word_nothing(findings: Sequence[Finding], voice: Shell | Python, writer: str = "") -> Words:
    """Return that there is no answer yet, why, and the next step; none while a `writer` runs the race."""
    serious, *_ = findings
    command = "" if serious.remedy is None or writer else voice.say(serious.remedy)
    running = f" It is running in {writer}." if writer else ""
    return Words(
        heading="No answer yet.",
        rows=(),
        warnings=(f"{text_of(serious)}{running}",),
        sentences=tuple(text_of(each) for each in findings[1:4]),
        step="Next:" if command else "",
        command=command,
    )


def word_running(rounds: int, writer: str) -> str:
    """Return that a race is running, with its rounds so far."""
    return f"The race is running in {writer}; the answer is as after {with_noun(rounds, 'round')}."


def word_groups(
    feature: str, differing: Mapping[str, tuple[str, Sequence[Range]]], *, same_as_whole: int, clock: str
) -> list[str]:
    """Return one line for each group whose answer differs, at most five, and how many are like all instances.

    Each group has its size in words, and its ranges.
    """
    lines = []
    for name, (size, ranges) in list(differing.items())[:_GROUPS]:
        everything = [each for one in ranges for each in one.names]
        say = _statements(shorten_names(everything, width=_LONGEST), clock, 3)
        named = [each for each in ranges if each.kind == "best"]
        parts = [f"{say.choice(each)} ({say.where(each)})" for each in named] if len(ranges) > 1 else []
        parts += ["unclear elsewhere"] if parts and any(each.kind == "unclear" for each in ranges) else []
        lines.append(wrap(f"{feature} {name} ({size}): {', '.join(parts) or say.choice((named or ranges)[0])}", 2))
    rest = len(differing) - _GROUPS
    if rest > 0:
        lines.append(f"{with_noun(rest, 'more group')} by {feature} with another answer.")
    if same_as_whole:
        lines.append(f"{with_noun(same_as_whole, 'group')} by {feature}: as for all instances.")
    return lines


# How much is shown, from the most to the least: notes, what is needed at the last budget, names in a list, and warnings.
_LEVELS = (
    (1, True, 5, 99),
    (0, True, 5, 99),
    (0, False, 5, 99),
    (0, False, 3, 99),
    (0, False, 2, 3),
    (0, False, 1, 1),
)


def _headline(answer: Answer, facts: Facts, say: Any) -> str:
    """Return the algorithm for all budgets, where another answer holds, and whether the answer is firm."""
    chosen = answer.single.names[0] if answer.single else answer.names[0] if answer.names else ""
    parts = [say.name(chosen)] if chosen else []
    for each in answer.ranges:
        if each.kind == "unclear":
            parts.append(f"unclear {_at(say.where(each))}")
        elif each.names != (chosen,):
            parts.append(f"{say.choice(each)} {_at(say.where(each))}")
    return "; ".join(parts) + (f" ({facts.trust})" if facts.trust != "firm" else "")


def _at(where: str) -> str:
    return f"from {where}" if " to " in where else f"at {where}"


def _sentences(
    answer: Answer, facts: Facts, dropped: Mapping[str, str], say: Any, *, last_need: bool, most: int
) -> Iterator[str]:
    """Yield the choice for all budgets, how much it matters, and what may be dropped."""
    single = answer.single
    if len(answer.names) == 1 and (dropped or not answer.same):
        yield say.only_one(answer.names[0], bool(dropped))
    elif single is not None:
        # Runs that are recorded at few budgets need exactly the same, which says nothing.
        needs = [each for each in answer.needs if not each.lower == each.upper == 1]
        at_worst = [
            each for each in needs if each.budget == single.budget and single.rival in (each.better, each.worse)
        ]
        at_worst = [] if answer.is_single_clear else at_worst
        yield say.single(single, answer.is_single_clear, at_worst[0] if at_worst else None, facts.clock)
        if answer.team is not None:
            yield say.team(answer.team)
        if last_need:
            yield from (say.need(each, facts.clock) for each in needs if each not in at_worst)
    if dropped:
        counts = Counter(dropped.values())
        yield say.drop(list(dropped), [name for name, _ in counts.most_common()])
    if answer.elsewhere:
        yield say.elsewhere(answer.elsewhere)
    if answer.same:
        yield say.same([[name, *others] for name, others in answer.same.items()], most=min(most, 2))


def _notes(findings: Sequence[Finding], *, most: int, warnings: int) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    """Return the findings that make the answer unreliable, some of the others, and how many more there are."""
    serious = [each for each in findings if each.severity == "unreliable"]
    others = [
        each
        for each in most_serious_first(findings)
        if each.severity != "unreliable" and each.code not in _SAID_ELSEWHERE
    ]
    rest = len(serious[warnings:])
    return (
        (
            *(f"Unreliable: {text_of(each)}" for each in serious[:warnings]),
            *([f"Unreliable for {with_noun(rest, 'more reason')}."] if rest else []),
        ),
        tuple(f"Note: {text_of(each)}" for each in others[:most]),
        len(others[most:]),
    )


def _statements(short: Mapping[str, str], clock: str, most: int) -> Any:
    """Return the macros of the statements, for these short names, this unit of budgets, and `most` names in a list."""

    def shorten(name: str) -> str:
        return " ".join(short.get(name, name).split())

    def then(names: Sequence[str]) -> str:
        rest = len(names) - most
        return ", then ".join([*names[:most], *([with_noun(rest, "other")] if rest > 0 else [])])

    made = environment().overlay()
    made.filters = {
        **made.filters,
        "short": lambda given: shorten(given) if isinstance(given, str) else [shorten(each) for each in given],
        "names": partial(name_list, most=most),
        "then": then,
        "budget": lambda value: format_budget(value, clock),
        "where": lambda each: " to ".join(dict.fromkeys(ends_of(each.start, each.stop, clock))),
        "ratio": _ratio,
    }
    return made.get_template("statements.jinja").module


def format_budget(budget: float, clock: str) -> str:
    """Return a budget with three significant digits; budgets of evaluations are whole numbers.

    Examples
    --------
    >>> format_budget(1639.4, "evaluations"), format_budget(0.1234, "seconds")
    ('1,639', '0.123')
    """
    return f"{budget:,.0f}" if clock.startswith("evaluations") and budget >= 1 else format_number(budget)


def ends_of(start: float, stop: float, clock: str) -> tuple[str, str]:
    """Return the ends of a range of budgets in words; budgets of evaluations are whole numbers.

    Examples
    --------
    >>> ends_of(22.4, 146.9, "evaluations"), ends_of(1, 1.4, "evaluations"), ends_of(0.5, 2.25, "seconds")
    (('23', '146'), ('1', '1'), ('0.5', '2.25'))
    """
    if clock.startswith("evaluations") and start >= 1:
        first, last = math.ceil(start - 1e-9), math.floor(stop + 1e-9)
        if first > last:  # between two whole numbers
            return format_number(start), format_number(stop)
        start, stop = first, last
    return format_budget(start, clock), format_budget(stop, clock)


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:,.0f}"
