"""The paper's two runtime figures, and every engine side by side with its peers, in one run.

    python benchmarks/runtime.py                     # everything: hours, most of them the peers'
    python benchmarks/runtime.py --quick             # two sizes of each figure, and the table for three priors
    python benchmarks/runtime.py --only table/BSpline
    python benchmarks/runtime.py --patience 3600     # wait longer for a cell; ">" marks one that did not finish
    python benchmarks/runtime.py --device            # NUTS at n = 30, T = 200 where JAX runs, and on the CPU beside it

Three blocks of cells, each cell in a process of its own:

- table: every engine at n = 5, T = 50, P = 30 (the independent Dirichlet: n = 7, T = 20, P = 100), with the effective draws
  a second and the largest error of P(dominance) against a long NUTS run;
- pathfinder: the independent Dirichlet at a single time, over n and P;
- mcmc: all models with a hyperparameter over T at n = 5, P = 30, 4 chains; PyMC's with 1000 warm-up and 1000 kept draws.

Imports and the building of PyMC's models are not counted, compilation is: it comes anew with each round's data there. Our
NUTS keeps its compiled functions for later rounds; "again" is the same fit once more, with other data. The table and the
figure are written to --output; what is there already is not measured again, so that a call may be interrupted.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import polarbear as pb

    Array = np.ndarray[Any, np.dtype[np.float64]]

ROOT = Path(__file__).resolve().parents[1]
TEMPORAL = ("GaussianProcess", "SparseGaussianProcess", "HilbertSpaceGP", "RandomWalk", "BSpline")
PRIORS = ("Dirichlet", "HierarchicalDirichlet", *TEMPORAL)
OURS = ("default", "nuts", "pathfinder", "laplace", "advi", "advi-fullrank")
PEERS = ("pymc-numpyro", "pymc-nutpie", "pymc-pathfinder", "pymc-laplace")
SAMPLERS = ("nuts", "pymc-numpyro", "pymc-nutpie")
CHAINS, WARM_UP, KEPT = 4, 1000, 1000  # the paper's, of each chain
COLOURS = {
    "default": "#0072b2",
    "nuts": "#009e73",
    "pathfinder": "#56b4e9",
    "pymc-numpyro": "#d55e00",
    "pymc-nutpie": "#e69f00",
    "pymc-pathfinder": "#cc79a7",
}
LONG_RUN = 40_000  # draws of the judge; its standard error in a probability is below 0.003


def _true(text: str) -> bool:
    return text == "True"


FIELDS: dict[str, Callable[[str], Any]] = {
    "seconds": float,
    "again": float,
    "effective": float,
    "error": float,
    "reliable": _true,
    "gave_up": _true,
    "failed": str,
}


@dataclass(frozen=True)
class Cell:
    """One engine on one problem: a prior, n algorithms, T times, P instances."""

    block: str
    engine: str
    prior: str
    algorithms: int
    times: int
    instances: int

    @property
    def name(self) -> str:
        return f"{self.block}/{self.prior}/{self.engine}/{self.algorithms}-{self.times}-{self.instances}"

    @property
    def problem(self) -> str:
        return f"{self.prior}-{self.algorithms}-{self.times}-{self.instances}"


def cells(quick: bool) -> list[Cell]:
    """All of them; the judge of a problem comes before those it judges."""
    table = []
    for prior in ("BSpline", "RandomWalk", "Dirichlet") if quick else PRIORS:
        size = (7, 20, 100) if prior == "Dirichlet" else (5, 50, 30)
        table += [Cell("table", engine, prior, *size) for engine in ("judge", *OURS, *PEERS)]
    pathfinder = [
        Cell("pathfinder", engine, "Dirichlet", n, 1, P)
        for n in ((3, 10) if quick else (3, 5, 10, 20, 30))
        for P in ((10, 100) if quick else (10, 30, 100, 300, 1000))
        for engine in ("default", "pathfinder", "pymc-pathfinder")
    ]
    mcmc = [
        Cell("mcmc", engine, prior, 5, T, 30)
        for prior in (("BSpline",) if quick else PRIORS[1:])
        for T in ((10, 40) if quick else (10, 20, 40, 60, 80, 100))
        for engine in ("default", *SAMPLERS)
    ]
    return table + pathfinder + mcmc


def choices_of(cell: Cell, seed: int = 1) -> pb.Choices:
    """Rankings from smooth random utilities (a Gaussian process with σ = 1, ℓ = 0.6)."""
    import polarbear as pb
    from polarbear.models.helmert import helmert
    from polarbear.models.plackett_luce import sample_rankings

    rng = np.random.default_rng(seed)
    grid = pb.linear_grid(0, 1, cell.times) if cell.times > 1 else pb.Grid([1.0])
    factor = pb.GaussianProcess().factor(grid, 1.0, 0.6)
    utilities = factor @ rng.standard_normal((cell.times, cell.algorithms - 1)) @ helmert(cell.algorithms).T
    return pb.Choices.from_values(sample_rankings(utilities, cell.instances, rng=rng), grid=grid)


# What a cell's own process does


def run(cell: Cell, folder: Path) -> dict[str, Any]:
    """Seconds, effective draws and largest error of P(dominance) of one cell."""
    if cell.engine in PEERS:
        seconds, dominance, effective = run_peer(cell)
        result = {"seconds": seconds, "effective": effective}
    else:
        result, dominance = run_ours(cell)
    judge = folder / f"{cell.problem}.npy"
    if cell.engine == "judge":
        np.save(judge, dominance)
    elif judge.exists():
        result["error"] = float(np.abs(dominance - np.load(judge)).max())
    return result


def run_ours(cell: Cell) -> tuple[dict[str, Any], Array]:
    import polarbear as pb

    prior = getattr(pb, cell.prior)()
    choices = choices_of(cell)
    method: Any = {"default": "auto", "judge": pb.NUTS(chains=8)}.get(cell.engine, cell.engine)
    draws = LONG_RUN if cell.engine == "judge" else CHAINS * KEPT
    if cell.engine == "default":
        small = pb.Choices.from_values([[[1, 2, 3]] * 3, [[2, 1, 3]] * 3], grid=[1, 2, 3])
        import arviz_stats.base  # noqa: F401  # only weights that need smoothing import it

        pb.fit(small, prior=prior, draws=100)  # everything is imported
    else:
        import jax  # noqa: F401  # and not BlackJAX, which starts JAX before we can
    started = time.perf_counter()
    posterior = pb.fit(choices, prior=prior, method=method, draws=draws)
    result = {
        "seconds": time.perf_counter() - started,
        "effective": posterior.diagnostics.effective_draws,
        "reliable": posterior.diagnostics.reliable,
    }
    if cell.engine in ("nuts", "pathfinder", "advi", "advi-fullrank"):
        other = choices_of(cell, seed=2)
        started = time.perf_counter()
        pb.fit(other, prior=prior, method=method, draws=draws)
        result["again"] = time.perf_counter() - started
    return result, pb.dominance(posterior)


def run_peer(cell: Cell) -> tuple[float, Array, float]:
    import pymc as pm
    import pymc_extras as pmx

    import polarbear as pb
    from polarbear.inference.convergence import diagnose

    model = pb.to_pymc(choices_of(cell), getattr(pb, cell.prior)())
    named = [name for name in ("amplitude", "lengthscale", "kappa") if name in model.named_vars]
    sampler = cell.engine.removeprefix("pymc-")
    engines: dict[str, Callable[[], Any]] = {
        "pathfinder": lambda: pmx.fit_pathfinder(
            num_paths=8, num_draws=CHAINS * KEPT, random_seed=1, progressbar=False, display_summary=False
        ),
        "laplace": lambda: pmx.fit_laplace(draws=CHAINS * KEPT, random_seed=1, progressbar=False),
    }
    if sampler == "numpyro":
        import jax

        jax.config.update("jax_enable_x64", True)
    started = time.perf_counter()
    with model:
        trace = engines.get(
            sampler,
            lambda: pm.sample(
                KEPT,
                tune=WARM_UP,
                chains=CHAINS,
                random_seed=1,
                nuts_sampler=sampler,
                nuts_sampler_kwargs={"chain_method": "vectorized"} if sampler == "numpyro" else {},
                compute_convergence_checks=False,
                progressbar=False,
            ),
        )()
    seconds = time.perf_counter() - started
    utilities = np.asarray(trace.posterior["utilities"])  # (chain, draw, time, algorithm)
    flat = utilities.reshape(-1, *utilities.shape[2:])
    dominance = (flat[..., :, None] > flat[..., None, :]).mean(axis=0)
    if sampler not in ("numpyro", "nutpie"):
        return seconds, dominance, math.nan
    hyperparameters = np.array([np.asarray(trace.posterior[name]) for name in named])
    hyperparameters = hyperparameters.reshape(len(named), *utilities.shape[:2])
    chains = diagnose(utilities.transpose(1, 2, 3, 0), hyperparameters.transpose(2, 0, 1))
    return seconds, dominance, min(chains.effective_draws, CHAINS * KEPT)


# All cells


def in_own_process(cell: Cell, folder: Path, patience: float) -> dict[str, Any]:
    command = [sys.executable, "-W", "ignore", __file__, "--cell", json.dumps(asdict(cell)), "--output", str(folder)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=patience)
    except subprocess.TimeoutExpired:
        return {"seconds": patience, "gave_up": True}
    if done.returncode != 0:
        return {"failed": (done.stderr.strip().splitlines() or ["no reason given"])[-1][:200]}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def line(cell: Cell, result: dict[str, Any]) -> str:
    """One row of the table."""
    size = f"{cell.block:10} {cell.prior:22} {cell.algorithms:3} {cell.times:4} {cell.instances:5}  {cell.engine:16}"
    if "failed" in result:
        return f"{size} failed: {result['failed']}"
    if result.get("gave_up"):
        return f"{size} >{result['seconds']:8.1f} s: out of patience"
    effective = result.get("effective", math.nan)
    again = result.get("again", math.nan)
    columns = [result["seconds"], again, effective, effective / result["seconds"], effective / again]
    shown = "".join(f" {value:9.1f}" if math.isfinite(value) else f" {'-':>9}" for value in columns)
    doubt = "" if result.get("reliable", True) else "  (says that it is not reliable)"
    return f"{size} {shown} {result.get('error', math.nan):9.3f}{doubt}"


def draw(results: dict[Cell, dict[str, Any]], path: Path) -> None:
    """The paper's two figures, the second a panel for each prior; crosses ran out of patience."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    measured = {cell: result for cell, result in results.items() if cell.block != "table" and "seconds" in result}
    panels = sorted({(cell.block != "pathfinder", cell.block, cell.prior) for cell in measured})
    if not panels:
        return
    columns, rows = min(4, len(panels)), math.ceil(len(panels) / 4)
    size = (1 + 3.2 * columns, 3.6 * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False, layout="constrained")
    for spare in axes.flat[len(panels) :]:
        spare.axis("off")
    for panel, (_, block, prior) in zip(axes.flat, panels, strict=False):
        over = "instances" if block == "pathfinder" else "times"
        lines: dict[tuple[str, int], list[tuple[int, float, bool]]] = {}
        for cell, result in measured.items():
            if (cell.block, cell.prior) == (block, prior):
                point = (getattr(cell, over), result["seconds"], bool(result.get("gave_up")))
                lines.setdefault((cell.engine, cell.algorithms), []).append(point)
        most = max(algorithms for _, algorithms in lines)
        for (engine, algorithms), points in sorted(lines.items()):
            x, y, late = zip(*sorted(points), strict=True)
            colour, named = COLOURS[engine], engine if algorithms == most else None
            panel.plot(x, y, color=colour, marker="o", markersize=4, linewidth=2 * algorithms / most, label=named)
            panel.plot(*np.array([x, y])[:, list(late)], color=colour, marker="x", markersize=12, linestyle="")
        sizes = sorted({algorithms for _, algorithms in lines})
        panel.set(title=f"{prior}, n = {', '.join(map(str, sizes))}", xlabel=over, yscale="log")
        panel.set_xscale("log" if block == "pathfinder" else "linear")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=7)
    for row in axes:
        row[0].set_ylabel("seconds")
    figure.savefig(path, dpi=150)


