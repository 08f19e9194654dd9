"""Remarks on circles, and on dropped algorithms that come first on some instances."""

import math

import numpy as np
import pytest

import polarbear as pb
from polarbear.posterior.elimination import cycles
from polarbear.verdict.order_remarks import order_remarks

CIRCLE = [[1, 2, 3], [3, 1, 2], [2, 3, 1]]  # A beats B, B beats C and C beats A, each on two instances of three


def choices_of(values, names, grid=None):
    """Choices of values (instance, time, algorithm)."""
    values = np.asarray(values, dtype=float)
    times = np.arange(1.0, values.shape[1] + 1) if grid is None else grid
    return pb.Choices.from_values(values, grid=times, names=list(names))


def remarks_of(values, names, grid=None, **rule):
    """The remarks on the decisions of the default belief."""
    posterior = pb.fit(choices_of(values, names, grid), draws=500)
    found = order_remarks(posterior, pb.dominated(posterior, **rule), cycles(posterior, **rule))
    assert {each.status for each in found} <= {"solid"}  # the answer holds
    return [each.text for each in found]


def first_on(places, instances=100, times=1):
    """`best` beats all others on most instances, and the others come first on the given numbers of instances."""
    values = np.tile(np.arange(len(places) + 1.0), (instances, times, 1))
    start = 0
    for place, number in enumerate(places, start=1):
        values[start : start + number, :, place] = -1.0
        start += number
    return values


def test_a_recorded_circle_is_kept_and_named():
    """d is beaten by all three."""
    values = np.repeat([[[*each, 9]] for each in CIRCLE] * 40, 4, axis=1)
    choices = choices_of(values, "ABCd", grid=[10, 100, 1000, 10_000])
    posterior = pb.fit(choices, draws=1000)
    assert pb.pareto_set(posterior) == ("A", "B", "C")
    summary = pb.summarise(posterior, choices=choices)
    text = "A, B and C beat each other in a circle at every budget, so no data drop one of them."
    assert [each.status for each in summary.remarks if each.text == text] == ["solid"]
    assert text in " ".join(str(summary).split())
    assert [each.name for each in summary.group("eliminated")] == ["d"]
    assert sorted(each.name for group in ("leads somewhere", "not ruled out") for each in summary.group(group)) == [
        *"ABC"
    ]


def test_each_circle_has_a_remark():
    """At the first budget one circle is ahead of the other, and at the second behind it."""
    one, other = np.array(CIRCLE * 40), np.array(CIRCLE * 40) + 10
    values = np.stack([np.hstack([one, other]), np.hstack([other, one])], axis=1)
    starts = [text.partition(" beat")[0] for text in remarks_of(values, "ABCXYZ")]
    assert starts == ["A, B and C", "X, Y and Z"]


def test_without_a_circle_and_without_first_places_nothing_is_remarked():
    assert remarks_of(first_on([0, 0]), ["best", "x", "y"]) == []
    assert remarks_of(np.random.default_rng(0).normal(size=(20, 2, 3)), "abc") == []


def test_a_dropped_algorithm_that_comes_first_on_some_instances_is_named():
    values = first_on([12, 0], times=2)
    values[:4, 1, 1] = 1.0  # at the second budget on eight only
    (text,) = remarks_of(values, ["best", "special", "never"], grid=[10, 2000])
    assert text == (
        "special is dropped, but came first on 12 % of instances at 10. "
        'Portfolios may need such algorithms: specialists="keep" keeps them.'
    )


@pytest.mark.parametrize(
    ("wins", "instances", "named"),
    [(5, 100, False), (6, 100, True), (2, 30, False), (3, 30, True), (3, 59, True), (3, 61, False)],
)
def test_seldom_is_at_most_five_per_cent_or_less_than_three_instances(wins, instances, named):
    found = remarks_of(first_on([wins], instances), ["best", "x"])
    assert bool(found) == named


def test_a_time_with_few_runs_does_not_hide_one_with_many():
    """x was run to the second budget on 16 instances only, and came first on two of them."""
    values = first_on([8], times=2)
    values[2:86, 1, 1] = math.nan
    (text,) = remarks_of(values, ["best", "x"], grid=[10, 20])
    assert "x is dropped, but came first on 8 % of instances at 10." in text


def test_shared_first_places_count_in_part():
    """x ties with the best ahead of y: half of these instances are its own."""
    values = first_on([0, 0])
    values[:10, :, 1] = 0.0
    assert remarks_of(values, ["best", "x", "y"]) == []
    values[:14, :, 1] = 0.0
    (text,) = remarks_of(values, ["best", "x", "y"])
    assert "x is dropped, but came first on 7 % of instances" in text


@pytest.mark.parametrize("value", [math.inf, -5.0], ids=["no solution", "all solve it"])
def test_where_all_algorithms_tie_nobody_comes_first(value):
    values = first_on([0, 0], times=3)
    values[:, 0] = value
    values[:60, 1] = value
    assert remarks_of(values, ["best", "x", "y"]) == []
    values[90:, 1, 1] = -1.0
    (text,) = remarks_of(values, ["best", "x", "y"], grid=[1, 10, 100])
    assert text.startswith("x is dropped, but came first on 10 % of instances at 10. ")


@pytest.mark.parametrize(
    ("number", "end"),
    [
        (3, "at 1. Portf"),
        (4, "; 1 other dropped algorithm also did. Portf"),
        (6, "; 3 other dropped algorithms also did. Portf"),
    ],
)
def test_three_dropped_algorithms_are_named_and_the_others_counted(number, end):
    names = ["best", *(f"x{i}" for i in range(number))]
    (text,) = remarks_of(first_on([7] * number, instances=120), names, confidence=0.9)
    assert text.count("is dropped, but") == 3
    assert end in text


def test_of_an_instance_on_which_it_ran_alone_nothing_is_said():
    """There is nobody to be ahead of."""
    values = first_on([0])
    values[:30, :, 0] = math.nan
    assert remarks_of(values, ["best", "x"]) == []


def test_a_posterior_without_outcomes_names_no_first_places():
    choices = choices_of(first_on([12]), ["best", "x"])
    posterior = pb.fit(choices, prior=pb.Dirichlet())
    assert order_remarks(posterior, pb.dominated(posterior), ()) == []


def test_a_specialist_leads_nowhere_when_it_is_dropped():
    """w comes first most often, but x beats it on three of five instances."""
    ranks = np.tile([[0, 1, 2, 3]] * 2 + [[3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]], (40, 1))[:, None]
    choices = choices_of(ranks, "wxyz")
    summary = pb.summarise(pb.fit(choices, draws=1000), choices=choices)
    assert "w" in {each.name for each in summary.group("eliminated")}
    assert any("w is dropped, but came first on 40 % of instances at 1" in each.text for each in summary.remarks)
    assert [each.name for each in summary.group("leads somewhere")] == ["x"]
