"""The summary as text for a terminal, and as Markdown, LaTeX and HTML. All show the same answer and the same remarks."""

from __future__ import annotations

import re
import textwrap
from html import escape
from typing import TYPE_CHECKING

from polarbear import latex, table
from polarbear.wording import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.selection import DecisionMap
    from polarbear.verdict.contents import Contents
    from polarbear.verdict.remark import Remark
    from polarbear.verdict.standing import Group, Standing

_WIDTH = 118  # characters of a line of text
_STRETCHES, _LETTERS = 5, 120  # stretches, and letters of their names, that fit into one sentence


def answer_sentence(overview: DecisionMap, unit: str = "") -> str:
    """Return which algorithm to choose in which range of budgets; a count of the changes if that takes too long."""
    stretches = overview.stretches
    if len(stretches) == 1:
        return f"At every budget: {_advice(stretches[0].choice)}."
    if len(stretches) > _STRETCHES or sum(len(each.choice) for each in stretches) > _LETTERS:
        named = {each.leader for each in stretches if each.leader}
        return f"The answer changes {len(stretches) - 1} times over the budgets, between {len(named)} algorithms."
    clauses = []
    for place, each in enumerate(stretches):
        start, stop = format_number(each.start), format_number(each.stop)
        amount = f"{stop} {unit}".rstrip() if place == 0 else stop
        where = f"at {start}" if start == stop else f"up to {amount}" if place == 0 else f"from {start} to {stop}"
        clauses.append(f"{where}: {_advice(each.choice)}")
    sentence = "; ".join(clauses)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _advice(choice: str) -> str:
    return choice if choice in ("too close to call", "not observed") else f"choose {choice}"


def title(summary: Contents) -> str:
    """Return the heading of the answer, with what it cost."""
    return "Which algorithm at which budget" + (f" ({summary.effort})" if summary.effort else "")


def as_text(summary: Contents, *, most: int | None = None) -> str:
    """Return the summary as text; of each group, algorithms after the first `most` are only counted."""
    lines = [title(summary)]
    lines += aligned(summary.overview.rows(summary.unit), most=most)
    lines += [f"  {each.sentence}" for each in summary.overview.leader_changes[:most]]
    for group, standings in summary.groups.items():
        lines += ["", heading(group)]
        lines += [line for each in standings[:most] for line in _standing_lines(each)] or ["  none"]
        lines += [f"  ... and {len(standings) - most:,} more"] if most is not None and len(standings) > most else []
    return "\n".join([*lines, "", *status_lines(summary)])


def aligned(rows: Sequence[tuple[str, str, str]], *, most: int | None = None) -> list[str]:
    """Return rows of three texts in columns; rows after the first `most` are only counted."""
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"  {where:{first}}  {choice:{second}}  {sure}".rstrip() for where, choice, sure in rows[:most]]
    return [*lines, f"  ... and {len(rows) - most:,} more"] if most is not None and len(rows) > most else lines


def status_lines(summary: Contents) -> list[str]:
    """Return the status, all remarks with their next steps, and the scope."""
    lines = _wrap(summary.status_sentence)
    if summary.remarks:
        lead = summary.remarks[0]
        lines += _command_lines(lead.command, "  ") if summary.status != "solid" else []
        lines += [
            line
            for each in (summary.remarks[1:] if summary.status != "solid" else summary.remarks)
            for line in (*_wrap(f"- {each.labelled}", "  "), *_command_lines(each.command, "  "))
        ]
    return [*lines, *_wrap(summary.scope)] if summary.scope else lines


def _status(summary: Contents) -> str:
    """Return the status where the list of remarks follows: without the most serious one."""
    return summary.status_sentence if summary.status == "solid" else f"Status: {summary.status}."


def heading(group: Group) -> str:
    """Return the heading of a group of algorithms."""
    return f"{group[0].upper()}{group[1:]}"


def _standing_lines(each: Standing) -> list[str]:
    return [*_wrap(f"  {each.name}: {each.text}", "    "), *_command_lines(each.command, "    ")]


def _command_lines(command: str, indent: str) -> list[str]:
    return [f"{indent}Next step: {command}"] if command else []


