"""The Jinja2 environments of all templates: plain text and LaTeX as they are, HTML with autoescape.

The filters say numbers, names and budgets in words, the same everywhere.
"""

from __future__ import annotations

import re
import textwrap
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from polarbear import latex
from polarbear.wording import (
    as_sentence,
    format_duration,
    format_number,
    format_percent,
    join_names,
    percent,
    plural,
    round_off,
    with_noun,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 100  # columns of a terminal
_NAMED = 5  # names in a list; the others are counted


def names(words: Sequence[str], conjunction: str = "and", *, most: int = _NAMED) -> str:
    """Return names for a sentence; those after the first `most` are only counted.

    Examples
    --------
    >>> names(["a", "b", "c"], most=2), names(["a", "b"], "or")
    ('a, b and 1 other', 'a or b')
    """
    more = len(words) - most
    shown = list(words) if more <= 0 else [*words[:most], with_noun(more, "other")]
    return join_names(shown, conjunction)


def budgets(start: float, stop: float) -> str:
    """Return a range of budgets in words.

    Examples
    --------
    >>> budgets(10, 1000), budgets(10, 10)
    ('from 10 to 1,000', 'at 10')
    """
    first, last = format_number(start), format_number(stop)
    return f"at {first}" if first == last else f"from {first} to {last}"


def wrap(text: str, indent: int = 0, width: int = WIDTH) -> str:
    """Return text in lines of at most `width` columns, of which all after the first are indented.

    A number and its unit stay on one line.
    """
    glued = text.replace(" %", "\N{NO-BREAK SPACE}%")
    lines = textwrap.wrap(glued, width, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}", " ")


def escape_markdown(text: str) -> str:
    """Return text in which the special characters of Markdown and HTML are escaped."""
    return re.sub(r"([\\`*_<>\[\]|&~$#])", r"\\\1", text)


def markdown_code(text: str) -> str:
    """Return text as code in Markdown, between more backticks than it has.

    Examples
    --------
    >>> print(markdown_code("race --only a"), markdown_code("race --only `"))
    `race --only a` `` race --only ` ``
    """
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence, space = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{space}{text}{space}{fence}"


@cache
def environment(kind: str = "text") -> Environment:
    """Return the environment of a kind of template: "text" or "html"."""
    made = Environment(
        loader=PackageLoader("polarbear.show"),
        autoescape=kind == "html",
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "names": names,
        "count": with_noun,
        "plural": plural,
        "share": percent,
        "sure": format_percent,
        "number": format_number,
        "roughly": round_off,
        "duration": format_duration,
        "wrap": wrap,
        "sentence": as_sentence,
        "stop": lambda text: text if text.endswith((".", "!", "?")) else f"{text}.",
        "latex": latex.escape,
        "markdown": escape_markdown,
        "code": markdown_code,
    }
    made.globals["budgets"] = budgets
    return made


def render(template: str, **values: Any) -> str:
    """Return a template of `show/templates`, filled in."""
    kind = "html" if template.endswith(".html") else "text"
    return environment(kind).get_template(template).render(**values)
