"""The sections of the page, in their order: the list `SECTIONS`, and one function per section that collects its data.

A section consists of its data, its markup `assets/<name>.html`, and its script `assets/<name>.js`. The script registers a
function `sections.<name> = (data, page) => …`, which fills the markup. `data` is what the data function here returns, in
plain values; `page` holds what all sections share (see `page_data`). Arrays are indexed by algorithm, in the order of the
posterior. A data function returns None where the section does not apply; the page then leaves it out.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from polarbear.baselines import compare_with_aocc
from polarbear.defaults import LEVEL
from polarbear.findings import Code, RunFailure
from polarbear.inference.group_fitting import GroupPosterior
from polarbear.plots import DecisionBands, DominanceEvolution, DominanceMatrix, SampleAllocation
from polarbear.posterior.elimination import dominated
from polarbear.posterior.findings import independent_units
from polarbear.reporting.draws import pack_observed, pack_win_rates
from polarbear.reporting.header import keep_percent
from polarbear.reporting.magnitude import magnitude
from polarbear.reporting.problem import problem
from polarbear.reporting.sentences import (
    comparisons_sentence,
    diagnostic_sentences,
    drop_detail,
    prior_sentences,
    stop_sentence,
    trust_sentences,
    uncertainty_sentences,
)
from polarbear.show.standings import standings as word_standings
from polarbear.show.wording import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from polarbear.race.outcome import RaceOutcome
    from polarbear.reporting.subject import Subject
    from polarbear.selection.ranges import BudgetRange

_KINDS = 20  # kinds of failures shown at most
_LONGEST = 4000  # characters of an error, a traceback or an output shown at most, counted from its end

Data = dict[str, Any]

DOUBTS = (Code.DROP_CONTRADICTED, Code.DROP_UNSUPPORTED, Code.DROP_IN_DOUBT, Code.DROP_ON_FEW)
"""The codes of findings that put a dropped algorithm in doubt."""


@dataclass(frozen=True)
class Section:
    """One section of the page.

    Attributes
    ----------
    name
        The id of the section in the page, and the name of its markup.
    data
        The function that collects its data; None leaves the section out.
    scripts
        Its scripts, of which the last fills it. Each uses only definitions of the scripts before it.
    """

    name: str
    data: Callable[[Subject], Data | None]
    scripts: tuple[str, ...]


def best_by_budget(subject: Subject) -> Data:
    """Return the leaders over the budgets, and each candidate's probability of being the best, from bottom to top."""
    leaders, names = subject.leaders, subject.posterior.names
    return {
        "columns": [names.index(leaders.names[k]) for k in leaders.stacking_order],
        "budgets": leaders.edge_budgets.tolist(),
        "probability": leaders.edges.T[leaders.stacking_order].round(4).tolist(),
        "ranges": [
            [_column(names, each), each.start, each.stop, each.choice, each.certainty] for each in leaders.ranges
        ],
    }


def groups(subject: Subject) -> Data | None:
    """Return the leaders over the budgets and the algorithms that are not dropped, for each group of instances.

    Those of all instances stand for a group that is too small.
    """
    if not subject.groups:
        return None
    names = subject.posterior.names
    rows = []
    for name, given in subject.groups.items():
        group = given
        if not isinstance(group, GroupPosterior):
            group = GroupPosterior(group.instances, independent_units(group), group)
        posterior = subject.posterior if group.is_too_small else group.posterior
        beaten = {
            each.name for each in dominated(posterior, confidence=subject.confidence, dominance=subject.dominance)
        }
        candidates = [each for each in posterior.names if each not in beaten]
        bands = DecisionBands.of(posterior, among=candidates)
        rows.append(
            {
                "name": str(name),
                "instances": group.instances,
                "note": group.note,
                "basis": group.size,
                "candidates": [names.index(each) for each in candidates],
                "ranges": [
                    [_column(names, each), each.start, each.stop, each.choice, each.certainty] for each in bands.ranges
                ],
            }
        )
    return {"groups": rows, "notes": [text_of(each) for each in subject.group_findings]}


