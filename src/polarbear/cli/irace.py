"""Command `irace`: write the scenario of irace as a `race.toml`."""

from pathlib import Path
from typing import Annotated

import typer

from polarbear.cli import options, terminal
from polarbear.literals import Clock


def irace(
    scenario: Annotated[Path, typer.Argument(help="The scenario file of irace.")] = Path("scenario.txt"),
    *,
    budgets: Annotated[
        str, typer.Option(metavar="LIST", help="The budgets at which to compare, such as 100,300,1000.")
    ],
    budget_switch: Annotated[
        str | None,
        typer.Option(
            metavar="SWITCH",
            help="Call the target runner once per budget, with this switch and the budget as last argument, such as "
            "'--evaluations '. Without it, the runner prints lines `time cost` until the time in POLARBEAR_UNTIL.",
        ),
    ] = None,
    configurations: Annotated[
        Path | None,
        typer.Option(help="The configurations to race, such as irace's elites; the scenario's own by default."),
    ] = None,
    clock: Annotated[Clock, typer.Option(help="The unit of the budgets.")] = "evaluations",
    output: Annotated[Path, typer.Option("--output", "-o", help="The configuration of the race to write.")] = Path(
        "race.toml"
    ),
    quiet: options.Quiet = False,
) -> None:
    """Write a scenario of irace as a race.toml, with its configurations, instances and target runner.

    `polarbear race` then races the configurations, and `polarbear export RACE irace` writes the survivors as initial
    configurations for irace.
    """
    from polarbear.irace.configurations import read_configurations
    from polarbear.irace.forbidden import read_forbidden
    from polarbear.irace.race_toml import race_toml
    from polarbear.irace.scenario import read_irace_scenario
    from polarbear.wording import with_noun

    read = read_irace_scenario(scenario)
    options.require_writable(output)
    if output.exists():
        raise ValueError(f"{output} exists already; choose another file with --output")
    table = configurations or read.configurations_file
    if table is None:
        raise ValueError(
            f"expected configurations to race, got none in {scenario}; set configurationsFile there, or add "
            "--configurations FILE"
        )
    forbidden = read_forbidden(read.parameters, read.parameter_file, read.forbidden_file)
    found = read_configurations(table, read.parameters, forbidden)
    text = race_toml(read, found, _numbers(budgets), budget_switch=budget_switch, clock=clock)
    output.write_text(text, encoding="utf-8")
    counts = f"{with_noun(len(found), 'configuration')} and {with_noun(len(read.instances), 'instance')}"
    terminal.print_remark(f"{output} has {counts}; now: polarbear race {terminal.shell_path(output)}", quiet=quiet)


def _numbers(text: str) -> list[float]:
    try:
        numbers = sorted({float(each) for each in text.split(",")})
    except ValueError:
        numbers = []
    if not numbers or numbers[0] <= 0:
        raise ValueError(f"expected --budgets as numbers above zero such as 100,300,1000, got {text!r}")
    return numbers
