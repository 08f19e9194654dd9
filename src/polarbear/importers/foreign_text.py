"""Foreign text, from files whose content is unknown: made printable, quoted in messages, and parsed into values.

`identifier`, `flag` and `amount` parse the cells of all formats in the same way.
"""

from __future__ import annotations

import math

Identifier = int | str | None  # of a suite, a function, a dimension, an instance or a run

_QUOTED = 60  # characters of foreign text that a message quotes


def replace_surrogates(text: str) -> str:
    r"""Return text that any system can print and store: lone surrogates, as broken file names contain, become "?".

    Examples
    --------
    >>> replace_surrogates("Köln \ud800")
    'Köln ?'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def quote(text: object) -> str:
    r"""Return foreign text for a message, quoted and shortened.

    Examples
    --------
    >>> quote("a\tb"), quote("x" * 100)[-5:]
    ("'a\\tb'", "x'...")
    """
    if isinstance(text, str):
        return ascii(text[:_QUOTED]) + ("..." if len(text) > _QUOTED else "")
    written = ascii(text) if not isinstance(text, int) or -(2**64) < text < 2**64 else "a huge number"
    return written[:_QUOTED] + ("..." if len(written) > _QUOTED else "")


def show(text: object) -> str:
    r"""Return foreign text for a sentence: shortened and without quotation marks.

    Examples
    --------
    >>> show("CMA-ES"), show("a\tb"), show(3)
    ('CMA-ES', 'a\\tb', '3')
    """
    if not isinstance(text, str):
        return quote(text)
    return ascii(text[:_QUOTED])[1:-1] + ("..." if len(text) > _QUOTED else "")


def identifier(value: object) -> Identifier:
    """Return an id in one form for all formats: whole numbers as `int`, other text as `str`, empty values as None.

    Examples
    --------
    >>> identifier(" 7 "), identifier("7.0"), identifier(7.0), identifier("f7"), identifier("")
    (7, 7, 7, 'f7', None)
    """
    if value is None or isinstance(value, int):
        return None if value is None else int(value)
    if isinstance(value, str) and len(value) <= 20 and value.isdecimal():
        return int(value)  # most cells
    text = replace_surrogates(str(value).strip())
    if not text or text.lower() in ("nan", "none", "null"):
        return None
    if len(text) <= 20 and "_" not in text:  # others are names, even if float() accepts them
        try:
            number = float(text)
        except ValueError:
            return text
        if math.isfinite(number) and number.is_integer():
            return int(number) if "." in text or "e" in text.lower() else int(text)
    return text


def flag(value: object) -> bool | None:
    """Parse a yes-or-no value; return None if it is neither.

    Examples
    --------
    >>> flag("T"), flag("False"), flag(1), flag("")
    (True, False, True, None)
    """
    if value is None:
        return None
    text = str(value).strip().lower()
    if text in ("t", "true", "1", "yes", "1.0"):
        return True
    return False if text in ("f", "false", "0", "no", "0.0") else None


def amount(value: object) -> float | None:
    """Parse a number of evaluations or seconds; return None unless it is a finite number of at least 0.

    Examples
    --------
    >>> amount("1500"), amount(-1), amount([]), amount(10**400)
    (1500.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None
