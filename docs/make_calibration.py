"""Makes the tables of docs/calibration.md from the summaries in docs/data that the studies wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from making.tables import markdown, put_into

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PAGE, DATA = HERE / "calibration.md", HERE / "data"
RECORDED = {"ma_bbob_d30": "MA-BBOB", "gp_bbob_d40": "GP-BBOB"}
ENDS = {
    "BayesianBootstrap": "the default",
    "outcomes": "outcomes alone",
    "weighted Plackett-Luce": "Plackett-Luce alone",
}

Cell = dict[str, Any]


def main() -> None:
    """Read the summaries and put the tables into their pages."""
    for page, name, table in tables():
        put_into(page, name, table)


def tables() -> Iterator[tuple[Path, str, str]]:
    """Every table, with its page and the mark of its place there."""
    yield PAGE, "coverage", coverage_table(summary("coverage"))
    yield PAGE, "prediction", prediction_table(summary("prediction"))


def summary(study: str) -> list[Cell]:
    """The summary that a study wrote."""
    cells: list[Cell] = json.loads((DATA / f"{study}.json").read_text(encoding="utf-8"))
    return cells


def coverage_table(cells: list[Cell]) -> str:
    """Coverage by truth and autocorrelation, one column per number of instances."""
    chosen = [each for each in cells if each["belief"] == "BayesianBootstrap" and each["algorithms"] == 5]
    sizes = sorted({each["instances"] for each in chosen})
    found = {(each["truth"], each["autocorrelation"], each["instances"]): each for each in chosen}
    settings = dict.fromkeys((each["truth"], each["autocorrelation"]) for each in chosen)
    rows = [
        [truth, f"{autocorrelation:g}", *(percent(found[truth, autocorrelation, size]) for size in sizes)]
        for truth, autocorrelation in settings
    ]
    return markdown(["truth", "autocorrelation", *(f"{size} instances" for size in sizes)], rows)


def percent(cell: Cell) -> str:
    """Coverage with two standard errors."""
    return f"{100 * cell['coverage']:.1f} ± {200 * cell['standard_error']:.1f}"


def prediction_table(cells: list[Cell]) -> str:
    """Log-scores of the blend and of its two ends, the best of each row in bold."""
    found = {(Path(each["recorded"]).stem, each["instances"], each["belief"]): each for each in cells}
    rows = []
    for recorded, instances in dict.fromkeys((recorded, instances) for recorded, instances, _ in found):
        for kind in ("pairs", "first"):
            scores = [found[recorded, instances, belief][kind] for belief in ENDS]
            shown = [f"**{score:.3f}**" if score == max(scores) else f"{score:.3f}" for score in scores]
            rows.append([f"{RECORDED[recorded]}, {instances} known, {kind}", *shown])
    return markdown(["", *ENDS.values()], rows)


if __name__ == "__main__":
    main()
