"""Policies as small JSON files."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.features.policy_tree import Branch, KnownFeature, Leaf
from polarbear.features.splits import Split
from polarbear.features.stretches import Stretch
from polarbear.version import __version__

if TYPE_CHECKING:
    from os import PathLike

_FORMAT = "polarbear-policy"
_VERSION = 2
_READABLE = (1, 2)  # version 1 has no choices of groups that are divided further, and no columns that were left out


def write_fields(path: str | PathLike[str], fields: dict[str, Any]) -> None:
    """Write the fields of a policy to a file."""
    data = {"format": _FORMAT, "version": _VERSION, "polarbear": __version__} | fields
    data["borrowed"] = fields["borrowed"] if math.isfinite(fields["borrowed"]) else "all"
    data["features"] = [asdict(each) for each in fields["features"]]
    data["root"] = _node_as_data(fields["root"])
    Path(path).write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_fields(path: str | PathLike[str]) -> dict[str, Any]:
    """Read the fields of a policy from a file; a file that is none raises a ValueError that says why."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not a policy file that Policy.save wrote, or it is damaged") from error
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise ValueError(f"{path} is not a policy file that Policy.save wrote")
    if data.get("version") not in _READABLE:
        raise ValueError(
            f"{path} has format version {data.get('version')}, this PolarBear reads versions up to {_VERSION}; use the "
            "PolarBear that wrote it, or a newer one"
        )
    try:
        return {
            "root": _node_from_data(data["root"]),
            "names": tuple(data["names"]),
            "features": tuple(
                KnownFeature(str(each["name"]), each["kind"], tuple(each["levels"])) for each in data["features"]
            ),
            "borrowed": math.inf if data["borrowed"] == "all" else float(data["borrowed"]),
            "left_out": tuple(map(str, data.get("left_out", ()))),
            "first": float(data["first"]),
            "last": float(data["last"]),
            **{name: str(data[name]) for name in ("unit", "preference", "risk")},
        }
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{path} is a damaged policy file: {error!r}") from error


def _node_as_data(node: Branch | Leaf) -> dict[str, Any]:
    if isinstance(node, Branch):
        parts = {"left": node.left, "right": node.right, "undivided": node.undivided}
        sides = {name: _node_as_data(part) for name, part in parts.items() if part is not None}
        return {"split": asdict(node.split), **sides}
    return asdict(node)


def _node_from_data(data: dict[str, Any]) -> Branch | Leaf:
    if "split" in data:
        split = Split(**data["split"])
        if not isinstance(split.threshold if split.level is None else split.level, str | int | float):
            raise ValueError(f"a split of {split.feature!r} without threshold or level")
        undivided = _leaf_from_data(data["undivided"]) if "undivided" in data else None
        return Branch(split, _node_from_data(data["left"]), _node_from_data(data["right"]), undivided)
    return _leaf_from_data(data)


def _leaf_from_data(data: dict[str, Any]) -> Leaf:
    stretches = tuple(Stretch(**each) for each in data["stretches"])
    if not stretches:
        raise ValueError("a group without choices")
    probability = None if data.get("probability") is None else float(data["probability"])
    return Leaf(int(data["instances"]), str(data["whole"]), float(data["share"]), stretches, probability)
