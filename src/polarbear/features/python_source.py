"""Policies as Python source without dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.features.policy_tree import Branch, Leaf
from polarbear.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

_HELPERS = '''

def _number(value):
    """Return a number; None if it is missing."""
    return None if value is None or value != value else float(value)


def _level(value):
    """Return the name of a level; None if it is missing."""
    if value is None or value != value:
        return None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(int(value)) if value == int(value) else repr(float(value))
    text = str(value).strip()
    return text.lower() if text.lower() in ("true", "false") else text
'''


def source_of(root: Branch | Leaf, first: float, last: float, *, asks: Sequence[str], preference: str) -> str:
    """Return the source of a module with a function `choose(budget=None, **features)`.

    Parameters
    ----------
    root
        The tree of the policy.
    first, last
        The shortest and the longest budget.
    asks
        The features that the policy asks for.
    preference
        What a choice without a budget is for, as text.
    """
    body = "\n".join(_lines(root, "    "))
    return f'''"""Which algorithm to run, for a budget and features of an instance; written by PolarBear {__version__}."""
{_HELPERS}

def choose(budget=None, **features):
    """Return the algorithm for a budget from {first:g} to {last:g} and features: {_plain(", ".join(asks)) or "none"}.

    Features that are missing, None or NaN count as unknown. Without a budget: {_plain(preference)}.
    """
    if budget is not None and not {first!r} <= budget <= {last!r}:
        raise ValueError(f"expected a budget from {first:g} to {last:g}, got {{budget}}")
{body}
'''


def _plain(text: str) -> str:
    """Return text that cannot end a docstring or form an escape sequence."""
    return text.replace("\\", "/").replace('"', "'")


def _lines(node: Branch | Leaf, indent: str) -> list[str]:
    if isinstance(node, Leaf):
        lines = [f"{indent}if budget is None:", f"{indent}    return {node.whole!r}"]
        for each in node.stretches[:-1]:
            lines += [f"{indent}if budget < {each.stop!r}:", f"{indent}    return {each.name!r}"]
        return [*lines, f"{indent}return {node.stretches[-1].name!r}"]
    split = node.split
    read = "_level" if split.threshold is None else "_number"
    compared = f"== {split.level!r}" if split.threshold is None else f"<= {split.threshold!r}"
    missing = "value is None or" if split.missing_left else "value is not None and"
    return [
        f"{indent}value = {read}(features.get({split.feature!r}))",
        f"{indent}if {missing} value {compared}:",
        *_lines(node.left, indent + "    "),
        *_lines(node.right, indent),
    ]
