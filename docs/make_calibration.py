"""Makes the tables and figures of docs/calibration.md from the summaries in docs/data that the studies wrote.

The short table of races in docs/how-to-choose.md is made here too, so that the two pages agree.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from making.tables import markdown, put_into

from polarbear.plots.style import empty_figure, styled

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
PAGE, ADVICE = HERE / "calibration.md", HERE / "how-to-choose.md"
DATA, IMAGES = HERE / "data", HERE / "images" / "calibration"
PRIORS = {
    "GaussianProcess": "GP",
    "SparseGaussianProcess": "sparse GP",
    "HilbertSpaceGP": "HSGP",
    "RandomWalk": "random walk",
    "BSpline": "B-spline",
}
RECORDED = {"case_studies/data/ma_bbob_d30.npz": "MA-BBOB", "case_studies/data/gp_bbob_d40.npz": "GP-BBOB"}
AUTOCORRELATIONS = (0.0, 0.5, 0.9, 0.99, 1.0)
FEWEST = 10  # data sets, below which a cell says nothing

Cell = dict[str, Any]


def main() -> None:
    """Read the summaries, put the tables into their pages, and draw."""
    for page, name, table in tables():
        put_into(page, name, table)
    IMAGES.mkdir(parents=True, exist_ok=True)
    draw_coverage([cell for cell in summary("coverage") if cell["dependence"] == "copula"])
    draw_reliability(summary("reliability"))


def summary(study: str) -> list[Cell]:
    """What a study found."""
    cells: list[Cell] = json.loads((DATA / f"{study}.json").read_text(encoding="utf-8"))
    return cells


def tables() -> Iterator[tuple[Path, str, str]]:
    """Every table, with its page and the mark of its place there."""
    coverage = summary("coverage")
    drifting = [cell for cell in coverage if cell["dependence"] == "copula"]
    yield PAGE, "treatments", treatments(drifting)
    yield PAGE, "coverage", covered(drifting)
    yield PAGE, "renewed", renewed([cell for cell in coverage if cell["dependence"] == "renewal"])
    yield PAGE, "races", raced(summary("races"))
    yield PAGE, "reliability", relied(summary("reliability"))
    yield ADVICE, "races", raced_in_short(summary("races"))


def percent(cell: Cell | None) -> str:
    """Coverage with twice its standard error."""
    if cell is None or cell["data_sets"] < FEWEST:
        return "–"
    return f"{100 * cell['coverage']:.1f} ± {200 * cell['standard_error']:.1f}"


def found(cells: list[Cell], **wanted: Any) -> Cell | None:
    """The one cell with these fields."""
    return next((cell for cell in cells if all(cell[name] == value for name, value in wanted.items())), None)


def treatments(cells: list[Cell]) -> str:
    """The three remedies side by side, at 20 times."""
    rows = []
    for prior in ("GaussianProcess", "RandomWalk", "BSpline"):
        for instances in (8, 30):
            for autocorrelation in (0.0, 0.9, 1.0):
                of = {"prior": prior, "instances": instances, "autocorrelation": autocorrelation, "times": 20}
                row = [found(cells, treatment=each, **of) for each in ("none", "scalar", "trajectory")]
                widths = " / ".join("–" if cell is None else f"{cell['width']:.2f}" for cell in row)
                sets = " / ".join("–" if cell is None else str(cell["data_sets"]) for cell in row)
                rows.append([PRIORS[prior], str(instances), f"{autocorrelation:g}", *map(percent, row), widths, sets])
    heads = ["prior", "P", "autocorrelation", "none", "scalar", "trajectory", "widths of the three", "data sets"]
    return markdown(heads, rows)


def covered(cells: list[Cell]) -> str:
    """Coverage of the trajectory calibration in all cells that were run."""
    rows = []
    for times in (20, 50, 100):
        for prior, name in PRIORS.items():
            for instances in (8, 30, 100):
                of = {"treatment": "trajectory", "prior": prior, "instances": instances, "times": times}
                row = [found(cells, autocorrelation=each, **of) for each in AUTOCORRELATIONS]
                sets = [cell["data_sets"] for cell in row if cell is not None and cell["data_sets"] >= FEWEST]
                if sets:
                    many = str(sets[0]) if len(set(sets)) == 1 else f"{min(sets)} to {max(sets)}"
                    rows.append([name, str(times), str(instances), *map(percent, row), many])
        for instances in (8, 30, 100):
            of = {"treatment": "trajectory", "instances": instances, "times": times}
            means = [together(cells, autocorrelation=each, **of) for each in AUTOCORRELATIONS]
            if any(mean != "–" for mean in means):
                rows.append(["**all five**", str(times), str(instances), *means, ""])
    heads = ["prior", "T", "P", *(f"{each:g}" for each in AUTOCORRELATIONS), "data sets"]
    return markdown(heads, rows)


def renewed(cells: list[Cell]) -> str:
    """Noise that stays as it is until it is drawn anew, with and without a remedy."""
    rows = []
    for cell in (cell for cell in cells if cell["treatment"] == "trajectory"):
        of = {"prior": cell["prior"], "autocorrelation": cell["autocorrelation"]}
        pair = (found(cells, treatment="none", **of), cell)
        rows.append(
            [PRIORS[cell["prior"]], f"{cell['autocorrelation']:g}", *map(percent, pair), str(cell["data_sets"])]
        )
    return markdown(["prior", "autocorrelation", "none", "trajectory", "data sets"], rows)


def together(cells: list[Cell], **wanted: Any) -> str:
    """The mean over the priors, where all have been run; their data sets are not independent, so without standard error."""
    of_each = [found(cells, prior=prior, **wanted) for prior in PRIORS]
    known = [cell["coverage"] for cell in of_each if cell is not None and cell["data_sets"] >= FEWEST]
    return f"**{100 * sum(known) / len(known):.1f}**" if len(known) == len(PRIORS) else "–"


def raced(cells: list[Cell]) -> str:
    """How often races were wrong."""

    def rate(told: list[float] | None) -> str:
        return "–" if told is None else f"{100 * told[0]:.1f} ({100 * told[1]:.1f} to {100 * told[2]:.1f})"

    rows = []
    for cell in cells:
        way = cell["elimination"] if cell["rule"] == "rank tests" else f"{cell['elimination']}, {cell['resolution']}"
        rows.append(
            [
                decider(cell),
                way,
                str(cell["races"]),
                rate(cell["any_clearly_wrong"]),
                rate(cell["any_wrong"]),
                rate(cell["wrong_per_elimination"]),
                "–" if cell["rule"] == "rank tests" else f"{wrong(cell)} / {cell['promised']:.1f}",
                f"{100 * cell['right_set'][0]:.0f}",
                f"{cell['instances']:.0f}",
            ]
        )
    heads = [
        "who decides",
        "how",
        "races",
        "a clear member out, %",
        "any wrong, % of races",
        "wrong, % of eliminations",
        "wrong / promised",
    ]
    return markdown([*heads, "right set, %", "instances"], rows)


def wrong(cell: Cell) -> int:
    """How many eliminations were wrong, of all races of a cell."""
    number: int = round(cell["wrong_per_elimination"][0] * cell["eliminated"])
    return number


def raced_in_short(cells: list[Cell]) -> str:
    """Races under crossing resolution, the calibrated ones first."""
    rows = [
        [
            f"{decider(cell)}, {cell['elimination']}",
            f"{100 * cell['any_wrong'][0]:.0f}",
            f"{100 * cell['right_set'][0]:.0f}",
            f"{cell['instances']:.0f}",
        ]
        for cell in sorted(cells, key=lambda cell: "the paper's" in decider(cell))
        if cell["rule"] == "bayes" and cell["resolution"] == "crossing"
    ]
    return markdown(["", "any wrong, % of races", "right set, %", "instances"], rows)


def decider(cell: Cell) -> str:
    """Who decides in a race: rank tests, or a prior, with its likelihood where that makes a difference."""
    if cell["rule"] == "rank tests":
        return "rank tests"
    if cell["prior"] not in PRIORS:
        return str(cell["prior"])
    likelihood = "calibrated" if cell["calibration"] == "trajectory" else "the paper's likelihood"
    return f"{PRIORS[cell['prior']]}, {likelihood}"


def relied(cells: list[Cell]) -> str:
    """What was said and what came, by class of probability, calibrated and not."""
    rows = []
    for calibrated in (cell for cell in cells if cell["calibration"] == "trajectory"):
        of = {name: calibrated[name] for name in ("recorded", "simulated", "prior", "instances")}
        other = found(cells, calibration="none", **of) or {"classes": []}
        runs, known = RECORDED[calibrated["recorded"]], str(calibrated["instances"] or "half")
        runs += ", simulated" * calibrated["simulated"]
        for one in calibrated["classes"]:
            if one["from"] >= 0.8:
                pair = (one, found(other["classes"], **{"from": one["from"]}))
                told = [text for each in pair for text in (("–", "–") if each is None else relied_on(each))]
                between = f"{one['from']:g} to {one['to']:g}"
                rows.append([runs, PRIORS[calibrated["prior"]], known, between, *told, f"{one['cases']:,}"])
    heads = [
        "runs",
        "prior",
        "instances",
        "class",
        "calibrated: said",
        "came true",
        "the paper's likelihood: said",
        "came true",
    ]
    return markdown([*heads, "cases, calibrated"], rows)


def relied_on(each: Cell) -> tuple[str, str]:
    """What was said in a class of probability, and what came."""
    return f"{each['said']:.3f}", f"{each['came']:.3f} ± {2 * each['standard_error']:.3f}"


def draw_coverage(cells: list[Cell]) -> None:
    """Coverage over the autocorrelation: a column a prior, a row a number of times, a line a number of instances.

    What happens without a remedy was looked at for some, and is drawn beside them.
    """
    with styled():
        figure = empty_figure(9.0, 5.6)
        panels = figure.subplots(3, len(PRIORS), sharex=True, sharey="row")
        for row, times in zip(panels, (20, 50, 100), strict=True):
            for panel, prior in zip(row, PRIORS, strict=True):
                panel.axhspan(93, 97, color="0.92", zorder=0)
                for treatment, style in (("trajectory", "o-"), ("none", "x:")):
                    for shade, instances in zip(("0.65", "0.35", "0"), (8, 30, 100), strict=True):
                        of = {"prior": prior, "treatment": treatment, "instances": instances, "times": times}
                        points = [found(cells, autocorrelation=at, **of) for at in AUTOCORRELATIONS]
                        known = [(at, cell) for at, cell in enumerate(points) if cell and cell["data_sets"] >= FEWEST]
                        drawn = [(at, 100 * cell["coverage"]) for at, cell in known]
                        label = f"P = {instances}" if treatment == "trajectory" else f"P = {instances}, none"
                        if drawn:
                            at, coverage = zip(*drawn, strict=True)
                            panel.plot(at, coverage, style, color=shade, label=label, markersize=3, linewidth=1)
            row[0].set_ylabel(f"T = {times}\ncoverage, %")
        for panel, name in zip(panels[0], PRIORS.values(), strict=True):
            panel.set_title(name, fontsize=9)
        panels[-1, 2].set_xticks(range(len(AUTOCORRELATIONS)), [f"{each:g}" for each in AUTOCORRELATIONS])
        panels[-1, 2].set_xlim(-0.3, len(AUTOCORRELATIONS) - 0.7)
        panels[-1, 2].set_xlabel("autocorrelation of neighbouring times")
        for panel in panels.flat:
            panel.tick_params(labelsize=7)
        panels[0, -1].legend(fontsize=6, loc="lower left")
        figure.savefig(IMAGES / "coverage.svg", metadata={"Date": None})


def draw_reliability(cells: list[Cell]) -> None:
    """What was said against what came, B-spline, a column for each recording, from half of the instances and from 20."""
    with styled():
        figure = empty_figure(6.6, 6.2)
        panels = figure.subplots(2, len(RECORDED), sharex=True, sharey=True)
        for row, (instances, known) in zip(
            panels, {0: "half of the instances", 20: "20 instances"}.items(), strict=True
        ):
            for panel, (recorded, name) in zip(row, RECORDED.items(), strict=True):
                panel.plot([0.5, 1], [0.5, 1], color="0.8", linewidth=1)
                for cell in cells:
                    if (cell["recorded"], cell["prior"], cell["instances"]) == (recorded, "BSpline", instances):
                        said, came, error = (
                            [each[what] for each in cell["classes"]] for what in ("said", "came", "standard_error")
                        )
                        style = "o-" if cell["calibration"] == "trajectory" else "x:"
                        shade, label = ("0.6", ", simulated") if cell["simulated"] else ("0", "")
                        panel.errorbar(
                            said,
                            came,
                            [2 * each for each in error],
                            fmt=style,
                            color=shade,
                            markersize=4,
                            linewidth=1,
                            label=cell["calibration"] + label,
                        )
                panel.set_title(f"{name}, from {known}", fontsize=9)
            row[0].set_ylabel("share that came true")
        for panel in panels[-1]:
            panel.set_xlabel("probability that was given")
        panels[0, 0].legend(title="calibration")
        figure.savefig(IMAGES / "reliability.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
