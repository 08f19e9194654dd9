"""Pairwise anytime dominance: how surely the row beats the column at every time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.elimination import Elimination, threats

if TYPE_CHECKING:
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from polarbear.posterior import Posterior


@dataclass(frozen=True, eq=False)
class DominanceMatrix:
    """P(row beats column), shape (algorithm, algorithm), with zeros on the diagonal.

    Attributes
    ----------
    names
        The algorithms.
    probability
        At all times at once ("joint"), or at the least certain time ("pointwise"), where a prior treats each time alone.
    elimination
        Which of the two.
    """

    names: tuple[str, ...]
    probability: NDArray[np.float64]
    elimination: Elimination

    @classmethod
    def of(cls, posterior: Posterior, *, elimination: Elimination | None = None) -> Self:
        """The matrix of a posterior; joint by default, where its draws are paths over time."""
        kind: Elimination = elimination or ("joint" if posterior.joint else "pointwise")
        return cls(posterior.names, threats(posterior, elimination=kind), kind)
