"""The data behind an answer: how many instances, and what the answer generalises to.

With clusters there are several numbers, such as 24 functions with 360 instances. Each is stated with its noun, and all
outputs take their words from here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.rankings import ABSENT, were_compared
from polarbear.wording import plural, with_noun

if TYPE_CHECKING:
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
    if clusters is None:
        return with_noun(number, "instance")
    return _count(clusters.number, len(clusters.labels), unit_noun(clusters), member_noun(clusters))


@dataclass(frozen=True)
class Scope:
    """What an answer generalises to, and the data on which it is based. `str` is a clause, as in the examples.

    Attributes
    ----------
    kind
        What the answer generalises to: "instance", a cluster such as "function", or a member of the observed clusters.
    unit
        What one ranking comes from: "instance" or "repetition".
    instances
        The number of rankings that compare algorithms.
    clusters, cluster
        The number of clusters, and what a cluster is; None and "" without clusters.
    within
        Whether the answer generalises to further members of the observed clusters, and not to new clusters.
    alone
        The number of rankings with one algorithm only, which compare nothing.

    Examples
    --------
    >>> print(Scope("instance", instances=160))
    to new instances, based on 160 instances
    >>> print(Scope("function", instances=4, clusters=2, cluster="function"))
    to new functions, based on 2 functions with 4 instances
    >>> print(Scope("instance", instances=4, clusters=2, cluster="function", within=True))
    to new instances of these 2 functions, based on 4 instances
    """

    kind: str = "instance"
    unit: str = "instance"
    instances: int = 0
    clusters: int | None = None
    cluster: str = ""
    within: bool = False
    alone: int = 0

    def __str__(self) -> str:
        verb = "has" if self.alone == 1 else "have"
        more = f"; {with_noun(self.alone, f'more {self.unit}')} {verb} runs of one algorithm only"
        rest = more if self.alone else ""
        if self.clusters is None or self.within:
            data = with_noun(self.instances, self.unit)
        else:
            data = _count(self.clusters, self.instances, _noun_of(self.cluster), self.unit)
        where = ""
        if self.within:
            these = f"this {self.cluster}" if self.clusters == 1 else f"these {self.clusters} {plural(self.cluster)}"
            where = f" {'on' if self.kind == 'run' else 'of'} {these}"
        return f"to new {plural(self.kind)}{where}, based on {data}{rest}"


def scope_of(rankings: Rankings | None, instances: int, *, generalise_to: str = "clusters") -> Scope:
    """Return the scope of an answer. Instances on which no two algorithms were observed compare nothing.

    Parameters
    ----------
    rankings
        The rankings; None if only their number is known.
    instances
        The number of instances, for the latter case.
    generalise_to
        "clusters" for new clusters, "instances" for new members of the observed clusters; see `BayesianBootstrap`.
    """
    if rankings is None:
        return Scope(instances=instances)
    compared: list[bool] = np.any(were_compared(rankings), axis=(1, 2)).tolist()
    observed = (rankings.ranks != ABSENT).any(axis=1).sum(axis=-1)  # algorithms on each instance
    number, clusters, alone = sum(compared), rankings.clusters, int((observed == 1).sum())
    if clusters is None:
        return Scope(instances=number, alone=alone)
    known = len({label for label, kept in zip(clusters.labels, compared, strict=True) if kept})
    within = generalise_to != "clusters" and known < number
    return Scope(
        kind=clusters.unit if within else clusters.kind,
        unit=member_noun(clusters),
        instances=number,
        clusters=known,
        cluster=clusters.kind,
        within=within,
        alone=alone,
    )


def unit_noun(clusters: Clusters | None) -> str:
    """Return what is independent of others: a cluster such as a function, or an instance."""
    return "instance" if clusters is None else _noun_of(clusters.kind)


def _noun_of(kind: str) -> str:
    """Return the noun of a kind of clusters: "instance of this function" is an instance."""
    noun = re.split(r" on | of ", kind)[0]
    return "repetition" if noun == "run" else noun


def _count(clusters: int, members: int, noun: str, member: str) -> str:
    """Return the number of clusters and of their members, and one number if each cluster has one member."""
    counted = with_noun(clusters, noun)
    return counted if clusters == members else f"{counted} with {with_noun(members, member)}"
