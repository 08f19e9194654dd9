"""A preference that the user defines, and the test that it increases with the ratings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array


@dataclass(frozen=True)
class Custom:
    """Any function of the rating curve that increases with the ratings.

    Parameters
    ----------
    function
        Maps curves of shape (..., budget) to values of shape (...).
    """

    function: Callable[[Array], ArrayLike]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ValueError(f"expected a function of rating curves (..., budget) for Custom, got {self.function!r}")

    def __call__(self, curves: Array) -> Array:
        """Return the values of curves (..., budget)."""
        values = np.asarray(self.function(curves), dtype=np.float64)
        if values.shape != curves.shape[:-1]:
            raise ValueError(
                "expected a function from curves of shape (..., budget) to values of shape (...), got "
                f"{values.shape} from {curves.shape}; use operations along the last axis, for example curves.min(axis=-1)"
            )
        if not np.isfinite(values).all():
            raise ValueError("expected a function with finite values, got infinity or NaN for some rating curves")
        return values

    def __str__(self) -> str:
        return "the preference that you gave"


def require_monotone(preference: Custom, curves: Array, *, highest: float = 1.0, rng: np.random.Generator) -> None:
    """Raise an error unless raising curves (curve, budget), with values up to `highest`, raises the value of a preference.

    The paper requires strictly increasing preferences: where a curve rises clearly at every budget, the value must rise, and
    a constant is no preference. The test raises whole curves by random amounts, and single budgets or one end strongly while
    the rest barely moves. It therefore also detects preferences that penalise higher ratings at a few budgets only.
    """
    values = preference(curves)
    number, budgets = curves.shape
    all_budgets, places = np.arange(budgets), rng.integers(budgets, size=(number, 1))
    places[: min(number, budgets), 0] = all_budgets[:number]  # covers every budget if there are enough curves
    room = np.maximum(highest - curves, 1e-9) * rng.uniform(0.01, 1.0, curves.shape)
    for where in (np.True_, all_budgets == places, all_budgets >= places, all_budgets <= places):
        for size in (0.5, 0.05):
            raised = curves + room * np.where(where, size, 1e-6)
            higher = preference(raised)
            worst = int((higher - values).argmin())
            if where is np.True_ and higher[worst] == values[worst]:
                raise ValueError(
                    f"expected a preference that increases with the ratings, got one whose value stays {values[worst]:g} "
                    "when a rating curve rises at every budget; change the function, so that a better curve is worth more"
                )
            if higher[worst] - values[worst] < -1e-12 * max(1.0, float(np.abs(values).max())):
                raise ValueError(
                    "expected a preference that increases with the ratings, got one whose value falls from "
                    f"{values[worst]:g} to {higher[worst]:g} when a rating curve rises at every budget; change the function"
                )
