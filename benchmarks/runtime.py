"""The paper's two runtime figures, and a table of all engines and their peers.

    python benchmarks/runtime.py                     # everything: hours, most of them for the peers
    python benchmarks/runtime.py --quick             # two sizes of each figure, and the table for three priors
    python benchmarks/runtime.py --only table/BSpline
    python benchmarks/runtime.py --patience 3600     # a longer time limit per cell; ">" marks those that exceed it
    python benchmarks/runtime.py --device            # NUTS at n = 30, T = 200 on JAX's default device and on the CPU

There are three blocks of cells, and each cell runs in its own process:

- table: every engine (Stan's Pathfinder where cmdstanpy is installed) at n = 5, T = 50, P = 30 (the independent
  Dirichlet: n = 7, T = 20, P = 100), with the effective draws per second and the largest error of P(dominance), compared
  with a long NUTS run (the engine "judge");
- pathfinder: the independent Dirichlet at a single budget, for several n and P;
- mcmc: all models with a hyperparameter, for several T at n = 5, P = 30, with 4 chains; PyMC with 1000 warm-up and 1000
  kept draws per chain.

Imports and the building of PyMC's models are not counted. Compilation is, because PyMC compiles again for the data of
each round. Our NUTS keeps its compiled functions for later rounds; "again" is a second fit, with other data. The table
and the figure are written to the folder --output. Cells that it already contains are not measured again, so you can
interrupt the command and repeat it.
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
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime_cells import PEERS, Cell, choices_of, run
from runtime_figure import draw

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
TEMPORAL = ("GaussianProcess", "SparseGaussianProcess", "HilbertSpaceGP", "RandomWalk", "BSpline")
PRIORS = ("Dirichlet", "HierarchicalDirichlet", *TEMPORAL)
OURS = ("default", "nuts", "pathfinder", "laplace", "advi", "advi-fullrank")
IN_STAN = ("Dirichlet", "HierarchicalDirichlet", "GaussianProcess")
SAMPLERS = ("nuts", "pymc-numpyro", "pymc-nutpie")


def _is_true(text: str) -> bool:
    return text == "True"


FIELDS: dict[str, Callable[[str], Any]] = {
    "seconds": float,
    "again": float,
    "effective": float,
    "error": float,
    "reliable": _is_true,
    "gave_up": _is_true,
    "failed": str,
}


def cells(quick: bool) -> list[Cell]:
    """Return all cells; the judge of a problem comes before the cells that are compared with it."""
    table = []
    for prior in ("BSpline", "RandomWalk", "Dirichlet") if quick else PRIORS:
        size = (7, 20, 100) if prior == "Dirichlet" else (5, 50, 30)
        stan = ("stan-pathfinder",) if prior in IN_STAN and find_spec("cmdstanpy") else ()
        table += [Cell("table", engine, prior, *size) for engine in ("judge", *OURS, *stan, *PEERS)]
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


def in_own_process(cell: Cell, folder: Path, patience: float) -> dict[str, Any]:
    """Measure a cell in a new process; `patience` is a time limit in seconds."""
    command = [sys.executable, "-W", "ignore", __file__, "--cell", json.dumps(asdict(cell)), "--output", str(folder)]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    try:
        process = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=patience
        )
    except subprocess.TimeoutExpired:
        return {"seconds": patience, "gave_up": True}
    if process.returncode != 0:
        return {"failed": (process.stderr.strip().splitlines() or ["no reason given"])[-1][:200]}
    result: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return result


def line(cell: Cell, result: dict[str, Any]) -> str:
    """Format the row of a cell."""
    size = f"{cell.block:10} {cell.prior:22} {cell.algorithms:3} {cell.budgets:4} {cell.instances:5}  {cell.engine:16}"
    if "failed" in result:
        return f"{size} failed: {result['failed']}"
    if result.get("gave_up"):
        return f"{size} >{result['seconds']:8.1f} s: stopped at the time limit"
    effective = result.get("effective", math.nan)
    again = result.get("again", math.nan)
    columns = [result["seconds"], again, effective, effective / result["seconds"], effective / again]
    numbers = "".join(f" {value:9.1f}" if math.isfinite(value) else f" {'-':>9}" for value in columns)
    doubt = "" if result.get("reliable", True) else "  (reports: not reliable)"
    return f"{size} {numbers} {result.get('error', math.nan):9.3f}{doubt}"


def write_csv(results: dict[Cell, dict[str, Any]], path: Path) -> None:
    """Write all measurements, one row per cell."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*Cell.__dataclass_fields__, *FIELDS])
        writer.writerows(
            [*asdict(cell).values(), *(result.get(name, "") for name in FIELDS)] for cell, result in results.items()
        )


