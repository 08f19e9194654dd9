"""PolarBear: Pareto-optimal anytime algorithms via Bayesian racing."""

__version__ = "0.1.0.dev0"
