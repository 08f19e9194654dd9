"""Which rows of a table belong to the same run, where no column run_id says so.

Several runs of an algorithm on an instance must not be merged into one, whose best value would be the best of them all. If
budgets go back within the rows of an algorithm on an instance, if most of its budgets occur several times, or if a column
such as "seed" varies, then the rows may be several runs or one run in another order. Such a table is refused, with the
options that say which of the two it is.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from polarbear.importers.foreign_text import quote
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.importers.events import Events
    from polarbear.importers.foreign_text import Identifier
    from polarbear.importers.request import Request

_USUAL_NAMES = ("run", "seed", "rep", "repetition", "repeat", "replicate", "replication", "idx_rep", "random_seed")


def repetition_columns(names: Sequence[str], request: Request) -> list[str]:
    """Return the columns of a table that may number repetitions, if it has no column run_id."""
    if request.columns.get("run_id", "run_id") in names or request.repeated is not None:
        return []
    used = set(request.columns.values())
    return [name for name in names if name.lower() in _USUAL_NAMES and name not in used]


def may_be_several_runs(events: Events, seeds: frozenset[tuple[Identifier, ...]]) -> bool:
    """Return whether rows without a run_id may belong to several runs.

    Parameters
    ----------
    events
        The rows.
    seeds
        The different values of the columns that may number repetitions.
    """
    if len(seeds) > 1 or (events.rows > 3 and 2 * events.repeats >= events.rows):
        return True
    parts = events.parts() if events.starts else []
    return any(each != parts[0] for each in parts)  # equal parts are copies


def ambiguity(found: Sequence[str], columns: Sequence[str], *, repeated: bool) -> ValueError:
    """Return the error for a table whose runs cannot be distinguished.

    Parameters
    ----------
    found
        The algorithms and instances in question.
    columns
        The columns that may number repetitions.
    repeated
        Whether the user declared that runs are repeated.
    """
    column = columns[0] if columns else "COLUMN"
    named = f"columns={{'run_id': {column!r}}} (--column {shlex.quote(f'run_id={column}')})"
    if not columns:
        named += ", after adding one if there is none"
    if repeated:
        return ValueError(
            f"expected the rows of one run after those of another, got rows in the order of budgets for {quote(found[0])}, "
            f"where runs cannot be distinguished; name the column that numbers the runs: {named}"
        )
    return ValueError(
        f"expected one run of an algorithm on an instance, or a column that numbers its runs, got what may be several runs "
        f"in {with_noun(len(found), 'case')}, first {quote(found[0])}; name the column: {named}; or, if a new run begins "
        "wherever budgets go back: repeated=True (--repeated); or, if all rows belong to one run: repeated=False "
        "(--not-repeated)"
    )
