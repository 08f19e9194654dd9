"""The verdict as HTML: answer, status, remarks and standings, which a page without scripts shows too.

All texts are those of the summary that the terminal prints.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from polarbear.verdict.rendering import heading, title

if TYPE_CHECKING:
    from polarbear.verdict import Remark, Summary

_ROWS = 8  # ranges of budgets in the header; a longer table is folded below a sentence


def answer_html(summary: Summary) -> str:
    """Return which algorithm to choose at which budget as a table, and where the leader changes."""
    rows = summary.overview.rows(summary.unit)
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("budget", "choose", "how certain"))
    table = (
        f'<table class="answer"><caption>{_escape(title(summary))}</caption><thead><tr>{heads}</tr></thead><tbody>'
        + "".join(_answer_row(*row) for row in rows)
        + "</tbody></table>"
    )
    changes = [each.sentence for each in summary.overview.leader_changes]
    notes = f'<ul class="changes">{"".join(f"<li>{_escape(each)}</li>" for each in changes)}</ul>' if changes else ""
    if len(rows) <= _ROWS:
        return table + notes
    lead = f'<p class="subtitle">{_escape(summary.answer)}</p>'
    return (
        f'{lead}<details class="on-paper"><summary>All {len(rows)} ranges of budgets</summary>{table}{notes}</details>'
    )


def _answer_row(where: str, choice: str, certainty: str) -> str:
    return f'<tr><th scope="row">{_escape(where)}</th><td>{_escape(choice)}</td><td>{_escape(certainty)}</td></tr>'


def status_html(summary: Summary) -> str:
    """Return the status with the most serious remark, and the other remarks as a list."""
    doubted = summary.status != "solid"
    lead, others = (summary.remarks[:1], summary.remarks[1:]) if doubted else ((), summary.remarks)
    reason = _escape(lead[0].text if lead else summary.settled)
    step = "".join(_step(each.command) for each in lead)
    items = "".join(_remark_item(each) for each in others)
    listed = f"<ul>{items}</ul>" if items else ""
    kind = summary.status.replace(" ", "-")
    return f'<div class="verdict {kind}"><p><strong>Status: {summary.status}.</strong> {reason}{step}</p>{listed}</div>'


def _remark_item(remark: Remark) -> str:
    """Return a remark as an item, with its status in bold unless it only informs."""
    label = "" if remark.status == "solid" else f"<strong>{remark.status.capitalize()}:</strong> "
    return f"<li>{label}{_escape(remark.text)}{_step(remark.command)}</li>"


def _step(command: str) -> str:
    return f'<span class="step">Next step: <code>{html.escape(command)}</code></span>' if command else ""


def standings_html(summary: Summary) -> str:
    """Return the groups of algorithms with their reasons as lists."""
    parts = []
    for group, standings in summary.groups.items():
        items = "".join(
            f"<li><strong>{_escape(each.name)}</strong>: {_escape(each.text)}{_step(each.command)}</li>"
            for each in standings
        )
        parts.append(f"<h2>{heading(group)}</h2><ul>{items or '<li>none</li>'}</ul>")
    return "".join(parts)


def keep_percent(text: str) -> str:
    """Return a text in which no line breaks between a number and its per cent sign."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _escape(text: str) -> str:
    return html.escape(keep_percent(text))
