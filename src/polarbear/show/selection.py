"""A recommendation in words: the choice with its reason, and the runner-up; the rest is in its details."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from polarbear import selection
from polarbear.selection.criterion import StrongestRival
from polarbear.selection.query import as_criterion, as_preference, as_risk
from polarbear.selection.recommendation import Selection
from polarbear.selection.risk import Expected, ProbabilityBest
from polarbear.show.environment import render, wrap
from polarbear.show.value_units import ValueUnits, units_of
from polarbear.show.wording import text_of
from polarbear.table import as_html, as_lines
from polarbear.wording import format_number, format_percent, join_names, percent, with_noun

if TYPE_CHECKING:
    from typing import Self

    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.candidates import Candidate, DecidedRace
    from polarbear.selection.criterion import Criterion
    from polarbear.selection.query import BudgetQuery
    from polarbear.selection.risk import Risk

_SHOWN = 10  # candidates that a table lists
_CONTENDERS = 3  # candidates that are named where it is unclear
_WORTH_NAMING = 0.01  # smallest probability of a candidate that is named there
_SMALLEST_LOSS = 0.0005  # that is stated


@dataclass(frozen=True, eq=False)
class Choice(Selection):
    """What to deploy for a query. Print it for two lines: the choice with its reason, and the runner-up.

    Attributes
    ----------
    within
        The algorithm that the answer names for a range of budgets around the budget of the query, and the first and the last
        budget of this range; None if the answer names no algorithm there.
    """

    within: tuple[str, float, float] | None = None

    @classmethod
    def of(cls, selection: Selection, within: tuple[str, float, float] | None = None) -> Self:
        """Return a selection with its words."""
        return cls(**{each.name: getattr(selection, each.name) for each in fields(Selection)}, within=within)

    @property
    def name(self) -> str:
        """The algorithm, or the algorithms of a portfolio such as "cma + de"."""
        return self.candidates[0].name

    @property
    def probability(self) -> float:
        """The probability that it is the best choice."""
        return self.probability_best

    @property
    def runner_up(self) -> str:
        """The second choice; empty if there is no other candidate."""
        return self.candidates[1].name if len(self.candidates) > 1 else ""

    def __str__(self) -> str:
        return "\n".join(map(wrap, self.lines()))

    def __repr__(self) -> str:
        return f"Choice({self.name!r}, best with {self.probability:.2f})"

    def lines(self) -> list[str]:
        """Return the choice with its reason, the runner-up, and the findings that make the choice unreliable."""
        serious = [f"Unreliable: {text_of(each)}" for each in self.findings if each.severity == "unreliable"]
        return [*serious, _choice(self, self.within), *_runner_up(self)]

    def details(self) -> str:
        """Return what the two lines leave out: all candidates, what the query means, and all findings."""
        heads, rows = self.shown_table()
        lines = as_lines(heads, rows[:_SHOWN])
        if len(rows) > _SHOWN:
            lines.append(f"... and {with_noun(len(rows) - _SHOWN, 'more candidate')}")
        sections = {
            "Candidates": lines,
            "Meaning": [line for each in _meaning(self) for line in wrap(each, 0).splitlines()],
            "Notes": [line for each in self.findings for line in wrap(f"- {text_of(each)}", 2).splitlines()],
        }
        return render("details.txt", sections={title: each for title, each in sections.items() if each}).rstrip("\n")

    def shown_table(self) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows for people: per cents, or ranks for the mean rank."""
        units = units_of(self)
        return units.heads(), units.rows(self.candidates)

    def to_dict(self) -> dict[str, Any]:
        """Return the recommendation as plain values, for JSON."""
        keys = "name", "start", "stop"
        named = None if self.within is None else dict(zip(keys, self.within, strict=True))
        return {**super().to_dict(), "range": named}

    def _repr_html_(self) -> str:
        heads, rows = self.shown_table()
        columns = dict(zip(heads, zip(*rows, strict=True), strict=True))
        return as_html(columns, title=" ".join(self.lines()))


def select(
    posterior: Posterior | DecidedRace,
    preference: BudgetQuery = None,
    risk: str | Risk | None = None,
    *,
    criterion: str | Criterion | None = None,
    **options: Any,
) -> Choice:
    """Return what to deploy, from a posterior or the result of a race; see `polarbear.selection.select` for the options.

    The budget, the risk attitude and the criterion may be text, as in `Result.select`.

    Examples
    --------
    >>> import polarbear as pb
    >>> values = [[[1.0, 2.0]], [[1.0, 3.0]], [[0.5, 0.7]]] * 10
    >>> posterior = pb.fit(pb.Choices.from_values(values, grid=[10], names=["cma", "rs"]), seed=1)
    >>> print(pb.select(posterior, 10))
    cma: the only candidate for a budget of 10. It is expected to beat rs on 99 % of instances.
    """
    query: Any = as_preference(preference), as_risk(risk)
    return Choice.of(selection.select(posterior, *query, criterion=as_criterion(criterion), **options))


