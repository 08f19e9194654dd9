"""Tables for papers, in LaTeX with booktabs."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}


_ONE_LINE = 50  # letters that fit on one line beside other columns
_SMALL, _LARGE = 1e-4, 1e9  # numbers beyond these are written as powers of ten


def latex(table: Mapping[str, Any], *, caption: str = "", digits: int = 3) -> str:
    r"""Return a table in LaTeX, for a document that loads `\usepackage{booktabs}`; numbers have `digits` digits.

    Examples
    --------
    >>> print(latex({"algorithm_name": ["50%_ES"], "rating": [0.25]}))
    \begin{tabular}{lr}
      \toprule
      algorithm name & rating \\
      \midrule
      50\%\_ES & 0.250 \\
      \bottomrule
    \end{tabular}
    """
    columns = {name: list(column) for name, column in table.items()}
    kinds = "".join(_kind(column) for column in columns.values())
    heads = [escape(name.replace("_", " ")) for name in columns]
    rows = [[_cell(value, digits) for value in row] for row in zip(*columns.values(), strict=True)]
    lines = [
        rf"\begin{{tabular}}{{{kinds}}}",
        r"  \toprule",
        f"  {' & '.join(heads)} \\\\",
        r"  \midrule",
        *(f"  {' & '.join(row)} \\\\" for row in rows),
        r"  \bottomrule",
        r"\end{tabular}",
    ]
    if caption:
        lines = [
            r"\begin{table}",
            r"  \centering",
            f"  \\caption{{{escape(caption)}}}",
            *(f"  {line}" for line in lines),
            r"\end{table}",
        ]
    return "\n".join(lines)


def _kind(column: Sequence[Any]) -> str:
    """Return the kind of a column: numbers to the right, text to the left, and long text in lines of half a page."""
    if column and isinstance(column[0], Real):
        return "r"
    return r"p{0.5\linewidth}" if max((len(str(value)) for value in column), default=0) > _ONE_LINE else "l"


def escape(text: str) -> str:
    """Return text with the special characters of LaTeX escaped."""
    return "".join(_SPECIAL.get(letter, letter) for letter in " ".join(text.split()))


def command(text: str) -> str:
    r"""Return a command in typewriter letters, with quotes and hyphens that can be copied from the page.

    Examples
    --------
    >>> print(command("polarbear race my.race --only 'my ES'"))
    \texttt{polarbear race my.race -{}-only \textquotesingle{}my ES\textquotesingle{}}
    """
    letters = escape(text).replace("--", "-{}-").replace("'", r"\textquotesingle{}")
    return rf"\texttt{{{letters}}}"


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, Real) and not isinstance(value, Integral):
        return _number(float(value), digits)
    return escape(str(value))


def _number(value: float, digits: int) -> str:
    r"""Return a number with this many significant digits.

    Examples
    --------
    >>> [_number(each, 3) for each in (0.25, 12345.6, 0.0000123456, -math.inf, math.nan)]
    ['0.250', '12,300', '$1.23 \\times 10^{-5}$', '$-\\infty$', '--']
    """
    if math.isnan(value):
        return "--"
    if math.isinf(value):
        return r"$\infty$" if value > 0 else r"$-\infty$"
    if value == 0 or _SMALL <= abs(value) < _LARGE:
        rounded = f"{value:#.{digits}g}".rstrip(".")
        return rounded if "e" not in rounded else f"{float(rounded):,.0f}"
    mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
    return rf"${mantissa} \times 10^{{{int(exponent)}}}$"
