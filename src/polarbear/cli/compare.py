"""Command `compare`: check in continuous integration that a new version of an algorithm is nowhere worse."""

import re
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.wording import format_percent, suggest

if TYPE_CHECKING:
    from polarbear.opening import RecordedRuns
    from polarbear.race.version_comparison import VersionComparison

_VERSION = (
    "module:function, a command with {instance}, an algorithm of the configuration or of --runs, or recorded runs"
)
_FUNCTION = re.compile(r"[\w.]+:[\w.]+")


def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help=f"The old version: {_VERSION}.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new version, given in the same way.")],
    config: Annotated[
        Path, typer.Option("--config", help="The configuration with instances and grid; its algorithms do not run.")
    ] = Path("race.toml"),
    runs: Annotated[
        Path | None, typer.Option(help="Recorded runs of both: OLD and NEW are the names of two algorithms in them.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="The probability that a verdict needs.")] = 0.95,
    margin: Annotated[float, typer.Option(help="How far below 0.5 a win rate may lie: 0.05 for 45 %.")] = 0.05,
    max_instances: options.MaxInstances = None,
    max_seconds: Annotated[float | None, typer.Option(help="Stop after this many seconds.")] = None,
    workers: options.Workers = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all randomness.")] = None,
    settings: options.SetKeys = None,
    as_json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Check that a new version of an algorithm is nowhere worse than the old one, and print one sentence.

    Live versions run on the same instances with the same seeds until the answer is certain enough.

    Exit codes: 0 if NEW is nowhere worse by more than the margin, 1 if it is worse somewhere, 2 if more instances are
    needed, 3 after an error.
    """
    rule: dict[str, Any] = {"confidence": confidence, "margin": margin}
    if runs is not None or (Path(old).exists() and Path(new).exists()):
        unused: dict[str, Any] = {"--max-instances": max_instances, "--max-seconds": max_seconds, "--workers": workers}
        unused |= {"--set": settings or None}
        if wrong := [name for name, value in unused.items() if value is not None]:
            raise ValueError(f"expected algorithms to run with {wrong[0]}, got recorded runs; leave it out")
        result = _compare_recorded(old, new, runs, seed=seed or 0, **rule)
    else:
        changes = {"race.seed": seed, "limits.instances": max_instances, "limits.seconds": max_seconds}
        result = _compare_live(old, new, config, options.overrides(changes, settings, workers), quiet=quiet, **rule)
    if as_json:
        terminal.print_json(result.to_data())
    else:
        terminal.print_result(result.sentence)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def _compare_live(
    old: str, new: str, config: Path, changes: dict[str, Any], *, quiet: bool, **rule: Any
) -> "VersionComparison":
    from polarbear.cli.run_race import terminate_like_interrupt
    from polarbear.configuration import algorithm_tables, prepare
    from polarbear.configuration.building import executor_of
    from polarbear.versions import compare as compare_versions

    known = algorithm_tables(config)
    tables = {"OLD": _algorithm_table(old, known, config), "NEW": _algorithm_table(new, known, config)}
    names = (old, new) if old in known and new in known and old != new else ("OLD", "NEW")
    prepared = prepare(config, {**changes, "algorithms": tables})
    chosen, limits = prepared.settings, prepared.tables.limits
    given = ("clock", "maximise", "seed", "draws", "failure", "absolute_tolerance", "relative_tolerance")
    with chdir(prepared.folder), terminate_like_interrupt(), executor_of(prepared.tables.execution) as executor:
        return compare_versions(
            prepared.algorithms["OLD"],
            prepared.algorithms["NEW"],
            prepared.instances,
            chosen.grid,
            names=names,
            max_instances=limits.instances,
            max_seconds=limits.seconds,
            executor=executor,
            time_limit=limits.run_seconds,
            retries=limits.retries,
            after_look=lambda result: _print_look(result, quiet=quiet),
            **rule,
            **{name: getattr(chosen, name) for name in given},
        )


def _algorithm_table(text: str, known: dict[str, Any], config: Path) -> Any:
    """Return the table of `race.toml` for a version: that of a known algorithm, a command or a function."""
    if text in known:
        return known[text]
    if "{" in text or " " in text:
        return {"command": text}
    if _FUNCTION.fullmatch(text):
        return {"function": text}
    if Path(text).exists():
        raise ValueError(f"expected two recordings or two algorithms, got the recording {text} and an algorithm")
    hint = suggest(text, known) or "check its spelling"
    raise ValueError(
        f"expected {_VERSION}, got {text!r}, which is none of these ({config} is the configuration); {hint}"
    )


def _print_look(result: "VersionComparison", *, quiet: bool) -> None:
    rates = result.win_rates
    no_worse, worse = _format_sureness(rates.nowhere_worse), _format_sureness(rates.worse_somewhere)
    needed = f"{100 - float(f'{100 * (1 - result.probability_needed):.2g}'):.6g} %"
    terminal.print_note(
        f"{result.data} · {no_worse} sure that {result.new} is nowhere worse by more than the "
        f"margin, {worse} that it is worse somewhere ({needed} decides)",
        quiet=quiet,
    )


def _format_sureness(probability: float) -> str:
    """Return a probability with one decimal near those that decide, which have one, too."""
    return f"{100 * probability:.1f} %" if 0.9 <= probability < 0.9995 else format_percent(probability)


def _compare_recorded(old: str, new: str, runs: Path | None, *, seed: int, **rule: Any) -> "VersionComparison":
    from polarbear.opening import read_recorded
    from polarbear.versions import compare as compare_versions

    if runs is None:
        names = ("OLD", "NEW")
        first, second = (read_recorded(Path(path)) for path in (old, new))
        for part, path in ((first, old), (second, new)):
            if len(algorithms := sorted({run.algorithm for run in part.runs})) > 1:
                raise ValueError(
                    f"expected runs of one algorithm in {path}, got {', '.join(algorithms)}; compare two of them with "
                    f"--runs {path}"
                )
        grid = first.grid if first.grid == second.grid else None
    else:
        names, both = (old, new), read_recorded(runs)
        first, second = (_runs_of(name, both, runs) for name in names)
        grid = both.grid
    return compare_versions(first, second, grid=grid, names=names, seed=seed, clock=first.clock, **rule)


def _runs_of(name: str, recorded: "RecordedRuns", path: Path) -> "RecordedRuns":
    present = list(dict.fromkeys(run.algorithm for run in recorded.runs))
    if name not in present:
        hint = suggest(name, present) or f"choose among {', '.join(present)}"
        raise ValueError(f"expected an algorithm in {path}, got {name!r}; {hint}")
    return replace(recorded, runs=tuple(run for run in recorded.runs if run.algorithm == name))
