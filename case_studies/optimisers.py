"""The optimisers of the case studies: modular CMA-ES, configured as in the paper's appendix B, and random search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import polarbear as pb

if TYPE_CHECKING:
    from polarbear.algorithms import Wrapped

STEP_SIZE_RULES = ("CSA", "MSR", "TPA", "XNES", "MXNES", "LPXNES")
MATRIX_RULES = {
    "COV": "COVARIANCE",
    "SEP": "SEPARABLE",
    "MAT": "MATRIX",
    "CHO": "CHOLESKY",
    "CMSA": "CMSA",
    "NAT": "NATURAL_GRADIENT",
    "NONE": "NONE",
}
_ENDLESS = 2**62  # evaluations; the objective ends the run, so that its path does not depend on a budget
_LARGEST_SEED = 2**31  # of modcma


@dataclass(frozen=True)
class ModularCmaEs:
    """A variant of modular CMA-ES, for `pb.counted`.

    It searches the unit cube, from its centre and with the paper's step size of a fifth of the domain: modcma's bound
    correction and its uniform restarts assume the cube, and misbehave on [-5, 5].

    Parameters
    ----------
    step_size, matrix
        Names of modcma's step-size and matrix adaptation.
    """

    step_size: str = "CSA"
    matrix: str = "COVARIANCE"

    def __call__(self, objective: Any, budget: int | None, rng: np.random.Generator) -> None:
        """Minimise until the objective ends the run."""
        from modcma import c_maes

        del budget
        lower, upper = np.array(objective.bounds, dtype=np.float64).T
        modules = c_maes.Modules()
        modules.ssa = getattr(c_maes.options.StepSizeAdaptation, self.step_size)
        modules.matrix_adaptation = getattr(c_maes.options.MatrixAdaptationType, self.matrix)
        modules.active = True
        modules.repelling_restart = True
        modules.threshold_convergence = False
        modules.bound_correction = c_maes.options.CorrectionMethod.COTN
        modules.restart_strategy = c_maes.options.RestartStrategy.IPOP
        modules.center_placement = c_maes.options.CenterPlacement.UNIFORM
        d = lower.size
        settings = c_maes.Settings(
            d,
            modules,
            budget=_ENDLESS,
            sigma0=0.2,
            lb=np.zeros(d),
            ub=np.ones(d),
            x0=np.full(d, 0.5),
        )
        reseed(int(rng.integers(_LARGEST_SEED)))
        search, width = c_maes.ModularCMAES(settings), upper - lower

        def on_cube(u: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
            return float(objective(lower + width * u))

        while True:
            search.step(on_cube)


def random_search(objective: Any, budget: int | None, rng: np.random.Generator) -> None:
    """Evaluate uniformly random points until the objective ends the run."""
    del budget
    lower, upper = np.array(objective.bounds, dtype=np.float64).T
    while True:
        for point in rng.uniform(lower, upper, (256, lower.size)):
            objective(point)


def reseed(seed: int) -> None:
    """Seed modcma's global generator and discard its stored normal: it draws normals in pairs and keeps the second.

    Three draws, each after the same seed, show whether one was stored: the third equals the first only if none was.
    """
    from modcma.c_maes import utils

    draws = []
    for _ in range(3):
        utils.set_seed(seed)
        draws.append(utils.random_normal())
    if draws[0] == draws[2]:
        utils.random_normal()  # the third draw left one behind
    utils.set_seed(seed)


def step_size_variants() -> dict[str, Wrapped]:
    """Return the seven algorithms of the second case study."""
    variants: dict[str, Wrapped] = {name: pb.counted(ModularCmaEs(step_size=name)) for name in STEP_SIZE_RULES}
    return {**variants, "RS": pb.counted(random_search)}


def matrix_variants() -> dict[str, Wrapped]:
    """Return the eight algorithms of the third case study."""
    variants: dict[str, Wrapped] = {name: pb.counted(ModularCmaEs(matrix=rule)) for name, rule in MATRIX_RULES.items()}
    return {**variants, "RS": pb.counted(random_search)}


def require_optimisers() -> None:
    """Raise an ImportError that says how to install modcma and ioh if they are missing."""
    try:
        import ioh  # noqa: F401
        import modcma.c_maes  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"live races need ioh and modcma ({error}): pip install 'polarbear-anytime[bbob]'. There are wheels for x86_64; "
            "elsewhere both are built from source, in half an hour. The quick scale of ma-bbob replays recorded runs instead"
        ) from error
