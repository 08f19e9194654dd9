"""The header states the verdict in the words of the terminal, each remark once."""

import html
import re

import pytest

import polarbear as pb
from polarbear.reporting.header import answer_html, standings_html, status_html
from polarbear.verdict import Remark, Standing, Summary
from tests.reporting.races import small_race
from tests.selection.posteriors import posterior_of, random_posterior


def words(markup):
    """The text of markup, with single spaces."""
    text = html.unescape(re.sub("<[^>]*>", " ", markup)).replace("\N{NO-BREAK SPACE}", " ")
    return re.sub(r" (?=[:.])", "", " ".join(text.split()))


def summary_of(*remarks, standings=(), settled="All is decided."):
    overview = pb.decision_map(random_posterior(50, 4, 3))
    return Summary(overview, tuple(standings), tuple(remarks), unit="s", effort="9 instances", settled=settled)


@pytest.fixture(scope="module")
def race_summary():
    """The summary of a race with an elimination, and with an algorithm that is not ruled out."""
    return small_race(confidence=0.8).result.summary("my.race")


def test_each_range_of_budgets_is_a_row_with_its_certainty(race_summary):
    stated = words(answer_html(race_summary))
    for row in race_summary.overview.rows("evaluations"):
        assert " ".join(row) in stated
    for change in race_summary.overview.leader_changes:
        assert change.sentence in stated
    assert race_summary.effort in stated


def test_many_ranges_are_folded_below_a_sentence():
    ratings = random_posterior(400, 10, 2, seed=1, spread=0.01).ratings.copy()
    ratings[:, ::2], ratings[:, 1::2] = [0.8, 0.2], [0.2, 0.8]
    summary = pb.summarise(posterior_of(ratings))
    assert len(summary.overview.stretches) == 10
    lead, rest = answer_html(summary).split('<details class="on-paper">')
    assert words(lead) == summary.answer
    assert rest.count("<tr>") == 11


def test_the_standings_are_those_of_the_terminal(race_summary):
    printed = " ".join(str(race_summary).split())
    stated = words(standings_html(race_summary))
    assert {each.group for each in race_summary.standings} >= {"eliminated", "not ruled out"}
    for each in race_summary.standings:
        assert f"{each.name}: {each.reason}" in stated
        if each.group != "leads somewhere":  # the terminal lists these in the table of budgets
            text = f"{each.name}: {each.reason}"
            assert text in printed
        assert not each.command or f"Next step: {each.command}" in stated


def test_a_doubtful_elimination_is_marked():
    summary = summary_of(standings=[Standing("slow", "eliminated", "provisional", "beaten by fast at every budget")])
    assert "slow: beaten by fast at every budget (provisional)" in words(standings_html(summary))
    assert "slow: beaten by fast at every budget (provisional)" in str(summary)
    assert "Not ruled out none" in words(standings_html(summary))


def test_a_single_remark_is_the_reason_of_the_status_and_not_repeated():
    markup = status_html(summary_of(Remark("provisional", "There are few data.", "polarbear resume my.race")))
    assert words(markup) == "Status: provisional. There are few data. Next step: polarbear resume my.race"
    assert "<li>" not in markup
    assert "<code>polarbear resume my.race</code>" in markup


def test_further_remarks_are_a_list_and_name_a_status_of_their_own():
    remarks = [
        Remark("do not rely on it", "One instance."),
        Remark("provisional", "Few data.", "a <b>"),
        Remark("solid", "For your information."),
    ]
    markup = status_html(summary_of(*remarks))
    assert 'class="verdict do-not-rely-on-it"' in markup
    assert re.findall("<li>.*?</li>", markup)[1] == "<li>For your information.</li>"
    assert words(markup) == (
        "Status: do not rely on it. One instance. Provisional: Few data. Next step: a <b> For your information."
    )


def test_a_solid_result_states_what_is_settled():
    assert words(status_html(summary_of())) == "Status: solid. All is decided."
    informed = words(status_html(summary_of(Remark("solid", "By the way."))))
    assert informed == "Status: solid. All is decided. By the way."
