"""One risk and one preference of every kind."""

import numpy as np
from scipy import stats

from polarbear import (
    At,
    Between,
    BudgetDistribution,
    Custom,
    Expected,
    ExpectedLoss,
    Final,
    LogUniform,
    ProbabilityBest,
    Quantile,
    Uniform,
    Weighted,
)

RISKS = [Expected(), ProbabilityBest(), Quantile(0.05), ExpectedLoss()]
PREFERENCES = {
    "at": At(200),
    "final": Final(),
    "uniform": Uniform(),
    "log-uniform": LogUniform(),
    "between": Between(50, 700),
    "weighted": Weighted(lambda t: np.exp(-t / 100)),
    "distribution": BudgetDistribution(stats.lognorm(1, scale=100)),
    "custom": Custom(lambda curves: curves.min(axis=-1) + curves.mean(axis=-1)),
}
