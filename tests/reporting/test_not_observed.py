"""The page leaves out algorithms where they were not observed, as Python does."""

from dataclasses import replace

import pytest

import polarbear as pb
from polarbear.reporting.sentences import comparisons_sentence
from tests.reporting.stored import stored_posterior
from tests.reporting.test_explorer import ALL_CANDIDATES, READ, check_recommendation, drawn_weights
from tests.selection.short_runs import short_posterior

QUERIES = [
    "kind=at&budget=5",
    "kind=at&budget=10.2",
    "kind=at&budget=11",
    "kind=at&budget=1000",
    "kind=between&start=1&stop=10.4",
    "kind=between&start=1&stop=50",
    "kind=around&centre=4&spread=0.5",
    "kind=around&centre=4&spread=1.4",
    f"kind=drawn&heights={drawn_weights(4)}",
    "kind=drawn&heights=80800600",
]


def test_the_explorer_leaves_out_what_python_leaves_out(open_report):
    posterior = short_posterior("long", "last")
    report = open_report(posterior, about=ALL_CANDIDATES)
    same = stored_posterior(report.path, posterior)
    answers = report.ask(
        *(f"{query}&risk=expected&machines={machines}" for query in QUERIES for machines in (1, 2)), read=READ
    )
    names = set()
    for answer in answers:
        check_recommendation(answer, same)
        names.add(answer["name"])
    assert {"short", "long"} <= names
    (late,) = report.ask("kind=at&budget=1000", read='() => document.querySelector(".statements").textContent')
    assert "Left out, since not observed together with another algorithm at these budgets: short." in late
    (early,) = report.ask("kind=at&budget=5", read='() => document.querySelector(".statements").textContent')
    assert "Left out" not in early


def test_where_nothing_was_compared_the_page_recommends_nothing_as_python_does(open_report):
    posterior = short_posterior("long")
    report = open_report(posterior, about=ALL_CANDIDATES)
    text = '() => document.querySelector(".recommendation").textContent'
    late, early = report.ask("kind=at&budget=500", "kind=at&budget=5", read=text)
    assert late.startswith("No algorithm was observed together with another one at these budgets")
    assert "Choose" in early
    with pytest.raises(ValueError, match="expected budgets at which a candidate was observed"):
        pb.select(posterior, pb.At(500))


def test_curves_and_areas_are_interrupted(open_report):
    """The curve of `short` ends at the second of four budgets; the other curves reach the right end."""
    report = open_report(short_posterior("long", "last"), about=ALL_CANDIDATES)
    points = """(selector) => [...document.querySelectorAll(selector)].map(
        (line) => line.getAttribute("d").split(/[ML]/).length - 1)"""
    assert report.page.evaluate(points, "#ratings-chart .line") == [2, 4, 4]
    assert report.page.evaluate(points, "#ratings-chart .band") == [4, 8, 8]
    assert report.page.evaluate(points, "#pair-chart .dotted") == [2]
    assert report.page.evaluate(points, "#comparisons-chart .line") == [4, 4, 4]
    cells = report.page.locator("#pairs-table td").all_text_contents()
    assert cells[:3] == ["·", "–", "–"]
    assert "A dash means" in report.page.text_content("#pairs-text")


def test_the_band_of_leaders_ends_with_the_data(open_report):
    report = open_report(short_posterior("long"), about=ALL_CANDIDATES)
    width = report.page.locator("#best-chart svg").evaluate("(svg) => svg.viewBox.baseVal.width")
    band = report.page.locator(".leader-band").evaluate("(rect) => rect.width.baseVal.value")
    assert band < width / 2  # 1 to 10 is a third of the axis from 1 to 1000


def test_equal_counts_need_no_chart(open_report):
    posterior = short_posterior("long", "last")
    whole = replace(posterior, comparisons=posterior.comparisons * 0 + 20)
    assert comparisons_sentence(whole) == (
        "Each algorithm was compared with others on 20 of 20 instances at each budget."
    )
    report = open_report(whole, about=ALL_CANDIDATES)
    assert report.page.locator("#comparisons-chart").count() == 0
    unknown = open_report(replace(posterior, comparisons=None), about=ALL_CANDIDATES)
    assert unknown.page.locator("#comparisons").count() == 0
