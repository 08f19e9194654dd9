"""Command `show`: print the answer of a race, of recorded runs, or of a saved result."""

import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.help import MORE
from polarbear.literals import Dominance, Method

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.analysis import Replay
    from polarbear.baselines import AoccComparison
    from polarbear.result import Result

_SECONDS = 2.0  # between two readings of a race that is watched


def show(
    file: options.AnySource,
    details: Annotated[bool, typer.Option("--details", help="Also print probabilities, pairs and all notes.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Print the answer again after each round.")] = False,
    by: options.By = None,
    features: options.Features = None,
    as_race: Annotated[
        bool, typer.Option("--as-race", help="Also print what a race would have kept and saved on these runs.")
    ] = False,
    guarantee: Annotated[
        float | None,
        typer.Option(rich_help_panel=MORE, help="With --as-race: the risk of a wrong drop."),
    ] = None,
    optimum: Annotated[
        float | None, typer.Option(rich_help_panel=MORE, help="The known optimum, to compare with the AOCC.")
    ] = None,
    *,
    reading: options.Reading,
    prior: Annotated[str | None, typer.Option(rich_help_panel=MORE, help="The prior, as in race.toml.")] = None,
    method: Annotated[Method | None, typer.Option(rich_help_panel=MORE, help=options.ANALYSE)] = None,
    dominance: Annotated[Dominance | None, typer.Option(rich_help_panel=MORE, help=options.ANALYSE)] = None,
    confidence: Annotated[float | None, typer.Option(help=options.ANALYSE)] = None,
    seed: Annotated[int | None, typer.Option(min=0, rich_help_panel=MORE, help=options.ANALYSE)] = None,
    save: Annotated[Path | None, typer.Option(help="Write the result to this file, which all commands read.")] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Print which algorithm is best at which budget, how much it matters, and what may be dropped. Nothing is run.

    With options, the runs of a race file are compared as recorded runs. --save keeps how runs were read: other commands need
    no options for the saved result.
    """
    if guarantee is not None and not as_race:
        raise ValueError(f"expected --as-race with --guarantee {guarantee:g}, got no --as-race; add it")
    if features is not None and by is None:
        raise ValueError(
            f"expected --by with --features {features}, got no --by; add --by with a column of the table, or use: polarbear "
            f"explain {terminal.shell_path(file)} --features {terminal.shell_path(features)}"
        )
    from polarbear.file_kinds import is_posterior_file, is_race_file, require_exists
    from polarbear.importers.option_text import as_typed
    from polarbear.opening import load
    from polarbear.show.environment import wrap

    options.require_writable(save, inputs=[file, features], force=force)
    analysis: dict[str, Any] = {"method": method, "dominance": dominance, "confidence": confidence, "seed": seed}
    if prior is not None:
        from polarbear.configuration import parse_prior

        analysis["prior"] = parse_prior(prior)
    given = {**reading.given(), **{name: value for name, value in analysis.items() if value is not None}}
    require_exists(file)
    # The columns of tables that are not read now cannot divide the runs later.
    keep = {} if by is None or is_race_file(file) or is_posterior_file(file) else {"keep": [by]}
    if given and is_posterior_file(file):
        option, *_ = as_typed(*next(iter(given.items()))).split()
        raise ValueError(
            f"expected recorded runs or a race file for {option}, got the saved result {file}; give the file of its runs"
        )

    def read() -> "Result":
        return replace(load(file, **given, **keep), reading=reading.as_typed())

    result = read()
    if save is not None:
        result.save(save, force=force)
        terminal.print_note(f"saved in {terminal.shell_path(save)}, which all commands read without options")
        if result.race is None:  # the commands that it prints continue a race from its race file
            origin = result.origin or result.path + result.reading
            result = replace(result, path=terminal.shell_path(save), reading="", origin=origin)
    while True:
        data: dict[str, Any] = result.to_dict()
        text = [str(result.words(shell=True))]
        if by is not None:
            table = None if features is None else options.read_table(features, result)
            split = result.split(by, table)
            data |= split.to_dict()
            text.append("\n".join(split.lines(shell=True)))
        if details:
            text.append(result.details(shell=True))
        if as_race:
            replay = result.as_race(guarantee=guarantee, seed=seed or 0)
            data |= {"as_race": _replay_as_data(replay)}
            text.append(wrap(replay.sentence, 2))
        aocc = _compare_with_aocc(result, optimum)
        data |= {"aocc": None if aocc is None else asdict(aocc)}
        if aocc is not None and (details or optimum is not None):
            text.append(wrap(aocc.sentence, 2))
        if as_json:
            terminal.print_json(data)
        else:
            terminal.print_result("\n\n".join(text))
        if not watch or (new := _next(result, read)) is None:
            return
        result = new
        if sys.stdout.isatty() and not as_json:
            print("\033[2J\033[H", end="")  # clears the screen


def _next(result: "Result", read: "Callable[[], Result]") -> "Result | None":
    """Return the result of the race after its next round; None if the race has stopped or is no race."""
    while result.race is not None and result.writer:
        time.sleep(_SECONDS)
        new = read()
        assert new.race is not None
        if len(new.race.rounds) > len(result.race.rounds) or not new.writer:
            return new
        result = new
    return None


def _compare_with_aocc(result: "Result", optimum: float | None) -> "AoccComparison | None":
    """Return what AOCC would choose; None without an optimum, or if the optimum that the format implies does not apply."""
    if optimum is not None:
        return result.compare_with_aocc(optimum)
    if result.imported is None or not result.imported.optimum_known:
        return None
    aocc = result.compare_with_aocc(0.0)
    return None if aocc.choice is None else aocc


def _replay_as_data(replay: "Replay") -> dict[str, Any]:
    return {
        "kept": list(replay.result.kept),
        "dropped": {each.name: asdict(each) for each in replay.result.drops},
        "instances": replay.result.instances,
        "recorded": replay.recorded,
        "spent": replay.spent,
        "saved_share": replay.saved_share,
        "instances_recorded": replay.instances,
        "instances_left_out": replay.left_out,
        "stopped": replay.result.stopped,
    }
