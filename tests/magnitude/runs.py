"""Runs with a known budget ratio, and recorded runs of three algorithms."""

import numpy as np

import polarbear as pb

RATIO = 0.4  # the median share of B's budget that A needs


def pair_with_ratio(rng, instances, *, spread=1.0, cut=(1.0, 1.0), clusters=None):
    """A reaches the quality of B at 100 after a log-normal share of that budget; its run is cut off at `cut` times 100."""
    shift = rng.normal(size=clusters or 1)
    runs = []
    for instance in range(instances):
        cluster = None if clusters is None else instance % clusters
        reached = 100 * RATIO * np.exp(spread * rng.normal() + (0 if cluster is None else shift[cluster]))
        end = 100 * rng.uniform(*cut)
        events = [(0.0, 5.0), (reached, 1.0)] if reached <= end else [(0.0, 5.0)]
        budgets, values = zip(*events, strict=True)
        runs.append(pb.Trajectory("A", instance, budgets, values, end=end, cluster=cluster))
        runs.append(pb.Trajectory("B", instance, [1, 90], [5.0, 1.5], end=100, cluster=cluster))
    return runs


def three_algorithms(instances=12, seed=0, **options):
    """Runs that end at 1000: quick is better than steady up to about 100, and poor is seldom the best."""
    rng = np.random.default_rng(seed)
    at = np.geomspace(5, 1000, 40)
    runs = []
    for instance in range(instances):
        scale = rng.lognormal(sigma=0.5)
        for name, factor, power, floor in (("quick", 8, 1.0, 0.3), ("steady", 40, 1.0, 0.01), ("poor", 30, 0.6, 0.5)):
            values = scale * (floor + factor * at**-power * rng.lognormal(sigma=0.3, size=at.size))
            runs.append(pb.Trajectory(name, instance, at, values, end=1000, **options))
    return runs
