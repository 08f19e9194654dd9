"""Run Markov chains in parallel until they meet the paper's convergence thresholds.

In: a transition of all chains and their initial state. Out: the kept states with rank-normalised R-hat and effective sample
size (Vehtari et al., 2021; computed by arviz-stats). Chains that do not converge are returned too, marked as unreliable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np

from polarbear.inference.hyperparameter_summary import summarise_draws
from polarbear.posterior.diagnostics import Diagnostics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from polarbear.arrays import Array


# Thresholds from the paper's section "Computational Inference".
LARGEST_R_HAT = 1.01
SMALLEST_EFFECTIVE_DRAWS = 400.0

CHAINS = 32
_FEWEST_TURNS = 125  # R-hat of shorter chains is too noisy, whatever the number of draws
_BUDGETS_DIAGNOSED = 10  # neighbouring budgets are strongly correlated, so diagnosing all of them adds nothing


class State(Protocol):
    """The current state of all chains."""

    @property
    def utilities(self) -> Array:
        """Utilities, shape (budget, algorithm, chain)."""

    @property
    def hyperparameters(self) -> Array:
        """Hyperparameters, shape (hyperparameter, chain)."""


S = TypeVar("S", bound=State)


@dataclass(frozen=True, eq=False)
class Chains:
    """Kept states of all chains and their convergence diagnostics."""

    utilities: Array  # (turn, budget, algorithm, chain)
    hyperparameters: Array  # (turn, hyperparameter, chain)
    r_hat: float
    effective_draws: float

    @property
    def converged(self) -> bool:
        """Whether R-hat and the effective number of draws meet the paper's thresholds."""
        return self.r_hat < LARGEST_R_HAT and self.effective_draws > SMALLEST_EFFECTIVE_DRAWS

    def pool(self, draws: int, *, rng: np.random.Generator) -> Array:
        """Return at most `draws` utilities (budget, algorithm, draw) of all chains, in random order."""
        together = np.moveaxis(self.utilities, 0, -1)
        return rng.permutation(together.reshape(*together.shape[:2], -1), axis=-1)[..., :draws]

    def diagnostics(self, method: str, title: str, names: Iterable[str], *, draws: int) -> Diagnostics:
        """Return the diagnostics of `draws` pooled draws; their message starts with the title."""
        kept = self.utilities.shape[0] * self.utilities.shape[3]
        message = f"{title}: R-hat {self.r_hat:.3f}, {self.effective_draws:.0f} effective of {kept} draws."
        if not self.converged:
            message += f" Not converged: R-hat must stay below {LARGEST_R_HAT}; raise `draws` or run more instances."
        return Diagnostics(
            method=method,
            reliable=self.converged,
            message=message,
            effective_draws=min(self.effective_draws, draws),
            r_hat=self.r_hat,
            hyperparameters=summarise_draws(names, np.moveaxis(self.hyperparameters, 1, 0)),
        )


def run_until_converged(advance: Callable[[S], S], state: S, *, draws: int, attempts: int) -> Chains:
    """Advance all chains until they converge or no attempts are left, and return the states of the last attempt.

    An attempt keeps enough states for `draws` draws. Each attempt doubles the thinning of the one before and treats all
    earlier states as warm-up.
    """
    turns = max(_FEWEST_TURNS, math.ceil(draws / CHAINS))
    for attempt in range(attempts):
        utilities, hyperparameters = [], []
        for _ in range(turns):
            for _ in range(2**attempt):
                state = advance(state)
            utilities.append(state.utilities)
            hyperparameters.append(state.hyperparameters)
        chains = diagnose(np.array(utilities), np.array(hyperparameters))
        if chains.converged:
            break
    return chains


def diagnose(utilities: Array, hyperparameters: Array) -> Chains:
    """Compute the largest R-hat and the smallest effective number of draws of kept states.

    Parameters
    ----------
    utilities
        Shape (turn, budget, algorithm, chain).
    hyperparameters
        Shape (turn, hyperparameter, chain).
    """
    from arviz_stats.base import array_stats

    turns, budgets, _, chains = utilities.shape
    diagnosed = np.unique(np.linspace(0, budgets - 1, _BUDGETS_DIAGNOSED).astype(int))
    # Only differences of utilities are identified: log-ratings, for example, share a normalising constant.
    quantities = utilities[:, diagnosed] - utilities[:, diagnosed].mean(axis=2, keepdims=True)
    flat = np.concatenate([quantities.reshape(turns, -1, chains), np.log(hyperparameters)], axis=1).transpose(2, 0, 1)
    r_hat = array_stats.rhat(flat, chain_axis=0, draw_axis=1)
    effective = array_stats.ess(flat, chain_axis=0, draw_axis=1, method="bulk")
    return Chains(utilities, hyperparameters, float(np.max(r_hat)), float(np.min(effective)))
