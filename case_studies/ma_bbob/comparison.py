"""The numbers of the paper's discussion, compared with those of a race of ours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

import polarbear as pb
from case_studies.ma_bbob.settings import FULL_COST, PARETO_SET
from polarbear.baselines import aocc, compare_with_aocc, eaf_difference, ecdf, log_targets
from polarbear.wording import percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from case_studies.ma_bbob.recorded import Recording
    from case_studies.page import Page
    from polarbear.race.outcome import RaceOutcome

    Array = NDArray[np.float64]

_ELIMINATED = {"RS": "round 1, 8 instances", "LPXNES": "round 3, 24 instances", "MSR": "round 21, 168 instances"}
_NEAR = 0.1  # the mean describes an instance whose AOCC is this close to it


def compare(page: Page, result: RaceOutcome, recorded: Recording) -> None:
    """Compare all numbers of the paper's second case study."""
    _decisions(page, result)
    _leaders(page, result, recorded)
    _tpa(page, result)
    _choices(page, result, recorded)
    _aocc_distribution(page, recorded)
    _eaf_differences(page, recorded)
    _cost(page, result)


def _decisions(page: Page, result: RaceOutcome) -> None:
    same = frozenset(result.kept) == PARETO_SET
    page.compare(
        "anytime Pareto set",
        "CSA, TPA, MXNES, XNES",
        ", ".join(result.kept),
        "The same." if same else "Not the same; see the eliminations below.",
    )
    drops = {each.name: each for each in result.drops}
    for name, paper in _ELIMINATED.items():
        if name in drops:
            each = drops[name]
            ours = f"round {each.round}, {each.instances} instances, by {each.by}"
            remark = "Other instances and random numbers; a narrow elimination may come much earlier or later."
        else:
            ours, remark = "not eliminated", "These instances do not decide it."
        page.compare(f"{name} eliminated", paper, ours, remark)
    order = [name for name in drops if name in _ELIMINATED]
    page.compare(
        "order of eliminations",
        ", ".join(_ELIMINATED),
        ", ".join(order),
        "The same." if order == list(_ELIMINATED) else "Another order.",
    )


def _leaders(page: Page, result: RaceOutcome, recorded: Recording) -> None:
    posterior, budgets = result.posterior, recorded.evaluations
    for what, paper, best in (
        ("leaders by rating", "MXNES below 1,000, then CSA, then XNES", pb.decision_map(posterior).best),
        (
            "leaders by ECDF",
            "MXNES below 2,000, then CSA, then XNES from about 20,000",
            [recorded.names[leader] for leader in ecdf(recorded.values).argmax(axis=1)],
        ),
    ):
        changes = [k for k in range(len(best)) if k == 0 or best[k] != best[k - 1]]
        page.compare(
            what,
            paper,
            ", ".join(f"{best[k]} from {budgets[k]:,.0f}" for k in changes),
            "Two curves are close at a change; brief leads there are chance.",
        )
    ratings = posterior.ratings.mean(axis=0)
    by_rating = takes_over(budgets, *(ratings[:, posterior.names.index(name)] for name in ("CSA", "XNES")))
    shares = ecdf(recorded.values)
    by_ecdf = takes_over(budgets, *(shares[:, recorded.names.index(name)] for name in ("CSA", "XNES")))
    later = "later than by ECDF, as in the paper" if by_rating > by_ecdf else "not later than by ECDF"
    page.compare(
        "XNES overtakes CSA",
        "15,000 by ECDF, 30,000 by rating",
        f"{by_ecdf:,.0f} by ECDF, {by_rating:,.0f} by rating",
        f"By rating {later}: the size of a difference counts in an ECDF, but not in a ranking.",
    )


def _tpa(page: Page, result: RaceOutcome) -> None:
    posterior = result.posterior
    budgets, confidence = posterior.grid.budgets, result.state.settings.confidence
    beats = pb.dominance(posterior)[:, posterior.names.index("CSA"), posterior.names.index("TPA")]
    better = budgets[beats <= 1 - confidence]
    undecided = budgets[(beats > 1 - confidence) & (beats < confidence)]
    range_ = f"better from {better[0]:,.0f} to {better[-1]:,.0f}" if better.size else "better nowhere"
    leads = "TPA" in pb.decision_map(posterior).best
    page.compare(
        "TPA against CSA",
        "better in a small range below 1,000; never the best",
        f"{range_} with probability {confidence:g}, undecided at {undecided.size} of {len(budgets)} times; "
        + ("leads somewhere" if leads else "never the best"),
        "It is in the Pareto set because it is better at some budgets.",
    )
    page.results["csa_beats_tpa"] = {"evaluations": budgets, "probability": beats}


