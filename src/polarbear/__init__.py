"""PolarBear: Pareto-optimal anytime algorithms via Bayesian racing.

Names are imported when they are first used, so that reading a stored posterior does not wait for what fitting needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

if TYPE_CHECKING:
    from polarbear import models
    from polarbear.diagnostics import Diagnostics
    from polarbear.elimination import Dominated, dominated, pareto_set
    from polarbear.fitting import fit
    from polarbear.models import (
        BSpline,
        Dirichlet,
        GaussianProcess,
        HierarchicalDirichlet,
        HilbertSpaceGP,
        InverseGamma,
        LogNormal,
        RandomWalk,
        SparseGaussianProcess,
    )
    from polarbear.observe import (
        Choices,
        Grid,
        Ranking,
        Rankings,
        Trajectory,
        as_grid,
        linear_grid,
        log_grid,
        rank_values,
    )
    from polarbear.posterior import Posterior
    from polarbear.relations import (
        anytime_dominance,
        crossing,
        dominance,
        equivalence,
        pareto_probability,
        win_probability,
    )

_HOME = {
    "polarbear.diagnostics": ["Diagnostics"],
    "polarbear.elimination": ["Dominated", "dominated", "pareto_set"],
    "polarbear.fitting": ["fit"],
    "polarbear.models": [
        "BSpline",
        "Dirichlet",
        "GaussianProcess",
        "HierarchicalDirichlet",
        "HilbertSpaceGP",
        "InverseGamma",
        "LogNormal",
        "RandomWalk",
        "SparseGaussianProcess",
    ],
    "polarbear.observe": [
        "Choices",
        "Grid",
        "Ranking",
        "Rankings",
        "Trajectory",
        "as_grid",
        "linear_grid",
        "log_grid",
        "rank_values",
    ],
    "polarbear.posterior": ["Posterior"],
    "polarbear.relations": [
        "anytime_dominance",
        "crossing",
        "dominance",
        "equivalence",
        "pareto_probability",
        "win_probability",
    ],
}
_ROOM_OF = {name: room for room, names in _HOME.items() for name in names}

__all__ = [
    "BSpline",
    "Choices",
    "Diagnostics",
    "Dirichlet",
    "Dominated",
    "GaussianProcess",
    "Grid",
    "HierarchicalDirichlet",
    "HilbertSpaceGP",
    "InverseGamma",
    "LogNormal",
    "Posterior",
    "RandomWalk",
    "Ranking",
    "Rankings",
    "SparseGaussianProcess",
    "Trajectory",
    "__version__",
    "anytime_dominance",
    "as_grid",
    "crossing",
    "dominance",
    "dominated",
    "equivalence",
    "fit",
    "linear_grid",
    "log_grid",
    "models",
    "pareto_probability",
    "pareto_set",
    "rank_values",
    "win_probability",
]


def __getattr__(name: str) -> Any:
    if name == "models":
        return import_module("polarbear.models")
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'polarbear' has no attribute {name!r}")
    value = getattr(import_module(_ROOM_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
