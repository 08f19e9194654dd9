"""The data behind an answer in words: how many instances, and what the answer generalises to.

With clusters there are several numbers, such as 24 functions with 360 instances. Each is stated with its noun, and all
outputs take their words from here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.rankings import ABSENT, were_compared
from polarbear.wording import plural, with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from polarbear.observe.clusters import Clusters
    from polarbear.observe.rankings import Rankings


def member_noun(clusters: Clusters | None) -> str:
    """Return what one ranking comes from: an instance, or a repetition of one."""
    return "repetition" if clusters is not None and clusters.unit == "run" else "instance"


def count_instances(number: int, clusters: Clusters | None) -> str:
    """Return the number of instances in words, with the number of their clusters.

    Examples
    --------
    >>> from polarbear.observe import Clusters
    >>> count_instances(160, None)
    '160 instances'
    >>> count_instances(3, Clusters(["sphere", "ackley", "sphere"], kind="function"))
    '2 functions with 3 instances'
    >>> count_instances(4, Clusters([0, 1, 0, 1], kind="instance", unit="run"))
    '2 instances with 4 repetitions'
    """
    return with_noun(number, "instance") if clusters is None else _count(clusters.labels, clusters)


def describe_scope(rankings: Rankings | None, instances: int, *, generalise_to: str = "clusters") -> str:
    """Return what an answer generalises to and what it is based on, such as "to new instances, based on 160 instances".

    Instances on which no two algorithms were observed compare nothing. They are counted apart.

    Parameters
    ----------
    rankings
        The rankings; None if only their counts are known.
    instances
        The number of instances, for the latter case.
    generalise_to
        "clusters" for new clusters, "instances" for new members of the observed ones; see `BayesianBootstrap`.
    """
    if rankings is None:
        return f"to new instances, based on {with_noun(instances, 'instance')}"
    compared: list[bool] = np.any(were_compared(rankings), axis=(1, 2)).tolist()
    observed = (rankings.ranks != ABSENT).any(axis=1).sum(axis=-1)  # algorithms on each instance
    number, clusters, alone = sum(compared), rankings.clusters, int((observed == 1).sum())
    verb = "has" if alone == 1 else "have"
    rest = f"; {with_noun(alone, f'more {member_noun(clusters)}')} {verb} runs of one algorithm only" if alone else ""
    if clusters is None:
        return f"to new instances, based on {with_noun(number, 'instance')}{rest}"
    labels = [label for label, kept in zip(clusters.labels, compared, strict=True) if kept]
    if generalise_to == "clusters" or len(set(labels)) == number:
        return f"to new {plural(clusters.kind)}, based on {_count(labels, clusters)}{rest}"
    joint, known = "on" if clusters.unit == "run" else "of", len(set(labels))
    these = f"this {clusters.kind}" if known == 1 else f"these {known} {plural(clusters.kind)}"
    return f"to new {plural(clusters.unit)} {joint} {these}, based on {with_noun(number, member_noun(clusters))}{rest}"


def unit_noun(clusters: Clusters | None) -> str:
    """Return what is independent of others: a cluster such as a function, or an instance."""
    if clusters is None:
        return "instance"
    kind = re.split(r" on | of ", clusters.kind)[0]  # "instance of this function" is an instance
    return "repetition" if kind == "run" else kind


def _count(labels: Sequence[Hashable], clusters: Clusters) -> str:
    """Return the number of clusters and of their members, and one number if each cluster has one member."""
    number, noun = len(set(labels)), unit_noun(clusters)
    members = with_noun(len(labels), member_noun(clusters))
    return with_noun(number, noun) if number == len(labels) else f"{with_noun(number, noun)} with {members}"
