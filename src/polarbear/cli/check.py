"""Command `check`: run each algorithm once and report problems, before a race begins."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal

if TYPE_CHECKING:
    from polarbear.configuration import Prepared
    from polarbear.race.jobs import Run

_CHECK_SECONDS = 60.0  # time limit of a run in `check`, unless limits.run_seconds sets one


def check(
    config: options.Config = Path("race.toml"),
    until: Annotated[float | None, typer.Option(help="Time at which to stop; by default the end of the grid.")] = None,
    instance: Annotated[int, typer.Option(min=0, help="Number of the instance to run on.")] = 0,
    settings: options.SetKeys = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Run each algorithm once on one instance and report problems. Nothing is stored."""
    from polarbear.configuration import prepare

    prepared = prepare(config, options.overrides({}, settings))
    until_time = float(prepared.settings.grid.times[-1]) if until is None else until
    if not 0 < until_time < math.inf:
        raise ValueError(f"expected a time above 0 for --until, got {until_time:g}")
    results = [(run, _remarks(run, prepared, until_time)) for run in _run_each(prepared, instance, until_time, quiet)]
    failed = [run for run, _ in results if run.status != "done"]
    if as_json:
        terminal.print_json([_as_data(run, remarks) for run, remarks in results])
    else:
        heads = ["algorithm", "state", "improvements", "first at", "best value", "seconds"]
        if any(remarks for _, remarks in results):
            heads.append("remarks")
        terminal.print_table(heads, [_row(run, remarks)[: len(heads)] for run, remarks in results])
        for run in failed:
            terminal.print_result(f"\n{run.trajectory.algorithm}: {run.message.strip()}")
    if failed:
        raise typer.Exit(1)
    terminal.print_remark(f"\nNo problems found; now try: polarbear race {terminal.shell_path(config)}", quiet=quiet)


def _run_each(prepared: "Prepared", instance: int, until: float, quiet: bool) -> "list[Run]":
    from contextlib import chdir

    from polarbear.configuration.building import executor_of
    from polarbear.configuration.schema import ExecutionTable
    from polarbear.execution import Limits, pack, run_supervised
    from polarbear.race.jobs import Job
    from polarbear.race.sampling import seed_of

    settings, source = prepared.settings, prepared.instances
    if isinstance(source, list) and instance >= len(source):
        raise ValueError(f"expected an instance from 0 to {len(source) - 1}, got {instance}")
    seconds = until + _CHECK_SECONDS if settings.clock == "seconds" else _CHECK_SECONDS
    limits = Limits(seconds=prepared.tables.limits.run_seconds or seconds, retries=0)
    table = prepared.tables.execution
    runs = []
    with chdir(prepared.folder), executor_of(table if table.dask else ExecutionTable(workers=1)) as executor:
        for name, algorithm in prepared.algorithms.items():
            terminal.print_remark(f"running {name} ...", quiet=quiet)
            payload = pack(algorithm, source, settings.clock, settings.maximise)
            seeds = seed_of(settings.seed, "check", instance, name), seed_of(settings.seed, "check", instance)
            job = Job(name, instance, until, *seeds)
            runs.append(executor.submit(run_supervised, payload, job, limits).result())
    return runs


def _remarks(run: "Run", prepared: "Prepared", until: float) -> list[str]:
    """Return remarks on a run that may point to a mistake without being errors."""
    path, grid = run.trajectory, prepared.settings.grid
    if run.status != "done":
        return ["see below"]
    remarks = []
    if path.times.size and path.times[0] > grid.times[0]:
        number = int((grid.times < path.times[0]).sum())
        remarks.append(f"has no value at the first {number} of {len(grid)} times")
    if run.reached < 0.5 * until:
        remarks.append(f"ended by itself at {run.reached:,.6g} of {until:,.6g}")
    if path.times.size == 1 and len(grid) > 1:
        remarks.append("reported only one value; does it report improvements as they happen?")
    return remarks


def _row(run: "Run", remarks: list[str]) -> tuple[object, ...]:
    path = run.trajectory
    first = f"{path.times[0]:,.6g}" if path.times.size else "never"
    best = f"{path.values[-1]:.6g}" if path.values.size else "none"
    state = "fine" if run.status == "done" else run.status
    return path.algorithm, state, len(path.times), first, best, run.seconds, "; ".join(remarks)


def _as_data(run: "Run", remarks: list[str]) -> dict[str, Any]:
    path = run.trajectory
    return {
        "algorithm": path.algorithm,
        "status": run.status,
        "message": run.message,
        "improvements": len(path.times),
        "first": path.times[0] if path.times.size else None,
        "best": path.values[-1] if path.values.size else None,
        "reached": run.reached,
        "seconds": run.seconds,
        "remarks": remarks,
    }