def _column(names: Sequence[str], span: BudgetRange) -> int | None:
    """Return the position of the leader of a range; None if it has none."""
    return None if span.leader is None else names.index(span.leader)


def explorer(subject: Subject) -> Data:
    """Return the draws from which the explorer computes its recommendation."""
    return {
        **subject.explorer_draws,
        "reliable": subject.posterior.diagnostics.reliable,
        "message": subject.posterior.diagnostics.message.rstrip("."),
    }


def ratings(subject: Subject) -> Data:
    """Return no data of its own: the explorer shows the rating curves too, so that they are shared."""
    return {}


def comparisons(subject: Subject) -> Data | None:
    """Return a sentence on the number of comparisons; the counts are shared, since all charts need them."""
    counts = subject.posterior.comparisons
    if counts is None:
        return None
    return {"sentence": comparisons_sentence(subject.posterior), "equal": bool((counts == counts[0, 0]).all())}


def standings(subject: Subject) -> Data:
    """Return every algorithm in its group with the reason, and the probabilities of dominance by round."""
    result, unit = subject.result, subject.unit
    details: dict[str, str] = {}
    if result is not None:
        details |= {each.name: drop_detail(each, unit) for each in result.drops}
    return {
        "confidence": subject.confidence,
        "groups": [
            {
                "heading": heading,
                "algorithms": [
                    {"name": name, "text": keep_percent(text), "detail": details.get(name, "")}
                    for name, text in members
                ],
            }
            for heading, members in word_standings(subject.source.answer, subject.source.dropped, unit).items()
        ],
        "rounds": None if result is None else _rounds(result, subject.posterior.names),
    }


def _rounds(result: RaceOutcome, names: Sequence[str]) -> Data:
    evolution = DominanceEvolution.of(result)
    columns = [evolution.names.index(name) for name in names]
    return {
        "numbers": evolution.rounds.tolist(),
        "threat": evolution.threat[:, columns].T.tolist(),
        "dropped": evolution.dropped[:, columns].T.tolist(),
        "decided": evolution.decided[:, columns].T.tolist(),
        "share": evolution.share.tolist(),
    }


def pairs(subject: Subject) -> Data:
    """Return the probability that one algorithm dominates another, and the win rates over time, of each pair."""
    posterior, rule = subject.posterior, subject.dominance
    in_doubt = {each.subject[0] for each in subject.source.findings if each.code in DOUBTS}
    return {
        "rule": rule,
        "doubted": [
            [posterior.names.index(each.by), posterior.names.index(each.name)]
            for each in subject.dropped
            if each.name in in_doubt and {each.by, each.name} <= set(posterior.names)
        ],
        "beats": DominanceMatrix.of(posterior, dominance=rule).probability.round(4).tolist(),
        "level": LEVEL,
        "over_time": pack_win_rates(posterior, level=LEVEL),
        "observed": pack_observed(posterior),
    }


def aocc(subject: Subject) -> Data | None:
    """Return whether AOCC would have chosen differently, and its mean per algorithm (None if not compared).

    AOCC needs the runs of a race and their optimum.
    """
    result = subject.result
    if result is None or subject.optimum is None:
        return None
    runs = [run.trajectory for run in result.runs]
    if result.state.settings.failure == "missing":
        runs = [run for run in runs if not run.failed]
    comparison = compare_with_aocc(runs, subject.posterior, among=subject.candidates, optimum=subject.optimum)
    return {
        "sentence": comparison.sentence,
        "means": [comparison.means.get(name) for name in subject.posterior.names],
    }


def cost(subject: Subject) -> Data | None:
    """Return the cost of a race by algorithm, and what it saved."""
    result = subject.result
    if result is None:
        return None
    allocation = SampleAllocation.of(result)
    columns = [allocation.names.index(name) for name in subject.posterior.names]
    return {
        "cost": allocation.cost[columns].tolist(),
        "full": [result.full_costs[name] for name in subject.posterior.names],
        "runs": allocation.runs[columns].tolist(),
        "instances": allocation.instances,
        "saved": allocation.saved_share,
    }


