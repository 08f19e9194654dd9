"""Convert settings, rounds and clusters to plain JSON values and back, without evaluating anything that is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from polarbear.models import PRIORS, InverseGamma, LogNormal
from polarbear.observe import Grid
from polarbear.posterior.elimination import Drop
from polarbear.race.batching import AdaptiveBatch, FixedBatch
from polarbear.race.observations import ClusterLabel
from polarbear.race.rounds import Round
from polarbear.race.settings import Settings

if TYPE_CHECKING:
    from polarbear.race.outcome import RaceOutcome

_KNOWN: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        Grid,
        *PRIORS.values(),
        InverseGamma,
        LogNormal,
        AdaptiveBatch,
        FixedBatch,
        Settings,
        Round,
        Drop,
        ClusterLabel,
    )
}


def to_plain(value: Any, known: Mapping[str, type[Any]] = _KNOWN) -> Any:
    """Return a value in JSON types; each dataclass or named tuple of the known types is a mapping with its name.

    Examples
    --------
    >>> to_plain(FixedBatch(8))
    {'is': 'FixedBatch', 'size': 8}
    """
    if isinstance(value, Grid):
        return {"is": "Grid", "budgets": value.budgets.tolist(), "axis": value.axis}
    if (is_dataclass(value) and not isinstance(value, type)) or hasattr(value, "_fields"):
        name = type(value).__name__
        if known.get(name) is not type(value):
            raise ValueError(
                f"{value!r} cannot be written into a race file, which supports only PolarBear's own priors "
                "and hyperpriors; race without a path"
            )
        names = getattr(value, "_fields", None) or [field.name for field in fields(value)]
        return {"is": name, **{each: to_plain(getattr(value, each), known) for each in names}}
    if isinstance(value, tuple | list):
        return [to_plain(each, known) for each in value]
    if isinstance(value, Mapping) and "Mapping" in known:
        return {
            "is": "Mapping",
            "items": [[to_plain(name, known), to_plain(each, known)] for name, each in value.items()],
        }
    if isinstance(value, np.bool_ | np.integer | np.floating):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(f"{value!r} cannot be written into a race file")


def from_plain(data: Any, known: Mapping[str, type[Any]] = _KNOWN) -> Any:
    """Return the value that `to_plain` converted; raise a ValueError for unknown names or fields.

    Examples
    --------
    >>> from_plain(to_plain(FixedBatch(8)))
    FixedBatch(size=8)
    """
    if isinstance(data, list):
        return tuple(from_plain(each, known) for each in data)
    if not isinstance(data, dict):
        return data
    content = {key: from_plain(value, known) for key, value in data.items() if key != "is"}
    kind = known.get(str(data.get("is")))
    if kind is None:
        raise ValueError(
            f"{data.get('is')!r} is not a known part of a race; a newer PolarBear may have written it, so upgrade it"
        )
    try:
        return cast("Any", kind)(**content)
    except TypeError as error:
        raise ValueError(f"{data.get('is')} does not have the expected fields: {error}") from error


def outcome_to_dict(race: RaceOutcome) -> dict[str, Any]:
    """Return the course of a race as plain values: settings, rounds, costs, and what is undecided."""
    undecided = [{"pair": list(pair), "budgets": budgets.tolist()} for pair, budgets in race.undecided().items()]
    return {
        "finished": race.finished,
        "stopped": race.stopped,
        "cost": race.cost,
        "saved_share": race.saved_share,
        "decided_share": race.rounds[-1].decided_share if race.rounds else 0.0,
        "ended": race.ended,
        "failures": {name: {"failed": failed, "runs": runs} for name, (failed, runs) in race.failure_counts.items()},
        "undecided": undecided,
        "wrong_drop": race.wrong_drop if race.rounds else None,
        "settings": to_plain(race.state.settings),
        "rounds": [to_plain(each) for each in race.rounds],
    }
