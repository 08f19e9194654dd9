"""PolarBear: Pareto-optimal anytime algorithms via Bayesian racing.

Names are imported when they are first used, so that reading a stored posterior does not wait for what fitting needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from polarbear.version import __version__

if TYPE_CHECKING:
    from polarbear import models, plots, problems
    from polarbear.algorithms import ask_tell, command, counted, family
    from polarbear.diagnostics import Diagnostics
    from polarbear.driver import Race
    from polarbear.e_values import evidence
    from polarbear.elimination import Dominated, Specialist, dominated, find_specialists, pareto_set
    from polarbear.execution import Limits, LocalExecutor, ReplayExecutor, dask_executor
    from polarbear.fitting import fit
    from polarbear.gathering import RaceError
    from polarbear.importers import Imported, read_runs
    from polarbear.inference import ADVI, NUTS, Pathfinder
    from polarbear.irrelevant_alternatives import leave_one_out
    from polarbear.misfit import ModelCheck, model_check
    from polarbear.models import (
        BayesianBootstrap,
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
        Clusters,
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
    from polarbear.pymc_model import to_pymc
    from polarbear.race.batching import AdaptiveBatch, FixedBatch
    from polarbear.race.jobs import Job, Run
    from polarbear.race.result import RaceResult
    from polarbear.race.rounds import Eliminated, Round
    from polarbear.race.settings import Settings
    from polarbear.relations import (
        anytime_dominance,
        crossing,
        dominance,
        equivalence,
        pareto_probability,
        win_probability,
        win_rates,
    )
    from polarbear.reporting import report
    from polarbear.selection import (
        At,
        Between,
        BudgetDistribution,
        Criterion,
        Custom,
        DecisionMap,
        Expected,
        Final,
        FirstPlace,
        LogUniform,
        MeanRank,
        Preference,
        ProbabilityBest,
        Quantile,
        Regret,
        Risk,
        Selection,
        TopK,
        Uniform,
        Weighted,
        WinRateAgainst,
        decision_map,
        portfolio_win_probability,
        regret,
        select,
        virtual_portfolio,
    )
    from polarbear.storage import RaceFile, RaceFileInUse

_HOME = {
    "polarbear.algorithms": ["ask_tell", "command", "counted", "family"],
    "polarbear.diagnostics": ["Diagnostics"],
    "polarbear.driver": ["Race"],
    "polarbear.e_values": ["evidence"],
    "polarbear.elimination": ["Dominated", "Specialist", "dominated", "find_specialists", "pareto_set"],
    "polarbear.execution": ["Limits", "LocalExecutor", "ReplayExecutor", "dask_executor"],
    "polarbear.fitting": ["fit"],
    "polarbear.gathering": ["RaceError"],
    "polarbear.importers": ["Imported", "read_runs"],
    "polarbear.inference": ["ADVI", "NUTS", "Pathfinder"],
    "polarbear.irrelevant_alternatives": ["leave_one_out"],
    "polarbear.misfit": ["ModelCheck", "model_check"],
    "polarbear.models": [
        "BSpline",
        "BayesianBootstrap",
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
        "Clusters",
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
    "polarbear.pymc_model": ["to_pymc"],
    "polarbear.race.batching": ["AdaptiveBatch", "FixedBatch"],
    "polarbear.race.jobs": ["Job", "Run"],
    "polarbear.race.result": ["RaceResult"],
    "polarbear.race.rounds": ["Eliminated", "Round"],
    "polarbear.race.settings": ["Settings"],
    "polarbear.relations": [
        "anytime_dominance",
        "crossing",
        "dominance",
        "equivalence",
        "pareto_probability",
        "win_probability",
        "win_rates",
    ],
    "polarbear.reporting": ["report"],
    "polarbear.selection": [
        "At",
        "Between",
        "BudgetDistribution",
        "Criterion",
        "Custom",
        "DecisionMap",
        "Expected",
        "Final",
        "FirstPlace",
        "LogUniform",
        "MeanRank",
        "Preference",
        "ProbabilityBest",
        "Quantile",
        "Regret",
        "Risk",
        "Selection",
        "TopK",
        "Uniform",
        "Weighted",
        "WinRateAgainst",
        "decision_map",
        "portfolio_win_probability",
        "regret",
        "select",
        "virtual_portfolio",
    ],
    "polarbear.storage": ["RaceFile", "RaceFileInUse"],
}
_ROOMS = ("models", "plots", "problems")  # public as modules
_ROOM_OF = {name: room for room, names in _HOME.items() for name in names}

__all__ = [
    "ADVI",
    "NUTS",
    "AdaptiveBatch",
    "At",
    "BSpline",
    "BayesianBootstrap",
    "Between",
    "BudgetDistribution",
    "Choices",
    "Clusters",
    "Criterion",
    "Custom",
    "DecisionMap",
    "Diagnostics",
    "Dirichlet",
    "Dominated",
    "Eliminated",
    "Expected",
    "Final",
    "FirstPlace",
    "FixedBatch",
    "GaussianProcess",
    "Grid",
    "HierarchicalDirichlet",
    "HilbertSpaceGP",
    "Imported",
    "InverseGamma",
    "Job",
    "Limits",
    "LocalExecutor",
    "LogNormal",
    "LogUniform",
    "MeanRank",
    "ModelCheck",
    "Pathfinder",
    "Posterior",
    "Preference",
    "ProbabilityBest",
    "Quantile",
    "Race",
    "RaceError",
    "RaceFile",
    "RaceFileInUse",
    "RaceResult",
    "RandomWalk",
    "Ranking",
    "Rankings",
    "Regret",
    "ReplayExecutor",
    "Risk",
    "Round",
    "Run",
    "Selection",
    "Settings",
    "SparseGaussianProcess",
    "Specialist",
    "TopK",
    "Trajectory",
    "Uniform",
    "Weighted",
    "WinRateAgainst",
    "__version__",
    "anytime_dominance",
    "as_grid",
    "ask_tell",
    "command",
    "counted",
    "crossing",
    "dask_executor",
    "decision_map",
    "dominance",
    "dominated",
    "equivalence",
    "evidence",
    "family",
    "find_specialists",
    "fit",
    "leave_one_out",
    "linear_grid",
    "log_grid",
    "model_check",
    "models",
    "pareto_probability",
    "pareto_set",
    "plots",
    "portfolio_win_probability",
    "problems",
    "rank_values",
    "read_runs",
    "regret",
    "report",
    "select",
    "to_pymc",
    "virtual_portfolio",
    "win_probability",
    "win_rates",
]


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"polarbear.{name}")
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'polarbear' has no attribute {name!r}")
    value = getattr(import_module(_ROOM_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
