"""Policies as Python source without dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.features.policy_tree import Branch, Leaf
from polarbear.race.instance_features import MISSING, TRUTHS
from polarbear.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.features.policy_tree import KnownFeature

# As `parse_value`, `level_name` and the checks of `Policy.find_group`, without dependencies.
_HELPERS = '''

def _cell(value):
    """Return a number, a truth value or text; None if the value is missing."""
    text = str(value).strip()
    if value is None or text.lower() in _MISSING:
        return None
    if "_" in text:
        return text
    try:
        number = float(text)
    except ValueError:
        return _TRUTHS.get(text.lower(), text)
    return number if abs(number) < float("inf") else None


def _feature(name, value):
    """Return a feature as a number or a level; None if it is missing."""
    if name not in _FEATURES:
        known = ", ".join([*_FEATURES, *_OTHERS]) or "none"
        raise ValueError(f"expected features that the policy knows ({known}), got {name!r}; correct it or leave it out")
    cell, levels = _cell(value), _FEATURES[name]
    if cell is None:
        return None
    if levels is None:
        if isinstance(cell, str):
            raise ValueError(f"expected {name} to be a number, got {value!r}; pass a number, or leave it out")
        return float(cell)
    if isinstance(cell, bool):
        cell = str(cell).lower()
    elif isinstance(cell, float):
        cell = str(int(cell)) if cell == int(cell) else repr(cell)
    if cell not in levels:
        known = ", ".join(levels)
        raise ValueError(f"expected {name} to be one of {known}, got {value!r}; leave it out if it is none of these")
    return cell
'''


def source_of(
    root: Branch | Leaf,
    first: float,
    last: float,
    *,
    asked: Sequence[KnownFeature],
    others: Sequence[str],
    preference: str,
) -> str:
    """Return the source of a module with a function `choose(budget=None, /, **features)`.

    Parameters
    ----------
    root
        The tree of the policy.
    first, last
        The shortest and the longest budget.
    asked
        The features that the policy asks for.
    others
        The names of features without effect; any further name is an error.
    preference
        What a choice without a budget is for, as text.
    """
    body = "\n".join(_lines(root, "    "))
    known = {each.name: each.levels if each.kind == "category" else None for each in asked}
    asks = ", ".join(each.name for each in asked)
    return f'''"""Which algorithm to run, for a budget and features of an instance; written by PolarBear {__version__}."""

_FEATURES = {known!r}  # the levels of categories; None for numbers
_OTHERS = {list(others)!r}  # features without effect
_MISSING = {sorted(MISSING)!r}
_TRUTHS = {TRUTHS!r}
{_HELPERS}

def choose(budget=None, /, **features):
    """Return the algorithm for a budget from {first:g} to {last:g} and features: {_plain(asks) or "none"}.

    If a feature is not given, the choice is that for all instances of the group so far. None and NaN count as the missing
    values of the data, if there were some, otherwise as not given. Unknown features and levels are errors.
    Without a budget: {_plain(preference)}.
    """
    if budget is not None and not {first!r} <= budget <= {last!r}:
        raise ValueError(f"expected a budget from {first:g} to {last:g}, got {{budget}}")
    features = {{name: _feature(name, value) for name, value in features.items() if name not in _OTHERS}}
{body}
'''


def _plain(text: str) -> str:
    """Return text that cannot end a docstring or form an escape sequence."""
    return text.replace("\\", "/").replace('"', "'")


def _lines(node: Branch | Leaf, indent: str) -> list[str]:
    if isinstance(node, Leaf):
        lines = [f"{indent}if budget is None:", f"{indent}    return {node.whole!r}"]
        for each in node.ranges[:-1]:
            lines += [f"{indent}if budget < {each.stop!r}:", f"{indent}    return {each.name!r}"]
        return [*lines, f"{indent}return {node.ranges[-1].name!r}"]
    split = node.split
    compared = f"== {split.level!r}" if split.threshold is None else f"<= {split.threshold!r}"
    absent, missing = "value is None", ""
    if split.has_missing:
        absent = f"{split.feature!r} not in features"
        missing = "value is None or " if split.missing_left else "value is not None and "
    return [
        f"{indent}value = features.get({split.feature!r})",
        f"{indent}if {absent}:",
        *_lines(node.undivided, indent + "    "),
        f"{indent}if {missing}value {compared}:",
        *_lines(node.left, indent + "    "),
        *_lines(node.right, indent),
    ]
