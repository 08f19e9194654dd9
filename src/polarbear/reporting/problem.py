"""Data of the section "It depends on the problem": the tree, the leaders of each group, and the instances.

The explorer uses the same tree: it asks for the features of the splits, and computes from the draws of a group.
"""

from __future__ import annotations

import base64
import json
import shlex
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.features.dependence import group_posteriors
from polarbear.features.policy_tree import Branch, walk
from polarbear.features.scores import TooFewRunsError
from polarbear.features.splits import describe_conditions
from polarbear.features.tree_rows import tree_rows
from polarbear.magnitude.collection import label_instance
from polarbear.plots import DecisionBands
from polarbear.reporting.draws import pack_draws
from polarbear.show.wording import text_of
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from polarbear.features.dependence import Dependence
    from polarbear.features.feature import Feature
    from polarbear.features.policy_tree import Leaf
    from polarbear.posterior.posterior import Posterior
    from polarbear.reporting.subject import Subject

_BYTES = 900_000  # of the draws of all groups in base64
_INSTANCES = 500  # in the table
_FEATURES = 8  # in the table, those of the splits first
_BUDGETS = 30  # at which the table shows winners
_TIED, _UNKNOWN = 65534, 65535  # instead of the position of a winner


def problem(subject: Subject) -> dict[str, Any] | None:
    """Return how the best choice depends on features of the instance; None without features."""
    try:
        found = subject.dependence
    except TooFewRunsError as error:
        return _without_answer(f"There is no answer: {error}.") if subject.features_given else None
    if found is None:
        return None
    explanation, names = found.explanation, subject.posterior.names
    return {
        "matters": explanation.matters,
        "sentences": list(explanation.sentences),
        "notes": [text_of(each) for each in explanation.findings],
        "sample": _describe_sample(found),
        "total": len(found.training.scores.instances),
        "columns": [names.index(name) for name in found.training.scores.names],
        "rows": [
            {
                "parent": row.parent,
                "depth": row.depth,
                "condition": row.condition,
                "instances": row.instances,
                "note": row.note,
                "ranges": [[names.index(each.name), each.start, each.stop, each.share] for each in row.ranges],
                "sentence": row.sentence(),
            }
            for row in tree_rows(found)
        ],
        "groups": _groups(subject, found) if explanation.matters else [],
        "policy": _policy(subject, found) if explanation.matters else None,
        "instances": _instances(subject, found),
    }


def _without_answer(reason: str) -> dict[str, Any]:
    """Return the section of a page whose runs cannot answer the question."""
    nothing: dict[str, Any] = {"notes": [], "sample": "", "rows": [], "groups": [], "policy": None, "instances": None}
    return {"matters": False, "sentences": [reason], **nothing}


def _describe_sample(found: Dependence) -> str:
    examined = len(found.training.scores.instances)
    if examined == found.total:
        return ""
    return (
        f"This section rests on a random sample of {examined:,} of {with_noun(found.total, 'instance')}, since all would "
        "take long; polarbear explain examines all of them."
    )


def _groups(subject: Subject, found: Dependence) -> list[dict[str, Any]]:
    """Return the leaders of each group over the budgets, in the stacking order of the page, and draws for the explorer."""
    names, columns = subject.posterior.names, found.training.scores.names
    stacked_names = [subject.leaders.names[k] for k in subject.leaders.stacking_order]
    order = [*stacked_names, *(name for name in columns if name not in stacked_names)]
    posteriors = group_posteriors(found, found.explanation.tree.leaves)
    groups = []
    for group, posterior in zip(found.explanation.groups, posteriors, strict=True):
        bands = DecisionBands.of(posterior, among=columns)
        shown = [name for name in order if name in bands.names]  # without those that are the same as another one
        stacked = [bands.names.index(name) for name in shown]
        groups.append(
            {
                "name": group.name,
                "instances": group.instances,
                "size": group.size,
                "note": group.note,
                "order": [names.index(name) for name in shown],
                "budgets": bands.edge_budgets.tolist(),
                "probability": bands.edges.T[stacked].round(4).tolist(),
                "ranges": [
                    [
                        None if each.leader is None else names.index(each.leader),
                        each.start,
                        each.stop,
                        each.choice,
                        each.certainty,
                    ]
                    for each in bands.ranges
                ],
                **_packed(subject, posterior, _bytes_per_group(found)),
            }
        )
    return groups


def _bytes_per_group(found: Dependence) -> int:
    """Return the limit of the draws of a group; the page holds those of all instances anyway."""
    tree = found.explanation.tree
    return _BYTES // (len(tree.leaves) + len(tree.inner) - 1)


def _packed(subject: Subject, posterior: Posterior, limit: int) -> dict[str, Any]:
    """Return the draws of a group, whose columns are those of the page, and its number of comparisons over time."""
    packed, names = pack_draws(posterior, posterior.names, limit=limit), subject.posterior.names
    of_page = [names.index(name) for name in posterior.names]
    comparisons = posterior.comparisons
    assert comparisons is not None
    return {
        **packed,
        "columns": [of_page[column] for column in packed["columns"]],
        "same": [[of_page[column] for column in each] for each in packed["same"]],
        "comparisons": comparisons[:, 0].tolist(),
    }


