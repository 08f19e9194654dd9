"""Write the folders in `data/` with the real loggers of IOHprofiler and COCO.

    python tests/importers/make_samples.py ioh tests/importers/data/ioh      # needs ioh 0.3 and cmaes
    python tests/importers/make_samples.py coco tests/importers/data/coco    # needs coco-experiment 2.8

BBOB functions, instances 1 to 5, 1500 evaluations. The stored folders were written with ioh 0.3.22, cmaes 0.13.1 and
coco-experiment 2.8.2. Neither logger has wheels for every platform, which is why the tests read stored folders.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

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


def cma_es(objective, dimension, rng):
    from cmaes import CMA

    bounds = np.tile([-5.0, 5.0], (dimension, 1))
    optimiser = CMA(rng.uniform(-4, 4, dimension), 2.0, bounds, seed=int(rng.integers(2**31)), population_size=10)
    for _ in range(BUDGET // 10):
        points = [optimiser.ask() for _ in range(10)]
        optimiser.tell([(x, objective(x)) for x in points])


ALGORITHMS = {"CMA-ES": cma_es, "OnePlusOne": one_plus_one, "RandomSearch": random_search}


def write_ioh(folder: Path, algorithms: Iterable[str] = tuple(ALGORITHMS)) -> None:
    import ioh

    for name in algorithms:
        logger = ioh.logger.Analyzer(root=str(folder), folder_name=name, algorithm_name=name, algorithm_info="sample")
        logger.add_experiment_attribute("machine", "sample")
        for function in (8, 21):
            for instance in INSTANCES:
                problem = ioh.get_problem(function, instance, 5, ioh.ProblemClass.BBOB)
                problem.attach_logger(logger)
                ALGORITHMS[name](problem, 5, np.random.default_rng([function, instance]))
                problem.detach_logger()
        logger.close()


def write_coco(folder: Path) -> None:
    import cocoex

    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)  # the logger writes below "exdata" in the working directory
    for name in ("OnePlusOne", "RandomSearch"):
        suite = cocoex.Suite("bbob", "instances: 1-5", "function_indices: 8 dimensions: 2,10")
        observer = cocoex.Observer("bbob", f"result_folder: {name} algorithm_name: {name}")
        for problem in suite:
            problem.observe_with(observer)
            ALGORITHMS[name](problem, problem.dimension, np.random.default_rng(problem.id_instance))
        (folder / "exdata" / name).rename(folder / name)
    (folder / "exdata").rmdir()


if __name__ == "__main__":
    {"ioh": write_ioh, "coco": write_coco}[sys.argv[1]](Path(sys.argv[2]).absolute())
