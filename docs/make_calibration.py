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
RECORDED = {"ma_bbob_d30": "MA-BBOB", "gp_bbob_d40": "GP-BBOB", "coco_d5": "COCO"}
ENDS = {
    "BayesianBootstrap": "the default",
    "outcomes": "outcomes alone",
    "weighted Plackett-Luce": "Plackett-Luce alone",
}

NEAR = {1.0: "5 points of one half", 2.0: "10 points"}  # by the spread of the simulated utilities

DEFAULTS = {"elimination": "pointwise", "resolution": "membership"}

Cell = dict[str, Any]


def main() -> None:
    """Read the summaries and put the tables into their pages."""
    for page, name, table in tables():
        put_into(page, name, table)


def tables() -> Iterator[tuple[Path, str, str]]:
    """Every table, with its page and the mark of its place there."""
    first = summary("first_edition")
    yield PAGE, "coverage", coverage_table(summary("coverage"), [each for each in first if "coverage" in each])
    yield PAGE, "claims", claims_table(summary("near-equal"))
    yield PAGE, "races", races_table([*summary("races"), *(each for each in first if "races" in each)])
    yield PAGE, "prediction", prediction_table(summary("prediction"))


def summary(study: str) -> list[Cell]:
    """The summary that a study wrote."""
    cells: list[Cell] = json.loads((DATA / f"{study}.json").read_text(encoding="utf-8"))
    return cells


def coverage_table(cells: list[Cell], first: list[Cell]) -> str:
    """Coverage by truth and autocorrelation, one column per number of instances, beside the first edition."""
    sizes = sorted({each["instances"] for each in cells})
    sides = [
        {(each["truth"], each["autocorrelation"], each["instances"]): percent(each) for each in side}
        for side in (cells, first)
    ]
    rows = [
        [truth, f"{autocorrelation:g}", *(side[truth, autocorrelation, size] for side in sides for size in sizes)]
        for truth, autocorrelation in dict.fromkeys((each["truth"], each["autocorrelation"]) for each in cells)
    ]
    heads = [f"{who}P = {size}" for who in ("", "first edition, ") for size in sizes]
    return markdown(["truth", "autocorrelation", *heads], rows)


def claims_table(cells: list[Cell]) -> str:
    """Claims about near-equal algorithms with shrinkage and without: how many per data set, and how many came true."""
    settings = ("truth", "spread", "instances")
    found = {(*(each[name] for name in settings), each["belief"]): each for each in cells}
    rows = []
    for truth, spread, instances in dict.fromkeys(key[:3] for key in found):
        default, plain = (found[truth, spread, instances, belief] for belief in ("BayesianBootstrap", "unshrunk"))
        outliers = "" if truth == "near-equal" else ", two outliers"
        shown = [came_true(each) for each in (default, plain, default["ratings"], plain["ratings"])]
        rows.append([f"{NEAR[spread]}{outliers}", str(instances), *shown])
    heads = ["pairs", "pairs, unshrunk", "the first", "the first, unshrunk"]
    return markdown(["win rates within", "instances", *heads], rows)


def came_true(compared: Cell) -> str:
    """The share of claims that came true with two standard errors, and how many there are in a data set."""
    if compared["came_true"] is None:
        return "no claims"
    share = f"{100 * compared['came_true']:.0f} ± {200 * compared['came_true_error']:.0f}"
    return f"{share} ({compared['claims']:.{0 if compared['claims'] >= 10 else 1}f})"


def races_table(cells: list[Cell]) -> str:
    """Whole races: errors, right sets and costs of each way to decide."""
    rows = [
        [
            each["truth"],
            _way(each),
            str(each["races"]),
            *(f"{100 * each[name][0]:.1f}" for name in ("any_wrong", "any_clearly_wrong")),
            f"{100 * each['right_set'][0]:.0f}",
            f"{each['instances']:.0f}",
            f"{100 * each['cost']:.0f}",
        ]
        for truth in dict.fromkeys(each["truth"] for each in cells)
        for each in cells
        if each["truth"] == truth
    ]
    heads = ["races", "any wrong, %", "clear member lost, %", "right set, %", "instances", "evaluations, %"]
    return markdown(["truth", "race", *heads], rows)


def _way(cell: Cell) -> str:
    if cell["belief"] == "first edition":
        return "the first edition: B-spline, joint, crossing"
    if cell["rule"] != "bayes":
        return "significance tests at each time"
    changes = [cell[name] for name, usual in DEFAULTS.items() if cell[name] != usual]
    changes += ["specialists dropped"] if cell["specialists"] == "drop" else []
    changes += [] if cell["guarantee"] is None else [f"guarantee {cell['guarantee']:g}"]
    return ", ".join(changes) or "the default"


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