def _choice(selection: Selection, within: tuple[str, float, float] | None) -> str:
    """Return the choice, how sure it is, and what it does."""
    units, best, query = units_of(selection), selection.candidates[0], _query(selection)
    sure = f"best with {format_percent(best.probability_best)} for {query}"
    if len(selection.candidates) == 1:
        first = f"{best.name}: the only candidate for {query}."
    elif selection.is_sure:
        first = f"{best.name}: {sure}."
    elif within is not None and within[0] == best.name:
        first = f"{best.name}: {sure}; the answer names it {_between(within)}."
    else:
        others = sorted(selection.candidates[1:], key=lambda each: -each.probability_best)[: _CONTENDERS - 1]
        others = [each for each in others if each.probability_best >= _WORTH_NAMING]
        rest = f", else {join_names([each.name for each in others], 'or')}" if others else ""
        first = f"{best.name}, but unclear: {sure}{rest}."
    if within is not None and within[0] != best.name:
        first = f"{first[:-1]}, within the range of {within[0]} {_between(within)}."
    return f"{first} {_reason(selection, best, units)}"


def _between(within: tuple[str, float, float]) -> str:
    return f"from {format_number(within[1])} to {format_number(within[2])}"


def _runner_up(selection: Selection) -> list[str]:
    if len(selection.candidates) < 2:
        return []
    units, (best, second, *_) = units_of(selection), selection.candidates
    loss = "" if best.loss < _SMALLEST_LOSS else f" Expected loss of {best.name}: {units.format_loss(best.loss)}."
    return [f"Runner-up: {second.name}, best with {format_percent(second.probability_best)}.{loss}"]


def _reason(selection: Selection, best: Candidate, units: ValueUnits) -> str:
    """Return what the value of a candidate means, and for a portfolio what it gains over the best single algorithm."""
    known = units.format(best.lower) == units.format(best.upper)
    interval = "" if known else f" ({units.format_interval(best.lower, best.upper)})"
    many = len(best.members) > 1
    who = "Its best member" if many else "It"
    rival = selection.rival
    if units.kind == "number":
        text = f"Its {units.head} is {units.format(best.expected)}{interval}"
    elif selection.valued == "repeated runs":
        text = f"{who} beats an independent run of every candidate on {percent(best.expected)} of instances{interval}"
    elif rival is not None and rival.is_dropped:
        text = f"It is expected to beat {rival.name} on {percent(rival.expected)} of instances"
    elif rival is not None:
        does = selection.criterion.describe(best.expected, selection.algorithms)
        text = f"It {does}, {rival.name}{interval}"
    elif isinstance(selection.criterion, StrongestRival) and len(selection.candidates) == 1:
        return "No other algorithm is known."
    else:
        text = f"{who} {selection.criterion.describe(best.expected, selection.algorithms)}{interval}"
    if selection.win_rate_against_best_single is not None:
        beats = "it beats" if units.kind == "number" else "beats"  # a value beats nobody
        text += f", and {beats} {selection.best_single} alone on {percent(selection.win_rate_against_best_single)}"
    return text + "."


def _meaning(selection: Selection) -> list[str]:
    """Return what the numbers mean, and what was observed."""
    lines = [f"The query: {selection.preference}; judged by {selection.criterion}, and by {selection.risk}."]
    rival = selection.rival
    if rival is not None:
        observed = (
            ""
            if rival.observed is None
            else f"; it won {percent(rival.observed)} of the {with_noun(rival.instances or 0, 'observed instance')}"
        )
        lines.append(
            f"{selection.candidates[0].name} is expected to beat {rival.name} on {percent(rival.expected)} of new "
            f"instances{observed}."
        )
        lines.append("The expected loss is by how much the strongest rival wins more than half.")
    if selection.best_single in selection.candidates[0].members:
        lines.append(
            f"Where a run of {selection.best_single} is the best, the comparison with it alone counts one half."
        )
    return lines


def _query(selection: Selection) -> str:
    """Return the preference in words, and the criterion and the risk attitude unless they are the usual ones."""
    criterion = "" if selection.is_usual else f", judged by {selection.criterion}"
    usual = ProbabilityBest if isinstance(selection.criterion, StrongestRival) else Expected
    attitude = "" if isinstance(selection.risk, usual) else f", by {selection.risk}"
    return f"{selection.preference}{criterion}{attitude}"
