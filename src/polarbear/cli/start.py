"""Commands for the first steps: `demo` and `init`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polarbear.cli import options, terminal
from polarbear.cli.irace import write_race_of_irace
from polarbear.cli.race import start_race
from polarbear.cli.run_race import print_result
from polarbear.output_file import write_output

if TYPE_CHECKING:
    from polarbear.literals import View


def demo(max_instances: options.MaxInstances = None, quiet: options.Quiet = False) -> None:
    """Race four optimisers on random problems, and print which one to use at which budget; takes about a minute."""
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="polarbear-demo-"))
    _write_example(folder)
    view: View = "none" if quiet else "auto"
    changes = options.overrides({"limits.instances": max_instances}, None)
    result = start_race(folder / "race.toml", None, changes, view=view)
    print_result(result)
    terminal.print_note(
        f"\nThe race and its files are in {folder}; try: polarbear select {result.path} --budget 50", quiet=quiet
    )


def init(
    folder: Annotated[Path, typer.Argument(help="Folder to write to; created if it is missing.")] = Path(),
    irace: Annotated[
        Path | None, typer.Option(metavar="SCENARIO", help="Write the race of this scenario file of irace instead.")
    ] = None,
    budgets: Annotated[
        str | None, typer.Option(metavar="LIST", help="With --irace: the budgets: 100,300,1000, or 1s,10s,60s.")
    ] = None,
    budget_switch: Annotated[
        str | None,
        typer.Option(
            metavar="SWITCH",
            help="With --irace: call the target runner once per budget, with this switch and the budget as last argument. "
            "Without it, the runner prints lines `budget cost` up to the budget in POLARBEAR_BUDGET.",
        ),
    ] = None,
    configurations: Annotated[
        Path | None, typer.Option(help="With --irace: the configurations to race; the scenario's own by default.")
    ] = None,
    force: options.Force = False,
) -> None:
    """Write a commented race.toml with a working example, and its JSON schema for editors.

    With --irace, write a scenario of irace as a race.toml, with its configurations, instances and target runner.
    `polarbear export RACE irace` writes the kept configurations as initial ones for irace.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"expected a folder, got the file {folder}; choose another name")
    if irace is not None:
        write_race_of_irace(irace, folder, budgets, configurations, budget_switch=budget_switch, force=force)
        return
    if budgets is not None or budget_switch is not None or configurations is not None:
        raise ValueError(
            "expected --irace SCENARIO with --budgets, --budget-switch and --configurations, got no --irace"
        )
    folder.mkdir(parents=True, exist_ok=True)
    for path in _write_example(folder, force=force):
        terminal.print_result(str(path))
    terminal.print_note(f"Now try: polarbear check {terminal.shell_path(folder / 'race.toml')}")


def _write_example(folder: Path, *, force: bool = False) -> list[Path]:
    import json
    from importlib.resources import files

    from polarbear.configuration.schema import json_schema

    example = files("polarbear.configuration.example")
    texts = {name: example.joinpath(name).read_text(encoding="utf-8") for name in ("race.toml", "optimisers.py")}
    texts["race.schema.json"] = json.dumps(json_schema(), indent=2) + "\n"
    existing = [name for name in texts if (folder / name).exists()]
    if existing and not force:
        raise ValueError(
            f"{folder.resolve()} already has {', '.join(existing)}; choose another folder, or replace with --force"
        )
    for name, text in texts.items():
        write_output(folder / name, text, force=force, configuration=name == "race.toml")
    return [folder / name for name in texts]
