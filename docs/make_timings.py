"""Print the table of the page `Choose settings`: CPU seconds of one fit by prior and number of times, on one core.

Five algorithms, 30 instances, as in the paper's figure of execution times; the default method and 4000 draws. With names
of priors as arguments, print only their rows: `python docs/make_timings.py BayesianBootstrap`.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import polarbear as pb
from polarbear.models.plackett_luce import sample_rankings

TIMES = (20, 50, 100, 200)


def seconds(prior: pb.models.Prior, times: int) -> str:
    """Return the CPU seconds of the faster of two fits, with a mark if its posterior is not reliable."""
    grid = pb.linear_grid(1, times, times)
    rng = np.random.default_rng(0)
    waves = np.sin(grid.scaled[:, None] * 5 + rng.uniform(0, 6, 5)) + rng.normal(size=5)
    choices = pb.Choices.from_values(sample_rankings(waves, 30, rng=rng), grid=grid)
    spent = []
    for seed in range(2):
        start = time.process_time()
        posterior = pb.fit(choices, prior=prior, seed=seed)
        spent.append(time.process_time() - start)
    return f"{min(spent):.1f}" + ("" if posterior.diagnostics.reliable else " (not reliable)")


def main(*names: str) -> None:
    """Print the table of all priors, or of those named."""
    print("| prior | " + " | ".join(f"T = {times}" for times in TIMES) + " |")
    print("| --- |" + " ---: |" * len(TIMES))
    for name, kind in pb.models.PRIORS.items():
        if names and name not in names:
            continue
        print(f"| `{name}` | " + " | ".join(seconds(kind(), times) for times in TIMES) + " |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
