"""Clusters of dependent instances: repetitions of one instance, or instances of one function."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from polarbear.wording import plural

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from polarbear.arrays import Indices


@dataclass(frozen=True)
class Clusters:
    """The cluster of each instance.

    Instances of one cluster resemble one another, so ten instances of one function carry less information about new
    functions than ten functions do. A posterior that generalises to new clusters weights each cluster as a whole.

    Parameters
    ----------
    labels
        One label per instance; instances with equal labels belong to one cluster.
    kind
        What a cluster is, in the singular, such as "function", "data set" or "run on this instance".
    unit
        What its members are, in the singular: "instance", or "run" for repetitions of one instance.

    Examples
    --------
    >>> clusters = Clusters(["sphere", "ackley", "sphere"], kind="function")
    >>> clusters
    Clusters(3 instances of 2 functions)
    >>> clusters.codes.tolist()
    [0, 1, 0]
    """

    labels: tuple[Hashable, ...]
    kind: str = "cluster"
    unit: str = "instance"

    def __post_init__(self) -> None:
        labels = tuple(label.item() if isinstance(label, np.generic) else label for label in self.labels)
        for position, label in enumerate(labels):
            try:
                hash(label)
            except TypeError as error:
                raise ValueError(f"expected cluster labels that can be hashed, got {label!r}") from error
            if label is None:
                raise ValueError(
                    f"expected a cluster for every instance or for none, got None for instance {position}; label it, or "
                    "give it a cluster of its own"
                )
        object.__setattr__(self, "labels", labels)

    def __repr__(self) -> str:
        kinds = self.kind if self.number == 1 else plural(self.kind)
        return f"Clusters({len(self.labels)} {plural(self.unit)} of {self.number} {kinds})"

    @cached_property
    def codes(self) -> Indices:
        """The cluster of each instance as an integer, numbered in the order of first appearance."""
        numbers: dict[Hashable, int] = {}
        codes = np.array([numbers.setdefault(label, len(numbers)) for label in self.labels], dtype=np.intp)
        codes.flags.writeable = False
        return codes

    @property
    def number(self) -> int:
        """The number of clusters."""
        return len(set(self.labels))

    def __add__(self, other: Clusters) -> Clusters:
        if not isinstance(other, Clusters):
            return NotImplemented
        if (self.kind, self.unit) != (other.kind, other.unit):
            raise ValueError(
                f"expected clusters of one kind, got {plural(self.unit)} of a {self.kind} and {plural(other.unit)} of a "
                f"{other.kind}; give both the same kind and unit"
            )
        return Clusters(self.labels + other.labels, self.kind, self.unit)


def as_clusters(given: Clusters | Iterable[Hashable] | None, instances: int) -> Clusters | None:
    """Return labels as `Clusters` after checking that there is one per instance; None stays None."""
    if given is None:
        return None
    clusters = given if isinstance(given, Clusters) else Clusters(tuple(given))
    if len(clusters.labels) != instances:
        raise ValueError(
            f"expected one cluster label for each of {instances} instances, got {len(clusters.labels)} labels"
        )
    return clusters
