"""Policies as small JSON files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.features.policy_tree import Branch, KnownFeature, Leaf
from polarbear.features.ranges import BudgetRange
from polarbear.features.splits import Split
from polarbear.output_file import write_output
from polarbear.version import __version__

if TYPE_CHECKING:
    from os import PathLike

_FORMAT = "polarbear-policy"
_VERSION = 3  # shares of versions 1 and 2 are of first places


def write_fields(path: str | PathLike[str], fields: dict[str, Any], *, force: bool = False) -> None:
    """Write the fields of a policy, as plain data, to a file; a file of another origin is replaced only by `force`."""
    data = {"format": _FORMAT, "version": _VERSION, "polarbear": __version__} | fields
    write_output(path, json.dumps(data, indent=1, ensure_ascii=False) + "\n", force=force)


def read_fields(path: str | PathLike[str]) -> dict[str, Any]:
    """Read the fields of a policy from a file; a file that is none raises a ValueError that says why."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not a policy file that Policy.save wrote, or it is damaged") from error
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise ValueError(f"{path} is not a policy file that Policy.save wrote")
    if data.get("version") != _VERSION:
        raise ValueError(
            f"{path} has format version {data.get('version')}, this PolarBear reads version {_VERSION}; learn the policy "
            "again from its runs, or use the PolarBear that wrote it"
        )
    try:
        return {
            "root": _node_from_data(data["root"]),
            "names": tuple(data["names"]),
            "features": tuple(
                KnownFeature(str(each["name"]), each["kind"], tuple(each["levels"])) for each in data["features"]
            ),
            "left_out": tuple(map(str, data["left_out"])),
            "first": float(data["first"]),
            "last": float(data["last"]),
            **{name: str(data[name]) for name in ("unit", "preference", "risk")},
        }
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is a damaged policy file: {error!r}") from error


def _node_from_data(data: dict[str, Any]) -> Branch | Leaf:
    if "split" not in data:
        return _leaf_from_data(data)
    split = Split(**data["split"])
    if not isinstance(split.threshold if split.level is None else split.level, str | int | float):
        raise ValueError(f"a split of {split.feature!r} without threshold or level")
    sides = _node_from_data(data["left"]), _node_from_data(data["right"])
    return Branch(split, *sides, _leaf_from_data(data["undivided"]))


def _leaf_from_data(data: dict[str, Any]) -> Leaf:
    ranges = tuple(BudgetRange(**each) for each in data["ranges"])
    if not ranges:
        raise ValueError("a group without choices")
    return Leaf(**{**data, "ranges": ranges})
