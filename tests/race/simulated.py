"""Runs whose rankings follow known utilities: Gumbel noise at each budget, on falling steps so that values improve."""

import numpy as np

from polarbear import Trajectory
from polarbear.race.jobs import Run
from polarbear.race.sampling import seed_of

STEP = 1e3  # between neighbouring budgets; far above the noise, so that best-so-far keeps the order within each budget


def simulated_run(job, utilities, names, budgets):
    """The run of a job: the values at all budgets up to the job's `until`."""
    rng = np.random.default_rng(seed_of(job.seed))
    noise = rng.gumbel(size=len(budgets))
    here = budgets <= job.budget
    levels = STEP * np.arange(len(budgets), 0, -1)
    values = levels - utilities[:, names.index(job.algorithm)] - noise
    trajectory = Trajectory(job.algorithm, job.instance, budgets[here], values[here], end=job.budget)
    return Run(trajectory, reached=job.budget)


def simulated_runs(plan, utilities, names, budgets):
    """The runs of all jobs of a plan."""
    return [simulated_run(job, utilities, names, budgets) for job in plan.jobs]
