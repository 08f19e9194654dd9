"""The ranges of budgets with one answer: the best algorithm, several that are equal or tied, or those that may be best.

Each budget of the grid has a label. A range is a span of neighbouring budgets with one label. Labels are steady: a range
names an algorithm where it is best with a probability of at least 0.8, and on both sides as long as this probability is at
least 0.6. Spans that are shorter than 5 % of the grid join a neighbour. More than five ranges are joined, neighbours with
the shortest sum first. The ends of ranges are therefore approximate.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import combinations, groupby, pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from polarbear.arrays import Array, Mask
    from polarbear.observe import Grid
    from polarbear.posterior.posterior import Posterior

NAMED = 0.8
"""The probability of being best from which an algorithm is named."""

_STAYS = 0.6  # down to which a named algorithm keeps its range
_SHORT = 0.05  # share of the grid below which a span joins a neighbour
_MOST = 5  # ranges; more are joined
_CONTENDERS = 0.95  # the sum of the probabilities of the contenders
_NAMED_CONTENDERS = 4
_ROUNDING = 1e-9  # of a mean of equal probabilities
_EQUAL = 0.95  # the probability with which each pair of contenders lies within the margin
_TIED = 0.5  # share of instances on which two leaders tie

Kind = Literal["no results", "not observed", "alone", "equal", "best", "tied", "unclear", "several"]
_FIXED = ("no results", "not observed", "alone")  # these say what was observed, and join nothing


@dataclass(frozen=True)
class Range:
    """A range of budgets with one answer.

    Attributes
    ----------
    kind
        "best": one algorithm is the best choice. "equal": the best algorithms are within the margin of each other. "tied":
        the two leading algorithms tie on most instances. "unclear": no algorithm is sure enough. "several": more ranges
        than are printed; `names` are best in this order. "no results": fewer than half of the instances have a value from
        any kept algorithm. "alone": only one algorithm was observed. "not observed": none was.
    start, stop
        The budgets at which it starts and stops.
    first, last
        The positions in the grid of its first and its last budget.
    names
        The algorithms that it names, the most probable first.
    probabilities
        The probability that each of them is best, averaged over the budgets of the range.
    tied
        The share of instances on which the two leading algorithms tie; None unless they are "tied".
    """

    kind: Kind
    start: float
    stop: float
    first: int
    last: int
    names: tuple[str, ...] = ()
    probabilities: tuple[float, ...] = ()
    tied: float | None = None

    @property
    def length(self) -> int:
        """The number of budgets of the grid."""
        return self.last - self.first + 1


def all_ranges(
    posterior: Posterior,
    names: Sequence[str],
    probability: Array,
    *,
    margin: float,
    has_results: Mask | None = None,
) -> tuple[Range, ...]:
    """Return the ranges of budgets with one answer; `join_ranges` joins them to at most five.

    Parameters
    ----------
    posterior
        The posterior.
    names, probability
        The kept algorithms, and the probability that each is best at each budget, shape (budget, algorithm).
    margin
        Win rates within this distance of one half are equal.
    has_results
        Shape (budget,): whether at least half of the instances have a value from any kept algorithm; None if unknown.
    """
    budgets = _Budgets(posterior, tuple(names), probability, margin)
    labels = _steady_labels(budgets, has_results)
    spans = _join_short(_join_alike((label, 1) for label in labels), len(labels))
    ranges, first = [], 0
    for (kind, leader), length in _join_alike(budgets.confirm(spans)):
        ranges.append(budgets.describe(kind, leader, first, first + length - 1))
        first += length
    return _meet_half_way(posterior.grid, ranges)


def join_ranges(grid: Grid, ranges: Sequence[Range], most: int = _MOST) -> tuple[Range, ...]:
    """Return at most `most` ranges: the neighbours with the shortest sum are joined, and name their algorithms in order.

    Ranges that say what was observed are joined last.
    """
    joined = list(ranges)
    while len(joined) > most:
        lengths = [
            (left.kind in _FIXED or right.kind in _FIXED, left.length + right.length)
            for left, right in pairwise(joined)
        ]
        place = lengths.index(min(lengths))
        joined[place : place + 2] = [_join(*joined[place : place + 2])]
        same = [
            k for k, (left, right) in enumerate(pairwise(joined)) if left.kind == "best" and left.names == right.names
        ]
        for place in reversed(same):
            joined[place : place + 2] = [_join(*joined[place : place + 2])]
    return _meet_half_way(grid, joined)


def contenders(probability: Array) -> list[int]:
    """Return the fewest columns whose probabilities of being best sum to 0.95, the most probable first.

    Examples
    --------
    >>> contenders(np.array([0.05, 0.6, 0.34, 0.01]))
    [1, 2, 0]
    """
    order = np.argsort(-probability, kind="stable")
    number = int(np.searchsorted(np.cumsum(probability[order]), _CONTENDERS)) + 1
    return [int(column) for column in order[:number]]


_Label = tuple[Kind, int]  # and the column of the leader, -1 without one


@dataclass(frozen=True, eq=False)
class _Budgets:
    """What is known about the kept algorithms at each budget."""

    posterior: Posterior
    names: tuple[str, ...]
    probability: Array
    margin: float
    _within: dict[tuple[int, int], Array] = field(default_factory=dict)

    @property
    def columns(self) -> list[int]:
        return [self.posterior.names.index(name) for name in self.names]

    def within(self, one: int, other: int) -> Array:
        """Return the probability that two algorithms are within the margin of each other, shape (budget,)."""
        pair = min(one, other), max(one, other)
        if pair not in self._within:
            a, b = (self.columns[each] for each in pair)
            self._within[pair] = self.posterior.win_rate_within(a, b, self.margin, at_least=_EQUAL)
        return self._within[pair]

    def are_equal(self) -> Mask:
        """Return whether all contenders at each budget are within the margin of each other, shape (budget,)."""
        equal = np.zeros(len(self.probability), dtype=bool)
        for t, row in enumerate(self.probability):
            found = contenders(row) if row.any() else []
            equal[t] = len(found) > 1 and all(self.within(*pair)[t] >= _EQUAL for pair in combinations(found, 2))
        return equal

    def confirm(self, spans: Sequence[tuple[_Label, int]]) -> Iterator[tuple[_Label, int]]:
        """Yield the spans, "equal" and "tied" only if this holds for the contenders of the whole span.

        Contenders may change within a span, and short ones may have joined it.
        """
        first = 0
        for label, length in spans:
            kind, last = label[0], first + length - 1
            found = contenders(self.probability[first : last + 1].mean(axis=0)) if kind in ("equal", "tied") else []
            if len(found) == 1:
                label = "best", found[0]
            elif kind == "tied" and self.tied_share(first, last, *found[:2]) <= _TIED:
                label = "unclear", -1
            elif kind == "equal":
                mean = [self.within(*pair)[first : last + 1].mean() for pair in combinations(found, 2)]
                label = label if min(mean) >= _EQUAL - _ROUNDING else ("unclear", -1)
            yield label, length
            first += length

    def tied_share(self, first: int, last: int, one: int, other: int) -> float:
        """Return the share of common instances on which two algorithms tie, averaged over some budgets."""
        beliefs, columns = self.posterior.beliefs, self.columns
        if beliefs is None:
            return 0.0
        pair = beliefs.belief(columns[one], columns[other])
        ties, total = (each[first : last + 1] for each in (pair.ties, pair.wins + pair.losses + pair.ties))
        return float(np.divide(ties, total, out=np.zeros_like(ties), where=total > 0).mean())

    def describe(self, kind: Kind, leader: int, first: int, last: int) -> Range:
        """Return the range of these positions; its ends are the budgets of the grid."""
        budgets, mean = self.posterior.grid.budgets, self.probability[first : last + 1].mean(axis=0)
        chosen: list[int] = []
        if kind in ("equal", "unclear", "tied"):
            chosen = contenders(mean)
            chosen = chosen[:2] if kind == "tied" else chosen if kind == "equal" else chosen[:_NAMED_CONTENDERS]
        if leader >= 0:
            chosen = [leader]
        return Range(
            kind=kind,
            start=float(budgets[first]),
            stop=float(budgets[last]),
            first=first,
            last=last,
            names=tuple(self.names[column] for column in chosen),
            probabilities=tuple(float(mean[column]) for column in chosen),
            tied=self.tied_share(first, last, chosen[0], chosen[1]) if kind == "tied" else None,
        )


def _steady_labels(budgets: _Budgets, has_results: Mask | None) -> list[_Label]:
    """Return the label of each budget."""
    probability, observed = budgets.probability, budgets.posterior.observed[:, budgets.columns]
    labels: list[_Label] = [("unclear", -1)] * len(probability)
    for t, row in enumerate(probability):
        leaders = contenders(row)[:2] if row.any() else []
        if len(leaders) == 2 and budgets.tied_share(t, t, *leaders) > _TIED:
            labels[t] = ("tied", -1)
    for column in range(probability.shape[1]):
        for place, stays in _spans(probability[:, column] >= _STAYS):
            if stays and probability[place, column].max() >= NAMED:
                labels[place] = [("best", column)] * (place.stop - place.start)
    for t in np.flatnonzero(budgets.are_equal()).tolist():
        labels[t] = ("equal", -1)
    for t, row in enumerate(observed):
        if not row.any():
            labels[t] = ("not observed", -1)
        elif row.sum() == 1 and len(row) > 1:
            labels[t] = ("alone", int(row.argmax()))
    if has_results is not None:
        for t in range(len(labels) if not has_results.any() else int(has_results.argmax())):
            labels[t] = ("no results", -1)
    return labels


def _spans(mask: Mask) -> list[tuple[slice, bool]]:
    """Return the spans of equal values."""
    result, start = [], 0
    for value, group in groupby(mask.tolist()):
        stop = start + len(list(group))
        result.append((slice(start, stop), bool(value)))
        start = stop
    return result


def _join_short(spans: list[tuple[_Label, int]], budgets: int) -> list[tuple[_Label, int]]:
    """Return the spans after those that are too short have joined a neighbour, the shortest first."""
    least = max(2, _SHORT * budgets)
    while True:
        short = [
            (length, place)
            for place, ((kind, _), length) in enumerate(spans)
            if length < least and kind not in _FIXED and _neighbours(spans, place)
        ]
        if not short:
            return spans
        place = min(short)[1]
        to = _neighbours(spans, place)[0]
        spans[place] = (spans[to][0], spans[place][1])
        spans = _join_alike(spans)


def _join_alike(spans: Iterable[tuple[_Label, int]]) -> list[tuple[_Label, int]]:
    """Return the spans after neighbours with equal labels were joined."""
    return [(label, sum(length for _, length in group)) for label, group in groupby(spans, key=lambda each: each[0])]


def _neighbours(spans: Sequence[tuple[_Label, int]], place: int) -> list[int]:
    """Return the neighbours that a short span may join, the one that it joins first.

    A named span joins an unclear neighbour first; a named span at either end of what was observed stays.
    """
    beside = [each for each in (place - 1, place + 1) if 0 <= each < len(spans)]
    beside = [each for each in beside if spans[each][0][0] not in _FIXED]
    named = spans[place][0][0] == "best"
    if named and len(beside) < 2:
        return []
    return sorted(beside, key=lambda each: (named and spans[each][0][0] != "unclear", -spans[each][1]))


def _join(left: Range, right: Range) -> Range:
    """Return two neighbouring ranges as one, which names the first algorithm of each."""
    parts = [(each.names if each.kind == "several" else each.names[:1]) for each in (left, right)]
    names = [name for name, _ in groupby([*parts[0], *parts[1]])]
    kind: Kind = "several" if len(names) > 1 else "best" if names else left.kind
    if names and left.kind in _FIXED and right.kind in _FIXED:
        kind = "several" if len(names) > 1 else "alone"
    return Range(kind, left.start, right.stop, left.first, right.last, tuple(names))


def _meet_half_way(grid: Grid, ranges: Sequence[Range]) -> tuple[Range, ...]:
    """Return ranges that meet half-way, on the axis of the grid, between the budgets of two neighbours."""
    budgets = grid.budgets
    ends = [float(budgets[0])]
    for left, right in pairwise(ranges):
        before, after = budgets[left.last], budgets[left.last + 1]
        if right.kind == "not observed":
            after = before
        elif left.kind == "not observed":
            before = after
        ends.append(float(np.sqrt(before * after)) if grid.axis == "log" else float(before + after) / 2)
    ends.append(float(budgets[-1]))
    return tuple(
        replace(each, start=start, stop=stop) for each, (start, stop) in zip(ranges, pairwise(ends), strict=True)
    )
