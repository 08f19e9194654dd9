"""The summary of a posterior or a race, and the functions that make it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.posterior.e_values import error_bounds as error_bounds_of_pairs
from polarbear.posterior.elimination import cycles, dominated
from polarbear.posterior.posterior import Posterior
from polarbear.selection import decision_map
from polarbear.selection.candidates import merge_same
from polarbear.selection.observed_times import independent_units
from polarbear.verdict import rendering
from polarbear.verdict.advice import Advice
from polarbear.verdict.contents import Contents
from polarbear.verdict.data_remarks import data_remarks
from polarbear.verdict.model_remarks import independence_remarks, model_remarks
from polarbear.verdict.order_remarks import order_remarks
from polarbear.verdict.remark import Remark, most_serious_first, overall_status
from polarbear.verdict.standing import Standing, eliminated, leading, not_ruled_out
from polarbear.wording import REMOVED_BY_HAND, join_names, with_noun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polarbear.checks.findings import Decision
    from polarbear.checks.model_check import ModelCheck
    from polarbear.literals import Elimination
    from polarbear.observe import Choices
    from polarbear.verdict.standing import Pairs


CHECKED = "No check gives reason to doubt it."
UNCHECKED = (
    "The posterior does not contain the runs. It was not checked against them, and skipped or failed ones are unknown."
)
_NAMED = 5  # algorithms that a remark names; the others are counted


@dataclass(frozen=True, eq=False)
class Summary(Contents):
    """The verdict on a posterior or a race: print it, or take its parts; see `Contents` for its attributes."""

    @property
    def answer(self) -> str:
        """A sentence that says which algorithm to choose at which budget."""
        return rendering.answer_sentence(self.overview, self.unit)

    def __str__(self) -> str:
        return rendering.as_text(self)

    def _repr_html_(self) -> str:
        return rendering.as_html(self)

    def to_markdown(self) -> str:
        """Return the summary as Markdown."""
        return rendering.as_markdown(self)

    def to_latex(self) -> str:
        """Return the summary in LaTeX, for a document that loads booktabs."""
        return rendering.as_latex(self)

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as plain values, for JSON."""
        return {
            "status": self.status,
            "headline": self.headline,
            "answer": self.answer,
            "stretches": [asdict(each) for each in self.overview.stretches],
            "leader_changes": [asdict(each) for each in self.overview.leader_changes],
            "standings": [asdict(each) for each in self.standings],
            "remarks": [asdict(each) for each in self.remarks],
            "effort": self.effort,
            "scope": self.scope,
            "settled": self.settled if self.status == "solid" else "",
        }


def summarise(
    posterior: Posterior,
    *,
    confidence: float = 0.95,
    elimination: Elimination = "pointwise",
    choices: Choices | None = None,
    unit: str = "",
    advice: Advice | None = None,
    remarks: Sequence[Remark] = (),
    effort: str = "",
) -> Summary:
    """Return the verdict on a posterior: which algorithm at which budget, what is open, and how far to trust it.

    Parameters
    ----------
    posterior
        The posterior.
    confidence, elimination
        The probability and the rule by which algorithms are eliminated; see `dominated`.
    choices
        The choices that the posterior was fitted to, against which the model and each elimination are checked. Without
        them nothing is checked, and the verdict is provisional.
    unit
        The unit of time.
    advice
        Where the posterior comes from, so that remarks name the command that settles them.
    remarks
        Further remarks, such as data that were skipped.
    effort
        What the heading says about the data; by default the number of instances.

    Returns
    -------
    Summary

    Examples
    --------
    >>> import numpy as np, polarbear as pb
    >>> values = np.random.default_rng(0).normal(size=(60, 3, 3)) + [0, 1, 4]
    >>> choices = pb.Choices.from_values(values, grid=[10, 100, 1000], names=["cma", "de", "random search"])
    >>> summary = pb.summarise(pb.fit(choices), choices=choices)
    >>> summary.headline
    'One algorithm leads somewhere, two are eliminated.'
    >>> summary.status
    'solid'
    """
    if not isinstance(posterior, Posterior):
        raise ValueError(f"expected a posterior, got {type(posterior).__name__}; for a race use result.summary()")
    rule: dict[str, Any] = {"confidence": confidence, "elimination": elimination}
    decisions = dominated(posterior, **rule)
    out = {each.name for each in decisions}
    candidates = [name for name in posterior.names if name not in out]
    check, bounds, settled = None, None, ""
    if choices is not None:
        from polarbear.checks.model_check import model_check  # imports inference, which only the check needs

        check, bounds, settled = model_check(posterior, choices), bounds_of(decisions, choices), CHECKED
    return collect(
        posterior,
        candidates=candidates,
        decisions=decisions,
        cycles=cycles(posterior, **rule),
        check=check,
        unit=unit,
        advice=advice or Advice(),
        remarks=remarks,
        effort=effort or data_of(posterior),
        error_bounds=bounds,
        settled=settled,
    )


def data_of(posterior: Posterior) -> str:
    """Return what a posterior is based on, in the words of its scope, such as "24 functions with 360 instances"."""
    return posterior.scope.partition("based on ")[2].partition(";")[0] or with_noun(posterior.instances, "instance")


def bounds_of(decisions: Sequence[Decision], choices: Choices) -> dict[str, float]:
    """Return an upper bound on the probability that each elimination is wrong, whatever the model, by its algorithm."""
    pairs = [(choices.names.index(each.by), choices.names.index(each.name)) for each in decisions]
    where = np.zeros((len(choices.names),) * 2, dtype=bool)
    for pair in pairs:
        where[pair] = True
    bounds = error_bounds_of_pairs(choices, where=where)
    return {each.name: float(bounds[pair]) for each, pair in zip(decisions, pairs, strict=True)}


