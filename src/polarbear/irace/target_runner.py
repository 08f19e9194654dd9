"""Run a target runner by irace's protocol: runner, configuration id, instance id, seed, instance, bound, parameters.

irace asks a runner for one cost, a race for the best cost by every budget. There are two ways to get it from a runner:

- With a budget switch, the runner is called once per budget, and prints a cost each time, as for irace.
- Without, it is called once with the environment variable POLARBEAR_BUDGET, the budget at which to stop, and prints a line
  `budget cost` for each improvement. The run counts as the whole budget, or as the seconds that the runner worked.
"""

from __future__ import annotations

import shlex
import subprocess
import time
import zlib
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from polarbear.algorithms.command import command
from polarbear.algorithms.exit_status import describe_exit
from polarbear.irace.configurations import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from polarbear.literals import Clock

_TAIL = 2_000  # characters of the runner's error output in a message


def run_target(
    problem: str,
    seed: int,
    budget: float,
    *,
    runner: str,
    folder: str,
    number: int,
    configuration: Mapping[str, str],
    switches: Mapping[str, str],
    bound: str | None = None,
    budget_switch: str | None = None,
    budgets: Sequence[float] = (),
    clock: Clock = "evaluations",
) -> Iterator[tuple[float, float]]:
    """Yield the best cost by each budget of one configuration on one instance: an algorithm for a race.

    Parameters
    ----------
    problem, seed, budget
        The instance as irace would pass it, the seed, and the budget at which to stop.
    runner, folder
        The target runner, and the folder in which it runs.
    number, configuration, switches
        The id of the configuration, its values as text ("NA" where not active), and the switch of each parameter.
    bound
        The bound of the execution time, if irace would pass one.
    budget_switch, budgets
        The switch in front of the budget, and the budgets for which the runner is called. Without a switch, the runner is
        called once and prints its improvements.
    clock
        The unit of the budgets that the runner prints.
    """
    words = command_line(
        problem, seed, runner=runner, number=number, configuration=configuration, switches=switches, bound=bound
    )
    if budget_switch is None:
        literal = [word.replace("{", "{{").replace("}", "}}") for word in words]
        program = command(["env", f"POLARBEAR_BUDGET={budget:.15g}", *literal], folder=folder)
        begin = time.monotonic()
        events = program(problem, seed, budget, clock=clock)
        yield from events
        # The runner was told when to stop, so evaluations after its last improvement count until then.
        end = budget if clock == "evaluations" else min(time.monotonic() - begin, budget)
        if events and events[-1][0] < end:
            yield end, events[-1][1]
        return
    for limit in budgets:
        if limit <= budget:
            cost = _call([*words, *shlex.split(f"{budget_switch}{limit:.15g}")], folder)
            if cost < float("inf"):  # irace's mark of a rejected configuration
                yield limit, cost


@dataclass(frozen=True)
class TargetRunner:
    """Builds algorithms that start a target runner with a configuration: `build` of a `ParameterSpace`.

    Attributes
    ----------
    arguments
        The arguments of `run_target` that all configurations share.
    """

    arguments: dict[str, Any]

    def __call__(self, **configuration: Any) -> partial[Iterator[tuple[float, float]]]:
        """Return the algorithm with a configuration; parameters that are left out are not active."""
        texts = configuration_texts(configuration, self.arguments["switches"])
        return partial(run_target, number=_checksum(repr(texts)), configuration=texts, **self.arguments)


def configuration_texts(configuration: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
    """Return the values of all parameters as texts, "NA" for those that the configuration does not have."""
    return {name: _text(configuration[name]) if name in configuration else MISSING for name in names}


def _text(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _checksum(text: str) -> int:
    """Return a positive number that depends only on the text, where irace counts instances and configurations."""
    return zlib.crc32(text.encode()) & 0x7FFFFFFF


def command_line(
    problem: str,
    seed: int,
    *,
    runner: str,
    number: int,
    configuration: Mapping[str, str],
    switches: Mapping[str, str],
    bound: str | None = None,
) -> list[str]:
    """Return the command line by which irace would start this run.

    Examples
    --------
    >>> arguments = {"runner": "./run", "configuration": {"a": "1", "b": "NA"}, "switches": {"a": "--a ", "b": "--b="}}
    >>> command_line("x.tsp", 7, number=3, **arguments)[3:]
    ['7', 'x.tsp', '--a', '1']
    """
    given = " ".join(f"{switches[name]}{text}" for name, text in configuration.items() if text != MISSING)
    instance = str(_checksum(problem))  # does not depend on the order of the instances
    limits = [] if bound is None else [bound]
    return [runner, str(number), instance, str(seed), *shlex.split(problem), *limits, *shlex.split(given)]


def _call(words: list[str], folder: str) -> float:
    """Start the runner, and return the cost that it prints: the first of one or two numbers."""
    done: Any = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    shown = shlex.join(words)
    if done.returncode:
        raise ValueError(
            f"expected {shown} to end with exit status 0, but it {describe_exit(done.returncode)}\n{done.stderr[-_TAIL:]}"
        )
    try:
        numbers = [float(word) for word in done.stdout.split()]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2):
        raise ValueError(
            f"expected {shown} to print a cost, or a cost and a time, got {done.stdout[-_TAIL:]!r}; print nothing else"
        )
    return numbers[0]