def written(results: dict[Cell, dict[str, Any]], path: Path) -> None:
    """All that was measured, one row a cell."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*Cell.__dataclass_fields__, *FIELDS])
        writer.writerows(
            [*asdict(cell).values(), *(result.get(name, "") for name in FIELDS)] for cell, result in results.items()
        )


def known(path: Path) -> dict[Cell, dict[str, Any]]:
    """What an earlier call measured and wrote."""
    if not path.exists():
        return {}
    results = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            size = {name: int(row[name]) for name in ("algorithms", "times", "instances")}
            result = {name: FIELDS[name](row[name]) for name in FIELDS if row[name]}
            results[Cell(row["block"], row["engine"], row["prior"], **size)] = result
    return results


def time_devices(quick: bool) -> None:
    """NUTS at n = 30, T = 200 (less if quick) on JAX's own device and, if that is another, on the CPU."""
    import jax

    import polarbear as pb
    from polarbear.inference.reference.reparametrisation import whitening_coordinates

    cell = Cell("device", "nuts", "BSpline", 10, 40, 50) if quick else Cell("device", "nuts", "BSpline", 30, 200, 100)
    choices, later = choices_of(cell), choices_of(cell, seed=2)
    devices = [jax.devices()[0]]
    if devices[0].platform != "cpu":
        devices.append(jax.devices("cpu")[0])
    print(f"B-spline, n = {cell.algorithms}, T = {cell.times}, P = {cell.instances}; 4 chains, 4000 draws together")
    started = time.perf_counter()
    whitening_coordinates(choices, pb.BSpline())
    print(
        f"the Laplace solution, which NumPy finds before each run: {time.perf_counter() - started:.1f} s of every figure"
    )
    for device in devices:
        with jax.default_device(device):
            for which, data in (("first", choices), ("again", later)):
                started = time.perf_counter()
                told = pb.fit(data, prior=pb.BSpline(), method="nuts").diagnostics
                seconds = time.perf_counter() - started
                rate = told.effective_draws / seconds
                print(
                    f"{device.device_kind:24} {which}: {seconds:7.1f} s, {rate:7.1f} effective a second. {told.message}"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer sizes and priors")
    parser.add_argument(
        "--only", default="", help="cells whose name (block/prior/engine/n-T-P) starts so; judges always run"
    )
    parser.add_argument("--patience", type=float, default=600, help="seconds that a cell gets")
    parser.add_argument(
        "--output", type=Path, default=Path("runtime"), help="folder of runtime.csv and runtime.png, gone on with"
    )
    parser.add_argument("--device", action="store_true", help="time NUTS at n = 30, T = 200 where JAX runs")
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell:
        print(json.dumps(run(Cell(**json.loads(arguments.cell)), arguments.output)))
        return
    if arguments.device:
        time_devices(arguments.quick)
        return

    asked = [cell for cell in cells(arguments.quick) if cell.name.startswith(arguments.only)]
    judged_too = {cell.problem for cell in asked if cell.block == "table"}
    chosen = [
        cell
        for cell in cells(arguments.quick)
        if cell in asked or (cell.engine == "judge" and cell.problem in judged_too)
    ]
    print(
        f"{'block':10} {'prior':22} {'n':>3} {'T':>4} {'P':>5}  {'engine':16}"
        + "".join(f" {title:>9}" for title in ("seconds", "again s", "effective", "eff./s", "again", "error"))
    )
    arguments.output.mkdir(parents=True, exist_ok=True)
    table = arguments.output / "runtime.csv"
    results = known(table)
    for cell in chosen:
        if cell not in results or "failed" in results[cell]:
            results[cell] = in_own_process(cell, arguments.output, arguments.patience)
            written(results, table)
        print(line(cell, results[cell]), flush=True)
    draw(results, arguments.output / "runtime.png")
    print(f"written to {arguments.output}/runtime.csv and {arguments.output}/runtime.png")


if __name__ == "__main__":
    main()