def _policy(subject: Subject, found: Dependence) -> dict[str, Any]:
    """Return the policy for the explorer.

    Leaves of its tree are numbers of groups. A group that is divided further has a number in `undivided`, for a problem
    whose next feature is not given; all instances have none.
    """
    numbers, divided = iter(range(len(found.explanation.groups))), iter(range(len(found.explanation.tree.inner)))

    def plain(node: Branch | Leaf, *, is_root: bool = False) -> Any:
        if not isinstance(node, Branch):
            return next(numbers)
        split = node.split
        return {
            "feature": split.feature,
            "threshold": split.threshold,
            "level": split.level,
            "undivided": None if is_root else next(divided),
            "left": plain(node.left),
            "right": plain(node.right),
        }

    known = {each.name: each for each in found.training.features}
    return {
        "root": plain(found.policy.root, is_root=True),
        "undivided": _undivided(subject, found),
        "fields": [_field(known[name]) for name in found.policy.used],
        "python": _policy_in_python(subject, found.training.scores.names),
    }


def _undivided(subject: Subject, found: Dependence) -> list[dict[str, Any]]:
    """Return names, sizes and draws of the groups that are divided further, without that of all instances."""
    both = zip(found.explanation.tree.walk(), walk(found.policy.root), strict=True)
    named = [(conditions, node, part.undivided) for (conditions, node), (_, part) in both if isinstance(part, Branch)][
        1:
    ]
    posteriors = group_posteriors(found, [node for _, node, _ in named])
    return [
        {
            "name": describe_conditions(conditions),
            "instances": leaf.instances,
            "note": leaf.note,
            **_packed(subject, posterior, _bytes_per_group(found)),
        }
        for (conditions, _, leaf), posterior in zip(named, posteriors, strict=True)
    ]


def _policy_in_python(subject: Subject, names: tuple[str, ...]) -> list[str]:
    """Return the arguments of `pb.policy` that give the policy of the page, but for the attitude to risk.

    The names are those of the documentation: a race has a `result`, and recorded runs are `runs`, with a `posterior`.
    """
    tables = ["features"] if subject.features_given else []
    if subject.result is None:
        among = [f"among={json.dumps(names)}"] if set(names) != set(subject.posterior.names) else []
        return ["runs", *tables, *among, "grid=posterior.grid"]
    file = subject.source.path
    return [f"pb.load({json.dumps(shlex.split(file)[0])})" if file else "result", *tables]


def _field(feature: Feature) -> dict[str, Any]:
    if feature.kind == "category":
        return {"name": feature.name, "levels": list(feature.levels)}
    return {"name": feature.name, "least": float(np.nanmin(feature.values)), "most": float(np.nanmax(feature.values))}


def _instances(subject: Subject, found: Dependence) -> dict[str, Any]:
    """Return features, groups and winners of the instances, or of a random sample of them."""
    scores, used = found.training.scores, found.policy.used
    number = len(scores.instances)
    rows = np.arange(number)
    if number > _INSTANCES:
        rows = np.sort(np.random.default_rng(0).choice(number, _INSTANCES, replace=False))
    features = sorted(found.training.features, key=lambda each: each.name not in used)[:_FEATURES]
    budgets = np.unique(np.linspace(0, len(scores.grid) - 1, min(len(scores.grid), _BUDGETS)).round().astype(int))
    group = np.zeros(number, dtype=int)
    for place, leaf in enumerate(found.explanation.tree.leaves):
        group[leaf.rows] = place
    shares = scores.at_budgets[np.ix_(rows, budgets)]
    columns = np.array([subject.posterior.names.index(name) for name in scores.names])
    winners = np.where(shares.max(axis=2) > 0.99, columns[shares.argmax(axis=2)], _TIED)
    winners = np.where(scores.weights[np.ix_(rows, budgets)] > 0, winners, _UNKNOWN).astype("<u2")
    return {
        "labels": [str(label_instance(scores.instances[row])) for row in rows],
        "groups": group[rows].tolist(),
        "features": [{"name": each.name, "cells": _cells(each, rows)} for each in features],
        "examined": len(found.training.features),
        "total": found.total,
        "budgets": scores.grid.budgets[budgets].tolist(),
        "winners": base64.b64encode(np.ascontiguousarray(winners).tobytes()).decode("ascii"),
    }


def _cells(feature: Feature, rows: Any) -> list[float | str | None]:
    """Return the values of a feature as numbers with six digits or as levels; None where they are missing."""
    values = feature.values[rows]
    if feature.kind == "category":
        return [None if np.isnan(value) else feature.levels[int(value)] for value in values]
    return [None if np.isnan(value) else float(f"{value:.6g}") for value in values]