def read_csv(path: Path) -> dict[Cell, dict[str, Any]]:
    """Read the measurements of an earlier call, if there are any."""
    if not path.exists():
        return {}
    results = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            size = {name: int(row[name]) for name in ("algorithms", "budgets", "instances")}
            result = {name: FIELDS[name](row[name]) for name in FIELDS if row[name]}
            results[Cell(row["block"], row["engine"], row["prior"], **size)] = result
    return results


def time_devices(quick: bool) -> None:
    """Time NUTS at n = 30, T = 200 (smaller if quick) on JAX's default device and, if it is not the CPU, on the CPU."""
    import jax

    import polarbear as pb
    from polarbear.inference.reference.reparametrisation import whitening_coordinates

    cell = Cell("device", "nuts", "BSpline", 10, 40, 50) if quick else Cell("device", "nuts", "BSpline", 30, 200, 100)
    choices, other_data = choices_of(cell), choices_of(cell, seed=2)
    devices = [jax.devices()[0]]
    if devices[0].platform != "cpu":
        devices.append(jax.devices("cpu")[0])
    print(f"B-spline, n = {cell.algorithms}, T = {cell.budgets}, P = {cell.instances}; 4 chains, 4000 draws in total")
    started = time.perf_counter()
    whitening_coordinates(choices, pb.BSpline())
    seconds = time.perf_counter() - started
    print(f"each time includes {seconds:.1f} s for the Laplace approximation, which runs on the CPU")
    for device in devices:
        with jax.default_device(device):
            for which, data in (("first", choices), ("again", other_data)):
                started = time.perf_counter()
                diagnostics = pb.fit(data, prior=pb.BSpline(), method="nuts").diagnostics
                seconds = time.perf_counter() - started
                rate = diagnostics.effective_draws / seconds
                print(
                    f"{device.device_kind:24} {which}: {seconds:7.1f} s, {rate:7.1f} effective draws per second. "
                    f"{diagnostics.message}"
                )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer sizes and priors")
    parser.add_argument(
        "--only",
        default="",
        help="measure only cells whose name (block/prior/engine/n-T-P) starts with this text, and their judges",
    )
    parser.add_argument("--patience", type=float, default=600, help="time limit per cell, in seconds")
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("runtime"),
        help="folder of runtime.csv and runtime.png; cells in it are not measured again",
    )
    parser.add_argument(
        "--device", action="store_true", help="time NUTS at n = 30, T = 200 on JAX's default device and on the CPU"
    )
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cell:
        print(json.dumps(run(Cell(**json.loads(arguments.cell)), arguments.output)))
        return
    if arguments.device:
        time_devices(arguments.quick)
        return

    matching = [cell for cell in cells(arguments.quick) if cell.name.startswith(arguments.only)]
    judged_problems = {cell.problem for cell in matching if cell.block == "table"}
    selected = [
        cell
        for cell in cells(arguments.quick)
        if cell in matching or (cell.engine == "judge" and cell.problem in judged_problems)
    ]
    print(
        f"{'block':10} {'prior':22} {'n':>3} {'T':>4} {'P':>5}  {'engine':16}"
        + "".join(f" {title:>9}" for title in ("seconds", "again, s", "eff.draws", "draws/s", "again", "error"))
    )
    arguments.output.mkdir(parents=True, exist_ok=True)
    table = arguments.output / "runtime.csv"
    results = read_csv(table)
    for cell in selected:
        if cell not in results or "failed" in results[cell]:
            results[cell] = in_own_process(cell, arguments.output, arguments.patience)
            write_csv(results, table)
        print(line(cell, results[cell]), flush=True)
    draw(results, arguments.output / "runtime.png")
    print(f"The results are in {arguments.output}/runtime.csv and {arguments.output}/runtime.png")


if __name__ == "__main__":
    main()
