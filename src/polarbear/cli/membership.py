"""Commands `add`, `readmit` and `remove`: change which algorithms take part in a race."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from polarbear.cli import options, terminal
from polarbear.cli.open_file import require_race_file, typed_race
from polarbear.cli.resume import continue_race
from polarbear.wording import format_percent, suggest

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.configuration import Prepared
    from polarbear.driver.race import Race
    from polarbear.race.result import RaceResult
    from polarbear.race.state import State


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

    def change(state: "State", prepared: "Prepared") -> "Callable[[Race], None]":
        new = _algorithms_to_add(names or [], state.names, prepared)

        def make(race: "Race") -> None:
            for name in new:
                race.add(name, prepared.algorithms[name])
                terminal.print_remark(
                    f"{name} is added; it first runs on the instances used so far", quiet=running.quiet
                )

        return make

    continue_race(file, config, running.overrides({}), running, change=change)


def readmit(
    file: options.RaceFileName,
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Eliminated or removed algorithms.")],
    config: options.OtherConfig = None,
    rerun_failed: options.RerunFailed = False,
    *,
    running: options.Running,
) -> None:
    """Make eliminated or removed algorithms candidates again, and continue the race.

    They first run on the instances that they have missed. Their earlier runs still count, so they may be eliminated again.
    """
    first_round = 0

    def change(state: "State", prepared: "Prepared") -> "Callable[[Race], None]":
        from polarbear.race import loop

        nonlocal first_round
        first_round = len(state.rounds) + 1
        for name in names:
            if name in prepared.algorithms and name not in state.names:
                raise ValueError(
                    f"expected an algorithm that was eliminated or removed, got {name!r}, of which the race has no judged "
                    f"runs; add it with: polarbear add {terminal.shell_path(file)} {shlex.quote(name)}"
                )
            state = loop.readmit(state, name)

        def make(race: "Race") -> None:
            decisions, removed = {each.name: each for each in race.result.eliminations}, race.state.removed
            for name in names:
                race.readmit(name)
                was = decisions.get(name)
                why = removed[name] if was is None else f"eliminated in round {was.round}, beaten by {was.by}"
                terminal.print_remark(
                    f"{name} is a candidate again; it was {why}. Its earlier runs still count.", quiet=running.quiet
                )

        return make

    def remark(result: "RaceResult") -> None:
        for each in result.eliminations:
            if each.name in names:
                when = "at once" if each.round == first_round else f"in round {each.round}"
                terminal.print_remark(
                    f"{each.name} was eliminated again {when}: {each.by} beats it at every budget with probability "
                    f"{format_percent(each.probability)}, given its earlier runs and the new ones.",
                    quiet=running.quiet,
                )

    continue_race(
        file,
        config,
        running.overrides({}),
        running,
        change=change,
        needed=names,
        remark=remark,
        rerun_failed=rerun_failed,
    )


def remove(
    file: options.RaceFileName,
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="The candidates to remove.")],
    quiet: options.Quiet = False,
) -> None:
    """Remove candidates from a race by hand. Nothing runs; their stored runs stay and inform about the others."""
    from polarbear.driver.race import Race
    from polarbear.race import loop

    require_race_file(file)
    names = list(dict.fromkeys(names))
    with Race.open(file, algorithms={}) as race:
        rest = [name for name in race.state.pareto_set if name not in names]
        if len(rest) < 2 and not race.state.rounds:
            raise ValueError(
                f"expected two candidates or more to remain, got {', '.join(rest) or 'none'}; start another race"
            )
        state = race.state
        for name in sorted(names, key=lambda each: each in state.candidates):  # an unknown name is reported first
            state = loop.remove(state, name)  # raises an error before anything is written
        for name in names:
            race.remove(name)
        candidates, ran = race.state.pareto_set, set(names) <= set(race.state.names)
    terminal.print_result(f"Not eliminated: {', '.join(candidates)}")
    known = typed_race(file)
    undo = "readmit" if ran else "add"  # an algorithm without decided runs leaves no trace
    step = f"polarbear resume {known}; undo with: polarbear {undo} {known} {shlex.join(names)}"
    calls = "; ".join(f"race.{undo}({name!r}{'' if ran else ', ...'})" for name in names)
    in_python = f"race.run(); undo with: {calls}"
    terminal.print_remark(f"Continue with: {step if known else in_python}", quiet=quiet)


def _algorithms_to_add(names: list[str], present: tuple[str, ...], prepared: "Prepared") -> list[str]:
    """Return the named algorithms, or all new ones; raise an error unless each is new."""
    new = [name for name in prepared.algorithms if name not in present]
    for name in names:
        if name not in prepared.algorithms:
            hint = suggest(name, prepared.algorithms) or "define it there first"
            raise ValueError(f"there is no algorithm {name!r} in {prepared.path}; {hint}")
        if name not in new:
            raise ValueError(f"{name!r} is in the race already; continue it with `polarbear resume`")
    if not new:
        raise ValueError(f"every algorithm of {prepared.path} is in the race already; define a new one there first")
    return list(dict.fromkeys(names)) or new
