"""Join the data of the page with its markup, style and scripts into one HTML file, which needs no network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from polarbear.exports.json_types import to_json_types
from polarbear.reporting.header import answer_html, standings_html, trust_html
from polarbear.reporting.sections import SECTIONS

if TYPE_CHECKING:
    from polarbear.result import Result

# Scripts that the sections share. Each file uses only definitions of the files before it.
_SHARED_SCRIPTS = (
    "numbers.js",
    "quadrature.js",
    "draws.js",
    "preference.js",
    "risk.js",
    "values.js",
    "select.js",
    "elements.js",
    "chart.js",
)
# All scripts, in their order; the last one starts the page.
SCRIPTS = (
    *_SHARED_SCRIPTS,
    *(script for section in SECTIONS for script in section.scripts),
    "table_of_contents.js",
    "paper.js",
    "live.js",
    "page.js",
)


def render(contents: dict[str, Any], result: Result) -> str:
    """Return the page with these contents, which `page_data` collects, as HTML; its header states the answer."""
    style = _asset("style.css")
    script = "(() => {\n'use strict';\n" + "\n".join(_asset(name) for name in SCRIPTS) + "})();\n"
    policy = (
        f"default-src 'none'; script-src {_policy_hash(script)}; style-src {_policy_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    seconds = contents["live"]
    return Template(_asset("page.html")).substitute(
        {key: html.escape(contents[key]) for key in ("title", "kind", "version")},
        headline=html.escape(result.words(shell=True).headline),
        answer=answer_html(result),
        trust_notes=trust_html(result),
        standings=standings_html(result),
        policy=policy,
        refresh=f'<noscript><meta http-equiv="refresh" content="{seconds:g}"></noscript>' if seconds else "",
        sections="\n".join(_asset(f"{name}.html") for name in contents["sections"]),
        style=style,
        data=to_script_json(contents),
        script=script,
    )


def to_script_json(data: Any) -> str:
    r"""Return data as JSON that is safe in a script element, whatever its strings; non-finite numbers become null.

    Examples
    --------
    >>> print(to_script_json(["</script>", float("inf")]))
    ["\u003c/script>",null]
    """
    text = json.dumps(to_json_types(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("&", "\\u0026")


def _asset(name: str) -> str:
    return (files("polarbear.reporting") / "assets" / name).read_text(encoding="utf-8")


def _policy_hash(text: str) -> str:
    """Return the hash that identifies an inline script or style in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