def _wrap(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def as_markdown(summary: Contents) -> str:
    """Return the summary as Markdown."""
    rows = summary.overview.rows(summary.unit)
    lines = [f"## {title(summary)}", "", "| budget | choose | how certain |", "| --- | --- | --- |"]
    lines += [f"| {' | '.join(map(_markdown, row))} |" for row in rows]
    changes = summary.overview.leader_changes
    lines += ["", *(f"{_markdown(each.sentence)}  " for each in changes)] if changes else []
    for group, standings in summary.groups.items():
        lines += ["", f"### {heading(group)}", ""]
        lines += [_markdown_standing(each) for each in standings] or ["none"]
    lines += ["", f"**{_status(summary)}**", ""]
    lines += [_markdown_remark(each) for each in summary.remarks]
    return "\n".join([*lines, "", summary.scope]).rstrip() + "\n"


def _markdown(text: str) -> str:
    """Return text in which the special characters of Markdown and HTML are escaped."""
    return re.sub(r"([\\`*_<>\[\]|])", r"\\\1", text)


def _markdown_standing(each: Standing) -> str:
    return f"- **{_markdown(each.name)}**: {_markdown(each.text)}" + (
        f". Next step: `{each.command}`" if each.command else ""
    )


def _markdown_remark(each: Remark) -> str:
    return f"- {_markdown(each.labelled)}" + (f" Next step: `{each.command}`" if each.command else "")


def as_latex(summary: Contents) -> str:
    """Return the summary in LaTeX: the answer as a table, the groups and the remarks as lists."""
    columns = zip(*summary.overview.rows(summary.unit), strict=True)
    heads = ("budget", "choose", "how certain")
    caption = " ".join([f"{title(summary)}.", *(each.sentence for each in summary.overview.leader_changes)])
    parts = [latex.latex(dict(zip(heads, columns, strict=True)), caption=caption)]
    for group, standings in summary.groups.items():
        parts.append(rf"\paragraph{{{heading(group)}}}")
        items = [_latex_item(f"{each.name}: {each.text}", each.command, ".") for each in standings]
        parts.append(_latex_list(items) if items else "none")
    parts.append(rf"\paragraph{{Status}} {latex.escape(_status(summary).removeprefix('Status: '))}")
    if summary.remarks:
        parts.append(_latex_list([_latex_item(each.labelled, each.command) for each in summary.remarks]))
    return "\n".join([*parts, latex.escape(summary.scope)]).rstrip() + "\n"


def _latex_list(items: Sequence[str]) -> str:
    return "\n".join([r"\begin{itemize}", *(f"  \\item {item}" for item in items), r"\end{itemize}"])


def _latex_item(text: str, command: str, stop: str = "") -> str:
    """Return a text and its next step in LaTeX."""
    step = f"{stop} Next step: {latex.command(command)}" if command else ""
    return latex.escape(text) + step


def as_html(summary: Contents) -> str:
    """Return the summary as HTML for notebooks."""
    columns = list(zip(*summary.overview.rows(summary.unit), strict=True))
    answer = table.as_html(dict(zip(("budget", "choose", "how certain"), columns, strict=True)), title=title(summary))
    notes = [each.sentence for each in summary.overview.leader_changes]
    groups = "".join(
        f"<p>{heading(group)}</p><ul>{''.join(map(_html_standing, standings)) or '<li>none</li>'}</ul>"
        for group, standings in summary.groups.items()
    )
    remarks = "".join(f"<li>{escape(each.labelled)}{_html_step(each.command)}</li>" for each in summary.remarks)
    return (
        answer
        + "".join(f"<p>{escape(note)}</p>" for note in notes)
        + groups
        + f"<p><strong>{escape(_status(summary))}</strong></p>"
        + (f"<ul>{remarks}</ul>" if remarks else "")
        + (f"<p>{escape(summary.scope)}</p>" if summary.scope else "")
    )


def _html_standing(each: Standing) -> str:
    stop = "." if each.command else ""
    return f"<li>{escape(f'{each.name}: {each.text}')}{stop}{_html_step(each.command)}</li>"


def _html_step(command: str) -> str:
    return f" Next step: <code>{escape(command)}</code>" if command else ""
