r"""Conversion of formulas between dollar signs to MathML, which browsers render without a script.

Arithmatex finds the formulas and writes `\(...\)` and `\[...\]`; this extension runs after it and converts these.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from latex2mathml.converter import convert
from markdown import Extension
from markdown.postprocessors import Postprocessor

_FOUND = re.compile(r'<(?P<tag>span|div) class="arithmatex">\\[(\[](?P<latex>.*?)\\[)\]]</(?P=tag)>', re.DOTALL)


class _Typeset(Postprocessor):
    def run(self, text: str) -> str:
        typeset = _FOUND.sub(_mathml, text)
        if 'class="arithmatex"' in typeset:  # readers would see TeX
            raise ValueError(
                "expected formulas of Arithmatex as spans or divs, found another form; adapt docs/making/formulas.py"
            )
        return typeset


def _mathml(found: re.Match[str]) -> str:
    display = "block" if found["tag"] == "div" else "inline"
    return str(convert(unescape(found["latex"]).strip(), display=display))


class Formulas(Extension):
    """A Markdown extension that converts the formulas found by Arithmatex."""

    def extendMarkdown(self, md: Any) -> None:  # noqa: N802 - the name is Markdown's
        md.postprocessors.register(_Typeset(md), "formulas", 0)


def makeExtension(**settings: Any) -> Formulas:  # noqa: N802
    """Return the extension; Markdown calls this function."""
    return Formulas(**settings)
