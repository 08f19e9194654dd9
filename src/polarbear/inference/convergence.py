"""Running Markov chains side by side until they have converged, by the paper's thresholds, or saying that they have not.

Convergence is judged by rank-normalised R-hat and effective sample size (Vehtari et al., 2021), from arviz-stats.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from polarbear.posterior.diagnostics import Diagnostics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# The paper's section "Computational Inference".
LARGEST_R_HAT = 1.01
SMALLEST_EFFECTIVE_DRAWS = 400.0

CHAINS = 32
_FEWEST_TURNS = 125  # of shorter chains R-hat is too noisy, whatever the number of draws asked for
_TIMES_LOOKED_AT = 10  # neighbouring times tell the same story


class State(Protocol):
    """All chains at one moment."""

    @property
    def utilities(self) -> Array:
        """Shape (time, algorithm, chain)."""

    @property
    def hyperparameters(self) -> Array:
        """Shape (hyperparameter, chain)."""


S = TypeVar("S", bound=State)


@dataclass(frozen=True, eq=False)
class Chains:
    """Kept states and their diagnostics."""

    utilities: Array  # (turn, time, algorithm, chain)
    hyperparameters: Array  # (turn, hyperparameter, chain)
    r_hat: float
    effective_draws: float

    @property
    def converged(self) -> bool:
        """Whether the paper's thresholds are met."""
        return self.r_hat < LARGEST_R_HAT and self.effective_draws > SMALLEST_EFFECTIVE_DRAWS

    def pooled(self, draws: int, *, rng: np.random.Generator) -> Array:
        """Utilities (time, algorithm, draw) of all chains in random order."""
        together = np.moveaxis(self.utilities, 0, -1)
        return rng.permutation(together.reshape(*together.shape[:2], -1), axis=-1)[..., :draws]

    def diagnostics(self, method: str, title: str, names: Iterable[str], *, draws: int) -> Diagnostics:
        """The verdict on so many pooled draws, with a sentence that starts with the title."""
        kept = self.utilities.shape[0] * self.utilities.shape[3]
        message = f"{title}: R-hat {self.r_hat:.3f}, {self.effective_draws:.0f} effective of {kept} draws."
        if not self.converged:
            message += (
                f" Not converged (R-hat must stay below {LARGEST_R_HAT}): raise `draws` or gather more instances."
            )
        values = np.moveaxis(self.hyperparameters, 1, 0)
        return Diagnostics(
            method=method,
            reliable=self.converged,
            message=message,
            effective_draws=min(self.effective_draws, draws),
            r_hat=self.r_hat,
            hyperparameters=tuple(
                (name, float(value.mean()), float(value.std())) for name, value in zip(names, values, strict=True)
            ),
        )


def run_until_converged(advance: Callable[[S], S], state: S, *, draws: int, attempts: int) -> Chains:
    """Advance all chains and keep enough states for `draws` draws, until converged or out of attempts.

    Each attempt keeps one state in twice as many as the last, and treats all before it as warm-up.
    """
    turns = max(_FEWEST_TURNS, math.ceil(draws / CHAINS))
    for attempt in range(attempts):
        utilities, hyperparameters = [], []
        for _ in range(turns):
            for _ in range(2**attempt):
                state = advance(state)
            utilities.append(state.utilities)
            hyperparameters.append(state.hyperparameters)
        chains = judged(np.array(utilities), np.array(hyperparameters))
        if chains.converged:
            break
    return chains


def judged(utilities: Array, hyperparameters: Array) -> Chains:
    """Kept states (turn, time, algorithm, chain) and (turn, hyperparameter, chain), with R-hat and effective draws."""
    from arviz_stats.base import array_stats

    turns, times, _, chains = utilities.shape
    looked_at = np.unique(np.linspace(0, times - 1, _TIMES_LOOKED_AT).astype(int))
    # Where one algorithm's utility is a matter of the others', as in log-ratings, its differences are what counts.
    quantities = utilities[:, looked_at] - utilities[:, looked_at].mean(axis=2, keepdims=True)
    flat = np.concatenate([quantities.reshape(turns, -1, chains), np.log(hyperparameters)], axis=1).transpose(2, 0, 1)
    r_hat = array_stats.rhat(flat, chain_axis=0, draw_axis=1)
    effective = array_stats.ess(flat, chain_axis=0, draw_axis=1, method="bulk")
    return Chains(utilities, hyperparameters, float(np.max(r_hat)), float(np.min(effective)))
