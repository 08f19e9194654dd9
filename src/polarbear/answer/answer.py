"""The answer: which algorithm is best at which budget, how much it matters, what may be dropped, and the next step.

In: a posterior, the kept algorithms, and the runs if they are known. Out: an `Answer`, which holds numbers and names only.
`polarbear.show` words it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.answer.forecast import NextStep, next_step
from polarbear.answer.need import Need, budget_need
from polarbear.answer.ranges import Range, all_ranges, join_ranges
from polarbear.answer.worst_case import Exposures, WorstCase, exposures
from polarbear.selection.answers import find_answers
from polarbear.selection.candidates import merge_same
from polarbear.selection.observed_budgets import NotObservedError
from polarbear.selection.recommendation import select

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Mask
    from polarbear.magnitude.collection import RunCollection
    from polarbear.posterior.posterior import Posterior

_EXPOSED = 0.55  # up to which no rival is clearly better
_NEEDS_SET = 0.6  # from which a set of algorithms is proposed,
_GAIN = 0.1  # if it lowers the worst case by this much


@dataclass(frozen=True, eq=False)
class Answer:
    """What a result says, as numbers and names.

    Attributes
    ----------
    ranges
        The ranges of budgets with one answer, at most five.
    all_ranges
        The ranges before they were joined.
    single
        The algorithm for all budgets, and its worst case; None if none can be chosen for all of them.
    team
        A set of two or three algorithms with a better worst case; None if there is no need, or no such set.
    needs
        How much sooner the better of two algorithms reaches the quality of the worse one: at the worst budget of the single
        algorithm, and at the last budget against the most probable best of the others.
    elsewhere
        Kept algorithms that nothing else names.
    same
        The algorithms that tie with a named one on every instance.
    step
        The next step; None if there is nothing to do.
    names, budgets, probability
        The kept algorithms, the budgets, and the probability that each is best at each budget, shape (budget, algorithm).
    """

    ranges: tuple[Range, ...]
    all_ranges: tuple[Range, ...]
    single: WorstCase | None
    team: WorstCase | None
    needs: tuple[Need, ...]
    elsewhere: tuple[str, ...]
    same: dict[str, tuple[str, ...]]
    step: NextStep | None
    names: tuple[str, ...]
    budgets: Array
    probability: Array

    @property
    def is_single_clear(self) -> bool:
        """Whether no rival is clearly better than the single algorithm at any budget."""
        return self.single is not None and self.single.wins <= _EXPOSED


def find_answer(
    posterior: Posterior, kept: Sequence[str], *, margin: float, runs: RunCollection | None = None
) -> Answer:
    """Return the answer of a posterior.

    Parameters
    ----------
    posterior
        The posterior.
    kept
        The algorithms that are not dropped.
    margin
        Win rates within this distance of one half are equal.
    runs
        The runs, for what depends on values; None if they are not known.
    """
    names, same = merge_same(posterior, tuple(kept))
    probability, whole = _probability_and_ranges(posterior, names, margin, runs)
    ranges = join_ranges(posterior.grid, whole)
    single, team, needs = None, None, tuple[Need, ...]()
    if len(names) > 1 and (choice := _choice_for_all_budgets(posterior, names)) is not None:
        found = exposures(posterior, names)
        single = found.of([names.index(choice)])
        team = _team(found, single)
        needs = () if runs is None else _needs(runs, single, names, probability)
    named = {name for each in ranges for name in each.names}
    named |= set(single.names if single else ()) | set(team.names if team else ())
    return Answer(
        ranges=ranges,
        all_ranges=whole,
        single=single,
        team=team,
        needs=needs,
        elsewhere=tuple(name for name in names if name not in named),
        same=same,
        step=next_step(posterior, ranges),
        names=names,
        budgets=posterior.grid.budgets,
        probability=probability,
    )


def find_ranges(
    posterior: Posterior, kept: Sequence[str], *, margin: float, runs: RunCollection | None = None
) -> tuple[Range, ...]:
    """Return the ranges of the answer alone; see `find_answer`."""
    names, _ = merge_same(posterior, tuple(kept))
    return join_ranges(posterior.grid, _probability_and_ranges(posterior, names, margin, runs)[1])


def _probability_and_ranges(
    posterior: Posterior, names: Sequence[str], margin: float, runs: RunCollection | None
) -> tuple[Array, tuple[Range, ...]]:
    """Return the probability that each algorithm is the best choice at each budget, and all ranges."""
    columns = np.array([posterior.names.index(name) for name in names])
    probability = find_answers(posterior, columns).probability
    has_results = None if runs is None else _has_results(runs, names)
    return probability, all_ranges(posterior, names, probability, margin=margin, has_results=has_results)


def _choice_for_all_budgets(posterior: Posterior, names: Sequence[str]) -> str | None:
    """Return the algorithm for a budget that is uniform over the grid; None if none was observed at nearly all budgets."""
    try:
        choice = select(posterior, among=names).recommendation
    except NotObservedError:
        return None
    assert isinstance(choice, str)
    return choice


def _has_results(runs: RunCollection, names: Sequence[str]) -> Mask:
    """Return whether at least half of the instances have a value from any kept algorithm, shape (budget,)."""
    columns = [runs.index(name) for name in names]
    values = runs.table.values[:, :, columns]
    known = ~np.isnan(values).all(axis=2)  # (instance, budget)
    solved = np.isfinite(values).any(axis=2)
    return np.asarray(2 * solved.sum(axis=0) >= known.sum(axis=0))


def _team(found: Exposures, single: WorstCase) -> WorstCase | None:
    """Return the smallest set of two or three with a clearly better worst case, if the single algorithm needs one."""
    if single.wins <= _NEEDS_SET:
        return None
    for size in range(2, min(4, len(found.names))):  # the set of all is no choice
        best = found.best_set(size)
        if best.wins <= single.wins - _GAIN:
            return best
    return None


def _needs(runs: RunCollection, single: WorstCase, names: Sequence[str], probability: Array) -> tuple[Need, ...]:
    """Return what the better algorithm needs at the worst budget of the single algorithm, and at the last budget."""
    chosen, last = single.names[0], float(runs.grid.budgets[-1])
    pairs = [(single.rival, single.budget)] if single.wins > _EXPOSED else []
    others = [column for column, name in enumerate(names) if name != chosen]
    rival = names[max(others, key=lambda column: probability[-1, column])]
    pairs += [(rival, last)] if (rival, last) not in pairs else []
    found = (budget_need(runs, other, chosen, budget) for other, budget in pairs)
    # Two or three instances bound no ratio.
    return tuple(each for each in found if each is not None and math.isfinite(each.upper))
