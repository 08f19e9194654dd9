"""Runs whose rankings follow known utilities: Gumbel noise at each time, on falling steps so that values improve."""

import numpy as np

from polarbear import Trajectory
from polarbear.race.jobs import Run
from polarbear.race.sampling import seed_of

STEP = 1e3  # between neighbouring times; far above the noise, so that best-so-far keeps the order within each time


def simulated_run(job, utilities, names, times):
    """The run of a job: the values at all times up to the job's `until`."""
    rng = np.random.default_rng(seed_of(job.seed))
    noise = rng.gumbel(size=len(times))
    here = times <= job.until
    levels = STEP * np.arange(len(times), 0, -1)
    values = levels - utilities[:, names.index(job.algorithm)] - noise
    trajectory = Trajectory(job.algorithm, job.instance, times[here], values[here], until=job.until)
    return Run(trajectory, reached=job.until)


def simulated_runs(plan, utilities, names, times):
    """The runs of all jobs of a plan."""
    return [simulated_run(job, utilities, names, times) for job in plan.jobs]
