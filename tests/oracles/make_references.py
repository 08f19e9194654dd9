"""Long NUTS runs, by PyMC and NumPyro, of every prior and their summaries, stored in `references.npz`.

The models are those of `polarbear.to_pymc`. `tests/inference/test_pymc_model.py` compares their densities with the
independent ones of `models.py`.

Run `python -m tests.oracles.make_references [--only PRIOR] [--data NAME]` from the repository root, with the
`oracles` extra installed. Each result is saved as soon as it is there, beside those already stored.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import time
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from arviz_stats.base import array_stats

import polarbear as pb
from tests.oracles.data import DATASETS, load
from tests.oracles.models import sample
from tests.oracles.test_against_references import PRIORS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import arviz

FloatArray = npt.NDArray[np.float64]

PATH = Path(__file__).with_name("references.npz")
PROBABILITIES = (0.025, 0.5, 0.975)
TUNE = 1000
HYPERPARAMETERS = {"kappa": "kappa", "amplitude": "sigma", "lengthscale": "lengthscale"}  # ours, and the stored names
RUNS = {  # chains, draws of each, and how chains run: together where the overhead dominates, else one by one
    "few": (16, 1000, "vectorized"),
    "ties": (4, 3200, "sequential"),
    "many": (4, 1000, "sequential"),
}
LEAST_ESS = {
    "few": 10_000,
    "ties": 10_000,
    "many": 3_000,
}  # of every pair's difference; `many` takes minutes a thousand
ATTEMPTS = 4
PACKAGES = ("pymc", "numpyro", "jax", "pytensor", "arviz-stats", "numpy", "scipy")


def of_draws(statistic: str, draws: npt.NDArray[Any], **options: Any) -> FloatArray:
    """One of ArviZ's statistics over draws (chain, draw, ...)."""
    return np.asarray(getattr(array_stats, statistic)(draws, chain_axis=0, draw_axis=1, **options))


