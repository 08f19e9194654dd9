"""Write the tables of the studies into the pages about calibration, versions, features, groups and design."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from making.tables import markdown, put_into

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

HERE = Path(__file__).parent
PAGE, ALL_TABLES, DATA = (
    HERE / "explanation" / "calibration.md",
    HERE / "explanation" / "calibration-tables.md",
    HERE / "data",
)
VERSIONS_PAGE = HERE / "how-to" / "continuous-integration.md"
FEATURES_PAGE, GROUPS_PAGE = HERE / "how-to" / "features.md", HERE / "how-to" / "groups.md"
DESIGN_PAGE = HERE / "tutorials" / "algorithm-design.md"
RECORDED = {"ma_bbob_d30": "MA-BBOB", "gp_bbob_d40": "GP-BBOB", "coco_d5": "COCO"}
ENDS = {
    "BayesianBootstrap": "the default",
    "outcomes": "outcomes alone",
    "weighted Plackett-Luce": "Plackett-Luce alone",
}

NEAR = {1.0: "5 points of one half", 2.0: "10 points"}  # by the spread of the simulated utilities

DEFAULTS = {"elimination": "pointwise", "resolution": "membership"}

NOT_MEASURED = "-"

Cell = dict[str, Any]


def main() -> None:
    """Read the summaries and write the tables into their pages."""
    for page, name, table in tables():
        put_into(page, name, table)


def tables() -> Iterator[tuple[Path, str, str]]:
    """Yield every table with its page and the mark of its place there."""
    first = summary("first_edition")
    sides = summary("coverage"), [each for each in first if "coverage" in each]
    yield PAGE, "coverage", coverage_ranges(*sides)
    yield ALL_TABLES, "coverage", coverage_table(*sides)
    yield ALL_TABLES, "ratings", ratings_table(summary("coverage"))
    yield ALL_TABLES, "claims", claims_table(summary("near-equal"), {"pairs": pair_claims, "the first": first_claims})
    races = [*summary("races"), *(each for each in first if "races" in each)]
    yield PAGE, "races", races_table([each for each in races if _rule(each).startswith(("the ", "guarantee"))])
    yield ALL_TABLES, "races", races_table(races)
    yield (
        ALL_TABLES,
        "after",
        after_table([each for each in summary("races") if "after" in each and _rule(each) == "the default"]),
    )
    yield ALL_TABLES, "prediction", prediction_table(summary("prediction"))
    yield VERSIONS_PAGE, "versions", versions_table(summary("versions"))
    yield FEATURES_PAGE, "features", features_table(summary("features"))
    yield GROUPS_PAGE, "groups", groups_table(summary("groups"))
    yield DESIGN_PAGE, "fitness", fitness_table(summary("fitness"))


def summary(study: str) -> list[Cell]:
    """Return the summary of a study."""
    cells: list[Cell] = json.loads((DATA / f"{study}.json").read_text(encoding="utf-8"))
    return cells


def features_table(cells: list[Cell]) -> str:
    """Return how often `explain` finds a split, and how its estimate of the gain compares with the truth."""
    rows = []
    for each in cells:
        row = ["one shows the kind" if each["informative"] else "none is informative", str(each["data_sets"])]
        row += [f"{100 * each['found'][0]:.3g} %"]
        row += [f"{100 * each['right'][0]:.3g} %" if each["informative"] else "-"]
        known = each["informative"]
        row += [f"{100 * each[part]:.3g} points" if known else "-" for part in ("true_gain", "gain")]
        rows.append([*row, f"{100 * each['covered'][0]:.3g} %" if known else "-"])
    heads = [
        "features",
        "data sets",
        "split found",
        "right feature",
        "true gain",
        "estimated gain",
        "interval contains it",
    ]
    return markdown(heads, rows)


def groups_table(cells: list[Cell]) -> str:
    """Return the coverage, the width and the claims of a group that borrows from four others, and of the group alone."""
    rows = []
    for each in cells:
        ways = each["groups"], each["alone"]
        row = [f"{100 * each['odd']:.0f} %", f"{100 * each['others']:.0f} %", str(each["instances"])]
        row += [f"{100 * way['covered'][0]:.0f} %" for way in ways]
        row += [f"{100 * way['width']:.0f} points" for way in ways]
        rows.append([*row, *(_true_claims(way) for way in ways)])
    heads = ["win rate in the group", "in the four others", "instances"]
    for measure in ("coverage", "width", "claims that come true"):
        heads += [f"{measure}, `fit_groups`", "alone"]
    return markdown(heads, rows)


def _true_claims(way: Cell) -> str:
    return f"{round(way['claims'] * way['came_true'][0])} of {way['claims']}" if way["claims"] else "-"


def fitness_table(cells: list[Cell]) -> str:
    """Return how many candidates truly belong by their stated probability, over all truths, and Brier scores.

    Nearly equal algorithms have rows of their own: there the probability is least reliable.
    """
    settings: dict[str, list[Cell]] = {}
    for near in (False, True):
        for each in cells:
            if (each["truth"] == "near-equal") == near:
                size = f"race, at most {each['instances']}" if each["raced"] else str(each["instances"])
                setting = f"{size} instances, {each['times']} budgets{', nearly equal' if near else ''}"
                settings.setdefault(setting, []).append(each)
    rows = []
    for setting, own in settings.items():
        bins = [_pool_bin(list(same)) for same in zip(*(each["bins"] for each in own), strict=True)]
        brier = sum(each["brier"] for each in own) / len(own)  # cells of a setting are of equal size
        base = sum(each["belong"][0] for each in own) / len(own)
        rows.append([setting, *bins, f"{brier:.2g}", f"{base * (1 - base):.2g}"])
    heads = [f"{100 * each['from']:.0f} to {100 * each['to']:.0f} %" for each in cells[0]["bins"]]
    return markdown(["candidates that belong, by stated probability", *heads, "Brier score", "of the base rate"], rows)


def _pool_bin(bins: list[Cell]) -> str:
    """Return which share of the candidates in bins belongs, with their mean stated probability and their number."""
    found = [each for each in bins if each["candidates"]]
    number = sum(each["candidates"] for each in found)
    if not number:
        return "none"
    belong = sum(each["candidates"] * each["belong"][0] for each in found) / number
    stated = sum(each["candidates"] * each["stated"] for each in found) / number
    return f"{100 * belong:.0f} % of {number} (stated {100 * stated:.0f} %)"


def versions_table(cells: list[Cell]) -> str:
    """Return how often `polarbear compare` ends with each exit code, over the autocorrelations, for each change."""
    words = {
        "equal": "50 % everywhere",
        "better": "65 % everywhere",
        "at the margin": "45 % everywhere",
        "worse": "35 % everywhere",
        "worse in the middle": "35 % in the middle third, else 50 %",
    }
    rows = []
    for change, rope in dict.fromkeys((each["change"], each["rope"]) for each in cells):
        same = [each for each in cells if (each["change"], each["rope"]) == (change, rope)]
        shares = [_range_of([each[verdict][0] for each in same]) for verdict in ("no worse", "worse", "undecided")]
        sizes = sorted(round(each["instances"]) for each in same)
        rows.append([words[change], f"{rope:g}", *shares, " to ".join(map(str, dict.fromkeys([sizes[0], sizes[-1]])))])
    return markdown(["win rate of NEW", "rope", "exit 0", "exit 1", "exit 2", "instances"], rows)


def _range_of(shares: list[float]) -> str:
    low, high = (f"{100 * share:.3g}" for share in (min(shares), max(shares)))
    return f"{low} %" if low == high else f"{low} to {high} %"


def coverage_ranges(cells: list[Cell], first: list[Cell]) -> str:
    """Return the range of coverage over the autocorrelations by number of instances, in the first edition, of ratings."""
    sizes = sorted({each["instances"] for each in cells})
    rows = []
    for truth in dict.fromkeys(each["truth"] for each in cells):
        own = [_range(each for each in cells if (each["truth"], each["instances"]) == (truth, size)) for size in sizes]
        ratings = _range(each["ratings"] for each in cells if each["truth"] == truth)
        rows.append([truth, *own, _range(each for each in first if each["truth"] == truth), ratings])
    return markdown(["truth", *(f"P = {size}" for size in sizes), "first edition, all P", "ratings, all P"], rows)


def _range(cells: Iterable[Cell]) -> str:
    found = [each["coverage"] for each in cells]
    if not found:
        return NOT_MEASURED
    return f"{100 * min(found):.0f} to {100 * max(found):.0f}"


def _heads(sizes: list[int]) -> list[str]:
    return [f"{who}P = {size}" for who in ("", "first edition, ") for size in sizes]


def coverage_table(cells: list[Cell], first: list[Cell]) -> str:
    """Return coverage by truth and autocorrelation, with one column per number of instances, beside the first edition."""
    sizes = sorted({each["instances"] for each in cells})
    sides = [
        {(each["truth"], each["autocorrelation"], each["instances"]): percent(each) for each in side}
        for side in (cells, first)
    ]
    rows = [
        [
            truth,
            f"{autocorrelation:g}",
            *(side.get((truth, autocorrelation, size), NOT_MEASURED) for side in sides for size in sizes),
        ]
        for truth, autocorrelation in dict.fromkeys((each["truth"], each["autocorrelation"]) for each in cells)
    ]
    return markdown(["truth", "autocorrelation", *_heads(sizes)], rows)


def ratings_table(cells: list[Cell]) -> str:
    """Return the range of coverage of ratings over the autocorrelations, by number of instances."""
    sizes = sorted({each["instances"] for each in cells})
    rows = []
    for truth in dict.fromkeys(each["truth"] for each in cells):
        same = [each for each in cells if each["truth"] == truth]
        rows.append([truth, *(_range(each["ratings"] for each in same if each["instances"] == size) for size in sizes)])
    return markdown(["truth", *(f"P = {size}" for size in sizes)], rows)


def claims_table(cells: list[Cell], kinds: dict[str, Callable[[Cell], Cell]]) -> str:
    """Return the share of claims about near-equal algorithms that are true, with and without shrinkage, and their number."""
    settings = ("truth", "spread", "instances")
    found = {(*(each[name] for name in settings), each["belief"]): each for each in cells}
    rows = []
    for truth, spread, instances in dict.fromkeys(key[:3] for key in found):
        sides = [found[truth, spread, instances, belief] for belief in ("BayesianBootstrap", "unshrunk")]
        outliers = "" if truth == "near-equal" else ", two outliers"
        shown = [format_claims(kind(side)) for kind in kinds.values() for side in sides]
        rows.append([f"{NEAR[spread]}{outliers}", str(instances), *shown])
    heads = [f"{kind}{side}" for kind in kinds for side in ("", ", unshrunk")]
    return markdown(["win rates within", "instances", *heads], rows)


def pair_claims(cell: Cell) -> Cell:
    """Return the claims about pairs of one cell."""
    return cell


def first_claims(cell: Cell) -> Cell:
    """Return the claims of one cell about which algorithm comes first most often."""
    claims: Cell = cell["ratings"]
    return claims


def format_claims(compared: Cell) -> str:
    """Return the share of true claims with two standard errors, and the number of claims per data set."""
    if compared["came_true"] is None:
        return "no claims"
    share = f"{100 * compared['came_true']:.0f} ± {200 * compared['came_true_error']:.0f}"
    return f"{share} ({compared['claims']:.{0 if compared['claims'] >= 10 else 1}f})"


def races_table(cells: list[Cell]) -> str:
    """Return errors, right sets and costs of whole races, for each rule of decision."""
    rows = [
        [
            each["truth"],
            _rule(each),
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


def after_table(cells: list[Cell]) -> str:
    """Return coverage and true claims of the posteriors at the end of races."""
    heads = [
        "race",
        "intervals that contain the true win rate, %",
        "claims of 0.9 to 0.99 that are true, %",
        "promised",
    ]
    rows = [[f"{each['truth']}, {_rule(each)}", percent(each["after"]), *_claims(each["after"])] for each in cells]
    return markdown(heads, rows)


def _claims(compared: Cell) -> tuple[str, str]:
    share = f"{100 * compared['came_true']:.1f} ± {200 * compared['came_true_error']:.1f}"
    return share, f"{100 * compared['promised']:.1f}"


def _rule(cell: Cell) -> str:
    if cell["belief"] == "first edition":
        return "the first edition: B-spline, joint, crossing"
    if cell["rule"] != "bayes":
        return "significance tests at each time"
    changes = [cell[name] for name, usual in DEFAULTS.items() if cell[name] != usual]
    changes += [] if cell["guarantee"] is None else [f"guarantee {cell['guarantee']:g}"]
    return ", ".join(changes) or "the default"


def percent(cell: Cell) -> str:
    """Return coverage with two standard errors."""
    return f"{100 * cell['coverage']:.1f} ± {200 * cell['standard_error']:.1f}"


def prediction_table(cells: list[Cell]) -> str:
    """Return log-scores of the blend and of its two ends, with the best of each row in bold."""
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
