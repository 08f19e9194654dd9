"""Commands `resume` and `add`: continue a race from its race file, with new settings or new algorithms."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.open_file import require_race_file
from polarbear.cli.run_race import print_next_commands, print_outcome, run_race, values_to_store
from polarbear.wording import suggest, with_noun

if TYPE_CHECKING:
    from polarbear.configuration import Prepared


def resume(
    file: options.RaceFileName,
    config: options.OtherConfig = None,
    *,
    strictness: options.Strictness,
    running: options.Running,
) -> None:
    """Continue a race that was stopped or killed, or with stricter settings such as more confidence or a finer grid.

    Algorithms are read again from the configuration, and changed settings apply from now on. Stored runs are reused.
    """
    _continue(file, config, running.overrides(strictness.keys()), None, running)


def add(
    file: options.RaceFileName,
    names: Annotated[list[str] | None, typer.Argument(help="The algorithms to add; by default all new ones.")] = None,
    config: options.OtherConfig = None,
    *,
    running: options.Running,
) -> None:
    """Add algorithms that are new in the configuration to a race, and continue it.

    They first run on the instances that the race has used, until they are eliminated or have caught up.
    """
    _continue(file, config, running.overrides({}), names or [], running)


def _continue(
    file: Path, config: Path | None, changes: dict[str, Any], names: list[str] | None, running: options.Running
) -> None:
    """Continue a race. If `names` is a list, first add these algorithms; an empty list adds all new ones."""
    from dataclasses import fields

    from polarbear.configuration import load_stored
    from polarbear.driver.race import Race
    from polarbear.storage import RaceFile

    quiet = running.quiet
    require_race_file(file)
    options.require_writable(running.report)
    prepared = load_stored(file, config=config).prepare(config, changes)
    with Race.open(file) as stopped:
        present, candidates, before = stopped.state.names, stopped.state.pareto_set, stopped.state.settings
        rounds, instances = len(stopped.state.rounds), stopped.result.instances
    with RaceFile.open(file, write=False) as stored:
        runs = len(stored.runs())
    different = {
        field.name: getattr(prepared.settings, field.name)
        for field in fields(before)
        if getattr(prepared.settings, field.name) != getattr(before, field.name)
    }
    new = [name for name in prepared.algorithms if name not in present]
    if names is not None:
        new = _algorithms_to_add(names, new, prepared)
    elif new:
        terminal.print_remark(
            f"{prepared.path.name} also has {', '.join(new)}, not yet in the race; add with: polarbear add "
            f"{terminal.shell_path(file)}",
            quiet=quiet,
        )
    terminal.print_remark(
        f"Continuing after {with_noun(rounds, 'round')} on {with_noun(instances, 'instance')}; "
        f"{with_noun(runs, 'stored run')}",
        quiet=quiet,
    )
    missing = [name for name in candidates if name not in prepared.algorithms]
    if missing:
        raise ValueError(
            f"expected every candidate of the race in {prepared.path}, got no {' and no '.join(missing)}; put it back"
        )
    known = {name: each for name, each in prepared.algorithms.items() if name in present}
    with Race.open(file, algorithms=known, instances=prepared.instances, **different) as race:
        for name, value in different.items():
            terminal.print_remark(f"{name}: {value!r} from now on, was {getattr(before, name)!r}", quiet=quiet)
        for key, value in values_to_store(prepared).items():
            race.note(key, value)
        for name in new if names is not None else ():
            race.add(name, prepared.algorithms[name])
            terminal.print_remark(f"{name} is added; it first runs on the instances used so far", quiet=quiet)
        result = run_race(race, prepared, running.report, view=running.view)
    print_outcome(result, file, as_json=running.as_json, quiet=quiet)
    print_next_commands(file, quiet=quiet)


def _algorithms_to_add(names: list[str], new: list[str], prepared: "Prepared") -> list[str]:
    """Return the named algorithms, or all new ones; raise an error unless each is new."""
    for name in names:
        if name not in prepared.algorithms:
            hint = suggest(name, prepared.algorithms) or "define it there first"
            raise ValueError(f"there is no algorithm {name!r} in {prepared.path}; {hint}")
        if name not in new:
            raise ValueError(f"{name!r} is in the race already; continue it with `polarbear resume`")
    if not new:
        raise ValueError(f"every algorithm of {prepared.path} is in the race already; define a new one there first")
    return names or new
