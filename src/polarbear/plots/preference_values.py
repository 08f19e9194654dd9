"""The posterior over preference values V = u(θ), one distribution an algorithm (the paper's figures of V^u)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection import Uniform, select

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from polarbear.posterior import Posterior
    from polarbear.selection import Preference

    Array = NDArray[np.float64]

_POINTS = 200  # of a density
_TAIL = 0.001  # of the draws at either end that a density leaves out


@dataclass(frozen=True, eq=False)
class PreferenceValues:
    """Values of each algorithm under a preference over time.

    Attributes
    ----------
    names, everybody
        The algorithms, that of the highest expected value first; and all that there are.
    values
        Drawn values, shape (draw, algorithm).
    expected, lower, upper
        Mean, 5 % and 95 % quantile.
    probability_best
        That no other one has a higher value.
    preference
        In words.
    """

    names: tuple[str, ...]
    everybody: tuple[str, ...]
    values: Array
    expected: Array
    lower: Array
    upper: Array
    probability_best: Array
    preference: str

    @classmethod
    def of(
        cls, posterior: Posterior, preference: Preference | None = None, *, among: Sequence[str] | None = None
    ) -> Self:
        """The values under a preference, by default that every budget is as likely as any other."""
        preference = Uniform() if preference is None else preference
        selection = select(posterior, preference, among=among)
        each = selection.candidates
        return cls(
            names=tuple(one.members[0] for one in each),
            everybody=posterior.names,
            values=selection.values,
            expected=np.array([one.expected for one in each]),
            lower=np.array([one.lower for one in each]),
            upper=np.array([one.upper for one in each]),
            probability_best=np.array([one.probability_best for one in each]),
            preference=str(preference),
        )

    def densities(self) -> tuple[tuple[Array, Array], ...]:
        """Where and how dense the values of each algorithm lie, by a Gaussian kernel estimate over 99.8 % of the draws."""
        from scipy.stats import gaussian_kde

        found = []
        for values in self.values.T:
            low, high = np.quantile(values, [_TAIL, 1 - _TAIL])
            if not high - low > 1e-12:  # all draws say the same; as a very thin peak
                found.append((np.array([low - 1e-6, low, low + 1e-6]), np.array([0.0, 1e6, 0.0])))
                continue
            where = np.linspace(low, high, _POINTS)
            found.append((where, gaussian_kde(values)(where)))
        return tuple(found)
