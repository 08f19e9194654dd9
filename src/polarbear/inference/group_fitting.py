"""`fit_groups`: infer a posterior for each group of instances, with partial pooling.

In: choices in groups. Out: a posterior for each group, which borrows from the other groups as much as left-out predictions
support (`polarbear.inference.bootstrap.borrowing`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.inference.bootstrap.group_draws import draw_group
from polarbear.inference.bootstrap.group_weights import GroupRows
from polarbear.inference.bootstrap.instance_weights import weighted_rows
from polarbear.inference.bootstrap.posterior_draws import describe_blend, unit_noun
from polarbear.inference.request import check_request
from polarbear.inference.size import affordable_draws
from polarbear.models import BayesianBootstrap
from polarbear.observe.grouping import join_groups, split_rankings, take_instances
from polarbear.observe.rankings import were_compared
from polarbear.observe.scope import describe_scope
from polarbear.posterior.diagnostics import Diagnostics
from polarbear.posterior.posterior import Posterior
from polarbear.single_thread import single_thread
from polarbear.wording import format_number, plural, with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from polarbear.arrays import Indices
    from polarbear.observe import Choices, Rankings

_MOST_OTHERS = 400  # instances of other groups that stand for all of them, at random; bounds time and memory
_NOTHING = 0.05  # of an instance, which has no visible effect


@dataclass(frozen=True, eq=False)
class GroupPosterior:
    """The posterior of one group of instances.

    Attributes
    ----------
    posterior
        The posterior. Its `comparisons` include those that are borrowed, rounded up.
    instances
        The number of the group's own instances that compare algorithms.
    borrowed
        How much is borrowed from the other groups, in instances (in clusters, if the answer generalises to new ones).
    unit
        What `borrowed` counts, in the singular: "instance", or the kind of the clusters, such as "function".
    unobserved
        The algorithms that none of the group's own instances compares. Statements about them come from the other groups.
    """

    posterior: Posterior
    instances: int
    borrowed: float
    unit: str = "instance"
    unobserved: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What the answer rests on, such as "3 instances; borrows as much as 12 instances from the other groups"."""
        own = with_noun(self.instances, "instance")
        return f"{own}; {describe_borrowing(self.borrowed, self.unit)}"

    @property
    def borrowed_text(self) -> str:
        """How much is borrowed, such as "12.3 instances"; empty if it is next to nothing."""
        return _amount(self.borrowed, self.unit)


def describe_borrowing(borrowed: float, unit: str) -> str:
    """Return how much a group borrows in words.

    Examples
    --------
    >>> describe_borrowing(12.34, "instance"), describe_borrowing(0.01, "instance")
    ('borrows as much as 12.3 instances from the other groups', 'borrows nothing from the other groups')
    """
    amount = _amount(borrowed, unit)
    return f"borrows as much as {amount} from the other groups" if amount else "borrows nothing from the other groups"


def _amount(borrowed: float, unit: str) -> str:
    if borrowed < _NOTHING:
        return ""
    number = format_number(borrowed)
    return f"{number} {unit if number == '1' else plural(unit)}"


def fit_groups(
    choices: Choices | Mapping[Any, Choices],
    groups: Sequence[Hashable] | None = None,
    *,
    prior: BayesianBootstrap | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> dict[Any, GroupPosterior]:
    """Infer the posterior of each group of instances; groups borrow from each other.

    In the Bayesian bootstrap of a group, its own instances have weight 1 and those of other groups a weight λ from 0 to 1.
    Each λ is as probable as it predicts the group's own instances, each of them left out in turn, and the posterior averages
    over λ. Groups that resemble the others borrow much, and groups that differ borrow little. A group with a single instance
    gets a cautious answer, and so does one that lacks an algorithm.

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
    >>> print(fitted["rough"].sentence)
    2 instances; borrows as much as 0.299 instances from the other groups
    >>> fitted["smooth"].posterior
    Posterior(2 algorithms, 2 times, 20 instances, 1000 draws, BayesianBootstrap(...), reliable)
    """
    prior = BayesianBootstrap() if prior is None else prior
    parts, rest = _parts(choices, groups)
    joined, codes = join_groups([*parts.values(), *rest])
    times, algorithms = joined.ranks.shape[1:]
    check_request(prior, "auto", draws, times=times, algorithms=algorithms)
    if not isinstance(prior, BayesianBootstrap):
        raise ValueError(
            f"expected BayesianBootstrap for groups, got {prior!r}, which does not weight instances; fit each group alone"
        )
    draws = affordable_draws(prior, draws, times=times, algorithms=algorithms)
    with single_thread():
        return {
            name: _fit_group(joined, codes == number, own, prior, draws=draws, seed=(seed, number))
            for number, (name, own) in enumerate(parts.items())
        }


def _parts(
    choices: Choices | Mapping[Any, Choices], groups: Sequence[Hashable] | None
) -> tuple[dict[Any, Rankings], list[Rankings]]:
    """Return the rankings of each group, and those of instances in no group."""
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
    joined: Rankings,
    own: Indices,
    rankings: Rankings,
    prior: BayesianBootstrap,
    *,
    draws: int,
    seed: tuple[int, int],
) -> GroupPosterior:
    """Return the posterior of one group of all rankings."""
    rng = np.random.Generator(np.random.SFC64(seed))
    compared = were_compared(joined)
    comparing = compared.any(axis=(1, 2))
    others = np.flatnonzero(~own & comparing)
    if len(others) > _MOST_OTHERS:
        others = np.sort(rng.permutation(others)[:_MOST_OTHERS])
    kept = np.sort(np.concatenate([np.flatnonzero(own & comparing), others]))
    if not len(kept):
        raise ValueError(
            "expected instances on which two algorithms were observed, got none; run them on common instances"
        )
    part = take_instances(joined, kept)
    group = GroupRows(weighted_rows(part, prior), own[kept])
    own_part = take_instances(part, np.flatnonzero(own[kept])) if own[kept].any() else None
    drawn = draw_group(group, own_part, compared.sum(axis=0), prior, draws=draws, rng=rng)
    drawn.ratings.flags.writeable = False
    own_counts, other_counts = compared[own].sum(axis=0), compared[~own].sum(axis=0)
    borrowed_counts = np.ceil(drawn.factor * other_counts - 1e-9).astype(np.intp)
    number = int((own & comparing).sum())
    unit = re.split(" (?:of|on) th", unit_noun(rankings, prior))[0]  # those of other groups are of other functions
    borrowing = describe_borrowing(drawn.borrowed, unit)
    scope = describe_scope(rankings, len(rankings.ranks), generalise_to=prior.generalise_to)
    posterior = Posterior(
        ratings=drawn.ratings.transpose(2, 0, 1),
        names=joined.names,
        grid=joined.grid,
        joint=True,
        diagnostics=Diagnostics(
            method="bayesian-bootstrap",
            reliable=True,
            message=f"Bayesian bootstrap: {draws} independent draws of weights on {with_noun(number, 'instance')}, "
            f"{describe_blend(drawn.outcomes, unit)}; {borrowing}.",
            effective_draws=float(draws),
        ),
        prior=repr(prior),
        instances=number,
        outcomes=drawn.outcomes,
        scope=f"{scope}; {borrowing}",
        comparisons=own_counts + borrowed_counts,
    )
    missing = ~own_counts.any(axis=0)
    absent = tuple(name for name, gone in zip(joined.names, missing, strict=True) if gone)
    return GroupPosterior(posterior, number, drawn.borrowed, unit, absent)
