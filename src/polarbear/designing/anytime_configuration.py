"""The answer of a design: which algorithm, with which configuration, at which budget."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from itertools import groupby, pairwise
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from polarbear.designing.members import compare_members
from polarbear.output_file import write_output
from polarbear.selection.answers import SURE_ENOUGH
from polarbear.wording import format_number, format_percent, round_off, with_noun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from polarbear.designing.members import Members
    from polarbear.race.outcome import RaceOutcome

DesignStopped = Literal[
    "nothing new survives",
    "nothing proposed",
    "iterations",
    "max_evaluations",
    "max_seconds",
    "interrupted",
    "algorithm failed",
]

# Where it is unclear, the present algorithm is kept until another one is twice as likely to be the best choice:
# otherwise noise makes near copies take turns.
_MUCH_LIKELIER = 2.0
_STOPPED: dict[str, str] = {
    "nothing proposed": "Stopped because the proposer had nothing more to propose.",
    "max_seconds": "Stopped because the time that was allowed (max_seconds) was over.",
    "interrupted": "Stopped by an interrupt; if the race has a file, the same program continues the design.",
    "algorithm failed": "Stopped because an algorithm failed in every run of its first round.",
}
_KIND = "polarbear anytime configuration"


@dataclass(frozen=True)
class Iteration:
    """One iteration of a design.

    Attributes
    ----------
    number
        Its number, from 1.
    proposed, survivors
        The proposed algorithms, and those of them that the race did not drop in this iteration.
    pareto_set
        The Pareto set at its end.
    cost
        The total cost of all runs until then, in the race's unit of budgets.
    complete
        Whether it reached its end; False if an interrupt or a limit stopped the design before, so that its survivors are
        only those that were not dropped yet.
    """

    number: int
    proposed: tuple[str, ...]
    survivors: tuple[str, ...]
    pareto_set: tuple[str, ...]
    cost: float
    complete: bool = True

    def __str__(self) -> str:
        if not self.complete:
            return (
                f"iteration {self.number}: stopped before its end with {with_noun(len(self.proposed), 'proposal')}, "
                f"cost {round_off(self.cost)}"
            )
        return (
            f"iteration {self.number}: {len(self.survivors)} of {with_noun(len(self.proposed), 'proposal')} survive, "
            f"{len(self.pareto_set)} kept, cost {round_off(self.cost)}"
        )


@dataclass(frozen=True)
class Stage:
    """A range of budgets with one algorithm.

    Attributes
    ----------
    start, stop
        The budgets at which it starts and ends.
    name
        The algorithm to use.
    configuration
        Its parameters, if it was made from a `ParameterSpace`.
    probability, at
        The highest probability within the stage that it is the best choice, and the budget where it has it. Best is the
        member of the Pareto set with the highest mean win rate against the others.
    """

    start: float
    stop: float
    name: str
    configuration: dict[str, Any] | None
    probability: float
    at: float

    @property
    def certainty(self) -> str:
        """How certain the choice is, as text."""
        doubt = "unclear: " if self.probability < SURE_ENOUGH else ""
        return f"{doubt}{format_percent(self.probability)} sure at {format_number(self.at)}"


@dataclass(frozen=True, eq=False)
class AnytimeConfiguration:
    """Which algorithm to use at which budget: print it, look up a budget with `at`, or save it as JSON.

    Attributes
    ----------
    stages
        Ranges of budgets in order, each with one algorithm; together they cover the grid of the race.
    unit
        The unit of budgets.
    stopped
        Why the design stopped; `why_stopped` is a sentence.
    iterations
        The records of all iterations; the last one may be incomplete.
    instances, cost
        The number of instances, and the total cost of all runs in the unit of budgets.
    result
        The result of the race; None if the answer was loaded from a file.
    """

    stages: tuple[Stage, ...]
    unit: str
    stopped: DesignStopped
    iterations: tuple[Iteration, ...]
    instances: int
    cost: float
    result: RaceOutcome | None = field(default=None, repr=False)

    def at(self, budget: float) -> Stage:
        """Return the stage of a budget; before the first stage or after the last, that stage."""
        if not budget > 0:
            raise ValueError(f"expected a budget above zero, got {budget!r}")
        return next((each for each in self.stages if budget < each.stop), self.stages[-1])

    @property
    def proposed(self) -> int:
        """The number of proposed algorithms."""
        return sum(len(each.proposed) for each in self.iterations)

    @property
    def why_stopped(self) -> str:
        """A sentence on why the design stopped."""
        count = len(self.iterations)
        match self.stopped:
            case "nothing new survives":
                fruitless = count - max((each.number for each in self.iterations if each.survivors), default=0)
                last = "iteration" if fruitless == 1 else f"{fruitless} iterations"
                return f"Stopped because nothing new survived: none of the proposals of the last {last} did."
            case "iterations":
                return f"Stopped after {with_noun(count, 'iteration')}, since no more were allowed."
            case "max_evaluations":
                return f"Stopped because further runs would exceed the {self.unit} that were allowed (max_evaluations)."
        return _STOPPED[self.stopped]

    def __str__(self) -> str:
        rows = [(f"{format_number(each.start)} to {format_number(each.stop)}", each.name) for each in self.stages]
        rows[0] = (f"{rows[0][0]} {self.unit}", rows[0][1])
        width, names = (max(map(len, column)) for column in zip(*rows, strict=True))
        lines = [
            f"  {where:{width}}  {name:{names}}  {stage.certainty}"
            for (where, name), stage in zip(rows, self.stages, strict=True)
        ]
        complete = sum(each.complete for each in self.iterations)
        part = " and an incomplete one" if complete < len(self.iterations) else ""
        effort = (
            f"{with_noun(self.proposed, 'proposal')} in {with_noun(complete, 'iteration')}{part}, "
            f"{with_noun(self.instances, 'instance')}, {round_off(self.cost)} {self.unit}"
        )
        title = f"Which configuration at which budget, by mean win rate against the other members ({effort})"
        return "\n".join([title, *lines, self.why_stopped])

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as plain values, for JSON."""
        return {
            "kind": _KIND,
            "unit": self.unit,
            "stages": [asdict(each) for each in self.stages],
            "stopped": self.stopped,
            "instances": self.instances,
            "cost": self.cost,
            "iterations": [asdict(each) for each in self.iterations],
        }

    def save(self, path: str | PathLike[str], *, force: bool = False) -> None:
        """Write the answer as JSON; an existing file that is no such answer is replaced only by `force`."""
        write_output(path, json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n", force=force)


def load_anytime_configuration(path: str | PathLike[str]) -> AnytimeConfiguration:
    """Return the answer that `AnytimeConfiguration.save` wrote."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data["kind"] != _KIND:
            raise ValueError(f"its kind is {data['kind']!r}")
        stages = tuple(Stage(**each) for each in data["stages"])
        iterations = tuple(
            Iteration(
                each["number"],
                tuple(each["proposed"]),
                tuple(each["survivors"]),
                tuple(each["pareto_set"]),
                each["cost"],
                each.get("complete", True),
            )
            for each in data["iterations"]
        )
        return AnytimeConfiguration(stages, data["unit"], data["stopped"], iterations, data["instances"], data["cost"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"expected a file that AnytimeConfiguration.save wrote, got {path}: {error}") from None


def anytime_configuration(
    result: RaceOutcome, algorithms: Mapping[str, Any], iterations: Sequence[Iteration], stopped: DesignStopped
) -> AnytimeConfiguration:
    """Return the answer that the race of a design gives.

    Parameters
    ----------
    result
        The result of the race.
    algorithms
        Its algorithms by name; those with a `configuration` give the stages theirs.
    iterations, stopped
        What the design did, and why it stopped.
    """
    settings = result.state.settings
    return AnytimeConfiguration(
        _stages(compare_members(result), algorithms),
        settings.clock,
        stopped,
        tuple(iterations),
        result.instances,
        sum(result.cost.values()),
        result,
    )


def _stages(members: Members, algorithms: Mapping[str, Any]) -> tuple[Stage, ...]:
    budgets, probability = members.grid.budgets, members.probability_best
    places = [
        (name, [place for place, _ in group])
        for name, group in groupby(enumerate(_choices(members)), key=lambda each: each[1])
    ]
    log = members.grid.axis == "log"
    cuts = [
        sqrt(budgets[left[-1]] * budgets[right[0]]) if log else float(budgets[left[-1]] + budgets[right[0]]) / 2
        for (_, left), (_, right) in pairwise(places)
    ]
    stages = []
    for (name, where), (start, stop) in zip(
        places, pairwise([float(budgets[0]), *cuts, float(budgets[-1])]), strict=True
    ):
        own = probability[where, members.names.index(name)]
        peak = int(own.argmax())
        configuration = getattr(algorithms.get(name), "configuration", None)
        stages.append(Stage(start, stop, name, configuration, float(own[peak]), float(budgets[where[peak]])))
    return tuple(stages)


def _choices(members: Members) -> list[str]:
    """Return the member to use at each budget: the best one, or the one before it where the best is not much likelier."""
    choices: list[str] = []
    for best, row in zip(members.best, members.probability_best, strict=True):
        choice = best
        if choices:
            lead, own = (float(row[members.names.index(name)]) for name in (best, choices[-1]))
            if lead < SURE_ENOUGH and lead < _MUCH_LIKELIER * own:
                choice = choices[-1]
        choices.append(choice)
    return choices
