# The public names, listed once: `lazy_loader` reads this file when the package is imported, type checkers read it too.
from . import models, plots, problems
from .algorithms import Hypervolume, ask_tell, command, counted, family, run_once
from .checks.leave_one_out import leave_one_out
from .checks.model_check import ModelCheck, model_check
from .designing.anytime_configuration import AnytimeConfiguration, load_anytime_configuration
from .designing.fitness import Fitness, evaluate_candidate, pareto_fitness
from .designing.loop import design
from .designing.parameter_space import ParameterSpace
from .designing.state import DesignState
from .driver.dispatch import RaceError
from .execution import Limits, LocalExecutor, ReplayExecutor, dask_executor
from .features.explanation import Explanation, explain
from .features.gap_closed import GapClosed, gap_closed
from .features.own_features import features_of
from .features.policy import Policy, load_policy
from .features.policy_fit import policy
from .features.reading import read_features
from .features.table import FeatureTable
from .findings import Finding
from .importers import Imported, read_runs, split_runs
from .inference.fitting import fit
from .inference.group_fitting import GroupPosterior, fit_groups
from .inference.reference.advi import ADVI
from .inference.reference.nuts import NUTS
from .inference.reference.pathfinder import Pathfinder
from .inference.reference.pymc_model import to_pymc
from .inference.stan.program import StanModel, to_stan
from .irace.config_space import read_irace_parameters
from .irace.scenario import IraceScenario, read_irace_scenario
from .magnitude.collection import RunCollection, collect_runs
from .magnitude.gap import GapShares, gap_exceeds
from .magnitude.instance_curves import InstanceCurves, instance_curves
from .magnitude.instances_won import InstancesWon, instances_won
from .magnitude.quality import QualityCurves, quality_curves
from .magnitude.speed_up import SpeedUp, speed_up
from .models import (
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
from .observe import (
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
from .opening import analyse, load
from .posterior.all_relations import Relations, relations
from .posterior.diagnostics import Diagnostics
from .posterior.e_values import evidence
from .posterior.elimination import Drop, dominated, pareto_set
from .posterior.posterior import Posterior
from .posterior.relations import (
    anytime_dominance,
    crossing,
    dominance,
    equivalence,
    pareto_probability,
    win_probability,
    win_rates,
)
from .race.batching import AdaptiveBatch, FixedBatch
from .race.jobs import Job, Run
from .race.rounds import Round
from .race.settings import Settings
from .race.version_comparison import VersionComparison
from .reporting import report
from .result import Result
from .running import Race
from .selection import (
    At,
    Between,
    BudgetDistribution,
    Criterion,
    Custom,
    DecisionMap,
    Expected,
    ExpectedLoss,
    Final,
    FirstPlace,
    LogUniform,
    MeanRank,
    Preference,
    ProbabilityBest,
    Quantile,
    Risk,
    Selection,
    StrongestRival,
    TopK,
    Uniform,
    Weighted,
    WinRateAgainst,
    decision_map,
    portfolio_win_probability,
    virtual_portfolio,
    worst_case_loss,
)
from .show.selection import Choice, select
from .storage import DamagedRaceFile, RaceFile, RaceFileInUse
from .version import __version__
from .versions import compare

__all__ = [
    "ADVI",
    "NUTS",
    "AdaptiveBatch",
    "AnytimeConfiguration",
    "At",
    "BSpline",
    "BayesianBootstrap",
    "Between",
    "BudgetDistribution",
    "Choice",
    "Choices",
    "Clusters",
    "Criterion",
    "Custom",
    "DamagedRaceFile",
    "DecisionMap",
    "DesignState",
    "Diagnostics",
    "Dirichlet",
    "Drop",
    "Expected",
    "ExpectedLoss",
    "Explanation",
    "FeatureTable",
    "Final",
    "Finding",
    "FirstPlace",
    "Fitness",
    "FixedBatch",
    "GapClosed",
    "GapShares",
    "GaussianProcess",
    "Grid",
    "GroupPosterior",
    "HierarchicalDirichlet",
    "HilbertSpaceGP",
    "Hypervolume",
    "Imported",
    "InstanceCurves",
    "InstancesWon",
    "InverseGamma",
    "IraceScenario",
    "Job",
    "Limits",
    "LocalExecutor",
    "LogNormal",
    "LogUniform",
    "MeanRank",
    "ModelCheck",
    "ParameterSpace",
    "Pathfinder",
    "Policy",
    "Posterior",
    "Preference",
    "ProbabilityBest",
    "QualityCurves",
    "Quantile",
    "Race",
    "RaceError",
    "RaceFile",
    "RaceFileInUse",
    "RandomWalk",
    "Ranking",
    "Rankings",
    "Relations",
    "ReplayExecutor",
    "Result",
    "Risk",
    "Round",
    "Run",
    "RunCollection",
    "Selection",
    "Settings",
    "SparseGaussianProcess",
    "SpeedUp",
    "StanModel",
    "StrongestRival",
    "TopK",
    "Trajectory",
    "Uniform",
    "VersionComparison",
    "Weighted",
    "WinRateAgainst",
    "__version__",
    "analyse",
    "anytime_dominance",
    "as_grid",
    "ask_tell",
    "collect_runs",
    "command",
    "compare",
    "counted",
    "crossing",
    "dask_executor",
    "decision_map",
    "design",
    "dominance",
    "dominated",
    "equivalence",
    "evaluate_candidate",
    "evidence",
    "explain",
    "family",
    "features_of",
    "fit",
    "fit_groups",
    "gap_closed",
    "gap_exceeds",
    "instance_curves",
    "instances_won",
    "leave_one_out",
    "linear_grid",
    "load",
    "load_anytime_configuration",
    "load_policy",
    "log_grid",
    "model_check",
    "models",
    "pareto_fitness",
    "pareto_probability",
    "pareto_set",
    "plots",
    "policy",
    "portfolio_win_probability",
    "problems",
    "quality_curves",
    "rank_values",
    "read_features",
    "read_irace_parameters",
    "read_irace_scenario",
    "read_runs",
    "relations",
    "report",
    "run_once",
    "select",
    "speed_up",
    "split_runs",
    "to_pymc",
    "to_stan",
    "virtual_portfolio",
    "win_probability",
    "win_rates",
    "worst_case_loss",
]
