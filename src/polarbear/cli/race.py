"""Command `race`: run the race of a `race.toml`, and store it in a race file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.run_race import print_next_commands, print_outcome, run_race, values_to_store
from polarbear.literals import View

if TYPE_CHECKING:
    from polarbear.configuration import Prepared
    from polarbear.race.result import RaceResult


def race(
    config: options.Config = Path("race.toml"),
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The race file to create; race.file by default.")
    ] = None,
    *,
    strictness: options.Strictness,
    seed: Annotated[int | None, typer.Option(help="Seed of all randomness in the race.")] = None,
    running: options.Running,
) -> None:
    """Race the algorithms of a configuration until every pair is decided or a limit is reached.

    The race file stores every run and every decision. Ctrl-C stops the race at any time; `polarbear resume` continues it.
    """
    changes = running.overrides({**strictness.keys(), "race.seed": seed})
    prepared, result = start_race(config, output, changes, page=running.report, view=running.view)
    file = output or prepared.race_file
    print_outcome(result, file, as_json=running.as_json, quiet=running.quiet)
    print_next_commands(file, quiet=running.quiet)


def start_race(
    config: Path, output: Path | None, changes: dict[str, Any], *, page: Path | None = None, view: View
) -> "tuple[Prepared, RaceResult]":
    """Start a race from a configuration and run it; return the prepared configuration and the result."""
    from dataclasses import fields

    from polarbear.configuration import prepare
    from polarbear.driver.race import Race

    prepared = prepare(config, changes)
    path = output or prepared.race_file
    options.require_writable(path, page)
    if path.exists():
        raise ValueError(
            f"{path} exists already; continue it with: polarbear resume {terminal.shell_path(path)}, or choose another "
            "file with --output"
        )
    settings = {field.name: getattr(prepared.settings, field.name) for field in fields(prepared.settings)}
    about = values_to_store(prepared)
    with Race(prepared.algorithms, prepared.instances, path=path, about=about, **settings) as new:
        return prepared, run_race(new, prepared, page, view=view)
