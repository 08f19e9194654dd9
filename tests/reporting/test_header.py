"""The header states the answer in the words of the terminal, and each finding once."""

import html
import re
from dataclasses import replace

import pytest

import polarbear as pb
from polarbear.findings import Code, Continue, Finding
from polarbear.reporting.header import answer_html, standings_html, trust_html
from polarbear.result import result_of_race
from polarbear.show.standings import standings
from polarbear.show.wording import text_of
from tests.reporting.races import small_race


def words(markup):
    """The text of markup, with single spaces."""
    text = html.unescape(re.sub("<[^>]*>", " ", markup)).replace("\N{NO-BREAK SPACE}", " ")
    return re.sub(r" (?=[:.])", "", " ".join(text.split()))


@pytest.fixture(scope="module")
def result():
    """The result of a race with a dropped algorithm."""
    return result_of_race(small_race(confidence=0.8).outcome, path="my.race", continues=True)


def test_each_range_of_budgets_is_a_row(result):
    stated, printed = words(answer_html(result)), result.words(shell=True)
    assert printed.rows
    for row in printed.rows:
        assert " ".join(row) in stated
    for each in (printed.heading, *printed.sentences):
        assert " ".join(each.split()) in stated


def test_the_standings_name_every_algorithm(result):
    stated = words(standings_html(result))
    groups = standings(result.answer, result.dropped, result.clock)
    assert {name for group in groups.values() for name, _ in group} == {*result.kept, *result.dropped}
    for heading, group in groups.items():
        assert heading in stated
        for name, reason in group:
            assert f"{name}: {reason}" in stated


def test_findings_are_a_list_and_name_their_severity_and_remedy(result):
    found = (
        Finding(Code.FEW_INSTANCES, "unreliable", numbers={"number": 1, "clusters": False, "needed": 30}),
        Finding(Code.CHANGED_CODE, "tentative", ("a <b>",), remedy=Continue(instances=40)),
        Finding(Code.CIRCLE, "note", ("a", "b", "c")),
    )
    doubtful = replace(result)
    doubtful.__dict__["findings"] = found
    markup = trust_html(doubtful)
    assert 'class="trust-notes unreliable"' in markup
    assert len(re.findall("<li>.*?</li>", markup)) == 3
    stated = words(markup)
    assert stated.startswith("The answer is unreliable.")
    for each in found:
        label = "" if each.severity == "note" else f"{each.severity.capitalize()}: "
        assert f"{label}{text_of(each)}" in stated
    assert "<code>polarbear race my.race --max-instances 40</code>" in markup


def test_a_firm_answer_says_so():
    levels = {"cma": 1.0, "rs": 2.0}
    runs = [pb.Trajectory(name, i, [10], [value], end=100) for i in range(40) for name, value in levels.items()]
    firm = pb.analyse(runs, budgets=[10, 100], draws=200)
    assert words(trust_html(firm)).startswith("The answer is firm. No check gives reason to doubt the answer.")
