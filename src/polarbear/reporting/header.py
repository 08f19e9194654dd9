"""The answer as HTML: ranges, trust, notes and the standing of each algorithm, which a page without scripts shows too.

All texts are those that the terminal prints.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from polarbear.show.standings import standings
from polarbear.show.wording import text_of

if TYPE_CHECKING:
    from polarbear.findings import Finding
    from polarbear.result import Result

_MEANING = {
    "firm": "No check gives reason to doubt the answer.",
    "tentative": "The answer may change with more data or another model.",
    "unreliable": "The computation or the data contradict the answer.",
}


def answer_html(result: Result) -> str:
    """Return which algorithm is best at which budget as a table, and how much that matters."""
    words = result.words(shell=True)
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("budget", "best"))
    rows = "".join(
        f'<tr><th scope="row">{_escape(where)}</th><td>{_escape(choice)}</td></tr>' for where, choice in words.rows
    )
    table = (
        f'<table class="answer"><caption>{_escape(words.heading)}</caption><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )
    items = "".join(f"<li>{_escape(each)}</li>" for each in words.sentences)
    return f'{table}<ul class="changes">{items}</ul>' if items else table


def trust_html(result: Result) -> str:
    """Return how far the answer can be trusted, and all findings as a list."""
    voice = result.voice(shell=True)
    items = "".join(_item(each, "" if each.remedy is None else voice.say(each.remedy)) for each in result.findings)
    listed = f"<ul>{items}</ul>" if items else ""
    lead = f"<p><strong>The answer is {result.trust}.</strong> {_MEANING[result.trust]}</p>"
    return f'<div class="trust-notes {result.trust}">{lead}{listed}</div>'


def _item(finding: Finding, command: str) -> str:
    """Return a finding as an item, with its severity in bold unless it is a note."""
    label = "" if finding.severity == "note" else f"<strong>{finding.severity.capitalize()}:</strong> "
    return f"<li>{label}{_escape(text_of(finding))}{_step(command)}</li>"


def _step(command: str) -> str:
    return f'<span class="step">Next step: <code>{html.escape(command)}</code></span>' if command else ""


def standings_html(result: Result) -> str:
    """Return the algorithms that are best somewhere, kept and dropped, with the reasons, as lists."""
    parts = []
    for heading, algorithms in standings(result.answer, result.dropped, result.clock).items():
        items = "".join(f"<li><strong>{_escape(name)}</strong>: {_escape(text)}</li>" for name, text in algorithms)
        parts.append(f"<h2>{heading}</h2><ul>{items or '<li>none</li>'}</ul>")
    return "".join(parts)


def keep_percent(text: str) -> str:
    """Return a text in which no line breaks between a number and its per cent sign."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _escape(text: str) -> str:
    return html.escape(keep_percent(text))
