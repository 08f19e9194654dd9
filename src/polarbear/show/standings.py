"""The standing of each algorithm: best at some budget, kept, or dropped, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.show.answer import ends_of, format_budget
from polarbear.wording import format_error_bound, format_percent, join_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.answer import Answer
    from polarbear.answer.ranges import Range
    from polarbear.posterior.elimination import Drop


def standings(answer: Answer, drops: Mapping[str, Drop], clock: str) -> dict[str, list[tuple[str, str]]]:
    """Return the algorithms in three groups, each with the reason as a clause about it."""
    led: dict[str, list[Range]] = {}
    for each in answer.all_ranges:
        if each.kind in ("best", "equal", "alone"):
            for name in each.names:
                led.setdefault(name, []).append(each)
    best = [(name, f"best {join_names([_where(each, clock) for each in ranges])}") for name, ranges in led.items()]
    kept = []
    for column, name in enumerate(answer.names):
        if name not in led:
            peak = int(answer.probability[:, column].argmax())
            budget = format_budget(float(answer.budgets[peak]), clock)
            kept.append((name, f"best with at most {format_percent(answer.probability[peak, column])}, at {budget}"))
    best += [(other, f"the same as {name} on every instance") for name in led for other in answer.same.get(name, ())]
    kept += [
        (other, f"the same as {name} on every instance")
        for name in answer.names
        if name not in led
        for other in answer.same.get(name, ())
    ]
    return {"Best at some budget": best, "Kept": kept, "Dropped": [(name, _why(each)) for name, each in drops.items()]}


def _where(each: Range, clock: str) -> str:
    first, last = ends_of(each.start, each.stop, clock)
    return f"at {first}" if first == last else f"from {first} to {last}"


def _why(drop: Drop) -> str:
    if not drop.by:
        return "dropped by you"
    bound = format_error_bound(drop.error_bound)
    proof = f"; wrong with a probability of at most {bound}, whatever the model" if bound.endswith("%") else ""
    return f"{drop.by} beats it at every budget ({format_percent(drop.probability)} sure{proof})"
