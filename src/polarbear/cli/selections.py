"""Selections as the commands show them: as plain data, as a sentence, or as the reason why there is none."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.selection import Selection


def selection_as_data(selection: "Selection | str") -> dict[str, Any]:
    """Return a selection as plain data for JSON; the reason why there is none as a sentence without a choice."""
    from dataclasses import asdict

    if isinstance(selection, str):
        return {"choice": None, "sentence": selection}
    return {
        "choice": list(selection.candidates[0].members),
        "sentence": selection.sentence,
        "criterion": selection.criterion,
        "risk": selection.risk,
        "best_single": selection.best_single,
        "win_rate_against_best_single": selection.win_rate_against_best_single,
        "candidates": [asdict(each) for each in selection.candidates],
        "not_observed": list(selection.not_observed),
    }


def list_names(names: "Sequence[str]", most: int | None) -> str:
    """Return names for a sentence; those after the first `most` are only counted."""
    more = f" and {len(names) - most} more" if most is not None and len(names) > most else ""
    return ", ".join(names[:most]) + more
