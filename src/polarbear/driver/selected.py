"""The candidates to which a continued race is confined (`only` of `Race.run`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.wording import suggest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polarbear.race.state import State


def check_selected(only: Iterable[str], state: State) -> frozenset[str]:
    """Return the selected candidates; raise a ValueError unless the race can run with these alone."""
    selected = frozenset([only] if isinstance(only, str) else only)
    for name in sorted(selected - state.candidates):
        if name in state.names:
            raise ValueError(f"{name!r} is not a candidate any more; restore it first")
        hint = suggest(name, state.kept) or f"choose from {', '.join(state.kept)}"
        raise ValueError(f"expected candidates of the race to run, got {name!r}; {hint}")
    if len(selected) < 2:
        raise ValueError(f"expected two candidates or more to run, got {', '.join(selected) or 'none'}; add another")
    ran = {name for name, _ in state.observations.runs}
    if waiting := sorted(state.candidates - ran):
        raise ValueError(
            f"expected a race in which every candidate has run, got none of {', '.join(waiting)}; run it without only "
            "first, or remove them"
        )
    return selected
