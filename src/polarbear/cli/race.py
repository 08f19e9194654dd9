"""Commands `race`, `resume` and `add`: run the race of a `race.toml`, and store it in a race file."""

import signal
import threading
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.open_file import require_race_file
from polarbear.cli.report import after_each_round

if TYPE_CHECKING:
    from polarbear.configuration import Prepared
    from polarbear.driver.race import Race
    from polarbear.race.result import RaceResult

_KEPT = ("race.", "grid.")  # the race file stores only overrides that affect decisions, not limits and workers


def race(
    config: options.Config = Path("race.toml"),
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The race file.")] = None,
    confidence: options.Confidence = None,
    guarantee: options.Guarantee = None,
    rope: options.Rope = None,
    seed: options.Seed = None,
    workers: options.Workers = None,
    dask: options.Dask = None,
    max_instances: options.MaxInstances = None,
    max_evaluations: options.MaxEvaluations = None,
    max_seconds: options.MaxSeconds = None,
    report: options.Report = None,
    settings: options.Set = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Race the algorithms of a configuration until every pair is decided, or until a limit. Ctrl-C stops it at any time."""
    changes = options.overrides(
        {
            "race.confidence": confidence,
            "race.guarantee": guarantee,
            "race.rope": rope,
            "race.seed": seed,
            **_limits(workers, dask, max_instances, max_evaluations, max_seconds),
        },
        settings,
    )
    prepared, result = run_race(config, output, changes, page=report, quiet=quiet)
    file = output or prepared.race_file
    finish(result, file, as_json=as_json, quiet=quiet)
    _say_what_next(file, quiet=quiet)


def resume(
    file: options.RaceFileName,
    config: options.OtherConfig = None,
    confidence: options.Confidence = None,
    guarantee: options.Guarantee = None,
    rope: options.Rope = None,
    workers: options.Workers = None,
    dask: options.Dask = None,
    max_instances: options.MaxInstances = None,
    max_evaluations: options.MaxEvaluations = None,
    max_seconds: options.MaxSeconds = None,
    report: options.Report = None,
    settings: options.Set = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Go on with a race: after Ctrl-C, a kill or a crash, or with a larger wish such as more confidence or a finer grid.

    Algorithms are read anew from the configuration. What it says differently now holds from now on; nothing that is known is
    run again.
    """
    changes = options.overrides(
        {
            "race.confidence": confidence,
            "race.guarantee": guarantee,
            "race.rope": rope,
            **_limits(workers, dask, max_instances, max_evaluations, max_seconds),
        },
        settings,
    )
    _go_on(file, config, changes, None, page=report, as_json=as_json, quiet=quiet)


def add(
    file: options.RaceFileName,
    names: Annotated[list[str] | None, typer.Argument(help="Which ones; by default all that are new.")] = None,
    config: options.OtherConfig = None,
    workers: options.Workers = None,
    dask: options.Dask = None,
    max_instances: options.MaxInstances = None,
    max_evaluations: options.MaxEvaluations = None,
    max_seconds: options.MaxSeconds = None,
    report: options.Report = None,
    settings: options.Set = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Let algorithms into a race that were written into its configuration after it began, and go on.

    They first run on the instances that the race knows, until they are out or have caught up.
    """
    changes = options.overrides(_limits(workers, dask, max_instances, max_evaluations, max_seconds), settings)
    _go_on(file, config, changes, names or [], page=report, as_json=as_json, quiet=quiet)


def run_race(
    config: Path, output: Path | None, changes: dict[str, Any], *, page: Path | None = None, quiet: bool
) -> "tuple[Prepared, RaceResult]":
    """Start a race from a configuration and run it; return the prepared configuration and the result."""
    from dataclasses import fields

    from polarbear.configuration import prepare, to_store
    from polarbear.driver.race import Race

    prepared = prepare(config, changes)
    path = output or prepared.race_file
    options.require_writable(path, page)
    if path.exists():
        known = terminal.shell_path(path)
        raise ValueError(f"{path} exists already; go on with: polarbear resume {known}, or name another with --output")
    chosen = {field.name: getattr(prepared.settings, field.name) for field in fields(prepared.settings)}
    about = _kept(to_store(prepared))
    with Race(prepared.algorithms, prepared.instances, path=path, about=about, **chosen) as new:
        return prepared, _run(new, prepared, page, quiet=quiet)


def _go_on(
    file: Path,
    config: Path | None,
    changes: dict[str, Any],
    names: list[str] | None,
    *,
    page: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Continue a race. If `names` is a list, first add these algorithms; an empty list adds all new ones."""
    from dataclasses import fields

    from polarbear.configuration import load_stored, to_store
    from polarbear.driver.race import Race
    from polarbear.storage import RaceFile

    require_race_file(file)
    options.require_writable(page)
    prepared = load_stored(file, config=config).prepare(config, changes)
    with Race.open(file) as known:
        present, candidates, before = known.state.names, known.state.pareto_set, known.state.settings
        rounds, instances = len(known.state.rounds), known.result.instances
    with RaceFile.open(file, write=False) as stored:
        runs = len(stored.runs())
    different = {
        field.name: getattr(prepared.settings, field.name)
        for field in fields(before)
        if getattr(prepared.settings, field.name) != getattr(before, field.name)
    }
    newcomers = [name for name in prepared.algorithms if name not in present]
    if names is not None:
        newcomers = _wanted(names, newcomers, prepared)
    elif newcomers:
        terminal.print_remark(
            f"{prepared.path.name} names {', '.join(newcomers)} besides; let them in with: polarbear add "
            f"{terminal.shell_path(file)}",
            quiet=quiet,
        )
    terminal.print_remark(
        f"Going on after {terminal.with_noun(rounds, 'round')} on {terminal.with_noun(instances, 'instance')}; "
        f"{terminal.with_noun(runs, 'run')} kept",
        quiet=quiet,
    )
    gone = [name for name in candidates if name not in prepared.algorithms]
    if gone:
        raise ValueError(
            f"{' and '.join(gone)} can still win the race, but {prepared.path} has no {gone[0]} any more; put it back"
        )
    old = {name: each for name, each in prepared.algorithms.items() if name in present}
    with Race.open(file, algorithms=old, instances=prepared.instances, **different) as race:
        for name, value in different.items():
            terminal.print_remark(f"{name}: {value!r} from now on, was {getattr(before, name)!r}", quiet=quiet)
        for key, value in _kept(to_store(prepared)).items():
            race.note(key, value)
        for name in newcomers if names is not None else ():
            race.add(name, prepared.algorithms[name])
            terminal.print_remark(f"{name} is let in and runs on known instances first", quiet=quiet)
        result = _run(race, prepared, page, quiet=quiet)
    finish(result, file, as_json=as_json, quiet=quiet)
    _say_what_next(file, quiet=quiet)


def _wanted(names: list[str], newcomers: list[str], prepared: "Prepared") -> list[str]:
    from polarbear.configuration.errors import suggest

    for name in names:
        if name not in prepared.algorithms:
            known = suggest(name, prepared.algorithms)
            raise ValueError(f"there is no algorithm {name!r} in {prepared.path}; write it there first ({known})")
        if name not in newcomers:
            raise ValueError(f"{name!r} is in the race already; go on with `polarbear resume`")
    if not newcomers:
        raise ValueError(f"every algorithm of {prepared.path} is in the race already; write another one there first")
    return names or newcomers


def _run(race: "Race", prepared: "Prepared", page: Path | None, *, quiet: bool) -> "RaceResult":
    from polarbear.configuration.building import executor_of

    limits = prepared.tables.limits
    renew = after_each_round(race, None if page is None else page.resolve())
    with chdir(prepared.folder), _terminated_like_interrupted(), executor_of(prepared.tables.execution) as executor:
        result = race.run(
            executor,
            max_instances=limits.instances,
            max_evaluations=limits.evaluations,
            max_seconds=limits.seconds,
            time_limit=limits.run_seconds,
            retries=limits.retries,
            stop=renew,
            progress="none" if quiet else "auto",
        )
    if page is not None and result.rounds:
        from polarbear.reporting import report

        report(race, page)  # without `live`: the page of a stopped race does not reload itself
    return result


def finish(result: "RaceResult", file: Path, *, as_json: bool, quiet: bool, leave: bool = True) -> None:
    """Print the result of a race; if it is not finished and `leave` is set, exit with code 2."""
    from polarbear.cli.status import best_over_time, print_account
    from polarbear.exports import account

    told = {"file": str(file), **account(result)}
    if as_json:
        terminal.print_json(told)
    else:
        print_account(told, best_over_time(result))
    if result.failures:
        first = result.failures[0]
        name, last = first.trajectory.algorithm, first.message.strip().splitlines()[-1:]
        failed = terminal.with_noun(len(result.failures), "run")
        terminal.print_remark(f"{failed} failed; the first, of {name}: {' '.join(last)}", quiet=quiet)
    if not result.finished:
        why, more = _why_stopped(result)
        terminal.print_remark(
            f"Not all is decided: {why}; go on with: polarbear resume {terminal.shell_path(file)}{more}", quiet=quiet
        )
        if leave:
            raise typer.Exit(2)


def _why_stopped(result: "RaceResult") -> tuple[str, str]:
    """Return why an unfinished race stopped, and the option that doubles the limit that it reached."""
    match result.stopped:
        case "max_instances":
            return "the limit of instances is reached", f" --max-instances {2 * max(result.instances, 1)}"
        case "max_evaluations":
            spent = sum(result.cost.values())
            unit = result.state.settings.clock
            return f"the limit of {unit} is reached", f" --max-evaluations {2 * spent:.6g}" if spent else ""
        case "max_seconds":
            return "its time is over", ""
        case "instances ran out":
            return "it has used all instances; add others", ""
        case other:
            return f"it was {other}", ""


def _say_what_next(file: Path, *, quiet: bool) -> None:
    """Print the commands to try next."""
    known = terminal.shell_path(file)
    terminal.print_remark(f"Now try: polarbear select {known} --map, or: polarbear report {known}", quiet=quiet)


def _limits(
    workers: int | None,
    dask: str | None,
    max_instances: int | None,
    max_evaluations: float | None,
    max_seconds: float | None,
) -> dict[str, Any]:
    return {
        "execution.workers": workers,
        "execution.dask": dask,
        "limits.instances": max_instances,
        "limits.evaluations": max_evaluations,
        "limits.seconds": max_seconds,
    }


def _kept(about: dict[str, Any]) -> dict[str, Any]:
    return {
        key: {**told, "overrides": {name: each for name, each in told["overrides"].items() if name.startswith(_KEPT)}}
        for key, told in about.items()
    }


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Let SIGTERM stop the race as Ctrl-C does: in a valid state, with no worker left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: object) -> None:
        del number, frame
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