def _choices(page: Page, result: RaceOutcome, recorded: Recording) -> None:
    posterior, inside = result.posterior, result.kept
    by_aocc = compare_with_aocc(recorded.trajectories(), posterior, among=inside)
    best = sorted(by_aocc.means.items(), key=lambda each: -each[1])[:4]
    page.compare(
        "choice by mean AOCC",
        "XNES, narrowly",
        f"{by_aocc.choice} ({', '.join(f'{name} {mean:.3f}' for name, mean in best)})",
        by_aocc.sentence,
    )
    page.results["mean_aocc"] = dict(by_aocc.means)
    risks: tuple[pb.Risk, ...] = (pb.ProbabilityBest(), pb.Expected(), pb.Quantile(0.05))
    for preference, name, paper in (
        (pb.Uniform(), "uniform", "CSA by P2BB, expectation and lower quantile; XNES just behind"),
        (pb.LogUniform(), "log-uniform", "CSA"),
    ):
        chosen = [str(pb.select(posterior, preference, risk, among=inside).recommendation) for risk in risks]
        page.compare(
            f"choice, {name} preference",
            paper,
            f"{', '.join(chosen)} by P2BB, expectation, lower quantile",
            str(pb.select(posterior, preference, among=inside)),
        )


def _aocc_distribution(page: Page, recorded: Recording) -> None:
    areas = aocc(recorded.values, recorded.evaluations)
    near = (np.abs(areas - areas.mean(axis=0)) < _NEAR).mean(axis=0)
    shares = dict(zip(recorded.names, near.tolist(), strict=True))
    page.compare(
        "instances that the mean AOCC describes",
        "few: bimodal, except for LPXNES and RS",
        ", ".join(f"{name} {percent(share)}" for name, share in shares.items()),
        f"Share of instances whose AOCC lies within {_NEAR} of the mean; the figure shows the two modes.",
    )
    page.results["share_near_mean_aocc"] = shares


def _eaf_differences(page: Page, recorded: Recording) -> None:
    targets = log_targets()
    for first, second, paper in (
        ("MXNES", "LPXNES", "MXNES is better everywhere"),
        ("MXNES", "RS", "MXNES is better everywhere"),
        ("XNES", "MSR", "XNES is better everywhere"),
    ):
        pair = recorded.names.index(first), recorded.names.index(second)
        difference = eaf_difference(recorded.values, *pair, targets)
        worst, column = np.unravel_index(difference.argmin(), difference.shape)
        where = f"at {recorded.evaluations[worst]:,.0f} evaluations and the target {targets[column]:.1g}"
        page.compare(
            f"EAF of {first} against {second}",
            paper,
            f"{first} ahead by up to {percent(difference.max())}, {second} by up to {percent(max(0.0, -difference.min()))}"
            + (f" ({where})" if difference.min() < 0 else ""),
            f"Of {len(recorded.values)} instances; the paper's are of 1000 and were read from a figure.",
        )


def _cost(page: Page, result: RaceOutcome) -> None:
    spent = sum(result.cost.values())
    decided = result.stopped == "finished"
    share = result.rounds[-1].decided_share
    remark = (
        "All pairs decided." if decided else f"The race stopped with {100 * share:.1f} % decided: {result.stopped}."
    )
    page.compare("rounds", 51, len(result.rounds), remark)
    page.compare("instances", 1656, result.instances, remark)
    last = [name for name, _ in result.rounds[-1].budgets]
    theirs = sum(result.cost[name] for name in last) / spent
    page.compare(
        "evaluations",
        "1.72e8 of 4.2e8: 59 % saved",
        f"{spent:.3g} of {FULL_COST:.2g}: {percent(1 - spent / FULL_COST)} saved",
        f"Against seven algorithms on 1000 instances to the end. {' and '.join(last)}, the last to be distinguished, took "
        f"{percent(theirs)} of them."
        if decided
        else "Against the same 1000 full instances, but strict resolution is not reached with these instances.",
    )
    counts = dict(zip(result.state.names, result.allocation[-1].tolist(), strict=True))
    page.compare(
        "instances run to the end",
        "CSA and XNES 168 beyond 32,000 evaluations",
        ", ".join(f"{name} {count}" for name, count in counts.items()),
        "With pointwise elimination, no algorithm runs beyond its last undecided time.",
    )
    page.results |= {
        "pareto_set": result.kept,
        "drops": [vars(each) for each in result.drops],
        "rounds": len(result.rounds),
        "instances": result.instances,
        "stopped": result.stopped,
        "decided_share": share,
        "evaluations": result.cost,
        "saved_of_1000_full_instances": 1 - spent / FULL_COST,
    }


def takes_over(budgets: Array, first: Array, second: Array) -> float:
    """Return the time from which the second curve stays above the first; NaN if it is not above at the end.

    Examples
    --------
    >>> takes_over(np.array([1.0, 2.0, 3.0, 4.0]), np.array([5, 5, 5, 5]), np.array([6, 4, 6, 7]))
    3.0
    """
    behind = np.flatnonzero(second <= first)
    if not behind.size:
        return float(budgets[0])
    return math.nan if behind[-1] == len(budgets) - 1 else float(budgets[behind[-1] + 1])
