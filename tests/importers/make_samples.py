"""Writes folders like those in `data/` anew, by the real loggers of IOHprofiler and COCO.

    python tests/importers/make_samples.py ioh FOLDER       # needs ioh 0.3
    python tests/importers/make_samples.py coco FOLDER      # needs coco-experiment 2.8

The samples in `data/` were written by these loggers (ioh 0.3.22, coco-experiment 2.8.2) on these functions: BBOB, instances
1 to 5, 1500 evaluations. The random numbers were others, so a new folder holds other values. Neither package has wheels for
every platform, which is why the tests read stored folders.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

BUDGET, INSTANCES = 1500, range(1, 6)


def random_search(objective, dimension, rng):
    for _ in range(BUDGET):
        objective(rng.uniform(-5, 5, dimension))


def one_plus_one(objective, dimension, rng):
    """A (1+1)-ES with the one-fifth rule."""
    x, step = rng.uniform(-4, 4, dimension), 2.0
    best = objective(x)
    for _ in range(BUDGET - 1):
        candidate = np.clip(x + step * rng.normal(size=dimension), -5, 5)
        value = objective(candidate)
        step *= np.exp(0.8 if value <= best else -0.2) ** (1 / np.sqrt(dimension + 1))
        if value <= best:
            x, best = candidate, value


ALGORITHMS = {"RandomSearch": random_search, "OnePlusOne": one_plus_one}


def write_ioh(folder: Path) -> None:
    import ioh

    for name, algorithm in ALGORITHMS.items():
        logger = ioh.logger.Analyzer(root=str(folder), folder_name=name, algorithm_name=name, algorithm_info="sample")
        for function in (8, 21):
            for instance in INSTANCES:
                problem = ioh.get_problem(function, instance, 5, ioh.ProblemClass.BBOB)
                problem.attach_logger(logger)
                algorithm(problem, 5, np.random.default_rng([function, instance]))
                problem.detach_logger()
        logger.close()


def write_coco(folder: Path) -> None:
    import cocoex

    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)  # the logger writes below "exdata" where it is
    for name, algorithm in ALGORITHMS.items():
        suite = cocoex.Suite("bbob", "instances: 1-5", "function_indices: 8 dimensions: 2,10")
        observer = cocoex.Observer("bbob", f"result_folder: {name} algorithm_name: {name}")
        for problem in suite:
            problem.observe_with(observer)
            algorithm(problem, problem.dimension, np.random.default_rng(problem.id_instance))


if __name__ == "__main__":
    {"ioh": write_ioh, "coco": write_coco}[sys.argv[1]](Path(sys.argv[2]).absolute())
