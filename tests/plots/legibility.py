"""Draw figures by name, and check that their texts neither overlap nor are cut off."""

from dataclasses import replace
from functools import cache
from itertools import combinations
from unittest.mock import patch

import numpy as np
from matplotlib import rcParams
from matplotlib.text import Text

import polarbear as pb
from polarbear import plots
from polarbear.features.ranges import BudgetRange
from polarbear.features.tree_rows import TreeRow
from polarbear.plots.problem_tree import ProblemTree
from polarbear.plots.tree_figure import draw_tree_figure
from tests.plots.posteriors import posterior_with, race_with

OF_A_POSTERIOR = [name for name, entry in plots.FIGURES.items() if entry.needs == "posterior"]
OF_A_RACE = [name for name, entry in plots.FIGURES.items() if entry.needs in ("race", "runs")]
FIVE = ("CSA", "MXNES", "TPA", "LPXNES", "random")


def of_posterior(name, posterior, **options):
    return plots.draw_figure(name, posterior, pair=posterior.names[:2], **options)


@cache
def figure_of_five(name):
    """Return a figure of five algorithms with short names, drawn once for several tests."""
    if name == "tree":
        return figure_of_tree(FIVE)
    if name in OF_A_RACE:
        return of_race(name, race_with(5, names=FIVE, rounds=2))
    return of_posterior(name, posterior_with(5, names=FIVE))


def figure_of_tree(names, *, feature="size", width=None):
    """Return the figure of a tree of depth two, in whose groups different algorithms lead."""
    grid = pb.log_grid(10, 1000, 5)

    def row(parent, depth, condition, *changes):
        starts = [10.0, *(budget for budget, _ in changes)]
        ends = [*starts[1:], 1000.0]
        chosen = [names[0], *(name for _, name in changes)]
        ranges = tuple(map(BudgetRange, starts, ends, chosen, [0.5] * len(chosen)))
        return TreeRow(parent, depth, condition, 10, "tentative", "", ranges)

    rows = (
        row(None, 0, "all instances", (300.0, names[1])),
        replace(row(0, 1, f"{feature} ≤ 20"), feature="other", ranges=()),
        row(1, 2, "other = yes", (300.0, names[-1])),
        row(1, 2, f"{feature} > 4"),
        row(0, 1, f"{feature} > 20", (15.0, names[2]), (20.0, names[1]), (900.0, names[0])),
    )
    data = ProblemTree(rows, grid, tuple(names), "evaluations")
    return draw_tree_figure(data, axis=None, unit=None, width=width)


def of_race(name, race, **options):
    few = 4 if name == "rounds" else None
    return plots.draw_figure(name, race.posterior, race, pair=race.posterior.names[:2], most=few, **options)


def texts_of(figure):
    """Return all texts that are drawn, with their boxes in pixels."""
    drawn, draw = [], Text.draw

    def record(text, renderer):
        if text.get_visible() and text.get_text().strip():
            drawn.append(text)
        draw(text, renderer)

    with patch.object(Text, "draw", record):
        figure.draw_without_rendering()
    return [(text, text.get_window_extent()) for text in dict.fromkeys(drawn)]


def corners(text, box):
    """Return the corners of a text, rotated as it is drawn."""
    if text.get_rotation() % 90 == 0:
        return np.array([[box.x0, box.y0], [box.x1, box.y0], [box.x1, box.y1], [box.x0, box.y1]])
    angle = np.deg2rad(text.get_rotation())
    flat = text.get_rotation()
    text.set_rotation(0)
    level = text.get_window_extent()
    text.set_rotation(flat)
    x, y = text.get_transform().transform(text.get_position())
    along, up = np.array([np.cos(angle), np.sin(angle)]), np.array([-np.sin(angle), np.cos(angle)])
    start = np.array([x, y])
    return np.array(
        [start, start + along * level.width, start + along * level.width + up * level.height, start + up * level.height]
    )


def overlap(first, second):
    """Return whether two convex shapes overlap by more than a pixel: no line separates them (separating axis theorem)."""
    if (first.max(axis=0) <= second.min(axis=0) + 1).any() or (second.max(axis=0) <= first.min(axis=0) + 1).any():
        return False
    for shape in (first, second):
        for side in np.roll(shape, -1, axis=0) - shape:
            normal = np.array([-side[1], side[0]]) / np.hypot(*side)
            one, other = first @ normal, second @ normal
            if one.max() <= other.min() + 1 or other.max() <= one.min() + 1:
                return False
    return True


def assert_legible(figure):
    """Check that in a saved file no text overlaps another one, is cut off or is too small; return the texts.

    A file keeps the layout of the figure but has a resolution of its own, at which texts may have other widths.
    """
    layout, dpi = figure.get_layout_engine(), figure.dpi
    with plots.styled():
        if not figure.stale:
            figure.set_layout_engine(None)
        figure.dpi = rcParams["savefig.dpi"]
        try:
            return _check_texts(figure)
        finally:
            figure.dpi = dpi
            figure.set_layout_engine(layout)


def _check_texts(figure):
    texts = texts_of(figure)
    assert texts
    page, axes = figure.bbox, figure.axes[0].bbox
    assert axes.width > 0.25 * page.width
    assert axes.height > 0.2 * page.height
    for text, box in texts:
        inside = box.x0 >= page.x0 - 1 and box.y0 >= page.y0 - 1 and box.x1 <= page.x1 + 1 and box.y1 <= page.y1 + 1
        assert inside, f"{text.get_text()!r} is cut off"
        assert text.get_fontsize() >= 7
    shapes = [(text.get_text(), corners(text, box)) for text, box in texts]
    for (one, shape), (other, its_shape) in combinations(shapes, 2):
        assert not overlap(shape, its_shape), f"{one!r} lies on {other!r}"
    return [text for text, _ in texts]
