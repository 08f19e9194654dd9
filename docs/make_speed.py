"""Makes the table of docs/inference.md from what `benchmarks/runtime.py --output docs/data/runtime` measured."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from making.tables import markdown, put_into

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PAGE, MEASURED = HERE / "inference.md", HERE / "data" / "runtime" / "runtime.csv"
ENGINES = {
    "default": "default method",
    "nuts": "our NUTS",
    "pathfinder": "our Pathfinder",
    "laplace": "our Laplace",
    "advi": "our ADVI",
    "advi-fullrank": "our full-rank ADVI",
    "pymc-numpyro": "PyMC + NumPyro",
    "pymc-nutpie": "PyMC + nutpie",
    "pymc-pathfinder": "pymc-extras Pathfinder",
    "pymc-laplace": "pymc-extras Laplace",
}
HEADS = ("engine", "seconds", "compiled", "effective", "a second", "compiled", "largest error")


def main() -> None:
    """Put the tables into the page."""
    for page, name, table in tables():
        put_into(page, name, table)


def tables() -> Iterator[tuple[Path, str, str]]:
    """Every table, with its page and the mark of its place there."""
    with MEASURED.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["block"] == "table" and row["engine"] != "judge"]
    for prior in dict.fromkeys(row["prior"] for row in rows):
        of_prior = sorted(
            (row for row in rows if row["prior"] == prior), key=lambda row: list(ENGINES).index(row["engine"])
        )
        yield PAGE, f"speed of {prior}", markdown(HEADS, map(told, of_prior))


def told(row: dict[str, str]) -> list[str]:
    """One engine: its seconds, also when it is compiled already, effective draws, the rates, the error."""
    name = ENGINES[row["engine"]] + ("" if row["reliable"] != "False" else " (says: not reliable)")
    if row["failed"]:
        return [name, "failed", *["–"] * 5]
    if row["gave_up"] == "True":
        return [name, f"> {float(row['seconds']):.0f}", *["–"] * 5]
    seconds, effective = float(row["seconds"]), number(row["effective"])
    again = number(row["again"])
    rate = None if effective is None else effective / seconds
    rate_again = None if effective is None or again is None else effective / again
    error = number(row["error"])
    return [
        name,
        f"{seconds:.1f}",
        *(shown(each, digits) for each, digits in ((again, 1), (effective, 0), (rate, 0), (rate_again, 0), (error, 3))),
    ]


def number(text: str) -> float | None:
    """What was measured, if it was."""
    return None if text in ("", "nan") else float(text)


def shown(value: float | None, digits: int) -> str:
    """A number, or a dash where there is none."""
    return "–" if value is None else f"{value:,.{digits}f}"


if __name__ == "__main__":
    main()
