"""Write the tables of docs/explanation/promises.md from docs/data/torture.json, which `make torture` measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from making.tables import markdown, put_into

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PAGE, MEASURED = HERE / "explanation" / "promises.md", HERE / "data" / "torture.json"


def main() -> None:
    """Write the tables into the page."""
    for page, name, table in tables():
        put_into(page, name, table)


def tables() -> Iterator[tuple[Path, str, str]]:
    """Yield each table with its page and the mark of its place there."""
    results: list[dict[str, Any]] = json.loads(MEASURED.read_text(encoding="utf-8"))
    rows = [[each["promise"], f"{each['trials']:,}", f"{len(each['broken']):,}"] for each in results]
    yield PAGE, "promises", markdown(["promise", "trials", "broken"], rows)
    yield PAGE, "methods", "\n\n".join(map(_method, results))


def _method(result: dict[str, Any]) -> str:
    """Return how a promise is tested, what happened, and how it was broken."""
    outcomes = ", ".join(f"{outcome} ({count:,})" for outcome, count in result["outcomes"].items())
    text = f"**{result['promise']}** {result['method']}" + (f" Outcomes: {outcomes}." if outcomes else "")
    different = list(dict.fromkeys(result["broken"]))[:5]
    return text + (f" Broken: {'; '.join(different)}." if different else "")


if __name__ == "__main__":
    main()
