"""Bayesian bootstrap: a prior on the distribution of instances, instead of a model of the rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from polarbear.literals import Generalisation
from polarbear.models.validation import is_number, require_positive


@dataclass(frozen=True)
class BayesianBootstrap:
    """Bayesian bootstrap over instances: weights w ~ Dirichlet(1, …, 1) on the observed instances (Rubin, 1981).

    The distribution of instances is unknown, and every quantity is a mean over instances with weights w. Its draws are
    therefore joint over times, algorithms and quantities, whatever the correlation within runs. No model of the rankings is
    assumed, and instances may differ in kind.

    Parameters
    ----------
    pseudo_instances
        Mass, in instances, of the random rankings that are added to the observed ones. Without it, eight wins out of eight
        would be certainty. With mass α, the win rate of two algorithms after k wins out of P is Beta(k + α/2, P − k + α/2).
    plackett_luce
        Weight, in instances, of the Plackett-Luce fit (under the same weights w) that is blended with the observed
        outcomes: 0 uses the outcomes alone, infinity the fit alone. "auto" chooses by leave-one-out prediction: win rates
        use the best weight, and ratings draw theirs, since few instances cannot show that the model does not hold. With
        few instances the fit predicts better than the raw outcomes; its share vanishes as instances are added.
    shrink
        Whether to learn from all pairs which algorithms are nearly equal, and to shrink their differences. Without
        shrinkage, noise between near-equal algorithms passes for a difference too often.
    generalise_to
        The scope of the answer if instances have clusters: new "clusters" (each cluster is weighted as a whole, so that
        three clusters give the uncertainty of three observations), or new "instances" of the observed clusters.

    Examples
    --------
    >>> BayesianBootstrap(plackett_luce=0)
    BayesianBootstrap(pseudo_instances=1.0, plackett_luce=0, shrink=True, generalise_to='clusters')
    """

    pseudo_instances: float = 1.0
    plackett_luce: float | Literal["auto"] = "auto"
    shrink: bool = True
    generalise_to: Generalisation = "clusters"

    def __post_init__(self) -> None:
        require_positive("BayesianBootstrap pseudo_instances", self.pseudo_instances)
        blend = self.plackett_luce
        if blend != "auto" and not (is_number(blend) and blend >= 0):
            raise ValueError(
                "expected 'auto' or a weight of at least 0 (inf for the model alone) for BayesianBootstrap plackett_luce, "
                f"got {blend!r}"
            )
        if not isinstance(self.shrink, bool):
            raise ValueError(f"expected True or False for BayesianBootstrap shrink, got {self.shrink!r}")
        if self.generalise_to not in get_args(Generalisation):
            raise ValueError(
                f"expected 'clusters' or 'instances' for BayesianBootstrap generalise_to, got {self.generalise_to!r}"
            )
