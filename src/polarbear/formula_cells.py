"""Text in CSV files that a spreadsheet must not evaluate, and the same text when such a file is read.

Spreadsheets treat a cell that begins with one of a few characters as a formula, even in quotes, and a formula can run
programs or send data. An apostrophe in front turns it into text, as OWASP recommends. Text that begins with apostrophes
and then such a character gets one more, so that `unescape_formula` always restores the original.
"""

from __future__ import annotations

import re
from typing import Any

# Some spreadsheets also accept the full-width forms of "=", "+", "-" and "@".
_ESCAPED = re.compile("'+[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_FORMULA = re.compile("'*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")


def escape_formula(cell: Any) -> Any:
    """Return text with an apostrophe in front if a spreadsheet would take it for a formula, and other values as they are.

    Examples
    --------
    >>> escape_formula("=1+1"), escape_formula("a=b"), escape_formula(-1.5)
    ("'=1+1", 'a=b', -1.5)
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def unescape_formula(cell: Any) -> Any:
    """Return text without the apostrophe that `escape_formula` has added, and other values as they are.

    Examples
    --------
    >>> unescape_formula("'=1+1"), unescape_formula("''-x"), unescape_formula("'a'")
    ('=1+1', "'-x", "'a'")
    """
    # Without an apostrophe, which is by far the most common case, this is a matter of nanoseconds.
    return cell[1:] if isinstance(cell, str) and cell.startswith("'") and _ESCAPED.match(cell) else cell