def trust(subject: Subject) -> Data:
    """Return sentences on the prior, the computation and what remains uncertain, and the undecided pairs."""
    posterior, result = subject.posterior, subject.result
    sentences = [*prior_sentences(posterior), *diagnostic_sentences(posterior, subject.explorer_draws["draws"])]
    data = {
        "status": trust_sentences(subject.source.trust),
        "sentences": sentences,
        "budgets": len(posterior.grid),
    }
    if result is None:
        return {**data, "waiting": [], "undecided": []}
    return {
        **data,
        "sentences": sentences + uncertainty_sentences(result),
        "waiting": [
            name
            for name in result.kept
            if name not in posterior.names and name not in {each.name for each in result.failing}
        ],
        "undecided": [
            {"pair": list(pair), "from": float(budgets[0]), "to": float(budgets[-1]), "budgets": len(budgets)}
            for pair, budgets in result.undecided().items()
        ],
    }


def failures(subject: Subject) -> Data | None:
    """Return the failed runs of a race, grouped by algorithm, status and error, the most frequent first."""
    if subject.result is None or not subject.result.failures:
        return None
    groups: dict[tuple[str, str, str], list[tuple[Hashable, RunFailure]]] = {}
    for run in subject.result.failures:
        if run.failure is not None:
            key = run.trajectory.algorithm, run.status, run.failure.error
            groups.setdefault(key, []).append((run.trajectory.instance, run.failure))
    return {
        "total": len(subject.result.failures),
        "groups": [
            {
                "algorithm": name,
                "status": status,
                "instances": [instance for instance, _ in runs],
                **{part: text[-_LONGEST:] for part, text in asdict(runs[0][1]).items()},
            }
            for (name, status, _), runs in sorted(groups.items(), key=lambda group: -len(group[1]))[:_KINDS]
        ],
    }


def settings(subject: Subject) -> Data:
    """Return what was compared, by which rules, and with which versions on which machine."""
    posterior, result = subject.posterior, subject.result
    data = {
        "instances": posterior.instances,
        "scope": "" if posterior.scope is None else str(posterior.scope),
        "prior": posterior.prior,
        "method": posterior.diagnostics.method,
        "confidence": str(subject.confidence),
        "dominance": subject.dominance,
        "environment": dict(subject.environment),
    }
    if result is None:
        return {**data, "race": None}
    values = result.state.settings
    return {
        **data,
        "instances": result.instances,
        "race": {
            "state": stop_sentence(result, running=subject.live is not None),
            "until": values.until,
            "seed": str(values.seed),
            "all": [[field.name.replace("_", " "), str(getattr(values, field.name))] for field in fields(values)],
        },
    }


_EXPLORER_SCRIPTS = (
    "problem_group.js",
    "query.js",
    "controls.js",
    "explorer_chart.js",
    "recommendation.js",
    "explorer.js",
)
_PROBLEM_SCRIPTS = ("problem_tree.js", "problem_instances.js", "problem.js")

SECTIONS = (
    Section("best_by_budget", best_by_budget, ("best_by_budget.js",)),
    Section("groups", groups, ("groups.js",)),
    Section("explorer", explorer, _EXPLORER_SCRIPTS),
    Section("problem", problem, _PROBLEM_SCRIPTS),
    Section("standings", standings, ("evolution.js", "standings.js")),
    Section("magnitude", magnitude, ("gap_shares.js", "magnitude.js")),
    Section("ratings", ratings, ("ratings.js",)),
    Section("comparisons", comparisons, ("comparisons.js",)),
    Section("pairs", pairs, ("pairs.js",)),
    Section("aocc", aocc, ("aocc.js",)),
    Section("cost", cost, ("cost.js",)),
    Section("trust", trust, ("trust.js",)),
    Section("failures", failures, ("failures.js",)),
    Section("settings", settings, ("settings.js",)),
)
