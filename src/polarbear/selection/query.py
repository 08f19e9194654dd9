"""Queries as people type them: a budget, a risk attitude and a criterion from numbers or text.

Python and the command line take the same forms: `result.select("100..1000")` is `polarbear select FILE --budget 100..1000`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from polarbear.selection.budget_distribution import BudgetDistribution
from polarbear.selection.criterion import FirstPlace, MeanRank, StrongestRival, TopK, WinRateAgainst
from polarbear.selection.preference import At, Between, Final, LogUniform, Uniform
from polarbear.selection.risk import Expected, ExpectedLoss, ProbabilityBest, Quantile
from polarbear.wording import suggest

if TYPE_CHECKING:
    from polarbear.selection.criterion import Criterion
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk

BudgetQuery: TypeAlias = "float | str | Sequence[float] | Preference | None"

_BUDGETS: dict[str, Preference] = {"uniform": Uniform(), "log-uniform": LogUniform(), "final": Final()}
_RISKS: dict[str, Risk] = {"best": ProbabilityBest(), "expected": Expected(), "loss": ExpectedLoss()}
_CRITERIA: dict[str, Criterion] = {"rival": StrongestRival(), "first": FirstPlace(), "mean-rank": MeanRank()}
_QUANTILE = 0.05
_FORMS = "a budget such as 500, a range such as 100..1000, uniform, log-uniform, final, or a file of budgets"


def as_preference(budget: BudgetQuery) -> Preference | None:
    """Return the preference that a budget stands for.

    A number is a budget, two numbers are a range, and text is a number, a range "100..1000", "uniform", "log-uniform",
    "final", or the name of a file with one budget per line, which count equally.

    Examples
    --------
    >>> as_preference(500), as_preference((100, 1000)), as_preference("100..1000"), as_preference("final")
    (At(budget=500), Between(start=100, stop=1000), Between(start=100.0, stop=1000.0), Final())
    """
    if isinstance(budget, Sequence) and not isinstance(budget, str):
        if len(budget) != 2:
            raise ValueError(f"expected a range as two budgets, got {budget!r}; give the first and the last")
        return Between(*budget)
    if isinstance(budget, int | float | np.number):  # a whole number from an array is no `int`
        return At(budget if isinstance(budget, int) else float(budget))
    if not isinstance(budget, str):
        return budget
    if budget in _BUDGETS:
        return _BUDGETS[budget]
    ends = budget.split("..")
    try:
        numbers = [float(end) for end in ends]
    except ValueError:
        return _from_file(budget)
    if len(numbers) > 2:
        raise ValueError(f"expected {_FORMS}, got {budget!r}; write one range")
    return At(numbers[0]) if len(numbers) == 1 else Between(*numbers)


def _from_file(name: str) -> Preference:
    path = Path(name)
    if not path.is_file():
        raise ValueError(f"expected {_FORMS}, got {name!r}; {suggest(name, _BUDGETS) or 'write one of these'}")
    try:
        numbers = [float(word) for word in path.read_text(encoding="utf-8").split()]
    except ValueError as error:
        raise ValueError(f"expected numbers in {path}, one per line: {error}") from None
    if not numbers:
        raise ValueError(f"expected numbers in {path}, one per line, got none")
    return BudgetDistribution(numbers)


def as_risk(risk: str | Risk | None) -> Risk | None:
    """Return the risk attitude that text stands for: "best", "expected", "loss", or "quantile:0.1".

    Examples
    --------
    >>> as_risk("loss"), as_risk("quantile"), as_risk("quantile:0.1")
    (ExpectedLoss(), Quantile(level=0.05), Quantile(level=0.1))
    """
    if not isinstance(risk, str):
        return risk
    name, _, level = risk.partition(":")
    if name == "quantile":
        return Quantile(_number(level, risk) if level else _QUANTILE)
    if risk not in _RISKS:
        raise ValueError(
            f"expected {', '.join(_RISKS)} or quantile:0.1 as the risk attitude, got {risk!r}; "
            f"{suggest(name, [*_RISKS, 'quantile']) or 'choose one of these'}"
        )
    return _RISKS[risk]


def as_criterion(criterion: str | Criterion | None) -> Criterion | None:
    """Return the criterion that text stands for: "rival", "first", "mean-rank", "top:3" or "against:NAME".

    Examples
    --------
    >>> as_criterion("top:3"), as_criterion("against:random search")
    (TopK(k=3), WinRateAgainst(baseline='random search'))
    """
    if not isinstance(criterion, str):
        return criterion
    name, _, detail = criterion.partition(":")
    if name == "top" and detail:
        if not detail.isdecimal() or int(detail) < 1:
            raise ValueError(f"expected a whole number above zero after the colon, such as top:3, got {criterion!r}")
        return TopK(int(detail))
    if name == "against" and detail:
        return WinRateAgainst(detail)
    if criterion not in _CRITERIA:
        raise ValueError(
            f"expected {', '.join(_CRITERIA)}, top:3 or against:NAME as the criterion, got {criterion!r}; "
            f"{suggest(name, [*_CRITERIA, 'top', 'against']) or 'choose one of these'}"
        )
    return _CRITERIA[criterion]


def _number(text: str, whole: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"expected a number after the colon, such as quantile:0.1, got {whole!r}") from None
