"""Command `check`: run each algorithm once and report problems, before a race begins."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.wording import round_off

if TYPE_CHECKING:
    from polarbear.algorithms.command_transcript import Transcript
    from polarbear.configuration import Prepared
    from polarbear.race.jobs import Run

_CHECK_SECONDS = 60.0  # time limit of a run in `check`, unless limits.run_seconds sets one

_ERROR_LINES = 5  # last lines of standard error to print
_FAILURE_LINES = 40  # last lines of a traceback, and of the output of a failed run, to print


def check(
    config: options.Config = Path("race.toml"),
    budget: Annotated[float | None, typer.Option(help="When to stop; by default the last budget.")] = None,
    instance: Annotated[int, typer.Option(min=0, help="Number of the instance to run on.")] = 0,
    settings: options.SetKeys = None,
    as_json: options.Json = False,
) -> None:
    """Run each algorithm once on one instance and report problems. Nothing is stored.

    For an external program, print its command, its last lines of output, and what was recognised in them.
    """
    from polarbear.configuration import prepare

    prepared = prepare(config, options.overrides({}, settings))
    budget = float(prepared.settings.grid.budgets[-1]) if budget is None else budget
    if not 0 < budget < math.inf:
        raise ValueError(f"expected a budget above 0 for --budget, got {budget:g}")
    checked = _run_each(prepared, instance, budget)
    results = [(run, _notes(run, prepared, budget, transcript)) for run, transcript in checked]
    programs = {run.trajectory.algorithm: transcript for run, transcript in checked if transcript is not None}
    failed = [(run.trajectory.algorithm, run.failure) for run, _ in results if run.failure is not None]
    if as_json:
        terminal.print_json([_as_data(run, notes, programs.get(run.trajectory.algorithm)) for run, notes in results])
    else:
        heads = ["algorithm", "state", "improvements", "first at", "best value", "seconds"]
        if any(notes for _, notes in results):
            heads.append("notes")
        terminal.print_table(heads, [_row(run, notes)[: len(heads)] for run, notes in results])
        listed = None if callable(prepared.instances) else str(prepared.instances[instance])
        for run, transcript in checked:
            if transcript is not None:
                _print_program(run, transcript, f"{instance}" if listed is None else f"{instance}: {listed}", prepared)
        for name, failure in failed:
            terminal.print_result(f"\n{name}: {failure.text(_FAILURE_LINES)}")
    if failed:
        raise typer.Exit(1)
    terminal.print_note(f"\nNo problems found; now try: polarbear race {terminal.shell_path(config)}")


def _run_each(prepared: "Prepared", instance: int, budget: float) -> "list[tuple[Run, Transcript | None]]":
    """Return one run per algorithm, each with the transcript of its program, if it is one that was started here."""
    import tempfile
    from contextlib import chdir

    from polarbear.algorithms.command import Command
    from polarbear.algorithms.command_transcript import TranscribedCommand, Transcript
    from polarbear.configuration.building import executor_of
    from polarbear.configuration.schema import ExecutionTable
    from polarbear.execution import Limits, pack, run_supervised
    from polarbear.race.jobs import Job
    from polarbear.race.sampling import seed_of

    settings, source = prepared.settings, prepared.instances
    if not callable(source) and instance >= len(source):
        raise ValueError(f"expected an instance from 0 to {len(source) - 1}, got {instance}")
    seconds = budget + _CHECK_SECONDS if settings.clock == "seconds" else _CHECK_SECONDS
    limits = Limits(seconds=prepared.tables.limits.run_seconds or seconds, retries=0)
    table = prepared.tables.execution
    runs = []
    place = executor_of(table if table.dask else ExecutionTable(workers=1))
    with chdir(prepared.folder), place as executor, tempfile.TemporaryDirectory(prefix="polarbear-") as folder:
        for number, (name, algorithm) in enumerate(prepared.algorithms.items()):
            terminal.print_note(f"running {name} ...")
            path = Path(folder) / f"{number}.json"
            if isinstance(algorithm, Command) and not table.dask:  # another machine cannot write the transcript here
                algorithm = TranscribedCommand.of(algorithm, path)
            payload = pack(algorithm, source, settings.clock, settings.maximise)
            seeds = seed_of(settings.seed, "check", instance, name), seed_of(settings.seed, "check", instance)
            job = Job(name, instance, budget, *seeds)
            run = executor.submit(run_supervised, payload, job, limits).result()
            runs.append((run, Transcript.load(path)))
    return runs


def _print_program(run: "Run", transcript: "Transcript", instance: str, prepared: "Prepared") -> None:
    """Print the command of an external program, its last lines of output, and what was recognised in them."""
    terminal.print_result(f"\n{run.trajectory.algorithm}")
    terminal.print_result(f"  instance    {instance}")
    terminal.print_result(f"  command     {transcript.command}")
    for head, shown in (("output", transcript.output), ("errors", run.output.splitlines()[-_ERROR_LINES:])):
        for position, line in enumerate(shown):
            terminal.print_result(f"  {head if position == 0 else '':<10}  {line}")
    ended_early = run.status != "done" and not transcript.lines
    recognised = "nothing: see below" if ended_early else transcript.sentence(prepared.settings.clock)
    terminal.print_result(f"  recognised  {recognised}")


def _notes(run: "Run", prepared: "Prepared", budget: float, transcript: "Transcript | None") -> list[str]:
    """Return notes on a run that may point to a mistake without being errors."""
    path, grid = run.trajectory, prepared.settings.grid
    if run.status != "done":
        return ["see below"]
    notes = []
    if path.budgets.size and path.budgets[0] > grid.budgets[0]:
        number = int((grid.budgets < path.budgets[0]).sum())
        notes.append(f"has no value at the first {number} of {len(grid)} budgets")
    if run.reached < 0.5 * budget:
        ended = "ended by itself" if transcript is None else "is taken to end with its last line,"
        notes.append(f"{ended} at {round_off(run.reached)} of {round_off(budget)}")
    if path.budgets.size == 1 and len(grid) > 1:
        notes.append("reported only one value; does it report improvements as they happen?")
    return notes


def _row(run: "Run", notes: list[str]) -> tuple[object, ...]:
    path = run.trajectory
    first = round_off(path.budgets[0]) if path.budgets.size else "never"
    best = f"{path.values[-1]:.3g}" if path.values.size else "none"
    state = "fine" if run.status == "done" else run.status
    return path.algorithm, state, len(path.budgets), first, best, run.seconds, "; ".join(notes)


def _as_data(run: "Run", notes: list[str], transcript: "Transcript | None") -> dict[str, Any]:
    from dataclasses import asdict

    path = run.trajectory
    return {
        "algorithm": path.algorithm,
        "status": run.status,
        "failure": None if run.failure is None else asdict(run.failure),
        "output": run.output,
        "improvements": len(path.budgets),
        "first": path.budgets[0] if path.budgets.size else None,
        "best": path.values[-1] if path.values.size else None,
        "reached": run.reached,
        "seconds": run.seconds,
        "notes": notes,
        **({} if transcript is None else {"program": asdict(transcript)}),
    }
