"""A problem to run algorithms on, and the recorder after a run."""

import numpy as np

from polarbear.algorithms import Recorder, record_run


class Sphere:
    bounds = ((-5, 5), (-5, 5))
    dimension = 2

    def __call__(self, x):
        return float(np.sum(np.square(x)))


def outcome(algorithm, problem=None, budget=100, seed=1, **options):
    recorder = Recorder(budget, **options)
    ended = record_run(algorithm, problem or Sphere(), seed, recorder)
    return ended, recorder
