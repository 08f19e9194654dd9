"""The standing of each algorithm: it leads somewhere, is not ruled out, or is eliminated, and why."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polarbear.defaults import TAILS
from polarbear.selection.answers import SURE_ENOUGH
from polarbear.wording import format_below, format_error_bound, format_number, format_percent, join_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polarbear.checks.findings import Decision, PairCheck
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import DecisionMap
    from polarbear.selection.stretches import Stretch
    from polarbear.verdict.advice import Advice
    from polarbear.verdict.remark import Status

Group = Literal["leads somewhere", "not ruled out", "eliminated", "removed"]

_SURE = 0.95  # probability of leading at any budget from which a lead is solid
_UNLIKELY = 0.05  # probability below which an algorithm is not beaten at every budget
_EXPLAINED = 20  # algorithms that are not ruled out and get a reason; each takes a look at all of its pairs


@dataclass(frozen=True)
class Standing:
    """The group of an algorithm, and the reason.

    Attributes
    ----------
    name, group
        The algorithm and its group.
    status
        How far the statement can be trusted.
    reason
        Why it is in this group, as a clause about the algorithm.
    command
        The next step towards settling it, as a command or a call in Python; empty if it is settled.
    """

    name: str
    group: Group
    status: Status
    reason: str
    command: str = ""

    @property
    def text(self) -> str:
        """The reason, and how far it can be trusted if that is in doubt; "not ruled out" already states a doubt."""
        plain = self.status == "solid" or (self.group, self.status) == ("not ruled out", "provisional")
        return self.reason if plain else f"{self.reason} ({self.status})"

    @property
    def in_doubt(self) -> bool:
        """Whether the algorithm was eliminated, and that is in doubt."""
        return self.group == "eliminated" and self.status != "solid"


Pairs = Collection[frozenset[str]]
"""Pairs of names; where None is allowed, it stands for all pairs."""


def leading(overview: DecisionMap, advice: Advice, *, open_at_a_budget: Pairs | None = None) -> list[Standing]:
    """Return the algorithms that are the best choice at some budget, in order of budget.

    A lead is solid if it is sure enough, or if each pair of the algorithm is decided or practically equal at each budget.
    """
    stretches: dict[str, list[Stretch]] = {}
    for each in overview.stretches:
        if each.kind == "leader":
            stretches.setdefault(each.names[0], []).append(each)
    standings = []
    for name, led in stretches.items():
        reason = f"best choice {join_names([_range(each) for each in led])}"
        sure = overview.probability_leading[overview.names.index(name)]
        if sure >= _SURE or not _contains(open_at_a_budget, name):
            standings.append(Standing(name, "leads somewhere", "solid", reason))
        else:
            reason += f", {format_below(sure, _SURE)} sure that it leads somewhere"
            surest = max(led, key=lambda each: each.probabilities[0])
            rival = _challenger(overview, name, surest.at[0])
            command = advice.settle_pair(name, rival) or advice.decide_every_budget()
            standings.append(Standing(name, "leads somewhere", "provisional", reason, command))
    return standings


def _contains(pairs: Pairs | None, *names: str) -> bool:
    """Return whether some pair contains all of these names."""
    return pairs is None or any(pair.issuperset(names) for pair in pairs)


def _challenger(overview: DecisionMap, name: str, time: float) -> str:
    """Return the candidate that is the most probable best choice at a time, after the leader."""
    row = overview.probability_best[np.abs(overview.grid.times - time).argmin()]
    others = [other for other in overview.names if other != name]
    return max(others, key=lambda other: row[overview.names.index(other)])


def _range(each: Stretch) -> str:
    start, stop = format_number(each.start), format_number(each.stop)
    return f"at {start}" if start == stop else f"from {start} to {stop}"


def not_ruled_out(
    posterior: Posterior,
    overview: DecisionMap,
    names: Sequence[str],
    advice: Advice,
    *,
    undecided: Pairs | None = None,
) -> list[Standing]:
    """Return the candidates that lead nowhere, each with the comparison that comes closest to eliminating it.

    They are solid if this comparison is not `undecided`: it is known that neither algorithm eliminates the other.
    """
    result = []
    for place, name in enumerate(names):
        peak = overview.probability_best[:, overview.names.index(name)]
        at = format_number(overview.grid.times[int(peak.argmax())])
        highest = format_below(max(float(peak.max()), 0.01), SURE_ENOUGH)
        reason = f"never clearly the best choice (at most {highest} sure, at {at})"
        rival = _closest_rival(posterior, name, overview.names) if place < _EXPLAINED else None
        if rival is None:
            open_ = _contains(undecided, name)
            result.append(Standing(name, "not ruled out", "provisional" if open_ else "solid", reason))
        elif rival.probability < _UNLIKELY or not _contains(undecided, name, rival.name):
            clearly = "" if rival.probability < _UNLIKELY else "clearly "
            clause = f"but no other algorithm {clearly}beats it at every budget: {rival.clause}"
            result.append(Standing(name, "not ruled out", "solid", f"{reason}, {clause}"))
        else:
            clause = f"{rival.name} may beat it at every budget; least certain: {rival.clause}"
            command = advice.settle_pair(rival.name, name)
            result.append(Standing(name, "not ruled out", "provisional", f"{reason}; {clause}", command))
    return result


@dataclass(frozen=True)
class _Rival:
    """The candidate that is most likely to beat an algorithm at every budget.

    `probability` is that of the least certain budget, and `clause` says on how many instances the rival wins there.
    """

    name: str
    probability: float
    clause: str


def _closest_rival(posterior: Posterior, name: str, candidates: Sequence[str]) -> _Rival | None:
    """Return the candidate that is most likely to beat an algorithm at every budget; None if none was compared with it."""
    own, closest = posterior.names.index(name), None
    for other in candidates:
        column = posterior.names.index(other)
        differ = np.flatnonzero(posterior.differing_pairs[:, column, own])
        if other == name or not posterior.observed_pairs[:, column, own].all() or not differ.size:
            continue
        rates = posterior.win_rates(column, own)[differ]  # (time, draw)
        beats = (rates > 0.5).mean(axis=1)
        least = int(beats.argmin())
        if closest is None or beats[least] > closest.probability:
            low, high = np.quantile(rates[least], TAILS)
            wins = f"wins on {100 * low:.0f} to {100 * high:.0f} % of instances"
            clause = f"at {format_number(posterior.grid.times[differ[least]])} {other} {wins}"
            closest = _Rival(other, float(beats[least]), clause)
    return closest


def eliminated(
    decisions: Sequence[Decision],
    pair_checks: Mapping[str, PairCheck],
    error_bounds: Mapping[str, float | None],
    removed: Mapping[str, str],
) -> list[Standing]:
    """Return the eliminated algorithms, each with its winner and the evidence; then the removed ones, each with the reason.

    `pair_checks` and `error_bounds` are by the name of the eliminated algorithm, where they are known.
    """
    result = []
    for each in decisions:
        evidence = [f"{format_percent(each.probability)} sure"]
        check = pair_checks.get(each.name)
        status: Status = "solid"
        if check is not None:
            status = "do not rely on it" if check.contradicted else "provisional" if check.unsupported else "solid"
            evidence.append(f"{format_percent(check.own)} from the outcomes of these two alone")
        if each.name in error_bounds:
            bound = format_error_bound(error_bounds[each.name])
            proof = (
                f"wrong with a probability of at most {bound}, whatever the model"
                if bound.endswith("%")
                else "not proven without a model"
            )
            evidence.append(proof)
        reason = f"beaten by {each.by} at every budget ({'; '.join(evidence)})"
        result.append(Standing(each.name, "eliminated", status, reason))
    return result + [Standing(name, "removed", "solid", reason) for name, reason in removed.items()]
