"""The units in which the values of a selection are shown: whole per cents, ranks, or the user's own numbers.

All values lie in [0, 1] inside the package, and higher is better. People read shares as per cents and the mean rank as a
rank, of which lower is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from polarbear.selection.answers import SURE_ENOUGH
from polarbear.selection.criterion import FirstPlace, MeanRank, StrongestRival, TopK, WinRateAgainst
from polarbear.selection.custom_preference import Custom
from polarbear.selection.risk import Quantile
from polarbear.wording import format_below, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.selection.candidates import Candidate
    from polarbear.selection.criterion import Criterion
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk

_SMALLEST_POINTS = 0.1  # percentage points; a smaller loss is not distinguished from none
_SMALLEST_RANKS = 0.01


@dataclass(frozen=True)
class ValueUnits:
    """How the values of a selection are shown.

    Attributes
    ----------
    kind
        "share": in per cents of instances. "rank": a mean rank among `algorithms`. "number": of a custom preference.
    head
        The heading of the values in a table.
    algorithms
        The number of algorithms that are ranked.
    quantile
        The level of the quantile by which candidates are ordered; None for other attitudes to risk.
    """

    kind: Literal["share", "rank", "number"] = "share"
    head: str = "comes first"
    algorithms: int = 0
    quantile: float | None = None

    def format(self, value: float) -> str:
        """Return a value in its unit."""
        match self.kind:
            case "share":
                return percent(value)
            case "rank":
                return f"{self._rank(value):.2f}"
            case "number":
                return f"{value:.3g}"

    def format_interval(self, lower: float, upper: float) -> str:
        """Return the interval of a value; the best rank comes first."""
        low, high = map(self.format, (upper, lower) if self.kind == "rank" else (lower, upper))
        return high if low == high else f"{low.removesuffix(' %')} to {high}"

    def format_loss(self, loss: float, *, points: str = "percentage points") -> str:
        """Return an expected loss in the unit of the value; `points` are those of per cents."""
        if self.kind == "number":
            return f"{loss:.2g}"
        if self.kind == "rank":
            ranks = (self.algorithms - 1) * loss
            return f"less than {_SMALLEST_RANKS} ranks" if ranks < _SMALLEST_RANKS else f"{ranks:.2g} ranks"
        if 100 * loss < _SMALLEST_POINTS:
            return f"less than {_SMALLEST_POINTS} {points}"
        number = f"{100 * loss:.2g}"
        return f"{number} {points.removesuffix('s') if number == '1' else points}"

    def heads(self) -> list[str]:
        """Return the headings of the columns that `row` fills."""
        # A low quantile of the value is a high quantile of the rank.
        level = None if self.quantile is None else 1 - self.quantile if self.kind == "rank" else self.quantile
        cautious = [] if level is None else [f"{100 * level:.3g} % quantile"]
        return ["choice", self.head, *cautious, "95 % interval", "best choice", "loss"]

    def row(self, candidate: Candidate) -> list[str]:
        """Return a candidate with its value, interval, probability of being the best choice, and expected loss, as text."""
        cautious = [] if self.quantile is None else [self.format(candidate.score)]
        return [
            candidate.name,
            self.format(candidate.expected),
            *cautious,
            self.format_interval(candidate.lower, candidate.upper),
            format_below(candidate.probability_best, SURE_ENOUGH),
            self.format_loss(candidate.loss, points="points"),
        ]

    def rows(self, candidates: Sequence[Candidate]) -> list[list[str]]:
        """Return the rows of a table of candidates."""
        return [self.row(each) for each in candidates]

    def _rank(self, value: float) -> float:
        return self.algorithms - (self.algorithms - 1) * value


def units_of(preference: Preference, risk: Risk, criterion: Criterion, algorithms: int) -> ValueUnits:
    """Return the units of a query among this number of observed algorithms."""
    quantile = risk.level if isinstance(risk, Quantile) else None
    if isinstance(preference, Custom):  # the user defines its value
        return ValueUnits("number", "value", algorithms, quantile)
    match criterion:
        case MeanRank():
            return ValueUnits("rank", "mean rank", algorithms, quantile)
        case TopK(k):
            return ValueUnits("share", f"in the top {k}", algorithms, quantile)
        case WinRateAgainst(baseline):
            return ValueUnits("share", f"beats {baseline}", algorithms, quantile)
        case StrongestRival():
            return ValueUnits("share", "beats its strongest rival", algorithms, quantile)
        case FirstPlace():
            return ValueUnits("share", "comes first", algorithms, quantile)
