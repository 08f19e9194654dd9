"""Tables of measurements, and where they belong in the pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def put_into(page: Path, name: str, table: str) -> None:
    """Replace the text between `<!-- name -->` and the next `<!-- end -->` of a page."""
    before, mark, rest = page.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition("<!-- end -->")
    if not end:
        raise SystemExit(
            f"{page} has no mark <!-- {name} --> followed by <!-- end -->; add both where the table belongs"
        )
    page.write_text(f"{before}{mark}{table}\n{end}{after}", encoding="utf-8")


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table whose columns are right-aligned, except for the first."""
    lines = ["| " + " | ".join(heads) + " |", "| --- |" + " ---: |" * (len(heads) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
