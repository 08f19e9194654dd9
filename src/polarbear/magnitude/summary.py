"""How much better the leading algorithm is, in a sentence for the terminal and the report."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.magnitude.collection import collect_runs
from polarbear.magnitude.speed_up import checkpoint_sentence, measure_speed_up
from polarbear.observe import Grid
from polarbear.selection import decision_map
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.magnitude.collection import Source
    from polarbear.magnitude.speed_up import SpeedUp
    from polarbear.posterior.posterior import Posterior

_MOST = 3  # rivals that a sentence lists


def how_much_better(
    source: Source, posterior: Posterior, *, among: Sequence[str] | None = None, at: float | None = None, **reading: Any
) -> tuple[str, ...]:
    """Return how much better the leader at a budget is than its closest rivals: a sentence on its speed-up.

    There is no sentence where the leader and no rival were observed together.

    Parameters
    ----------
    source
        The result of a race, imported runs, trajectories, or a `RunCollection`.
    posterior
        The posterior of these runs, which defines the leader.
    among
        The algorithms to compare, such as the candidates of a race; all by default.
    at
        The budget; the last one by default.
    **reading
        See `collect_runs`.

    Examples
    --------
    >>> import polarbear as pb
    >>> fast = [pb.Trajectory("fast", i, [10, 20 + i, 90], [5.0, 2.0, 1.0], end=100) for i in range(20)]
    >>> slow = [pb.Trajectory("slow", i, [10, 80], [5.0, 2.0], end=100) for i in range(20)]
    >>> choices = pb.Choices.from_trajectories([*fast, *slow], grid=[10, 50, 100])
    >>> for sentence in how_much_better([*fast, *slow], pb.fit(choices)):
    ...     print(sentence)
    For the quality that others have at 100, fast needs 0.295 of the budget of slow (0.25 to 0.34).
    """
    collection = collect_runs(source, **{"posterior": posterior, **reading})
    at = collection.check_budget(at)
    ranked = leader_and_rivals(posterior, collection.names if among is None else among, at)
    if len(ranked) < 2:
        return ()
    leader, rivals = ranked[0], ranked[1 : 1 + _MOST]
    compared = [(rival, measure_speed_up(collection, leader, rival, Grid([at]), at=at)) for rival in rivals]
    compared = [(rival, found) for rival, found in compared if math.isfinite(found.ratio[0])]
    compared.sort(key=lambda each: -each[1].ratio[0])  # the closest rival first
    if not compared:
        return ()
    parts = [_describe(rival, found) for rival, found in compared]
    rest = len(ranked) - 1 - len(compared)
    parts += [f"not compared here: {with_noun(rest, 'other algorithm')}"] if rest else []
    sentence = (
        f"For the quality that others have at {collection.describe_budget(at)}, {leader} needs {'; '.join(parts)}."
    )
    few = collection.checkpoints(leader)
    return (sentence, checkpoint_sentence(leader, few)) if few else (sentence,)


def leader_and_rivals(posterior: Posterior, among: Sequence[str], at: float) -> list[str]:
    """Return the algorithms that were observed at the budget of the grid next to `at`: the leader, then its closest rivals.

    The leader is that of the decision map. Rivals are sorted by how seldom the leader beats them.
    """
    place = int(np.argmin(np.abs(posterior.grid.budgets - at)))
    columns = [posterior.names.index(name) for name in among if name in posterior.names]
    known = [column for column in columns if posterior.observed[place, column]]
    if not known:
        return []
    best = decision_map(posterior, among=[posterior.names[column] for column in known]).best[place]
    leader = known[0] if best is None else posterior.names.index(best)
    wins = {column: float(posterior.win_rates(leader, column)[place].mean()) for column in known if column != leader}
    return [posterior.names[column] for column in (leader, *sorted(wins, key=lambda column: wins[column]))]


def _describe(rival: str, found: SpeedUp) -> str:
    """Return a phrase with the budget ratio, its interval and the rival."""
    interval = "" if found.interval(0) == found.amount(0) else f" ({found.interval(0)})"
    share = "1 times" if found.amount(0) == "1" else found.share(0)  # a number, as the interval has
    return f"{share} the budget of {rival}{interval}"