def _and_more(names: Sequence[str]) -> str:
    return f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""


def removal_remarks(removed: Mapping[str, str]) -> list[Remark]:
    """Return a remark on the algorithms that were removed by hand, and one on those removed for other reasons."""
    remarks = []
    ways = {True: f"{REMOVED_BY_HAND} and not judged", False: "set aside without being eliminated"}
    for by_hand, how in ways.items():
        names = [name for name, reason in removed.items() if (reason == REMOVED_BY_HAND) == by_hand]
        if names:
            who = f"{join_names(names[:_NAMED])}{_and_more(names)} {'was' if len(names) == 1 else 'were'}"
            remarks.append(Remark("provisional", f"{who} {how}; the answer is among the others."))
    return remarks


def _doubts(leaders: Sequence[Standing], remaining: Sequence[Standing], *, decided: bool) -> list[Remark]:
    """Return remarks on the algorithms whose place in the answer is in doubt."""
    verbs = {"lead at any budget": leaders, "belong to the answer": remaining}
    doubts = [_doubt(doubtful, verb) for verb, each in verbs.items() if (doubtful := _provisional(each))]
    if leaders:
        return doubts
    nowhere = "No algorithm is clearly the best choice at any budget"
    if not decided:
        return [Remark("provisional", f"{nowhere}.")]
    return [*doubts, Remark("solid", f"{nowhere}, although every pair is decided or practically equal.")]


def _provisional(standings: Sequence[Standing]) -> list[Standing]:
    return [each for each in standings if each.status == "provisional"]


def _doubt(standings: Sequence[Standing], verb: str) -> Remark:
    """Return the remark that it is open whether these algorithms do something, with the first of their next steps."""
    names = [each.name for each in standings]
    first, _, rest = verb.partition(" ")
    verb = f"{first}s {rest}" if len(names) == 1 else verb
    text = f"The data do not settle whether {join_names(names[:_NAMED])}{_and_more(names)} {verb}."
    return Remark("provisional", text, next((each.command for each in standings if each.command), ""))


def _in_doubt(each: Standing, doubt: str) -> Standing:
    """Return a standing that is in doubt, with the reason."""
    if each.group == "removed":
        return each
    return replace(each, status=overall_status([each.status, "provisional"]), reason=f"{each.reason}; {doubt}")


def collect(
    posterior: Posterior,
    *,
    candidates: Sequence[str],
    decisions: Sequence[Decision],
    cycles: Sequence[Sequence[str]],
    check: ModelCheck | None,
    unit: str,
    advice: Advice,
    remarks: Sequence[Remark],
    effort: str,
    error_bounds: Mapping[str, float | None] | None = None,
    removed: Mapping[str, str] | None = None,
    waiting: Mapping[str, str] | None = None,
    doubts: Mapping[str, str] | None = None,
    settled: str = "",
    undecided: Pairs | None = None,
    open_at_a_budget: Pairs | None = None,
) -> Summary:
    """Return the summary of decisions that have been taken already, such as those of a race.

    Parameters
    ----------
    posterior, candidates, decisions, cycles, check
        The posterior, the algorithms that are not eliminated, the eliminations, the groups of candidates that beat each
        other in a circle, and the model check.
    unit, advice, remarks, effort, settled
        See `Summary`.
    error_bounds
        Upper bounds on the probability that each elimination is wrong, whatever the model, by the eliminated algorithm.
    removed, waiting
        Algorithms that were removed without being judged, and candidates that are not in the posterior yet, each with the
        reason.
    doubts
        Why the standing of some algorithms is in doubt, as clauses about them.
    undecided, open_at_a_budget
        The pairs of candidates of which one may yet eliminate the other, and those that are neither decided nor practically
        equal at some budget; None if these may be all.
    """
    overview = decision_map(posterior, among=candidates)
    candidates, same = merge_same(posterior, tuple(candidates))
    pair_checks = () if check is None else check.check_eliminations(decisions)
    leaders = leading(overview, advice, open_at_a_budget=open_at_a_budget)
    others = [name for name in candidates if name not in {each.name for each in leaders}]
    found = data_remarks(posterior, by_design=advice.source == "race")
    if check is None:
        found.append(Remark("provisional", UNCHECKED, advice.check()))
    else:
        found += model_remarks(check, pair_checks, advice) + independence_remarks(posterior, check, advice)
    found += [*order_remarks(posterior, decisions, cycles), *remarks]
    remaining = not_ruled_out(posterior, overview, others, advice, undecided=undecided)
    remaining += [Standing(name, "not ruled out", "provisional", reason) for name, reason in (waiting or {}).items()]
    found += [
        Remark("solid", f"{join_names([name, *each])} tie on every instance and count as one.")
        for name, each in same.items()
    ]
    found += _doubts(leaders, remaining, decided=undecided is not None and not undecided)
    found += removal_remarks(removed or {})
    standings = [
        *leaders,
        *remaining,
        *eliminated(decisions, {each.name: each for each in pair_checks}, error_bounds or {}, removed or {}),
    ]
    groups = {each.name: each.group for each in standings}
    standings += [
        Standing(other, groups[name], "solid", f"the same as {name} on every instance")
        for name, others in same.items()
        for other in others
    ]
    doubts = doubts or {}
    standings = [_in_doubt(each, doubts[each.name]) if each.name in doubts else each for each in standings]
    return Summary(
        overview=overview,
        standings=tuple(standings),
        remarks=most_serious_first(found),
        unit=unit,
        effort=effort,
        scope=f"The answer generalises {posterior.scope}."
        if posterior.scope and independent_units(posterior) > 1
        else "",
        settled=settled,
    )
