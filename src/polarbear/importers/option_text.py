"""The options of `read_runs` in words: as an argument in Python, and as typed in a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

_NAMES = {"columns": "column", "objectives": "objective"}  # those that a shell repeats, with other names
_OPPOSITES = {"maximise": "minimise", "repeated": "not-repeated"}


def as_argument(option: str, value: Any = None) -> str:
    """Return an option as an argument in Python; None stands for a value that the user has to choose.

    Examples
    --------
    >>> as_argument("per", "dimension"), as_argument("reference")
    ("per='dimension'", 'reference=...')
    """
    return f"{option}={'...' if value is None else repr(value)}"


def as_typed(option: str, value: Any = None) -> str:
    """Return an option as typed in a shell; None stands for a value that the user has to choose.

    Examples
    --------
    >>> as_typed("per", "dimension"), as_typed("maximise", False), as_typed("reference")
    ('--per dimension', '--minimise', '--reference ...')
    >>> as_typed("columns", {"raw_y": "best value", "algorithm_name": None})
    "--column 'raw_y=best value' --column algorithm_name="
    """
    name = _NAMES.get(option, option.replace("_", "-"))
    if isinstance(value, bool):
        return f"--{name if value else _OPPOSITES[name]}"
    if value is None:
        return f"--{name} ..."
    if isinstance(value, Mapping):
        value = [f"{key}={'' if each is None else each}" for key, each in value.items()]
    each_alone = value if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    return " ".join(f"--{name} {shlex.quote(str(each))}" for each in each_alone)


def read_with(option: str, value: Any = None) -> str:
    """Return what to read runs with, for an error that both Python and the command line print.

    Examples
    --------
    >>> read_with("clock", "seconds")
    "read with clock='seconds' (--clock seconds)"
    """
    return f"read with {as_argument(option, value)} ({as_typed(option, value)})"
