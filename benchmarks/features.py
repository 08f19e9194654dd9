"""Features of instances: the cost of `explain`, and the gap that a policy closes next to a random forest.

    python benchmarks/features.py
    python benchmarks/features.py --coco FOLDER --aslib FOLDER

FOLDER of COCO holds entries of its data archive for the suite bbob; the known properties of the functions are in
docs/data/bbob_properties.csv, and a new function counts as a new cluster. FOLDER of ASlib is a scenario with
feature_values.arff. The forest is scikit-learn's, with 100 trees and otherwise its defaults: it predicts the share of the
first place of each algorithm at each budget, and chooses the highest. Both selectors are scored in the same ten-fold
cross-validation over clusters, on the same folds.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import polarbear as pb
from polarbear.features.gap_closed import GapClosed, score_selector, tree_selector
from polarbear.features.training_set import TrainingSet, make_training_set
from polarbear.importers.part import parse_condition
from polarbear.selection.risk import Expected

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices
    from polarbear.features.scores import Scores

PROPERTIES = Path("docs/data/bbob_properties.csv")
TREES = 100
PARTITIONS = 2  # into folds, over which scores are averaged


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--coco", type=Path, metavar="FOLDER", help="entries of COCO's archive, suite bbob")
    parser.add_argument("--aslib", type=Path, metavar="FOLDER", help="a scenario of ASlib with features")
    arguments = parser.parse_args()
    if arguments.coco is None and arguments.aslib is None:
        time_explanation()
    if arguments.coco is not None:
        compare("COCO", coco_training_set(arguments.coco))
    if arguments.aslib is not None:
        compare(arguments.aslib.name, aslib_training_set(arguments.aslib))


def time_explanation(instances: int = 1000, features: int = 30, algorithms: int = 10, budgets: int = 50) -> None:
    """Print the processor time of `explain` on simulated runs with two informative features."""
    rng = np.random.default_rng(0)
    kinds = rng.random((2, instances)) < 0.5
    grid = pb.log_grid(10, 1000, budgets)
    runs = []
    for i in range(instances):
        strength = rng.normal(0, 1, algorithms)
        strength[0] += 2 * kinds[0, i]
        strength[1] += 2 * kinds[1, i]
        runs += [
            pb.Trajectory(f"algorithm {a}", i, grid.budgets, -strength[a] - np.arange(budgets) / 10, end=1000)
            for a in range(algorithms)
        ]
    table: dict[str, Any] = {"instance": range(instances)}
    table |= {f"feature {k}": rng.normal(size=instances) for k in range(features - 2)}
    table |= {f"kind {k}": kinds[k] + rng.uniform(-0.4, 0.4, instances) for k in range(2)}
    started = time.process_time()
    collected = pb.collect_runs(runs, grid=grid)
    read = time.process_time()
    found = pb.explain(collected, table)
    ended = time.process_time()
    print(f"explain on {instances} instances, {features} features, {algorithms} algorithms, {budgets} budgets")
    print(f"  reading the runs {read - started:.1f} s, explaining {ended - read:.1f} s of processor time")
    print(f"  {found!r}")


def coco_training_set(folder: Path) -> TrainingSet:
    """Return the training set of COCO entries: properties of the functions and the dimension."""
    shared = [parse_condition("instance=1..5"), parse_condition("dimension=2..20")]  # which entries of all years ran
    imported = pb.read_runs(folder, cluster="function", per="dimension", where=shared)
    runs = pb.collect_runs(imported, grid=pb.log_grid(1, 50, 20))
    blocks: list[Any] = list(runs.instances)
    table = {
        name: [getattr(block, name) for block in blocks]
        for name in ("suite", "function", "dimension", "instance", "run")
    }
    dimension = {**table, "log_dimension": [float(np.log10(block.dimension)) for block in blocks]}
    tables = [pb.read_features(PROPERTIES), pb.read_features(dimension)]
    return make_training_set(runs, tables, preference=None, among=None)


def aslib_training_set(folder: Path) -> TrainingSet:
    """Return the training set of an ASlib scenario."""
    imported = pb.read_runs(folder, reader="aslib")
    runs = pb.collect_runs(imported, unit="seconds")
    return make_training_set(runs, pb.read_features(folder / "feature_values.arff"), preference=None, among=None)


def compare(name: str, training: TrainingSet) -> None:
    """Print the gap that policies and a forest close in the same cross-validation."""
    scores = training.scores
    clusters = len(np.unique(scores.clusters))
    print(
        f"{name}: {len(scores.instances)} instances in {clusters} clusters, {len(training.features)} features, "
        f"{len(scores.names)} algorithms"
    )
    selectors = {
        f"policy, depth {depth}": tree_selector(training.features, Expected(), depth=depth) for depth in (1, 2, 3)
    }
    selectors["random forest"] = forest_selector(training)
    for label, select in selectors.items():
        started = time.process_time()
        found: list[GapClosed] = [
            score_selector(scores, select, rng=np.random.default_rng(seed)) for seed in range(PARTITIONS)
        ]
        took = (time.process_time() - started) / PARTITIONS
        closed, error = (
            float(np.mean([getattr(each, part) for each in found])) for part in ("overall", "standard_error")
        )
        print(f"  {label:18} closes {closed:6.1%} of the gap, standard error {error:.1%}, {took:.1f} s")
    gap = found[0]
    weights = scores.of_budget
    print(f"  first places: single best {weights @ gap.single:.1%}, virtual best {weights @ gap.virtual:.1%}")


def forest_selector(training: TrainingSet) -> Any:
    """Return a selector that chooses the algorithm with the highest share of the first place that a forest predicts."""
    from sklearn.ensemble import RandomForestRegressor

    inputs = _numbers(training)

    def select(scores: Scores, rows: Indices, held_out: Indices, rng: np.random.Generator) -> Indices:
        forest = RandomForestRegressor(TREES, random_state=int(rng.integers(2**31)))
        used = scores.weights.max(axis=1)
        forest.fit(inputs[rows], scores.at_budgets.reshape(len(rows), -1), sample_weight=used)
        shares = forest.predict(inputs[held_out]).reshape(len(held_out), *scores.at_budgets.shape[1:])
        choices: Indices = shares.argmax(axis=2)
        return choices

    return select


def _numbers(training: TrainingSet) -> Array:
    """Return the features as numbers, shape (instance, column); a category has one column per level."""
    columns = []
    for feature in training.features:
        if feature.kind == "number":
            columns.append(feature.values)
        else:
            columns += [(feature.values == level).astype(np.float64) for level in range(len(feature.levels))]
    return np.stack(columns, axis=1)


if __name__ == "__main__":
    main()
