"""Continue a race from its race file: with new settings, other algorithms, or for selected algorithms only."""

import shlex
from collections.abc import Callable, Collection, Sequence, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.run_race import (
    features_to_store,
    open_executor,
    run_race,
    values_to_store,
)
from polarbear.literals import View
from polarbear.wording import join_names, with_noun

if TYPE_CHECKING:
    from polarbear.configuration import Prepared
    from polarbear.driver.race import Race
    from polarbear.race.jobs import Run
    from polarbear.race.outcome import RaceOutcome, Stopped
    from polarbear.race.state import State
    from polarbear.result import Result

# Reasons that hold before a round begins; after the others, some runs of an unfinished round may have been made.
_STOPS_BEFORE_RUNS: "tuple[Stopped, ...]" = (
    "finished",
    "pairs left undecided",
    "no drop likely",
    "selected pairs decided",
    "max_instances",
    "max_evaluations",
    "instances ran out",
)

Change = Callable[["State", "Prepared"], Callable[["Race"], None]]


def continue_race(
    file: Path,
    config: Path | None,
    changes: dict[str, Any],
    *,
    view: View,
    change: Change | None = None,
    needed: Sequence[str] = (),
    adds: bool = False,
    only: list[str] | None = None,
    rerun_failed: bool = False,
    accept_failures: bool = False,
) -> "Result":
    """Continue a race from its file and its configuration.

    Parameters
    ----------
    file, config
        The race file, and the configuration if it has moved.
    changes
        Values that the command line sets instead of the configuration.
    view
        What to show of the progress.
    change
        Checks changes, such as an added algorithm, before anything is written, and returns what makes them.
    needed
        Algorithms that must be in the configuration, besides the candidates.
    adds
        Whether a change adds algorithms.
    only, rerun_failed, accept_failures
        See `Race.run`.
    """
    from dataclasses import fields

    from polarbear.configuration import load_stored
    from polarbear.driver.race import Race
    from polarbear.opening import require_race_file
    from polarbear.result import result_of_race
    from polarbear.storage import RaceFile

    quiet = view == "none"
    require_race_file(file)
    prepared = load_stored(file, config=config).prepare(config, changes)
    with Race.open(file) as stopped:
        state, instances = stopped.state, stopped.outcome.instances
    present, candidates, before, rounds = state.names, state.kept, state.settings, len(state.rounds)
    make_change = None if change is None else change(state, prepared)
    with RaceFile.open(file, write=False) as stored:
        runs = list(stored.runs().values())
    different = {
        field.name: getattr(prepared.settings, field.name)
        for field in fields(before)
        if getattr(prepared.settings, field.name) != getattr(before, field.name)
    }
    new = [name for name in prepared.algorithms if name not in present]
    if new and not adds:
        terminal.print_note(
            f"{prepared.path.name} also has {', '.join(new)}, which the race does not have; add with: polarbear race "
            f"{terminal.shell_path(file)} --add new",
            quiet=quiet,
        )
    terminal.print_note(
        f"Continuing after {with_noun(rounds, 'round')} on {with_noun(instances, 'instance')}; "
        f"{with_noun(len(runs), 'stored run')}",
        quiet=quiet,
    )
    missing = [name for name in dict.fromkeys([*candidates, *needed]) if name not in prepared.algorithms]
    if missing:
        removal = " --drop ".join(map(shlex.quote, missing))
        raise ValueError(
            f"expected every candidate of the race in {prepared.path}, got no {' and no '.join(missing)}; put it back, or "
            f"drop it: polarbear race {terminal.shell_path(file)} --drop {removal}"
        )
    if rerun_failed:
        _print_reruns(file, runs, {*(only or candidates), *needed}, present, quiet=quiet)
    known = {name: each for name, each in prepared.algorithms.items() if name in present}
    features = features_to_store(prepared, quiet=quiet)
    with (
        open_executor(prepared) as executor,
        Race.open(file, algorithms=known, instances=prepared.instances, features=features, **different) as race,
    ):
        for name, value in different.items():
            terminal.print_note(f"{name}: {value!r} from now on, was {getattr(before, name)!r}", quiet=quiet)
        for key, value in values_to_store(prepared).items():
            race.note(key, value)
        if make_change is not None:
            make_change(race)
        choices = {"only": only or None, "rerun_failed": rerun_failed, "accept_failures": accept_failures}
        result = run_race(race, prepared, executor, view=view, **choices)
    if len(result.rounds) == rounds and result.stopped in _STOPS_BEFORE_RUNS:
        terminal.print_note(_nothing_ran(result, prepared), quiet=quiet)
    return result_of_race(result, path=terminal.shell_path(file), continues=True, only=only or ())


def _nothing_ran(result: "RaceOutcome", prepared: "Prepared") -> str:
    """Return why a race that was continued has run nothing, and, if it stopped for futility, what makes it run."""
    from polarbear.race.stopping import limit_to_continue

    reason = f"Nothing ran: {result.why_stopped[0].lower()}{result.why_stopped[1:]}"
    if result.stopped != "no drop likely":
        return reason
    limit, instances = limit_to_continue(result.state, result.posterior), prepared.instances
    listed = isinstance(instances, Sized) and not callable(instances)
    higher = limit is not None and not (listed and limit > len(instances))
    steps = [f"--max-instances {limit} or more"] if higher else []
    steps += ["--decide for a pair", "--until pairs for every pair"]
    return f"{reason} To continue, use {join_names(steps, 'or')}."


def _print_reruns(file: Path, runs: "list[Run]", names: set[str], present: Collection[str], *, quiet: bool) -> None:
    """Print which failed runs are made again, and which are not because their algorithm is no candidate.

    An algorithm that was removed before its runs were judged is not `present` any more, and can be added.
    """
    from polarbear.race.failing import count_failures

    again = count_failures(run for run in runs if run.trajectory.algorithm in names)
    terminal.print_note(f"Made again: {again}" if again else "No failed runs to make again", quiet=quiet)
    others = {run.trajectory.algorithm for run in runs if run.status != "done"} - names
    for name in sorted(others):
        known, quoted = terminal.shell_path(file), shlex.quote(name)
        step = f"--restore {quoted} --failed rerun" if name in present else f"--add {quoted}"
        terminal.print_note(
            f"Not made again: the failed runs of {name}; to let it race again: polarbear race {known} {step}",
            quiet=quiet,
        )
