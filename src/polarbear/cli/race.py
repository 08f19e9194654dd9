"""Command `race`: start the race of a `race.toml`, or continue it from its race file."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from polarbear.cli import options, terminal
from polarbear.cli.continuing import continue_race
from polarbear.cli.run_race import (
    features_to_store,
    open_executor,
    print_result,
    run_race,
    values_to_store,
)
from polarbear.literals import Until, View
from polarbear.wording import suggest

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.configuration import Prepared
    from polarbear.driver.race import Race
    from polarbear.race.state import State
    from polarbear.result import Result

_Names = list[str] | None


def race(
    path: Annotated[
        Path, typer.Argument(metavar="RACE", help="A race.toml, its folder, or a race file, which continues.")
    ] = Path("race.toml"),
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The race file; an existing one continues.")
    ] = None,
    confidence: Annotated[float | None, typer.Option(help=options.SETTINGS)] = None,
    guarantee: Annotated[float | None, typer.Option(help=options.SETTINGS)] = None,
    margin: Annotated[float | None, typer.Option(help=options.SETTINGS)] = None,
    until: Annotated[Until | None, typer.Option(help=options.SETTINGS)] = None,
    groups: Annotated[str | None, typer.Option(metavar="FEATURE", help=options.SETTINGS)] = None,
    seed: Annotated[int | None, typer.Option(help=options.SETTINGS)] = None,
    only: options.Only = None,
    decide: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="Go on until this pair is decided.")
    ] = None,
    add: Annotated[
        _Names, typer.Option(metavar="NAME", help="Add an algorithm of race.toml; repeatable; new: all new ones.")
    ] = None,
    restore: Annotated[
        _Names, typer.Option(metavar="NAME", help="Let a dropped algorithm race again; repeatable.")
    ] = None,
    drop: Annotated[
        _Names, typer.Option(metavar="NAME", help="Drop an algorithm without judging it; repeatable.")
    ] = None,
    failed: Annotated[
        Literal["rerun", "accept"] | None,
        typer.Option(help="Make failed runs again, or judge an algorithm whose first runs all fail."),
    ] = None,
    workers: options.Workers = None,
    max_instances: options.MaxInstances = None,
    max_evaluations: Annotated[float | None, typer.Option(help="Stop at this total cost.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    settings: options.SetKeys = None,
    force: options.Force = False,
    progress: Annotated[View, typer.Option(help="Show it live, in lines, or not; auto: as it suits.")] = "auto",
) -> None:
    """Start a race, or continue it: with stricter settings, other algorithms, or for one pair.

    The race stops when it is finished, no drop is likely, or a limit is reached. The race file stores every run and every
    decision, and Ctrl-C loses nothing. Changed settings apply from now on.
    """
    given = {"confidence": confidence, "guarantee": guarantee, "margin": margin, "until": until, "groups": groups}
    changes: dict[str, Any] = {f"race.{name}": value for name, value in {**given, "seed": seed}.items()}
    changes |= {"limits.instances": max_instances, "limits.evaluations": max_evaluations, "limits.seconds": max_seconds}
    changes = options.overrides(changes, settings, workers)
    chosen, quiet = _chosen(only, decide), progress == "none"
    options.silence(quiet)
    how = {"rerun_failed": failed == "rerun", "accept_failures": failed == "accept"}
    file = _existing_race(path, output, changes)
    if file is None:
        _refuse_before_start(add=add, restore=restore, drop=drop, decide=decide)
        if failed == "rerun":
            raise ValueError("expected a race that has begun for --failed rerun, got a new one; leave it out")
        result = start_race(path, output, changes, view=progress, only=only, force=force, **how)
    elif drop and not _has_configuration(file):
        result = _only_drop(file, drop)
    else:
        added, restored, dropped = (each or [] for each in (add, restore, drop))
        changed = bool(added or restored or dropped)
        result = continue_race(
            file,
            None if file == path else path,
            changes,
            view=progress,
            change=plan_changes(file, added, restored, dropped, quiet=quiet) if changed else None,
            needed=restored,
            adds=bool(add),
            only=chosen,
            **how,
        )
    print_result(result)


def _chosen(only: list[str] | None, decide: tuple[str, str] | None) -> list[str] | None:
    if only and decide:
        raise ValueError("expected either --only or --decide, got both; leave one of them out")
    return list(decide) if decide else only


def _existing_race(path: Path, output: Path | None, changes: dict[str, Any]) -> Path | None:
    """Return the race file that a path stands for; None if a race begins."""
    from polarbear.configuration import prepare
    from polarbear.file_kinds import is_race_file

    if path.is_file() and is_race_file(path):
        return path
    if output is None and path.suffix == ".race" and not path.exists():
        from polarbear.file_kinds import require_exists

        require_exists(path)  # its error suggests other race files
    file = output or prepare(path, changes).race_file
    return file if file.is_file() and is_race_file(file) else None


def _refuse_before_start(**given: Any) -> None:
    for name, value in given.items():
        if value:
            option = f"--{name.replace('_', '-')}"
            raise ValueError(f"expected a race that has begun for {option}, got a new one; leave {option} out")


def _has_configuration(file: Path) -> bool:
    from polarbear.driver.race import Race

    with Race.open(file) as stored:
        return "configuration" in stored.about


def start_race(
    config: Path,
    output: Path | None,
    changes: dict[str, Any],
    *,
    view: View,
    only: list[str] | None = None,
    force: bool = False,
    **choices: Any,
) -> "Result":
    """Start a race from a configuration and run it; return its result.

    With `only`, the race begins with these algorithms. Further arguments are those of `Race.run`.
    """
    from dataclasses import fields

    from polarbear.configuration import prepare
    from polarbear.driver.race import Race
    from polarbear.result import result_of_race

    prepared = prepare(config, changes)
    path = output or prepared.race_file
    options.require_writable(path, inputs=[prepared.path], force=force)
    algorithms = prepared.algorithms if only is None else _select_algorithms(prepared, only)
    settings = {field.name: getattr(prepared.settings, field.name) for field in fields(prepared.settings)}
    about, features = values_to_store(prepared), features_to_store(prepared, quiet=view == "none")
    with (
        open_executor(prepared) as executor,
        Race(algorithms, prepared.instances, path=path, about=about, features=features, **settings) as new,
    ):
        outcome = run_race(new, prepared, executor, view=view, **choices)
    return result_of_race(outcome, path=terminal.shell_path(path), continues=True)


def _select_algorithms(prepared: "Prepared", only: list[str]) -> dict[str, Any]:
    """Return the algorithms of these names; raise an error unless they are two or more of the configuration."""
    for name in only:
        if name not in prepared.algorithms:
            hint = suggest(name, prepared.algorithms) or f"choose from {', '.join(prepared.algorithms)}"
            raise ValueError(f"there is no algorithm {name!r} in {prepared.path}; {hint}")
    if len(set(only)) < 2:
        raise ValueError(f"expected two algorithms or more with --only, got {only[0]}; add another --only")
    return {name: each for name, each in prepared.algorithms.items() if name in only}


def _only_drop(file: Path, names: list[str]) -> "Result":
    """Drop candidates of a race that a Python program made, which no command can continue."""
    from polarbear.driver.race import Race
    from polarbear.opening import load_race

    with Race.open(file, algorithms={}) as stored:
        _check_drops(stored.state, names)
        for name in names:
            stored.drop(name)
    return load_race(file)


def plan_changes(
    file: Path, added: list[str], restored: list[str], dropped: list[str], *, quiet: bool
) -> "Callable[[State, Prepared], Callable[[Race], None]]":
    """Return a function that checks which algorithms to add, restore and drop, and returns what makes these changes."""
    from polarbear.race import loop

    known = terminal.shell_path(file)

    def prepare(state: "State", prepared: "Prepared") -> "Callable[[Race], None]":
        new = _algorithms_to_add(added, state.names, prepared) if added else []
        for name in restored:
            if name in prepared.algorithms and name not in state.names:
                raise ValueError(
                    f"expected a dropped algorithm to restore, got {name!r}, of which the race has no judged runs; add it "
                    f"with: polarbear race {known} --add {shlex.quote(name)}"
                )
            state = loop.restore(state, name)
        _check_drops(state, dropped)
        return lambda race: make(race, new, prepared)

    def make(race: "Race", new: list[str], prepared: "Prepared") -> None:
        for name in new:
            race.add(name, prepared.algorithms[name])
            terminal.print_note(f"{name} is added; it first runs on the instances used so far", quiet=quiet)
        beaten, dropped_by_user = {each.name: each for each in race.outcome.drops}, race.state.dropped_by_user
        for name in restored:
            race.restore(name)
            was = beaten.get(name)
            why = dropped_by_user[name] if was is None else f"dropped in round {was.round}, beaten by {was.by}"
            terminal.print_note(
                f"{name} is a candidate again; it was {why}. Its earlier runs still count.", quiet=quiet
            )
        for name in dropped:
            race.drop(name)
            undo = f"polarbear race {known} --restore {shlex.quote(name)}"
            terminal.print_note(f"{name} is dropped; undo with: {undo}", quiet=quiet)

    return prepare


def _check_drops(state: "State", names: list[str]) -> None:
    """Raise an error unless these candidates can be dropped."""
    from polarbear.race import loop

    rest = [name for name in state.kept if name not in names]
    if names and len(rest) < 2 and not state.rounds:
        raise ValueError(
            f"expected two candidates or more to remain, got {', '.join(rest) or 'none'}; start another race"
        )
    for name in sorted(names, key=lambda each: each in state.candidates):  # an unknown name is reported first
        state = loop.drop(state, name)


def _algorithms_to_add(names: list[str], present: tuple[str, ...], prepared: "Prepared") -> list[str]:
    """Return the named algorithms, or all new ones for the name "new"; raise an error unless each is new."""
    new = [name for name in prepared.algorithms if name not in present]
    if names == ["new"] and "new" not in prepared.algorithms:
        if not new:
            raise ValueError(f"every algorithm of {prepared.path} is in the race already; define a new one there first")
        return new
    for name in names:
        if name not in prepared.algorithms:
            hint = suggest(name, prepared.algorithms) or "define it there first"
            raise ValueError(f"there is no algorithm {name!r} in {prepared.path}; {hint}")
        if name not in new:
            raise ValueError(f"{name!r} is in the race already; continue it without --add {shlex.quote(name)}")
    return list(dict.fromkeys(names))
