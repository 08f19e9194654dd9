"""Six real optimisers in the shape that `pb.counted` takes: (objective, budget, rng).

Each runs until the objective stops it at the budget, and starts again, somewhere else, when it has converged: an anytime
algorithm uses the whole budget that it gets. None uses the budget, and all stay within the bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import numpy as np
from scipy import optimize

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Optimiser = Callable[["Objective", float | None, np.random.Generator], NoReturn]

# More than any budget: the objective ends a run, not SciPy.
_UNLIMITED = 10**9


class Objective(Protocol):
    """The objective of an optimiser: a callable with bounds."""

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """Lowest and highest value of each variable."""

    def __call__(self, x: Array, /) -> float:
        """Return the value at a point; raises, once the budget is spent."""


def random_search(objective: Objective, budget: float | None, rng: np.random.Generator) -> NoReturn:
    """Independent uniform points: the baseline for every optimiser."""
    low, high = np.transpose(objective.bounds)
    while True:
        objective(rng.uniform(low, high))


def one_plus_one_es(objective: Objective, budget: float | None, rng: np.random.Generator) -> NoReturn:
    """(1+1) evolution strategy: Gaussian steps, kept if not worse, of a size that makes one in five better (Rechenberg)."""
    low, high = np.transpose(objective.bounds)
    while True:
        x = rng.uniform(low, high)
        value, step = objective(x), 0.2
        while step > 1e-12:
            child = np.clip(x + step * (high - low) * rng.standard_normal(low.size), low, high)
            if (new := objective(child)) <= value:
                # On a plateau, where every step is "not worse", steps must not grow forever.
                x, value, step = child, new, min(step * np.exp(0.8 / low.size), 1.0) if new < value else step * 0.99
            else:
                step *= np.exp(-0.2 / low.size)


def nelder_mead(objective: Objective, budget: float | None, rng: np.random.Generator) -> NoReturn:
    """Nelder and Mead's simplex, adapted to the dimension, from a random point each time."""
    low, high = np.transpose(objective.bounds)
    while True:
        start = rng.uniform(low, high)
        inward = np.where(start < (low + high) / 2, 0.2, -0.2) * (high - low)
        options: Any = {"initial_simplex": np.vstack([start, start + np.diag(inward)]), "adaptive": True}
        options |= {"xatol": 1e-9, "fatol": 1e-12, "maxiter": _UNLIMITED, "maxfev": _UNLIMITED}
        optimize.minimize(objective, start, method="Nelder-Mead", bounds=objective.bounds, options=options)


def differential_evolution(objective: Objective, budget: float | None, rng: np.random.Generator) -> NoReturn:
    """SciPy's differential evolution with its own settings; converged when the population is."""
    bounds = optimize.Bounds(*np.transpose(objective.bounds))
    while True:
        optimize.differential_evolution(objective, bounds, maxiter=_UNLIMITED, polish=False, rng=rng)


def dual_annealing(objective: Objective, budget: float | None, rng: np.random.Generator) -> NoReturn:
    """SciPy's dual annealing with its own settings: generalised simulated annealing with local searches."""
    while True:
        optimize.dual_annealing(objective, objective.bounds, maxfun=_UNLIMITED, rng=rng)


def cma_es(objective: Objective, budget: float | None, rng: np.random.Generator) -> NoReturn:
    """CMA-ES from the package `cmaes`, restarted with twice the population (IPOP)."""
    try:
        from cmaes import CMA  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError("cma_es needs the package cmaes: pip install 'polarbear-anytime[demo]'") from error
    low, high = np.transpose(objective.bounds)
    population = 4 + int(3 * np.log(low.size))
    while True:
        # In coordinates where the box is the unit cube: one step size serves all variables.
        search = CMA(
            mean=rng.uniform(size=low.size),
            sigma=0.3,
            bounds=np.array([[0.0, 1.0]] * low.size),
            seed=int(rng.integers(2**31)),
            population_size=population,
        )
        while not search.should_stop():
            points = [search.ask() for _ in range(population)]
            search.tell([(point, objective(low + point * (high - low))) for point in points])
        population *= 2


OPTIMISERS: dict[str, Optimiser] = {
    "random search": random_search,
    "(1+1)-ES": one_plus_one_es,
    "Nelder-Mead": nelder_mead,
    "differential evolution": differential_evolution,
    "dual annealing": dual_annealing,
    "CMA-ES": cma_es,
}
