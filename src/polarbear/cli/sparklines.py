"""Sparklines: curves of one line each for the terminal."""

import math
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polarbear.wording import format_percent

_BLOCKS, _LETTERS = "▁▂▃▄▅▆▇█", "_.,-=+*#"
_WIDEST, _NARROWEST = 40, 8  # characters of a curve
_NAME = 28  # longest name beside a curve, in characters


@dataclass(frozen=True)
class Curves:
    """Probabilities by name, all over the same times or rounds.

    Attributes
    ----------
    title
        What the curves show, and the range of times or rounds.
    probabilities
        Values by name, in order; NaN where a value is missing.
    places
        Where each value is, as text such as "at 50" or "in round 3".
    """

    title: str
    probabilities: Mapping[str, Sequence[float]]
    places: Sequence[str]


def sparkline(values: Sequence[float], width: int, *, steps: str = _BLOCKS) -> str:
    """Return values between 0 and 1 as a line of at most `width` characters, with blanks for missing values.

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


def format_curves(curves: Curves, *, columns: int | None = None, encoding: str | None = None) -> list[str]:
    """Return a title and one line per name: the name, its curve, and its peak.

    Parameters
    ----------
    curves
        The curves to show.
    columns
        Width of the terminal in characters.
    encoding
        Encoding of the output; where it has no block characters, ASCII characters replace them.
    """
    columns = shutil.get_terminal_size().columns if columns is None else columns
    steps = _BLOCKS if _can_encode(_BLOCKS, encoding or sys.stdout.encoding) else _LETTERS
    names = {name: _shorten(name) for name in curves.probabilities}
    longest = max(map(len, names.values()), default=0)
    width = max(_NARROWEST, min(_WIDEST, columns - longest - 2 - len("  peak over 99 % in round 100")))
    lines = [curves.title]
    for name, values in curves.probabilities.items():
        lines.append(f"{names[name]:{longest}}  {sparkline(values, width, steps=steps)}{_peak(values, curves.places)}")
    return lines


def _peak(values: Sequence[float], places: Sequence[str]) -> str:
    """Return the highest value and where it is, as text."""
    known = [(value, place) for value, place in zip(values, places, strict=True) if not math.isnan(value)]
    if not known:
        return ""
    value, place = max(known, key=lambda pair: pair[0])
    return f"  peak {format_percent(value)} {place}"


def _shorten(name: str) -> str:
    line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(name.split()))
    return line if len(line) <= _NAME else line[: _NAME - 3] + "..."


def _can_encode(text: str, encoding: str | None) -> bool:
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
