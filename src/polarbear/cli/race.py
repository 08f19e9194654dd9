"""Command `race`: run the race of a `race.toml`, and store it in a race file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.cli.run_race import (
    features_to_store,
    open_executor,
    print_next_commands,
    print_outcome,
    run_race,
    values_to_store,
)
from polarbear.literals import View
from polarbear.wording import suggest

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
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Begin with the algorithms named by --only; `add` adds the others later; repeatable."
        ),
    ] = None,
    running: options.Running,
) -> None:
    """Race the algorithms of a configuration until every pair is decided or a limit is reached.

    The race file stores every run and every decision. Ctrl-C stops the race at any time; `polarbear resume` continues it.
    """
    changes = running.overrides({**strictness.keys(), "race.seed": seed})
    choices = {"accept_failures": running.accept_failures}
    prepared, result = start_race(config, output, changes, page=running.report, view=running.view, only=only, **choices)
    file = output or prepared.race_file
    print_outcome(result, file, as_json=running.as_json)
    print_next_commands(file, quiet=running.quiet)


def start_race(
    config: Path,
    output: Path | None,
    changes: dict[str, Any],
    *,
    page: Path | None = None,
    view: View,
    only: list[str] | None = None,
    **choices: Any,
) -> "tuple[Prepared, RaceResult]":
    """Start a race from a configuration and run it; return the prepared configuration and the result.

    With `only`, the race begins with these algorithms. Further arguments are those of `Race.run`.
    """
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
    algorithms = prepared.algorithms if only is None else _select_algorithms(prepared, only)
    settings = {field.name: getattr(prepared.settings, field.name) for field in fields(prepared.settings)}
    about, features = values_to_store(prepared), features_to_store(prepared)
    with (
        open_executor(prepared) as executor,
        Race(algorithms, prepared.instances, path=path, about=about, features=features, **settings) as new,
    ):
        return prepared, run_race(new, prepared, executor, page, view=view, **choices)


def _select_algorithms(prepared: "Prepared", only: list[str]) -> dict[str, Any]:
    """Return the algorithms of these names; raise an error unless they are two or more of the configuration."""
    for name in only:
        if name not in prepared.algorithms:
            hint = suggest(name, prepared.algorithms) or f"choose from {', '.join(prepared.algorithms)}"
            raise ValueError(f"there is no algorithm {name!r} in {prepared.path}; {hint}")
    if len(set(only)) < 2:
        raise ValueError(f"expected two algorithms or more with --only, got {only[0]}; add another --only")
    return {name: each for name, each in prepared.algorithms.items() if name in only}
