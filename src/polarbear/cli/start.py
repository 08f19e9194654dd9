"""Commands for the first steps: `demo`, `init` and `check`."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.race import finish, run_race

if TYPE_CHECKING:
    from polarbear.configuration import Prepared
    from polarbear.race.jobs import Run

_CHECK_SECONDS = 60.0  # time limit of a run in `check`, unless limits.run_seconds sets one


def demo(
    workers: options.Workers = None,
    max_instances: options.MaxInstances = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Race four optimisers on random problems, in about a minute, and say what to deploy."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="polarbear-demo-"))
    _write_example(folder)
    given = {"execution.workers": workers, "limits.instances": max_instances}
    prepared, result = run_race(folder / "race.toml", None, options.overrides(given, None), quiet=quiet)
    finish(result, prepared.race_file, as_json=as_json, quiet=quiet, leave=False)
    if not as_json:
        from polarbear.selection import decision_map

        terminal.print_result("\nWhich one, at which budget?")
        terminal.print_result(str(decision_map(result.posterior, among=result.pareto_set)))
    terminal.print_remark(
        f"\nAll of it is in {folder}; try: polarbear select {terminal.shell_path(prepared.race_file)} --at 50",
        quiet=quiet,
    )


def init(
    folder: Annotated[Path, typer.Argument(help="Where to write; made if it is not there.")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Write over files of these names.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write a commented race.toml with a working example beside it, and its JSON schema for editors."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"expected a folder, got the file {folder}; choose another name")
    folder.mkdir(parents=True, exist_ok=True)
    written = _write_example(folder, force=force)
    for path in written:
        terminal.print_result(str(path))
    terminal.print_remark(f"Now try: polarbear check {terminal.shell_path(folder / 'race.toml')}", quiet=quiet)


def _write_example(folder: Path, *, force: bool = False) -> list[Path]:
    import json
    from importlib.resources import files

    from polarbear.configuration.schema import json_schema

    example = files("polarbear.configuration.example")
    texts = {name: example.joinpath(name).read_text(encoding="utf-8") for name in ("race.toml", "optimisers.py")}
    texts["race.schema.json"] = json.dumps(json_schema(), indent=2) + "\n"
    there = [name for name in texts if (folder / name).exists()]
    if there and not force:
        are = "are" if len(there) > 1 else "is"
        raise ValueError(
            f"{', '.join(there)} {are} in {folder.resolve()} already; choose another folder, or say --force"
        )
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def check(
    config: options.Config = Path("race.toml"),
    until: Annotated[float | None, typer.Option(help="How long to run; by default to the end of the grid.")] = None,
    instance: Annotated[int, typer.Option(min=0, help="The number of the instance to run on.")] = 0,
    settings: options.Set = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Run each algorithm once on one instance and say what is wrong. Nothing is kept."""
    from polarbear.configuration import prepare

    prepared = prepare(config, options.overrides({}, settings))
    end = float(prepared.settings.grid.times[-1]) if until is None else until
    if not 0 < end < math.inf:
        raise ValueError(f"expected a time above 0 for --until, got {end:g}")
    checked = [(run, _remarks(run, prepared, end)) for run in _runs_of_each(prepared, instance, end, quiet)]
    faulty = [run for run, _ in checked if run.status != "done"]
    if as_json:
        terminal.print_json([_as_data(run, remarks) for run, remarks in checked])
    else:
        heads = ["algorithm", "state", "improvements", "first at", "best value", "seconds"]
        if any(remarks for _, remarks in checked):
            heads.append("remarks")
        terminal.print_table(heads, [_row(run, remarks)[: len(heads)] for run, remarks in checked])
        for run in faulty:
            terminal.print_result(f"\n{run.trajectory.algorithm}: {run.message.strip()}")
    if faulty:
        raise typer.Exit(1)
    terminal.print_remark(f"\nAll is well; now: polarbear race {terminal.shell_path(config)}", quiet=quiet)


def _runs_of_each(prepared: "Prepared", instance: int, until: float, quiet: bool) -> "list[Run]":
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
        remarks.append(f"has nothing yet at the first {number} of {len(grid)} times")
    if run.reached < 0.5 * until:
        remarks.append(f"ended by itself at {run.reached:,.6g} of {until:,.6g}")
    if path.times.size == 1 and len(grid) > 1:
        remarks.append("found only one value: does it report improvements as it goes?")
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
