"""What to deploy (the paper's "Algorithm Selection under Time Preferences and Risk Profiles"). NumPy alone.

A criterion turns each draw into a curve over time for every candidate, by default its rating; a preference turns the curve
into a value, a risk attitude turns the drawn values of each candidate into a score, and the best score wins. Nothing is run
and nothing is inferred again.
"""

from polarbear.selection.criterion import Criterion, FirstPlace, MeanRank, TopK, WinRateAgainst
from polarbear.selection.leaders import Crossing, DecisionMap, decision_map
from polarbear.selection.portfolio import portfolio_win_probability
from polarbear.selection.preference import (
    At,
    Between,
    BudgetDistribution,
    Custom,
    Final,
    LogUniform,
    Preference,
    Uniform,
    Weighted,
)
from polarbear.selection.recommendation import Candidate, Selection, select
from polarbear.selection.risk import Expected, ProbabilityBest, Quantile, Regret, Risk
from polarbear.selection.virtual_portfolio import virtual_portfolio
from polarbear.selection.worst_case_regret import RegretBounds, regret

__all__ = [
    "At",
    "Between",
    "BudgetDistribution",
    "Candidate",
    "Criterion",
    "Crossing",
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
    "RegretBounds",
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
]
