"""Write an irace scenario as a `race.toml`, and read the configurations of survivors back from it."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from polarbear.irace.configurations import MISSING, format_configurations

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from polarbear.irace.scenario import IraceScenario
    from polarbear.literals import Clock

_FUNCTION = "polarbear.irace.target_runner:run_target"


def race_toml(
    scenario: IraceScenario,
    configurations: Sequence[Mapping[str, str]],
    budgets: Sequence[float],
    *,
    budget_switch: str | None = None,
    clock: Clock = "evaluations",
) -> str:
    """Return the text of a `race.toml` that races configurations on the instances of a scenario.

    Parameters
    ----------
    scenario, configurations
        The scenario, and the configurations to race, two or more.
    budgets
        The budgets at which they are compared.
    budget_switch
        The switch in front of the budget on the runner's command line; see `polarbear.irace.target_runner`.
    clock
        The unit of the budgets.
    """
    if len(configurations) < 2:
        raise ValueError(f"expected two configurations or more, got {len(configurations)}; add some to the file")
    lines = [
        f"# The irace scenario {scenario.path.name}; written by polarbear init --irace.",
        "[race]",
        f"clock = {_toml(clock)}",
        f"seed = {scenario.seed}",
        "",
        "[grid]",
        f"budgets = {_toml([float(each) for each in sorted(budgets)])}",
        "",
        "[instances]",
        f"names = {_toml(list(scenario.instances))}",
        "",
    ]
    shared = scenario.runner_arguments(budgets, budget_switch, clock)
    for number, configuration in enumerate(configurations, start=1):
        arguments = {"number": number, "configuration": dict(configuration), **shared}
        table = f"[algorithms.{_toml(_name(configuration))}]"
        lines += [table, f"function = {_toml(_FUNCTION)}", 'shape = "generator"', f"arguments = {_toml(arguments)}", ""]
    return "\n".join(lines)


def survivors_table(text: str, names: Iterable[str], source: str | Path = "the race") -> str:
    """Return the configurations of these algorithms as a table for irace, from the `race.toml` of a race.

    Parameters
    ----------
    text
        The text of a `race.toml` that `race_toml` wrote.
    names
        The algorithms, such as the Pareto set.
    source
        Where it comes from, for messages.
    """
    tables = tomllib.loads(text).get("algorithms", {})
    found = []
    for name in names:
        table = tables.get(name)
        if not isinstance(table, dict) or table.get("function") != _FUNCTION:
            raise ValueError(
                f"expected a race of configurations from an irace scenario, got {name!r} in {source}; make its race.toml "
                "with: polarbear init --irace scenario.txt"
            )
        found.append(table["arguments"]["configuration"])
    return format_configurations(found)


def _name(configuration: Mapping[str, str]) -> str:
    return " ".join(f"{name}={text}" for name, text in configuration.items() if text != MISSING) or "no parameters"


def _toml(value: Any) -> str:
    """Return a text, number, list or dict as TOML; strings of JSON are strings of TOML."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{json.dumps(key)} = {_toml(each)}' for key, each in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
