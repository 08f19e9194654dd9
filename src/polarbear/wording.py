"""The wording that messages of all rooms share: plurals, numbers, durations, and suggestions for mistyped names.

This module imports nothing from PolarBear, so that every room may use it.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def plural(noun: str) -> str:
    """Return the plural of a noun, which " on" or " of" may follow.

    Examples
    --------
    >>> plural("data set"), plural("run on this instance")
    ('data sets', 'runs on this instance')
    """
    return re.sub(r"(?=$| on | of )", "s", noun, count=1)


def with_noun(number: int, noun: str) -> str:
    """Return a count with its noun, which is in the plural unless the count is one.

    Examples
    --------
    >>> with_noun(1, "round"), with_noun(1234, "run")
    ('1 round', '1,234 runs')
    """
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def round_off(number: float) -> str:
    """Return a number with at most three significant digits, with commas between thousands.

    Examples
    --------
    >>> round_off(412.7), round_off(18432), round_off(0.012345), round_off(24.0)
    ('413', '18,400', '0.0123', '24')
    """
    rounded = float(f"{number:.3g}")
    return f"{rounded:,.0f}" if rounded.is_integer() else f"{rounded:,.12g}"


def percent(share: float, *, below_one: bool = False) -> str:
    """Return a share as whole per cents; with `below_one`, a share that is less than one never reads as 100 %.

    Examples
    --------
    >>> percent(0.484), percent(0.9999), percent(0.9999, below_one=True)
    ('48 %', '100 %', 'more than 99 %')
    """
    if below_one and share > 0.99:
        return "more than 99 %"
    return f"{100 * share:.0f} %"


def format_duration(seconds: float) -> str:
    """Return a duration in a suitable unit.

    Examples
    --------
    >>> format_duration(89.4), format_duration(90), format_duration(5400)
    ('89 s', '2 min', '1.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def shorten_names(names: Iterable[str], *, width: int = 32) -> dict[str, str]:
    """Return a short form of each name that is longer than `width`; all forms are distinct.

    Words that all names begin or end with are left out, and then the middle of what is still too long.

    Examples
    --------
    >>> shorten_names(["cma", "solver with 12 iterations, tol=1", "solver with 12 iterations, tol=2"], width=20).values()
    dict_values(['solver with ...tol=1', 'solver with ...tol=2'])
    """
    whole = list(dict.fromkeys(names))
    if max(map(len, whole), default=0) <= width:
        return {}
    bare = _without_common_words(whole)
    for allowed in range(width, max(map(len, bare)) + 1):
        short = [each if len(each) <= allowed else _without_middle(each, allowed) for each in bare]
        if len(set(short)) == len(whole):
            return {name: form for name, form in zip(whole, short, strict=True) if form != name}
    return {}


def _without_common_words(names: list[str]) -> list[str]:
    """Return names without the words that all of them begin or end with, as long as something remains of each."""
    words = [re.findall(r"\w+\W*|\W+", name) for name in names]
    if len(names) == 1:
        return names
    shortest = min(map(len, words)) - 1
    first = next((k for k in range(shortest) if len({tuple(each[: k + 1]) for each in words}) > 1), shortest)
    last = next(
        (k for k in range(shortest - first) if len({tuple(each[len(each) - k - 1 :]) for each in words}) > 1),
        shortest - first,
    )
    return ["".join(each[first : len(each) - last]).strip() for each in words]


def _without_middle(text: str, width: int) -> str:
    end = (width - 3) // 3
    return f"{text[: width - 3 - end]}...{text[len(text) - end :]}"


def closest(word: object, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known word that is most similar to a mistyped one, or None if none is similar.

    Parameters
    ----------
    word
        The mistyped word.
    known
        The words that exist.
    cutoff
        The least similarity from 0 to 1; see `difflib.get_close_matches`.

    Returns
    -------
    str or None

    Examples
    --------
    >>> closest("confidense", ["confidence", "rope"])
    'confidence'
    """
    return next(iter(get_close_matches(str(word), list(known), n=1, cutoff=cutoff)), None)


def suggest(word: object, known: Iterable[str]) -> str:
    """Return a question that suggests the known word closest to a mistyped one, or "" if none is similar.

    Examples
    --------
    >>> suggest("confidense", ["confidence", "rope"])
    "did you mean 'confidence'?"
    >>> suggest("x", ["confidence", "rope"]) or "choose one of confidence, rope"
    'choose one of confidence, rope'
    """
    near = closest(word, known)
    return f"did you mean {near!r}?" if near else ""
