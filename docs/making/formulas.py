r"""Formulas between dollar signs, as MathML: typeset by the browser, without any script.

Arithmatex finds them and leaves `\(...\)` and `\[...\]`; this extension, which comes after it, converts those.
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
        if 'class="arithmatex"' in typeset:  # a formula that a reader would see as TeX
            raise ValueError("Arithmatex writes formulas in a way that docs/making/formulas.py does not know")
        return typeset


def _mathml(found: re.Match[str]) -> str:
    display = "block" if found["tag"] == "div" else "inline"
    return str(convert(unescape(found["latex"]).strip(), display=display))


class Formulas(Extension):
    """Typeset what Arithmatex found."""

    def extendMarkdown(self, md: Any) -> None:  # noqa: N802 - the name is Markdown's
        md.postprocessors.register(_Typeset(md), "formulas", 0)


def makeExtension(**settings: Any) -> Formulas:  # noqa: N802
    """What Markdown asks an extension for."""
    return Formulas(**settings)
