"""Write the tables of docs/explanation/inference.md from what `benchmarks/runtime.py --output docs/data/runtime` wrote."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from making.tables import markdown, put_into

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PAGE, MEASURED = HERE / "explanation" / "inference.md", HERE / "data" / "runtime" / "runtime.csv"
ENGINES = {
    "default": "default method",
    "nuts": "our NUTS",
    "pathfinder": "our Pathfinder",
    "stan-pathfinder": "Stan Pathfinder (CPU seconds)",
    "laplace": "our Laplace",
    "advi": "our ADVI",
    "advi-fullrank": "our full-rank ADVI",
    "pymc-numpyro": "PyMC + NumPyro",
    "pymc-nutpie": "PyMC + nutpie",
    "pymc-pathfinder": "pymc-extras Pathfinder",
    "pymc-laplace": "pymc-extras Laplace",
}
SHOWN = ("BSpline", "Dirichlet")
HEADS = ("engine", "seconds", "compiled", "effective", "per second", "compiled", "largest error")


def main() -> None:
    """Write the tables into the page."""
    for page, name, table in tables():
        put_into(page, name, table)


def tables() -> Iterator[tuple[Path, str, str]]:
    """Yield every table with its page and the mark of its place there."""
    with MEASURED.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["block"] == "table" and row["engine"] != "judge"]
    for prior in SHOWN:
        of_prior = sorted(
            (row for row in rows if row["prior"] == prior), key=lambda row: list(ENGINES).index(row["engine"])
        )
        yield PAGE, f"speed of {prior}", markdown(HEADS, map(row_of_engine, of_prior))


def row_of_engine(row: dict[str, str]) -> list[str]:
    """Return the row of an engine: seconds, also once compiled, effective draws, their rates, and the error."""
    name = ENGINES[row["engine"]] + ("" if row["reliable"] != "False" else " (reports: not reliable)")
    if row["failed"]:
        return [name, "failed", *["–"] * 5]
    if row["gave_up"] == "True":
        return [name, f"> {float(row['seconds']):.0f}", *["–"] * 5]
    seconds, effective = float(row["seconds"]), parse_number(row["effective"])
    again = parse_number(row["again"])
    rate = None if effective is None else effective / seconds
    rate_again = None if effective is None or again is None else effective / again
    error = parse_number(row["error"])
    return [
        name,
        f"{seconds:.1f}",
        *(
            format_number(each, digits)
            for each, digits in ((again, 1), (effective, 0), (rate, 0), (rate_again, 0), (error, 3))
        ),
    ]


def parse_number(text: str) -> float | None:
    """Return a measured number, or None if it is missing."""
    return None if text in ("", "nan") else float(text)


def format_number(value: float | None, digits: int) -> str:
    """Return a number as text, or a dash if it is missing."""
    return "–" if value is None else f"{value:,.{digits}f}"


if __name__ == "__main__":
    main()
