"""Speed and memory of the default methods, compared with PyMC and NumPyro's NUTS (the peer) in the same run.

    python benchmarks/inference.py             # all rows; the peer takes most of the time
    python benchmarks/inference.py --ours      # without the peer
    python benchmarks/inference.py --only b-spline
    python benchmarks/inference.py --patience 3600    # a longer time limit for the peer; ">" marks rows that exceed it

Each row runs in its own process: PolarBear on one core, timed in CPU seconds, and the peer on all cores (4 chains, each
with 1000 warm-up and 1000 kept draws, as the paper recommends). Imports and the peer's model building are not counted.
The peer's compilation is, because each round of a race has new data and compiles again. "use" is the time to compute, from
the fit, win rates, intervals, dominance and equivalence of all pairs at all budgets, and the summary of the ratings. "MB" is
the largest memory of the process.

Under the Bayesian bootstrap a fit infers nothing: "use" is the time until all pairs are compared, the Pareto set is known,
and the best of its members at each budget. The rows "pairs" bound it: 7 algorithms 0.3 s, 30 algorithms 4 s, 200,000
instances 20 s and 1 GB; 200 algorithms 60 s and 500 MB, together with reading and printing (`polarbear show`). The Bayesian
bootstrap has no counterpart in PyMC. Its peer is the Dirichlet prior with the Plackett-Luce likelihood, which answers the
same questions about each budget.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import polarbear as pb

ROOT = Path(__file__).resolve().parents[1]
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Row:
    """One problem: a prior, n algorithms, T budgets, P instances; with or without the peer."""

    name: str
    prior: str
    algorithms: int
    budgets: int
    instances: int
    peer: bool = False


ROWS = [
    Row("pairs-7", "BayesianBootstrap", 7, 50, 160, peer=True),
    Row("pairs-30", "BayesianBootstrap", 30, 50, 1000),
    Row("pairs-60", "BayesianBootstrap", 60, 50, 200, peer=True),
    Row("pairs-200", "BayesianBootstrap", 200, 20, 360),
    Row("pairs-200000", "BayesianBootstrap", 2, 20, 200_000),
    Row("pairs-long", "BayesianBootstrap", 4, 2000, 100, peer=True),
    Row("b-spline", "BSpline", 5, 50, 30, peer=True),
    Row("exact-gp", "GaussianProcess", 5, 60, 30, peer=True),
    Row("random-walk", "RandomWalk", 5, 50, 30, peer=True),
    Row("dirichlet-20", "Dirichlet", 7, 20, 1000, peer=True),
    Row("dirichlet", "Dirichlet", 7, 200, 1000),
    *(Row(f"flat-{P}", prior, 7, 50, P) for prior in ("BSpline",) for P in (100, 1000, 10_000)),
    *(Row(f"flat-{P}", "Dirichlet", 7, 50, P) for P in (100, 1000, 10_000)),
    *(
        Row(f"linear-{T}", prior, 5, T, 30)
        for prior in ("RandomWalk", "BSpline", "GaussianProcess")
        for T in (100, 300, 1000)
    ),
    *(
        Row("n30", prior, 30, 50, 100)
        for prior in (
            "Dirichlet",
            "HierarchicalDirichlet",
            "RandomWalk",
            "BSpline",
            "GaussianProcess",
            "SparseGaussianProcess",
            "HilbertSpaceGP",
        )
    ),
]

PEER_NAMES = {
    "BSpline": "b_spline",
    "GaussianProcess": "gaussian_process",
    "RandomWalk": "random_walk",
    "Dirichlet": "dirichlet",
    "BayesianBootstrap": "dirichlet",
}


def values_of(row: Row) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return values (instance, budget, algorithm) with smooth rankings."""
    from smooth_rankings import smooth_rankings

    return smooth_rankings(row.algorithms, row.budgets, row.instances)


