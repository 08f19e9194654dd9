"""Write a scenario of irace as a `race.toml`."""

from pathlib import Path
from typing import TYPE_CHECKING

from polarbear.cli import terminal
from polarbear.output_file import write_output

if TYPE_CHECKING:
    from polarbear.literals import Clock


def write_race_of_irace(
    scenario: Path,
    folder: Path,
    budgets: str | None,
    configurations: Path | None,
    *,
    budget_switch: str | None,
    force: bool,
) -> None:
    """Write a scenario of irace as the race.toml of a folder; see `polarbear init` for the arguments."""
    from polarbear.irace.configurations import read_configurations
    from polarbear.irace.forbidden import read_forbidden
    from polarbear.irace.race_toml import race_toml
    from polarbear.irace.scenario import read_irace_scenario
    from polarbear.wording import with_noun

    if budgets is None:
        raise ValueError("expected --budgets with --irace, such as --budgets 100,300,1000, got none; add it")
    read, output = read_irace_scenario(scenario), folder / "race.toml"
    if output.is_file() and not force:
        raise ValueError(f"{output} exists already; choose another folder, or replace it with --force")
    folder.mkdir(parents=True, exist_ok=True)
    table = configurations or read.configurations_file
    if table is None:
        raise ValueError(
            f"expected configurations to race, got none in {scenario}; set configurationsFile there, or add "
            "--configurations FILE"
        )
    forbidden = read_forbidden(read.parameters, read.parameter_file, read.forbidden_file)
    found = read_configurations(table, read.parameters, forbidden)
    text = race_toml(read, found, _numbers(budgets), budget_switch=budget_switch, clock=_clock(budgets))
    write_output(output, text, force=force, configuration=True)
    counts = f"{with_noun(len(found), 'configuration')} and {with_noun(len(read.instances), 'instance')}"
    terminal.print_note(f"{output} has {counts}; now: polarbear race {terminal.shell_path(output)}")


def _clock(text: str) -> "Clock":
    """Return the unit of budgets: seconds if each ends in s."""
    return "seconds" if all(each.strip().endswith("s") for each in text.split(",")) else "evaluations"


def _numbers(text: str) -> list[float]:
    clock = _clock(text)
    try:
        words = [each.strip().removesuffix("s" if clock == "seconds" else "") for each in text.split(",")]
        numbers = sorted({float(each) for each in words})
    except ValueError:
        numbers = []
    if not numbers or numbers[0] <= 0:
        raise ValueError(f"expected --budgets as numbers above zero such as 100,300,1000 or 1s,10s,60s, got {text!r}")
    return numbers
