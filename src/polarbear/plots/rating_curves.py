"""The rating posterior over time: mean and credible band of each algorithm (the paper's synthetic and MA-BBOB figures)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.choice import among_names

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from polarbear.observe import Grid
    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RatingCurves:
    """Ratings over time, arrays of shape (time, algorithm).

    Attributes
    ----------
    grid
        The times.
    names, everybody
        The algorithms that are shown, and all that there are, from whose order the colours follow.
    mean, lower, upper
        Posterior mean and central credible interval.
    level
        Of the interval.
    truth
        The true ratings, where they are known.
    """

    grid: Grid
    names: tuple[str, ...]
    everybody: tuple[str, ...]
    mean: Array
    lower: Array
    upper: Array
    level: float
    truth: Array | None = None

    @classmethod
    def of(
        cls,
        posterior: Posterior,
        *,
        level: float = 0.95,
        among: Sequence[str] | None = None,
        truth: ArrayLike | None = None,
    ) -> Self:
        """The curves of a posterior.

        Parameters
        ----------
        posterior
            The belief.
        level
            Of the credible interval.
        among
            The algorithms to show; all by default.
        truth
            The true ratings of all algorithms, shape (time, algorithm).
        """
        names = among_names(posterior, among)
        columns = [posterior.names.index(name) for name in names]
        summary = posterior.summary(level)
        known = None if truth is None else np.asarray(truth, dtype=np.float64)
        if known is not None and known.shape != summary.mean.shape:
            raise ValueError(
                f"truth must have shape (time, algorithm) = {summary.mean.shape}, one rating for each time of the grid and "
                f"each of {', '.join(posterior.names)}; got {known.shape}"
            )
        return cls(
            grid=posterior.grid,
            names=names,
            everybody=posterior.names,
            mean=summary.mean[:, columns],
            lower=summary.lower[:, columns],
            upper=summary.upper[:, columns],
            level=level,
            truth=None if known is None else known[:, columns],
        )