def run_ours(row: Row) -> dict[str, Any]:
    import arviz_stats.base  # noqa: F401  # not counted; a fit imports it only if it smooths importance weights

    values = values_of(row)
    grid = pb.linear_grid(0, 1, row.budgets)
    small = pb.Choices.from_values(values[:8, :4, :3], grid=[0, 1, 2, 3])
    use(pb.fit(small, prior=getattr(pb, row.prior)(), draws=100))  # not counted: imports all modules

    choices = pb.Choices.from_values(values, grid=grid)
    del values
    started = time.process_time()
    posterior = pb.fit(choices, prior=getattr(pb, row.prior)())
    seconds = time.process_time() - started
    started = time.process_time()
    use(posterior)
    return {
        "seconds": seconds,
        "use_seconds": time.process_time() - started,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10,
        "effective": posterior.diagnostics.effective_draws,
        "method": posterior.diagnostics.method,
        "reliable": posterior.diagnostics.reliable,
    }


def use(posterior: pb.Posterior) -> None:
    """Compute what an answer needs."""
    if posterior.beliefs is None:
        pb.relations(posterior)
        posterior.summary()
    else:
        pb.decision_map(posterior, among=pb.pareto_set(posterior))


def run_peer(row: Row) -> dict[str, Any]:
    from arviz_stats.base import array_stats

    from tests.oracles.models import build, sample

    values = values_of(row)
    model = build(PEER_NAMES[row.prior], values, np.linspace(0, 1, row.budgets))
    started = time.perf_counter()
    trace = sample(model, draws=1000, tune=1000, chains=4, target_accept=0.8)
    seconds = time.perf_counter() - started
    utilities = np.asarray(trace.posterior["mu"])
    utilities = (utilities - utilities.mean(axis=-1, keepdims=True)).reshape(*utilities.shape[:2], -1)
    effective = array_stats.ess(utilities, chain_axis=0, draw_axis=1, method="bulk")
    return {"seconds": seconds, "effective": float(np.min(effective))}


def in_own_process(row: Row, index: int, who: str, patience: float | None = None) -> dict[str, Any]:
    """Measure one row in a new process; `patience` is a time limit in seconds."""
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"} | (ONE_CORE if who == "ours" else {})
    command = [sys.executable, "-W", "ignore", __file__, "--row", str(index), "--who", who]
    try:
        process = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return {"seconds": patience, "effective": float("nan"), "timed_out": True}
    if process.returncode != 0:
        raise SystemExit(f"row {row.name} ({who}) failed:\n{process.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", action="store_true", help="skip the peer")
    parser.add_argument("--only", default="", help="measure only the rows whose name starts with this text")
    parser.add_argument("--patience", type=float, default=600, help="time limit of the peer per row, in seconds")
    parser.add_argument("--row", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--who", choices=["ours", "peer"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.row is not None:
        run = run_ours if arguments.who == "ours" else run_peer
        print(json.dumps(run(ROWS[arguments.row])))
        return

    header = (
        f"{'row':14} {'prior':22} {'n':>3} {'T':>5} {'P':>6} {'fit, s':>8} {'use, s':>12} {'MB':>6} {'eff.draws':>9} "
        f" {'method':18}"
    )
    print(header + f" {'peer, s':>8} {'peer eff.':>9} {'speed-up':>8} {'per draw':>8}")
    print("(speed-up: seconds of the peer per second of ours; per draw: the same per effective draw)")
    for index, row in enumerate(ROWS):
        if not row.name.startswith(arguments.only):
            continue
        ours = in_own_process(row, index, "ours")
        method = ours["method"] + ("" if ours["reliable"] else " (!)")
        line = (
            f"{row.name:14} {row.prior:22} {row.algorithms:3} {row.budgets:5} {row.instances:6} {ours['seconds']:8.2f} "
            f"{ours['use_seconds']:12.2f} {ours['megabytes']:6.0f} {ours['effective']:9.0f}  {method:18}"
        )
        if row.peer and not arguments.ours:
            peer = in_own_process(row, index, "peer", arguments.patience)
            at_least = ">" if peer.get("timed_out") else " "
            speed_up = peer["seconds"] / (
                ours["seconds"] + (ours["use_seconds"] if row.prior == "BayesianBootstrap" else 0)
            )
            line += f" {at_least}{peer['seconds']:7.1f} {peer['effective']:9.0f} {at_least}{speed_up:6.0f}x"
            line += f" {speed_up * ours['effective'] / peer['effective']:7.0f}x"
        print(line, flush=True)


if __name__ == "__main__":
    main()
