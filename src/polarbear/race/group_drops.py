"""Drops in a race with groups: an algorithm is dropped only if it is beaten in every group, too.

As without groups, the posterior of all instances must suffice to drop it, and in each group some candidate must beat it at
every budget. A different candidate may do so in each group. The posterior of a group borrows from the others, see
`fit_groups`, so that a group with few instances delays a drop and does not prevent it for ever.

Group posteriors are inferred only in rounds in which some pair is close to a drop, or an algorithm may come back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.elimination import drop_probabilities
from polarbear.posterior.relations import dominance, equivalence
from polarbear.race.inference import choices_of_runs
from polarbear.race.instance_features import group_label
from polarbear.race.sampling import seed_of
from polarbear.wording import suggest

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from polarbear.arrays import Array, Mask
    from polarbear.race.instance_features import Features
    from polarbear.race.state import State

MOST_GROUPS = 30
"""The largest number of groups of a race: each has its own posterior, and each can delay a drop."""

_DRAWS = 1000  # per group; more if the confidence needs them


@dataclass(frozen=True, eq=False)
class GroupEvidence:
    """What the groups of a race say about each pair.

    Attributes
    ----------
    names
        The groups.
    threat
        Shape (group, algorithm, algorithm): the probability with which the row beats the column within the group.
    settled
        Shape (algorithm, algorithm): whether the column cannot be dropped because of the row, since within some
        group the column beats the row or equals it at some budget.
    """

    names: tuple[str, ...]
    threat: Array
    settled: Mask


def group_labels(state: State) -> tuple[str | None, ...]:
    """Return the group of each used instance, in the order of the rankings; None if its feature is missing."""
    name = state.settings.groups
    if name is None:
        return (None,) * len(state.observations.instances)
    return tuple(group_label(state.features.get(instance), name) for instance in state.observations.instances)


def check_groups(name: str | None, features: Mapping[int, Features], instances: Collection[int]) -> None:
    """Raise a ValueError if none of these instances has the feature that defines groups, or if it has too many values."""
    if name is None:
        return
    labels = {group_label(features.get(instance), name) for instance in instances} - {None}
    if instances and not labels:
        known = sorted({each for instance in instances for each in features.get(instance, {})})
        hint = suggest(name, known) or (
            f"choose one of {', '.join(known)}" if known else "the instances have no features"
        )
        raise ValueError(f"expected groups by a feature of the instances, got {name!r}; {hint}")
    if len(labels) > MOST_GROUPS:
        raise ValueError(
            f"expected at most {MOST_GROUPS} groups, got {len(labels)} values of {name!r}; choose a feature with fewer "
            "values, such as a category"
        )


def is_close(threat: Array, judged: Mask, confidence: float) -> bool:
    """Return whether some algorithm is close to a drop: at most twice the probability of error that is allowed."""
    return bool((threat[np.ix_(judged, judged)] >= 1 - 2 * (1 - confidence)).any())


def group_evidence(state: State) -> GroupEvidence:
    """Infer the posterior of each group, and return what they say about each pair."""
    from polarbear.inference.group_fitting import fit_groups  # imports inference, which reading a race does not need

    settings = state.settings
    fitted = fit_groups(
        choices_of_runs(state),
        group_labels(state),
        prior=settings.prior,  # type: ignore[arg-type]  # `Settings` allows groups with BayesianBootstrap only
        draws=min(settings.draws, max(_DRAWS, math.ceil(2 / max(1 - settings.confidence, 1e-9)))),
        seed=seed_of(settings.seed, "posterior"),
    )
    threats, settled = [], np.zeros((len(state.names),) * 2, dtype=np.bool_)
    for group in fitted.values():
        posterior = group.posterior
        threat = drop_probabilities(posterior, dominance=settings.dominance, specialists=settings.specialists)
        # A group in which two algorithms tie on every instance says nothing about them.
        silent = posterior.observed_pairs.all(axis=0) & ~posterior.differing_pairs.any(axis=0)
        threats.append(np.where(silent, 1.0, threat))
        better = (dominance(posterior) >= settings.confidence).any(axis=0)
        equal = (equivalence(posterior, margin=settings.margin) >= settings.confidence).any(axis=0)
        settled |= better.T | equal
        if posterior.beliefs is not None:
            posterior.beliefs.free_memory()
    return GroupEvidence(tuple(map(str, fitted)), np.stack(threats), settled)


def threat_in_every_group(groups: GroupEvidence, judged: Mask) -> Array:
    """Return the probability that some judged algorithm beats each one, in the group in which it is least certain.

    A different algorithm may do so in each group.
    """
    least: Array = np.where(judged[:, None], groups.threat, 0.0).max(axis=1).min(axis=0)
    return least
