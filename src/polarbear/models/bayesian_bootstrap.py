"""Bayesian bootstrap: a prior on the distribution of instances and, for each pair, on the win rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from polarbear.literals import Generalisation
from polarbear.models.removed_parameters import removes
from polarbear.models.validation import is_number


@removes(
    "plackett_luce",
    "shrink",
    "pseudo_instances",
    reason="each pair of algorithms now has a prior of its own, see near_equal",
)
@dataclass(frozen=True, kw_only=True)
class BayesianBootstrap:
    """Bayesian bootstrap over instances, with a prior for each pair of algorithms that depends on these two only.

    The distribution of instances is unknown. A draw weights the observed instances at random (Rubin, 1981), so draws are
    joint over budgets, algorithms and quantities, whatever the correlation within runs. No model of the rankings is assumed,
    and instances may differ in kind. The win rate of each pair has a mixture of symmetric Beta distributions as its prior,
    from "one nearly always wins" to "practically equal". A statement about two algorithms does not depend on which others
    take part: see `polarbear.posterior.pair_beliefs`.

    Parameters
    ----------
    near_equal
        The prior probability that two algorithms are nearly equal: that their win rate is more concentrated about one half
        than a uniform distribution.
    generalise_to
        The scope of the answer if instances have clusters: new "clusters" (each cluster is weighted as a whole, so that
        three clusters give the uncertainty of about three observations), or new "instances" of the observed clusters.

    Examples
    --------
    >>> BayesianBootstrap()
    BayesianBootstrap(near_equal=0.4, generalise_to='clusters')
    """

    near_equal: float = 0.4
    generalise_to: Generalisation = "clusters"

    def __post_init__(self) -> None:
        if not (is_number(self.near_equal) and 0 <= self.near_equal < 1):
            raise ValueError(
                f"expected BayesianBootstrap near_equal from 0 up to, but not including, 1, got {self.near_equal!r}"
            )
        if self.generalise_to not in get_args(Generalisation):
            raise ValueError(
                f"expected 'clusters' or 'instances' for BayesianBootstrap generalise_to, got {self.generalise_to!r}"
            )
