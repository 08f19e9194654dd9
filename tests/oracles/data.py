"""Three small sets of runs, made from known utilities: `few`, `ties` and `many`.

Run `python -m tests.oracles.data` to write `datasets.npz` again; `load` needs NumPy alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Axis = Literal["linear", "log"]

DATASETS = ("few", "ties", "many")
PATH = Path(__file__).with_name("datasets.npz")


@dataclass(frozen=True)
class Dataset:
    """Values (instance, budget, algorithm), lower is better and NaN is absent, with the utilities behind them."""

    values: FloatArray
    budgets: FloatArray
    axis: Axis
    utilities: FloatArray


def scaled(budgets: FloatArray, axis: Axis) -> FloatArray:
    """Map budgets to [0, 1], linearly in t or in log t."""
    t = np.log(budgets) if axis == "log" else np.asarray(budgets, dtype=np.float64)
    return (t - t[0]) / (t[-1] - t[0])


def crossing(s: FloatArray, algorithms: int, spread: float, rng: np.random.Generator) -> FloatArray:
    """Draw smooth utilities (budget, algorithm) whose order early differs from their order late."""
    early = spread * rng.permutation(np.linspace(-1.0, 1.0, algorithms))
    late = spread * rng.permutation(np.linspace(-1.0, 1.0, algorithms))
    change = 1.0 / (1.0 + np.exp(-6.0 * (s[:, None] - rng.uniform(0.3, 0.7, algorithms))))
    utilities: FloatArray = early + (late - early) * change
    return utilities - utilities.mean(axis=1, keepdims=True)


def generate(name: str) -> Dataset:
    """Make one data set from its own fixed seed."""
    axis: Axis = "linear"
    match name:
        case "few":
            seed, instances, algorithms, spread = 101, 8, 3, 1.0
            budgets = np.linspace(100.0, 1000.0, 10)
        case "ties":
            seed, instances, algorithms, spread = 102, 30, 5, 1.0
            budgets, axis = np.round(np.geomspace(10.0, 10_000.0, 12)), "log"
        case "many":
            seed, instances, algorithms, spread = 103, 300, 10, 0.8
            budgets = np.array([10.0, 20.0, 40.0, 65.0, 100.0, 150.0, 220.0, 300.0])
        case _:
            raise ValueError(f"unknown data set {name!r}")
    rng = np.random.default_rng(seed)
    utilities = crossing(scaled(budgets, axis), algorithms, spread, rng)
    values = -(utilities + rng.gumbel(size=(instances, *utilities.shape)))
    if name == "ties":
        values = np.round(values / 1.6)
        values[rng.random(values.shape) < 0.06] = np.nan  # single values lost
        values[:10, 9:, 4] = np.nan  # runs that ended early
    return Dataset(values, budgets, axis, utilities)


def load(name: str) -> Dataset:
    """Read one data set from `datasets.npz`."""
    with np.load(PATH) as stored:
        axis: Axis = "log" if str(stored[f"{name}/axis"]) == "log" else "linear"
        return Dataset(stored[f"{name}/values"], stored[f"{name}/times"], axis, stored[f"{name}/utilities"])


def tied_share(values: FloatArray) -> float:
    """Share of the pairs of present algorithms whose values are equal."""
    first, second = np.triu_indices(values.shape[-1], 1)
    a, b = values[..., first], values[..., second]
    present = np.isfinite(a) & np.isfinite(b)
    return float((a == b)[present].mean())


def main() -> None:
    """Write all data sets."""
    made = {name: generate(name) for name in DATASETS}
    fields = ("values", "times", "axis", "utilities")
    np.savez_compressed(PATH, **{f"{name}/{f}": np.asarray(getattr(d, f)) for name, d in made.items() for f in fields})
    for name, d in made.items():
        absent = np.isnan(d.values).mean()
        print(f"{name}: {d.values.shape}, {tied_share(d.values):.1%} of pairs tie, {absent:.1%} of values absent")


if __name__ == "__main__":
    main()
