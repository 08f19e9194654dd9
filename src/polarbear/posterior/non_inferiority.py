"""Non-inferiority over time: the probability that one algorithm is nowhere worse than another by more than a margin.

A win rate of ½ − margin counts as no worse.

Both questions are about all budgets at once, so both answers use joint draws of the win rate w(t):

- Nowhere worse: P(w(t) ≥ ½ − margin at every t), the share of draws.
- Worse somewhere: the level of the simultaneous credible band that lies below ½ − margin at some budget. On the scale of
  x(t) = logit w(t), with mean m(t) and standard deviation s(t), it is
  P(max_t (x(t) − m(t)) / s(t) < max_t (logit(½ − margin) − m(t)) / s(t)).

The complement of the first, P(w(t) < ½ − margin at some t), would not do as evidence of being worse. Each budget has its own
chance of an error, so with few instances and many budgets this probability is high for equal algorithms: in a simulated data
set with 8 instances and 20 budgets it was 0.77. The band keeps its level however many budgets there are. On the scale of w
itself, whose posterior is skewed near 0 and 1, one lopsided budget in 16 instances would count as certain too often.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from polarbear.observe.names import index_of

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.posterior.posterior import Posterior

_NO_SPREAD = 1e-9  # a logit with a smaller standard deviation counts as known
_GROWTH = 2.0 ** np.arange(0.25, 10.25, 0.25)  # candidate multiples of the present amount of data, up to 1,024


@dataclass(frozen=True, eq=False)
class NonInferiority:
    """How sure the posterior is that an algorithm is nowhere worse than a reference, and that it is worse somewhere.

    Attributes
    ----------
    budgets
        The budgets at which both were observed.
    mean, lower, upper
        Mean and central 95 % interval of the win rate over the reference, at each of these budgets.
    least
        ½ − margin: an algorithm with a lower win rate is worse.
    logits
        Draws of the logits of the win rates, shape (budget, draw).
    """

    budgets: Array
    mean: Array
    lower: Array
    upper: Array
    least: float
    logits: Array

    @property
    def nowhere_worse(self) -> float:
        """P(the win rate is at least ½ − margin at every budget)."""
        return self._probabilities(1.0)[0]

    @property
    def worse_somewhere(self) -> float:
        """The level of the simultaneous credible band that lies below ½ − margin at some budget."""
        return self._probabilities(1.0)[1]

    @property
    def worst(self) -> int:
        """The index of the budget that decides: the one at which the algorithm is most certainly worse."""
        mean, spread = self._moments()
        return int(((scipy.special.logit(self.least) - mean) / spread).argmax())

    def growth_to(self, level: float) -> float:
        """Return by how much the data must grow until one of the two probabilities should reach a level.

        With k times the data, draws are assumed to deviate from their means by 1/√k of their present deviations. The
        result is infinite if 1,024 times the data are too few.
        """
        enough = (float(growth) for growth in _GROWTH if max(self._probabilities(float(growth))) >= level)
        return next(enough, np.inf)

    def _moments(self) -> tuple[Array, Array]:
        return self.logits.mean(axis=1), np.maximum(self.logits.std(axis=1), _NO_SPREAD)

    def _probabilities(self, growth: float) -> tuple[float, float]:
        """Return the probabilities "nowhere worse" and "worse somewhere", with `growth` times the present data."""
        mean, spread = self._moments()
        least = scipy.special.logit(self.least)
        deviation = (self.logits - mean[:, None]) / np.sqrt(growth)
        nowhere = np.mean((mean[:, None] + deviation >= least).all(axis=0))
        spread = spread / np.sqrt(growth)
        somewhere = np.mean((deviation / spread[:, None]).max(axis=0) < ((least - mean) / spread).max())
        return float(nowhere), float(somewhere)


def non_inferiority(posterior: Posterior, reference: str, algorithm: str, *, margin: float = 0.05) -> NonInferiority:
    """Compare an algorithm with a reference at all budgets at once; needs joint draws.

    Parameters
    ----------
    posterior
        The posterior.
    reference, algorithm
        The names of the two.
    margin
        How far below one half a win rate may lie without counting as worse.

    Examples
    --------
    >>> import polarbear as pb
    >>> worse = [[[1.0, 2.0], [1.0, 2.0]]] * 40
    >>> posterior = pb.fit(pb.Choices.from_values(worse, grid=[10, 100], names=["old", "new"]), draws=1000)
    >>> compared = non_inferiority(posterior, "old", "new")
    >>> compared.nowhere_worse, compared.worse_somewhere > 0.99
    (0.0, True)
    """
    if not 0 <= margin < 0.5:
        raise ValueError(f"expected margin in [0, 0.5), got {margin!r}; use a value such as 0.05")
    posterior.require_joint("non-inferiority at every budget")
    first, second = index_of(algorithm, posterior.names), index_of(reference, posterior.names)
    observed = posterior.observed_pairs[:, first, second]
    if not observed.any():
        raise ValueError(
            f"expected budgets at which both {reference} and {algorithm} were observed, got none; run both on the same "
            "instances"
        )
    rates = posterior.win_rates(first, second)[observed].astype(np.float64)
    nearly_certain = 0.5 / (
        posterior.instances + 1
    )  # P instances cannot distinguish a win rate within this of 1 from 1
    logits = scipy.special.logit(np.clip(rates, nearly_certain, 1 - nearly_certain))
    lower, upper = np.quantile(rates, [0.025, 0.975], axis=1)
    return NonInferiority(
        budgets=posterior.grid.budgets[observed],
        mean=rates.mean(axis=1),
        lower=lower,
        upper=upper,
        least=0.5 - margin,
        logits=logits,
    )
