"""Write the tables of the studies into the pages about calibration, versions, features, groups and design."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from making.tables import markdown, put_into

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PAGE, DATA = HERE / "explanation" / "calibration.md", HERE / "data"
VERSIONS_PAGE = HERE / "how-to" / "continuous-integration.md"
FEATURES_PAGE, GROUPS_PAGE = HERE / "how-to" / "features.md", HERE / "how-to" / "groups.md"
DESIGN_PAGE = HERE / "tutorials" / "algorithm-design.md"
BEFORE = "coverage-0.2"  # the coverage study of version 0.2, on the same simulated data

Cell = dict[str, Any]


def main() -> None:
    """Read the summaries and write the tables into their pages."""
    for page, name, table in tables():
        put_into(page, name, table)


def tables() -> Iterator[tuple[Path, str, str]]:
    """Yield every table with its page and the mark of its place there."""
    yield PAGE, "coverage", coverage_table(summary("coverage"), summary(BEFORE))
    yield PAGE, "claims", claims_table(summary("coverage"), summary(BEFORE))
    yield PAGE, "races", races_table(summary("races"))
    yield VERSIONS_PAGE, "versions", versions_table(summary("versions"))
    yield FEATURES_PAGE, "features", features_table(summary("features"))
    yield GROUPS_PAGE, "groups", groups_table(summary("groups"))
    yield DESIGN_PAGE, "fitness", fitness_table(summary("fitness"))


def summary(study: str) -> list[Cell]:
    """Return the summary of a study."""
    cells: list[Cell] = json.loads((DATA / f"{study}.json").read_text(encoding="utf-8"))
    return cells


def coverage_table(cells: list[Cell], before: list[Cell]) -> str:
    """Return the coverage of intervals of win rates by truth and number of instances, beside that of version 0.2."""
    sizes = sorted({each["instances"] for each in cells})
    rows = []
    for truth in dict.fromkeys(each["truth"] for each in cells):
        own, earlier, ratings = (
            [f"{100 * each['coverage']:.1f}" for each in side]
            for side in (_of(cells, truth), _of(before, truth), [each["ratings"] for each in _of(cells, truth)])
        )
        rows.append([truth, *own, ", ".join(earlier), ", ".join(ratings)])
    return markdown(["truth", *(f"P = {size}" for size in sizes), "version 0.2", "first places"], rows)


def claims_table(cells: list[Cell], before: list[Cell]) -> str:
    """Return how many claims come true, and how often one is sure, by truth and number of instances."""
    sizes = sorted({each["instances"] for each in cells})
    rows = []
    for truth in dict.fromkeys(each["truth"] for each in cells):
        claims = [f"{100 * each['came_true']:.0f} ({100 * each['promised']:.0f})" for each in _of(cells, truth)]
        sure = [
            ", ".join(f"{100 * each['sure']:.0f}" for each in side) for side in (_of(cells, truth), _of(before, truth))
        ]
        rows.append([truth, *claims, *sure])
    return markdown(["truth", *(f"P = {size}" for size in sizes), "sure", "sure, version 0.2"], rows)


def _of(cells: list[Cell], truth: str) -> list[Cell]:
    """Return the cells of a truth by number of instances."""
    return sorted((each for each in cells if each["truth"] == truth), key=lambda each: each["instances"])


def races_table(cells: list[Cell]) -> str:
    """Return errors, right sets and costs of whole races."""
    rows = []
    for each in cells:
        setting = each["truth"] + ("" if each["guarantee"] is None else f", guarantee {each['guarantee']:g}")
        wrong = f"{each['wrong_per_elimination'][0] * each['eliminated']:.0f} of {each['eliminated']}"
        after = f"{100 * each['after']['coverage']:.0f}"
        shares = [f"{100 * each[name][0]:.0f}" for name in ("any_wrong", "right_set")]
        rows.append(
            [
                setting,
                wrong,
                f"{each['promised']:.1f}",
                *shares,
                f"{each['instances']:.0f}",
                f"{100 * each['cost']:.0f}",
                after,
            ]
        )
    heads = [
        "wrong drops",
        "expected",
        "any wrong, %",
        "right set, %",
        "instances",
        "evaluations, %",
        "coverage, %",
    ]
    return markdown(["truth", *heads], rows)


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
    for change, margin in dict.fromkeys((each["change"], each["margin"]) for each in cells):
        same = [each for each in cells if (each["change"], each["margin"]) == (change, margin)]
        shares = [_range_of([each[answer][0] for each in same]) for answer in ("no worse", "worse", "undecided")]
        sizes = sorted(round(each["instances"]) for each in same)
        rows.append(
            [words[change], f"{margin:g}", *shares, " to ".join(map(str, dict.fromkeys([sizes[0], sizes[-1]])))]
        )
    return markdown(["win rate of NEW", "margin", "exit 0", "exit 1", "exit 2", "instances"], rows)


def _range_of(shares: list[float]) -> str:
    low, high = (f"{100 * share:.3g}" for share in (min(shares), max(shares)))
    return f"{low} %" if low == high else f"{low} to {high} %"


if __name__ == "__main__":
    main()
