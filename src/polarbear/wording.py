"""The wording that messages of all rooms share: plurals, counts with nouns, and suggestions for mistyped names.

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
