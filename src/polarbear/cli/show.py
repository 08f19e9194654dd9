"""Command `show`: print the answer of a race, of recorded runs, or of a saved posterior."""

import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.features import read_table
from polarbear.cli.reading import Reading, open_result
from polarbear.literals import Dominance

if TYPE_CHECKING:
    from polarbear.analysis import Replay
    from polarbear.baselines import AoccComparison
    from polarbear.result import Result

_SECONDS = 2.0  # between two readings of a race that is watched


def show(
    file: options.AnySource,
    details: Annotated[
        bool, typer.Option("--details", help="Also print probabilities, drops, pairs, the race, and all notes.")
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Print the answer again after each round.")] = False,
    by: options.By = None,
    features: options.Features = None,
    as_race: Annotated[
        bool, typer.Option("--race", help="Also print what a race on these runs would have kept and saved.")
    ] = False,
    guarantee: Annotated[
        float | None,
        typer.Option(help="With --race: the largest probability of any wrong drop, whatever the model."),
    ] = None,
    optimum: Annotated[
        float | None,
        typer.Option(
            help="Also compare with the AOCC for this optimum; known for COCO's data and IOHprofiler's BBOB suites."
        ),
    ] = None,
    *,
    reading: Reading,
    prior: Annotated[str | None, typer.Option(help="The prior, as in race.toml.")] = None,
    method: Annotated[str | None, typer.Option(help="How the posterior is computed, as in race.toml.")] = None,
    dominance: Annotated[Dominance | None, options.ELIMINATION] = None,
    confidence: Annotated[
        float | None, typer.Option(help="The probability that dropping an algorithm needs; 0.95 by default.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the posterior, and of the order of a replayed race.")] = 0,
    save: Annotated[Path | None, typer.Option(help=f"Write the posterior to this file. {options.NO_DECISIONS}")] = None,
    force: options.Force = False,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Print which algorithm is best at which budget, how much it matters, and what may be dropped. Nothing is run.

    A race file shows the answer of its race, also while the race runs. With options of recorded runs, such as --only or
    --stop, or of the posterior, such as --confidence, its runs are compared as recorded runs.
    """
    del quiet
    if guarantee is not None and not as_race:
        raise ValueError(f"expected --race with --guarantee {guarantee:g}, got no --race; add --race, or leave it out")
    if features is not None and by is None:
        raise ValueError(
            f"expected --by with --features {features}, got no --by; add --by with a column of the table, or use: polarbear "
            f"explain {terminal.shell_path(file)} --features {terminal.shell_path(features)}"
        )
    from polarbear.show.environment import wrap

    options.require_writable(save, inputs=[file, features], force=force)
    inference: dict[str, Any] = {} if method is None else {"method": method}
    if prior is not None:
        from polarbear.configuration import parse_prior

        inference["prior"] = parse_prior(prior)
    rule: dict[str, Any] = {"dominance": dominance, "confidence": confidence}
    chosen = inference | {name: value for name, value in rule.items() if value is not None}

    def read() -> "Result":
        return open_result(file, reading, keep=[] if by is None else [by], seed=seed, chosen=chosen)

    result = read()
    if save is not None:
        result.posterior.save(save, force=force)
    while True:
        data: dict[str, Any] = result.to_dict()
        text = [str(result.words(shell=True))]
        if by is not None:
            table = None if features is None else read_table(features, file if result.race is not None else None)
            split = result.split(by, table)
            data |= split.to_dict()
            text.append("\n".join(split.lines(shell=True)))
        if details:
            text.append(result.details(shell=True))
        if as_race:
            replay = result.as_race(guarantee=guarantee, seed=seed, **inference)
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


def _next(result: "Result", read: Any) -> "Result | None":
    """Return the result of the race after its next round; None if the race has stopped or is no race."""
    while result.race is not None and result.writer:
        time.sleep(_SECONDS)
        new: Result = read()
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
        "dropped": {each.name: asdict(each) for each in replay.result.eliminations},
        "instances": replay.result.instances,
        "recorded": replay.recorded,
        "spent": replay.spent,
        "saved_share": replay.saved_share,
        "instances_recorded": replay.instances,
        "instances_left_out": replay.left_out,
        "stopped": replay.result.stopped,
    }
