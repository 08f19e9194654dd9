"""`fit_groups`: infer a posterior for each group of instances, with partial pooling within each pair.

In: choices in groups. Out: a posterior for each group. The prior of a pair in a group is one half the prior of any pair, and
one half Beta distributions about the pair's win rate in the other groups (`polarbear.posterior.beta_mixture.prior_about`).
The group's own outcomes decide between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.inference.bayesian_bootstrap import believe_pairs
from polarbear.inference.request import check_request
from polarbear.models import BayesianBootstrap
from polarbear.observe import Choices
from polarbear.observe.grouping import join_groups, split_rankings, take_instances
from polarbear.observe.rankings import were_compared
from polarbear.posterior.sample import sample_of
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from polarbear.arrays import Mask
    from polarbear.observe import Rankings
    from polarbear.posterior.posterior import Posterior

FEWEST_INSTANCES = 8
"""A group with fewer independent instances is never named on its own: its answer may be the answer of the other groups."""

ENOUGH_INSTANCES = 30
"""The answer of a group with fewer independent instances is tentative."""


@dataclass(frozen=True)
class GroupSize:
    """The number of instances of a group.

    Attributes
    ----------
    instances
        The number of the group's own instances that compare algorithms.
    units
        The number of them that are independent: of clusters, if the answer generalises to new ones.
    """

    instances: int
    units: int

    @property
    def is_too_small(self) -> bool:
        """Whether the group has too few instances for a choice of its own, so that it takes the choice for all."""
        return self.units < FEWEST_INSTANCES

    @property
    def is_tentative(self) -> bool:
        """Whether an answer about the group is tentative."""
        return self.units < ENOUGH_INSTANCES

    @property
    def note(self) -> str:
        """What the size means for an answer: "too few", "tentative", or empty."""
        return "too few" if self.is_too_small else "tentative" if self.is_tentative else ""

    @property
    def size(self) -> str:
        """The size in words, and what it means for an answer, such as "24 instances, tentative"."""
        clusters = "" if self.units == self.instances else f" in {with_noun(self.units, 'cluster')}"
        note = f", {self.note}" if self.note else ""
        reason = " for a choice of its own" if self.is_too_small else ""
        return f"{with_noun(self.instances, 'instance')}{clusters}{note}{reason}"


@dataclass(frozen=True, eq=False)
class GroupPosterior(GroupSize):
    """The posterior of one group of instances.

    Attributes
    ----------
    posterior
        The posterior of the group, whose priors lie about the win rates in the other groups.
    unobserved
        The algorithms that none of the group's own instances compares.
    """

    posterior: Posterior
    unobserved: tuple[str, ...] = ()


def fit_groups(
    choices: Choices | Mapping[Any, Choices],
    groups: Sequence[Hashable] | None = None,
    *,
    prior: BayesianBootstrap | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> dict[Any, GroupPosterior]:
    """Infer the posterior of each group of instances; groups borrow from each other within each pair.

    The prior of a pair in a group is one half the prior of any pair, and one half Beta distributions of strength 4, 16 and
    64 about the pair's win rate in the other groups. A group that resembles the others is soon as certain as they are; one
    that differs relies on its own instances. A small group that differs may be misled by the others: do not name a choice
    for a group of fewer than 8 instances (`is_too_small`), and take one of fewer than 30 as tentative (`is_tentative`).

    Parameters
    ----------
    choices
        The observed rankings, with those of each instance (`per_instance=True`, the default); or the choices of each group
        by its name. The groups may lack some of the algorithms.
    groups
        The group of each instance, in the order of the rankings; None for an instance in no group, from which the groups
        borrow. It must be known before a run: groups by results, such as the winner, say nothing about new instances. Leave
        it out if the choices are given by group.
    prior
        `BayesianBootstrap()` by default. The other priors do not weight instances.
    draws
        Number of draws for each group.
    seed
        Seed of the random number generator.

    Returns
    -------
    dict
        A `GroupPosterior` for each group, in the order of their first instances.

    Examples
    --------
    >>> import polarbear as pb
    >>> smooth, rough = [[[1.0, 2.0], [1.0, 2.0]]], [[[2.0, 1.0], [3.0, 1.0]]]
    >>> choices = pb.Choices.from_values(20 * smooth + 2 * rough, grid=[10, 100], names=["cma", "rs"])
    >>> fitted = pb.fit_groups(choices, 20 * ["smooth"] + 2 * ["rough"])
    >>> fitted["rough"].size, fitted["rough"].posterior.expected_win_rate(0, 1).round(2).tolist()
    ('2 instances, too few for a choice of its own', [0.22, 0.22])
    >>> fitted["smooth"].posterior
    Posterior(2 algorithms, 2 budgets, 20 instances, 1000 draws, BayesianBootstrap(...), reliable)
    """
    prior = BayesianBootstrap() if prior is None else prior
    parts, rest = _parts(choices, groups)
    joined, codes = join_groups([*parts.values(), *rest])
    if not were_compared(joined).any():
        raise ValueError(
            "expected instances on which two algorithms were observed, got none; run them on common instances"
        )
    budgets, algorithms = joined.ranks.shape[1:]
    check_request(prior, "auto", draws, budgets=budgets, algorithms=algorithms)
    if not isinstance(prior, BayesianBootstrap):
        raise ValueError(
            f"expected BayesianBootstrap for groups, got {prior!r}, which does not weight instances; fit each group alone"
        )
    return {
        name: _fit_group(joined, codes == number, own, prior, draws=draws, seed=seed)
        for number, (name, own) in enumerate(parts.items())
    }


def _parts(
    choices: Choices | Mapping[Any, Choices], groups: Sequence[Hashable] | None
) -> tuple[dict[Any, Rankings], list[Rankings]]:
    """Return the rankings of each group, and the rankings of instances in no group."""
    by_name = choices if isinstance(choices, Mapping) else {None: choices}
    if not by_name or any(each.rankings is None for each in by_name.values()):
        raise ValueError(
            "expected choices with the rankings of each instance, got none or only their counts; make them without "
            "per_instance=False"
        )
    rankings = {name: each.rankings for name, each in by_name.items() if each.rankings is not None}
    if isinstance(choices, Mapping):
        if groups is not None:
            raise ValueError("expected choices by group, or one Choices with `groups`, got both; leave `groups` out")
        return rankings, []
    if groups is None:
        raise ValueError("expected the group of each instance, got none; pass groups=, or the choices of each group")
    return split_rankings(rankings[None], groups)


def _fit_group(
    joined: Rankings, own: Mask, rankings: Rankings, prior: BayesianBootstrap, *, draws: int, seed: int
) -> GroupPosterior:
    """Return the posterior of one group of all rankings; `rankings` are its own, under its own names of clusters."""
    others = None
    if not own.all():
        others = sample_of(take_instances(joined, np.flatnonzero(~own)), generalise_to=prior.generalise_to)
    part = replace(take_instances(joined, np.flatnonzero(own)), clusters=rankings.clusters)
    posterior = believe_pairs(Choices.from_rankings(part), prior, draws=draws, seed=seed, others=others)
    assert posterior.beliefs is not None
    sample, compared = posterior.beliefs.sample, np.any(posterior.observed, axis=0)
    absent = tuple(name for name, known in zip(joined.names, compared, strict=True) if not known)
    return GroupPosterior(int(sample.comparing.sum()), sample.number_of_units, posterior, absent)
