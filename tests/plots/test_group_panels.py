"""Figures with one panel per group of runs."""

import numpy as np
import pytest

import polarbear as pb
from polarbear import plots
from polarbear.plots.group_panels import group_data
from tests.plots.legibility import assert_legible
from tests.plots.posteriors import names_of, posterior_with

WITH_PANELS = [name for name, entry in plots.FIGURES.items() if entry.panels]


def groups_of(number, length=60):
    """Return four groups, of which the last lacks the first algorithm."""
    names = names_of(number, length)
    full = {title: posterior_with(number, length, seed=k) for k, title in enumerate(["all", "$x_1$", "function 2"])}
    return {**full, "partial": posterior_with(number - 1, seed=9, names=names[1:])}


@pytest.mark.parametrize(
    ("name", "number", "width"),
    [
        ("ratings", 3, 3.4),
        ("ratings", 20, None),
        ("decision-map", 3, 3.4),
        ("decision-map", 20, None),
        ("values", 3, None),
    ],
)
def test_panels_are_legible(name, number, width):
    groups = groups_of(number)
    groups = {title: groups[title] for title in ("$x_1$", "partial")}
    figure = plots.by_group(name, groups, width=width)
    assert [ax.get_title(loc="left") for ax in figure.axes] == list(groups)
    assert_legible(figure)


def test_every_figure_with_panels_draws_all_groups(monkeypatch):
    monkeypatch.setattr("matplotlib.layout_engine.ConstrainedLayoutEngine.execute", lambda *_: None)  # needs no layout
    for name in WITH_PANELS:
        assert [ax.get_title(loc="left") for ax in plots.by_group(name, groups_of(3, 1)).axes] == list(groups_of(3, 1))


def test_an_algorithm_has_one_colour_in_all_panels():
    groups = groups_of(3)
    looks = plots.assign_looks(groups["all"].names)
    figure = plots.by_group("ratings", groups)
    [_, *others] = looks.values()
    assert [line.get_color() for line in figure.axes[-1].lines] == [look.colour for look in others]
    assert {ax.get_ylim() for ax in figure.axes} == {figure.axes[0].get_ylim()}


def test_all_panels_of_the_decision_map_stack_algorithms_in_the_same_order():
    groups = groups_of(4, 1)
    alone = [plots.DecisionBands.of(each) for each in groups.values()]
    assert len({tuple(data.names[k] for k in data.stacking_order) for data in alone[:3]}) > 1
    panels = group_data("decision-map", groups)
    first, *others = ([data.names[k] for k in data.stacking_order] for data in panels.values())
    assert all(order == [name for name in first if name in order] for order in others)


def test_a_panel_without_data_says_so():
    values = np.random.default_rng(0).normal(size=(6, 2, 3))
    values[:, 1] = np.nan  # nothing at the second budget
    choices = pb.Choices.from_values(values, grid=[10, 100], names=list("abc"))
    groups = {"all": posterior_with(3, names="abc", grid=pb.as_grid([10, 100])), "short": pb.fit(choices, draws=100)}
    figure = plots.by_group("values", groups, preference=pb.Final())
    assert [text.get_text() for text in figure.axes[1].texts] == ["not observed at these budgets"]
    figure = plots.by_group("ratings", {"all": groups["all"], "two": posterior_with(2, names="ab")}, among=["c"])
    assert [text.get_text() for text in figure.axes[1].texts] == ["no runs of these algorithms"]


def test_a_figure_without_panels_is_refused():
    with pytest.raises(ValueError, match=r"expected a figure with panels .ratings, decision-map, values., got 'pair'"):
        plots.by_group("pair", {"all": posterior_with(2)})
