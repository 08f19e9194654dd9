"""Selection of an algorithm or portfolio (the paper's "Algorithm Selection under Time Preferences and Risk Profiles").

A `Posterior` comes in; recommendations, decision maps and bounds of the loss go out. No algorithm is run and no inference is
repeated. Each step has a module:

- `criterion`: turns each draw into a curve over time per candidate, by default its win rate against the strongest rival.
- `preference`: turns a curve into a value; `budget_distribution` and `custom_preference` define the largest two, and
  `quadrature` integrates over time.
- `known_budget`: looks outcomes up at a budget between two budgets of the grid.
- `risk`: turns the drawn values of a candidate into a score.
- `recommendation`: `select`, which returns the candidate with the highest score and all others; `candidates` checks their
  names, `observed_budgets` leaves out those without observations, and `explanation` puts the recommendation into words.
- `portfolio`: portfolios valued by ratings, first places or repeated runs, which `portfolio_search` lists or searches;
  `virtual_portfolio`: portfolios built from stored runs.
- `leaders`: the decision map. `answers` finds the answer at each budget, `ranges` the ranges of budgets with one answer.
- `worst_case_loss`: bounds of the largest loss over all preferences.
"""

from polarbear.selection.budget_distribution import BudgetDistribution
from polarbear.selection.candidates import Candidate
from polarbear.selection.criterion import Criterion, FirstPlace, MeanRank, StrongestRival, TopK, WinRateAgainst
from polarbear.selection.custom_preference import Custom
from polarbear.selection.leaders import DecisionMap, LeaderChange, decision_map
from polarbear.selection.portfolio import portfolio_win_probability
from polarbear.selection.preference import (
    At,
    Between,
    Final,
    LogUniform,
    Preference,
    Uniform,
    Weighted,
)
from polarbear.selection.recommendation import Selection, select
from polarbear.selection.risk import Expected, ExpectedLoss, ProbabilityBest, Quantile, Risk
from polarbear.selection.virtual_portfolio import virtual_portfolio
from polarbear.selection.worst_case_loss import LossBounds, worst_case_loss

__all__ = [
    "At",
    "Between",
    "BudgetDistribution",
    "Candidate",
    "Criterion",
    "Custom",
    "DecisionMap",
    "Expected",
    "ExpectedLoss",
    "Final",
    "FirstPlace",
    "LeaderChange",
    "LogUniform",
    "LossBounds",
    "MeanRank",
    "Preference",
    "ProbabilityBest",
    "Quantile",
    "Risk",
    "Selection",
    "StrongestRival",
    "TopK",
    "Uniform",
    "Weighted",
    "WinRateAgainst",
    "decision_map",
    "portfolio_win_probability",
    "select",
    "virtual_portfolio",
    "worst_case_loss",
]
