"""Curves of one line each, for people in a terminal."""

import math
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_BLOCKS, _LETTERS = "▁▂▃▄▅▆▇█", "_.,-=+*#"
_WIDEST, _NARROWEST = 40, 8
_NAME = 28  # characters of a name that fit beside a curve


@dataclass(frozen=True)
class Curves:
    """Probabilities by name, all over the same times or rounds.

    Attributes
    ----------
    title
        What they are, and from where to where they go.
    probabilities
        By name, in order; not a number where there is none.
    """

    title: str
    probabilities: Mapping[str, Sequence[float]]


def sparkline(values: Sequence[float], width: int, *, steps: str = _BLOCKS) -> str:
    """A curve between 0 and 1 as one line of at most `width` characters; a blank where there is no value.

    Examples
    --------
    >>> sparkline([0.0, 0.2, 0.5, 0.9, 1.0], 5)
    '▁▂▅██'
    >>> sparkline([0.0, 0.2, 0.5, 0.9, 1.0], 5, steps="_.,-=+*#")
    '_.=##'
    """
    number = min(width, len(values))
    line = ""
    for place in range(number):
        start, stop = place * len(values) // number, (place + 1) * len(values) // number
        here = [value for value in values[start:stop] if not math.isnan(value)]
        mean = sum(here) / len(here) if here else math.nan
        line += " " if not here else steps[min(int(mean * len(steps)), len(steps) - 1)]
    return line


def lines_of(curves: Curves, *, columns: int | None = None, encoding: str | None = None) -> list[str]:
    """A title, and a line a name: the name, its curve, and where it begins and ends.

    Parameters
    ----------
    curves
        What to show.
    columns
        Of the terminal.
    encoding
        Of the output; where it has no blocks, letters stand for them.
    """
    columns = shutil.get_terminal_size().columns if columns is None else columns
    steps = _BLOCKS if _can_say(_BLOCKS, encoding or sys.stdout.encoding) else _LETTERS
    names = {name: _shown(name) for name in curves.probabilities}
    longest = max(map(len, names.values()), default=0)
    ends = len("  0.00 to 0.00")
    width = max(_NARROWEST, min(_WIDEST, columns - longest - 2 - ends))
    lines = [curves.title]
    for name, values in curves.probabilities.items():
        known = [value for value in values if not math.isnan(value)]
        told = f"  {known[0]:.2f} to {known[-1]:.2f}" if known else ""
        lines.append(f"{names[name]:{longest}}  {sparkline(values, width, steps=steps)}{told}")
    return lines


def _shown(name: str) -> str:
    line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(name.split()))
    return line if len(line) <= _NAME else line[: _NAME - 3] + "..."


def _can_say(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
