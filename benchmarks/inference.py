"""Speed and memory of the default engines, as ratios against PyMC with NumPyro's NUTS in the same run.

    python benchmarks/inference.py             # everything; the peer takes most of the time
    python benchmarks/inference.py --ours      # without the peer
    python benchmarks/inference.py --only b-spline
    python benchmarks/inference.py --patience 3600    # wait longer for the peer; ">" marks a row that it did not finish

Each row runs in a process of its own, ours on one core in CPU seconds, the peer on all of them (4 chains, 1000 warm-up and
1000 kept draws each, as the paper recommends). Imports and the peer's model building are not counted; its compilation is, as
it comes anew with each round's data. "pairs" is who beats whom at every time, from the fit. Memory is the peak of a second
fit's arrays; for the peer, of the process above its start.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
ONE_CORE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Row:
    """One problem: a prior, n algorithms, T times, P instances; with the peer or without."""

    name: str
    prior: str
    algorithms: int
    times: int
    instances: int
    peer: bool = False


ROWS = [
    Row("bootstrap-7", "BayesianBootstrap", 7, 50, 160),
    Row("bootstrap-30", "BayesianBootstrap", 30, 50, 100),
    Row("bootstrap-5000", "BayesianBootstrap", 10, 100, 5000),
    Row("same-order", "BayesianBootstrap", 4, 50, 500),
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
}


def values_of(row: Row) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Rankings from smooth random utilities (a Gaussian process with σ = 1, ℓ = 0.6), or all of them the same."""
    if row.name == "same-order":
        return np.tile(np.arange(float(row.algorithms)), (row.instances, row.times, 1))
    import polarbear as pb
    from polarbear.models.helmert import helmert
    from polarbear.models.plackett_luce import sample_rankings

    rng = np.random.default_rng(1)
    factor = pb.GaussianProcess().factor(pb.linear_grid(0, 1, row.times), 1.0, 0.6)
    utilities = factor @ rng.standard_normal((row.times, row.algorithms - 1)) @ helmert(row.algorithms).T
    return sample_rankings(utilities, row.instances, rng=rng)


def run_ours(row: Row) -> dict[str, Any]:
    import arviz_stats.base  # noqa: F401  # imports are not counted, this one neither, which waits for weights to smooth

    import polarbear as pb

    values = values_of(row)
    grid = pb.linear_grid(0, 1, row.times)
    small = pb.Choices.from_values(values[:8, :4, :3], grid=[0, 1, 2, 3])
    pb.fit(small, prior=getattr(pb, row.prior)(), draws=100)  # everything is imported and warm

    choices = pb.Choices.from_values(values, grid=grid)
    del values
    started = time.process_time()
    posterior = pb.fit(choices, prior=getattr(pb, row.prior)())
    seconds = time.process_time() - started
    started = time.process_time()
    pb.dominance(posterior)
    compared = time.process_time() - started
    tracemalloc.start()  # once more, to see the memory: watching it costs time
    pb.fit(choices, prior=getattr(pb, row.prior)())
    told = posterior.diagnostics
    return {
        "seconds": seconds,
        "compared": compared,
        "megabytes": tracemalloc.get_traced_memory()[1] / 2**20,
        "effective": told.effective_draws,
        "method": told.method,
        "reliable": told.reliable,
    }


def run_peer(row: Row) -> dict[str, Any]:
    from arviz_stats.base import array_stats

    from tests.oracles.models import build, sample

    values = values_of(row)
    model = build(PEER_NAMES[row.prior], values, np.linspace(0, 1, row.times))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    trace = sample(model, draws=1000, tune=1000, chains=4, target_accept=0.8)
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    utilities = np.asarray(trace.posterior["mu"])
    utilities = (utilities - utilities.mean(axis=-1, keepdims=True)).reshape(*utilities.shape[:2], -1)
    effective = array_stats.ess(utilities, chain_axis=0, draw_axis=1, method="bulk")
    return {"seconds": seconds, "megabytes": (peak - before) / 1024, "effective": float(np.min(effective))}


def in_own_process(row: Row, index: int, who: str, patience: float | None = None) -> dict[str, Any]:
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'src'}"} | (ONE_CORE if who == "ours" else {})
    command = [sys.executable, "-W", "ignore", __file__, "--row", str(index), "--who", who]
    try:
        done = subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return {"seconds": patience, "effective": float("nan"), "gave_up": True}
    if done.returncode != 0:
        raise SystemExit(f"row {row.name} ({who}) failed:\n{done.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", action="store_true", help="leave the peer out")
    parser.add_argument("--only", default="", help="rows whose name starts so")
    parser.add_argument("--patience", type=float, default=600, help="seconds that the peer gets for a row")
    parser.add_argument("--row", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--who", choices=["ours", "peer"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.row is not None:
        run = run_ours if arguments.who == "ours" else run_peer
        print(json.dumps(run(ROWS[arguments.row])))
        return

    header = (
        f"{'row':14} {'prior':22} {'n':>3} {'T':>5} {'P':>6} {'fit, s':>8} {'pairs, s':>8} {'MB':>6} {'effective':>9} "
        f" {'method':18}"
    )
    print(header + f" {'peer s':>8} {'peer eff.':>9} {'faster':>8} {'per eff.':>8}")
    for index, row in enumerate(ROWS):
        if not row.name.startswith(arguments.only):
            continue
        ours = in_own_process(row, index, "ours")
        method = ours["method"] + ("" if ours["reliable"] else " (!)")
        line = (
            f"{row.name:14} {row.prior:22} {row.algorithms:3} {row.times:5} {row.instances:6} {ours['seconds']:8.2f} "
            f"{ours['compared']:8.2f} {ours['megabytes']:6.0f} {ours['effective']:9.0f}  {method:18}"
        )
        if row.peer and not arguments.ours:
            peer = in_own_process(row, index, "peer", arguments.patience)
            more = ">" if peer.get("gave_up") else " "
            faster = peer["seconds"] / ours["seconds"]
            line += f" {more}{peer['seconds']:7.1f} {peer['effective']:9.0f} {more}{faster:6.0f}x"
            line += f" {faster * ours['effective'] / peer['effective']:7.0f}x"
        print(line, flush=True)


if __name__ == "__main__":
    main()