def probability(events: npt.NDArray[np.bool_], ess: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Share of the draws in which each event happens, and its Monte Carlo standard error.

    An event seen in all draws or in none takes the effective size `ess` of the continuous quantity behind it.
    One success and one failure are added in the error, which is therefore never zero.
    """
    share = events.mean(axis=(0, 1))
    own = of_draws("ess", events.astype(np.float64), method="mean")
    size = np.minimum(np.where((share == 0) | (share == 1), ess, own), events.shape[0] * events.shape[1])
    smooth = (size * share + 1) / (size + 2)
    return share, np.sqrt(smooth * (1 - smooth) / size)


def square(upper: FloatArray, lower: FloatArray, n: int) -> FloatArray:
    """Arrange values of the pairs i < j, and of the same pairs reversed, as matrices with a zero diagonal."""
    i, j = np.triu_indices(n, 1)
    out = np.zeros((*upper.shape[:-1], n, n))
    out[..., i, j], out[..., j, i] = upper, lower
    return out


def summarise(posterior: arviz.InferenceData) -> dict[str, npt.ArrayLike]:
    """Everything that a test compares, with Monte Carlo standard errors."""
    mu = np.asarray(posterior.posterior["utilities"])
    n = mu.shape[-1]
    i, j = np.triu_indices(n, 1)
    difference = mu[..., i] - mu[..., j]
    ess = of_draws("ess", difference, method="bulk")
    above, above_error = probability(difference > 0, ess)
    ever = [probability(e.all(axis=2), ess.min(axis=0)) for e in (difference > 0, difference < 0)]
    quantiles = np.quantile(difference, PROBABILITIES, axis=(0, 1))
    errors = np.stack([of_draws("mcse", difference, method="quantile", prob=p) for p in PROBABILITIES])
    sd, sd_error = difference.std(axis=(0, 1), ddof=1), of_draws("mcse", difference, method="sd")
    out: dict[str, npt.ArrayLike] = {
        "dominance": square(above, 1 - above, n),
        "dominance_mcse": square(above_error, above_error, n),
        "anytime": square(ever[0][0], ever[1][0], n),
        "anytime_mcse": square(ever[0][1], ever[1][1], n),
        "quantiles": square(quantiles, -quantiles[::-1], n),
        "quantiles_mcse": square(errors, errors[::-1], n),
        "sd": square(sd, sd, n),
        "sd_mcse": square(sd_error, sd_error, n),
        "min_ess": ess.min(),
        "min_ess_tail": of_draws("ess", difference, method="tail", prob=(0.025, 0.975)).min(),
        "max_rhat": of_draws("rhat", difference).max(),
        "divergences": int(np.asarray(posterior.sample_stats["diverging"]).sum()),
    }
    for ours, name in HYPERPARAMETERS.items():
        if ours in posterior.posterior:
            draws = np.asarray(posterior.posterior[ours])
            out[f"{name}_mean"], out[f"{name}_sd"] = draws.mean(), draws.std(ddof=1)
            for moment in ("mean", "sd"):
                out[f"{name}_{moment}_mcse"] = of_draws("mcse", draws, method=moment)
            out["max_rhat"] = np.maximum(out["max_rhat"], of_draws("rhat", draws))
    return out


def reference(prior: str, data: str) -> dict[str, npt.ArrayLike]:
    """Sample until the result is good enough, with smaller steps after divergences and more draws if too few."""
    d = load(data)
    choices = pb.Choices.from_values(d.values, grid=pb.Grid(d.budgets, d.axis))
    model = pb.to_pymc(choices, PRIORS[prior])
    wanted = ["utilities", *(name for name in HYPERPARAMETERS if name in model.named_vars)]
    (chains, draws, method), target = RUNS[data], 0.9
    for attempt in range(ATTEMPTS):
        start = time.perf_counter()
        posterior = sample(model, draws, TUNE, chains, target, 1 + attempt, chain_method=method, var_names=wanted)
        seconds = time.perf_counter() - start
        out = summarise(posterior)
        out |= {"seconds": seconds, "draws": chains * draws, "chains": chains, "target_accept": target}
        out["mean_steps"] = np.asarray(posterior.sample_stats["n_steps"]).mean()
        report(prior, data, out)
        short, diverged = float(out["min_ess"]) < LEAST_ESS[data], int(out["divergences"]) > 0  # type: ignore[arg-type]
        if not (short or diverged):
            break
        if short:
            draws = int(np.ceil(draws * 1.15 * LEAST_ESS[data] / float(out["min_ess"]) / 100)) * 100  # type: ignore[arg-type]
        if diverged:
            target = 1 - (1 - target) / 2.5
    out["versions"] = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return out


def report(prior: str, data: str, out: dict[str, npt.ArrayLike]) -> None:
    """Print one row of the table of runs."""
    print(
        f"{prior:24s} {data:5s} {out['seconds']:6.0f} s  ESS {out['min_ess']:7.0f}  tail {out['min_ess_tail']:7.0f}"
        f"  R-hat {out['max_rhat']:.4f}  divergences {out['divergences']}  draws {out['draws']}"
        f"  target {out['target_accept']:.3f}  steps {out['mean_steps']:.0f}",
        flush=True,
    )


@contextmanager
def alone() -> Iterator[None]:
    """Hold the folder's lock, so that two runs side by side lose nothing of each other's."""
    folder = os.open(PATH.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def save(prior: str, data: str, out: dict[str, npt.ArrayLike]) -> None:
    """Put one result into the file, replacing the file in one step."""
    with alone():
        stored: dict[str, npt.NDArray[Any]] = {}
        if PATH.exists():
            with np.load(PATH) as file:
                stored = {k: file[k] for k in file.files if not k.startswith(f"{prior}/{data}/")}
        for name, value in out.items():
            a = np.asarray(value)
            stored[f"{prior}/{data}/{name}"] = a.astype(np.float32) if a.dtype == np.float64 else a
        temporary = PATH.with_suffix(".tmp.npz")
        np.savez_compressed(temporary, **stored)  # type: ignore[arg-type]
        temporary.replace(PATH)


def main() -> None:
    """Run all models asked for, smallest data set first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=tuple(PRIORS), help="one prior instead of all")
    parser.add_argument("--data", choices=DATASETS, help="one data set instead of all")
    asked = parser.parse_args()
    for data in (asked.data,) if asked.data else DATASETS:
        for prior in (asked.only,) if asked.only else PRIORS:
            save(prior, data, reference(prior, data))


if __name__ == "__main__":
    main()
