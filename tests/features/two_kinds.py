"""Runs on instances of two kinds: `first` wins on one kind, and `second` on the other, from the middle of the budgets on."""

import numpy as np

import polarbear as pb
from polarbear.features.scores import make_scores
from polarbear.observe import Rankings

GRID = pb.log_grid(10, 1000, 9)


def two_kinds(instances=40, seed=0, *, noise=0.3, clusters=None):
    """Return runs of three algorithms, and a table of features in which `size` > 10 marks the second kind."""
    rng = np.random.default_rng(seed)
    large = rng.random(instances) < 0.5
    table = {
        "instance": range(instances),
        "noise": rng.normal(size=instances),
        "size": np.where(large, 40.0, 5.0),
        "rotated": rng.random(instances) < 0.5,
    }
    runs = []
    for i in range(instances):
        late = {"first": 1.0 + large[i], "second": 2.0 - large[i], "third": 1.9}
        for name, value in late.items():
            values = [9.0 + (name != "third"), value + noise * rng.normal()]
            cluster = None if clusters is None else i % clusters
            runs.append(pb.Trajectory(name, i, [1, 100], values, end=1000, cluster=cluster))
    return runs, table


def scores_of(best, names):
    """Return scores of instances on which one algorithm beats all others, which tie; `best` is (instance, budget)."""
    ranks = (np.arange(len(names)) != np.asarray(best)[..., None]).astype(int)
    budgets = ranks.shape[1]
    rankings = Rankings(ranks, list(names), pb.linear_grid(1, budgets, budgets))
    return make_scores(rankings, np.ones(ranks.shape[:2]), np.ones(budgets))
