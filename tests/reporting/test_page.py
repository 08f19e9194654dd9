"""The page as a file: what it holds, what it allows itself, and that no name can break out of its data."""

import base64
import hashlib
import json
import re
from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.baselines import compare_with_aocc
from polarbear.race.result import RaceResult
from polarbear.reporting.draws import pack_ratings, pack_win_rates, thin_and_round
from polarbear.reporting.page import SCRIPTS, to_script_json
from polarbear.reporting.sentences import (
    error_bound_clause,
    leader_sentence,
    pareto_sentence,
    prior_sentences,
    scope_of,
)
from tests.plots.beliefs import specialist_posterior
from tests.reporting.races import HOSTILE, raced, with_failures
from tests.selection.beliefs import posterior_of, random_posterior


@pytest.fixture(scope="module")
def race():
    return raced()


def contents(path):
    """What the page was given."""
    return json.loads(re.search(r'id="contents">(.*?)</script>', path.read_text(), re.DOTALL)[1])


def test_the_policy_allows_the_pages_own_script_and_style_alone(tmp_path, race):
    text = pb.report(race, tmp_path / "page.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', text)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r"(?:src|href)=.?(?:https?:|//)", text)


def test_every_script_is_in_the_page():
    from importlib.resources import files

    there = {each.name for each in (files("polarbear.reporting") / "assets").iterdir() if each.name.endswith(".js")}
    assert there == set(SCRIPTS)
    assert len(SCRIPTS) == len(there)


@pytest.mark.parametrize("name", HOSTILE)
def test_data_cannot_end_the_element_that_holds_them(name):
    text = to_script_json({name: [name, float("nan"), np.inf]})
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == {name: [name, None, None]}


def test_hostile_names_and_titles_are_no_markup(tmp_path):
    path = pb.report(with_failures(raced(HOSTILE).result), tmp_path / "page.html", title=HOSTILE[0])
    text = path.read_text()
    assert "<img" not in text
    assert text.count("<script") == text.count("</script") == 2
    assert contents(path)["names"] == list(HOSTILE)


def test_draws_are_thinned_and_rounded_to_what_fits():
    posterior = random_posterior(1500, 8, 4)
    small = thin_and_round(posterior)
    assert small.ratings.shape == (1000, 8, 4)
    assert np.abs(small.ratings - posterior.thin(1000).ratings).max() < 1.6e-5
    tiny = posterior_of(np.full((3, 2, 2), 1e-6))
    assert thin_and_round(tiny).ratings == pytest.approx(1e-6, rel=0.02)
    wide = thin_and_round(random_posterior(500, 200, 20))
    assert 200 < len(wide.ratings) < 500


def test_packed_draws_are_those_that_are_embedded():
    small = thin_and_round(random_posterior(30, 5, 3))
    numbers = np.frombuffer(base64.b64decode(pack_ratings(small)), dtype="<u2").reshape(5, 3, 30)
    assert np.array_equal((numbers / 65535) ** 2, small.ratings.transpose(1, 2, 0))


def unpacked_pairs(text, pairs, times):
    return np.frombuffer(base64.b64decode(text), dtype=np.uint8).reshape(pairs, 4, times) / 255


def test_pairs_under_plackett_luce_follow_from_ratings():
    posterior = random_posterior(300, 5, 3)
    numbers = unpacked_pairs(pack_win_rates(posterior, level=0.8), 3, 5)
    for place, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        one, other = posterior.ratings[..., a], posterior.ratings[..., b]
        rates = one / (one + other)
        expected = [rates.mean(axis=0), *np.quantile(rates, [0.1, 0.9], axis=0), (one > other).mean(axis=0)]
        np.testing.assert_allclose(numbers[place], expected, atol=0.5 / 255 + 1e-9)


def test_pairs_of_weighted_instances_are_shares_of_instances(tmp_path):
    """A comes first most often, and B beats it on 60 % of the instances."""
    posterior = specialist_posterior()
    told = contents(pb.report(posterior, tmp_path / "page.html"))
    beaten = pb.anytime_dominance(posterior)[1, 0]
    assert beaten > 0.95
    assert told["pairs"]["beats"][1][0] == pytest.approx(beaten, abs=1e-4)
    assert told["pairs"]["beats"][0][1] < 0.05
    mean, _, upper, ahead = unpacked_pairs(told["pairs"]["over_time"], 3, 3)[0]
    np.testing.assert_allclose(mean, 0.4, atol=0.02)
    assert (upper < 0.5).all()
    assert (ahead < 0.05).all()
    assert [told["names"][k] for k, _, _ in told["best"]["leads"]] == ["A"]


def test_the_page_names_specialists(tmp_path):
    (told,) = contents(pb.report(specialist_posterior(), tmp_path / "page.html"))["specialists"]
    assert told["name"] == "A"
    assert told["sentence"].startswith("A is a specialist: ")


def test_the_page_states_the_scope():
    posterior = specialist_posterior(draws=200)
    assert scope_of(posterior) == "The answer generalises to new instances, based on 200."
    assert scope_of(replace(posterior, scope="to new functions, based on 24")).endswith(
        " to new functions, based on 24."
    )
    assert scope_of(replace(posterior, scope="")) == ""


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (0, "are outcomes alone, without a Plackett-Luce model"),
        (np.inf, "come from a Plackett-Luce fit under these weights"),
        (201, "as much as 201 instances: 50\N{NO-BREAK SPACE}% of each win rate"),  # with one pseudo-instance
    ],
)
def test_the_share_of_plackett_luce_in_a_bootstrap_is_stated(weight, words):
    bootstrap, share = prior_sentences(specialist_posterior(draws=200, plackett_luce=weight))
    assert bootstrap.startswith("Belief: the Bayesian bootstrap. ")
    assert words in share


def test_missing_runs_give_a_range_of_shares():
    values = np.array([[[0.0, 1.0, 2.0]]] * 19 + [[[1.0, 0.0, np.nan]]] * 60)
    choices = pb.Choices.from_values(values, grid=[1], per_instance=True)
    posterior = pb.fit(choices, prior=pb.BayesianBootstrap(plackett_luce=20), draws=200)
    assert "20\N{NO-BREAK SPACE}% to 50\N{NO-BREAK SPACE}% of each win rate" in prior_sentences(posterior)[1]


def test_plackett_luce_over_time_is_called_overconfident():
    ratings = random_posterior(50, 4, 3).ratings
    model, caution = prior_sentences(posterior_of(ratings))
    assert "Plackett-Luce" in model
    assert "rankings of a run at different times as independent" in caution
    assert "overconfident" in caution
    assert len(prior_sentences(posterior_of(ratings, joint=False))) == 1  # each time alone combines nothing


def test_a_race_is_told_with_all_that_happened(tmp_path, race):
    told = contents(pb.report(race, tmp_path / "page.html", title="T"))
    result = race.result
    assert told["title"] == "T"
    assert [told["names"][k] for k in told["candidates"]] == list(result.pareto_set)
    assert [each["name"] for each in told["race"]["eliminations"]] == [each.name for each in result.eliminations]
    assert told["race"]["eliminations"]
    for each, out in zip(told["race"]["eliminations"], result.eliminations, strict=True):
        assert each["proof"] == error_bound_clause(out.error_bound)
    assert told["race"]["allocation"]["saved"] == pytest.approx(result.saved_share)
    assert sum(told["race"]["allocation"]["cost"]) == sum(result.cost.values())
    assert told["race"]["allocation"]["full"] * len(told["names"]) == pytest.approx(result.full_cost)
    assert len(told["race"]["rounds"]["numbers"]) == len(result.rounds)
    assert dict(told["race"]["settings"])["seed"] == "0"
    assert told["made"]["polarbear"] == pb.__version__
    assert told["instances"] == result.instances


def test_aocc_is_asked_about_the_runs_of_a_race(tmp_path, race):
    told = contents(pb.report(race, tmp_path / "page.html"))
    result = race.result
    verdict = compare_with_aocc([run.trajectory for run in result.runs], result.posterior, among=result.pareto_set)
    assert verdict.choice is not None
    assert told["aocc"] == {
        "sentence": verdict.sentence,
        "means": [verdict.means.get(name) for name in told["names"]],
    }


def test_where_aocc_does_not_apply_the_page_says_why(tmp_path, race):
    evidence = race.result.state.evidence
    runs = {
        key: replace(run, trajectory=pb.Trajectory(*key, run.trajectory.times, run.trajectory.values - 20, until=1000))
        for key, run in evidence.runs.items()
    }
    below = RaceResult(replace(race.result.state, evidence=replace(evidence, runs=runs)), race.result.stopped)
    told = contents(pb.report(below, tmp_path / "page.html"))["aocc"]
    assert told["means"] == [None] * 4
    assert told["sentence"].startswith("AOCC does not apply: it needs distances to a known optimum")


def test_failed_runs_that_count_as_missing_are_missing_for_aocc_too(tmp_path):
    compared = {}
    for failure in ("last", "missing"):
        failed = with_failures(raced(failure=failure, confidence=0.99, draws=1000, elimination="joint").result)
        assert "quick" in failed.pareto_set  # of which some runs failed
        compared[failure] = contents(pb.report(failed, tmp_path / "page.html"))["aocc"]["sentence"]
    assert "over all 24 instances" in compared["last"]
    assert "over the 21 of 24 instances" in compared["missing"]


def test_failures_alike_are_told_together(tmp_path, race):
    told = contents(pb.report(with_failures(race.result), tmp_path / "page.html"))["race"]
    assert told["failed"] == 3
    (only,) = told["failures"]
    assert only["reason"] == "ZeroDivisionError: </script>"
    assert len(only["instances"]) == 3


def test_a_posterior_is_judged_by_the_confidence_that_is_asked_for(tmp_path):
    posterior = random_posterior(200, 6, 5, seed=2, spread=0.3)
    for confidence in (0.6, 0.99):
        told = contents(pb.report(posterior, tmp_path / "page.html", confidence=confidence, unit="seconds"))
        left = pb.pareto_set(posterior, confidence=confidence)
        assert [told["names"][k] for k in told["candidates"]] == list(left)
        assert told["unit"] == "seconds"
        assert told["race"] is None
        assert told["aocc"] is None


def test_a_posterior_without_paths_is_told_with_its_caution(tmp_path):
    ratings = random_posterior(100, 4, 3).ratings
    told = contents(pb.report(posterior_of(ratings, joint=False, reliable=False), tmp_path / "page.html"))
    sentences = " ".join(told["diagnostics"]["sentences"])
    assert "treats each time alone" in sentences
    assert "did not pass" in sentences
    assert told["elimination"] == "pointwise"


def test_only_a_race_under_way_is_live(tmp_path, race):
    page = tmp_path / "page.html"
    refresh = '<noscript><meta http-equiv="refresh" content="5"></noscript>'
    assert not race.result.finished
    assert refresh in pb.report(race, page, live=5).read_text()
    assert "The race is running" in page.read_text()
    assert refresh not in pb.report(race, page).read_text()
    done = raced(("good", "bad"), instances=None)
    assert done.result.finished
    assert refresh not in pb.report(done, page, live=5).read_text()


def test_a_page_is_replaced_at_one_stroke(tmp_path, race, monkeypatch):
    page = pb.report(race, tmp_path / "page.html")
    before = page.read_text()
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        pb.report(race, page, title="another")
    assert page.read_text() == before
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_what_cannot_be_reported_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected a race, its result or a posterior, got 'my"):
        pb.report("my.race", tmp_path / "page.html")
    empty = pb.Race(["a", "b"], None, [1, 2, 4])
    with pytest.raises(ValueError, match="nothing has been decided"):
        pb.report(empty, tmp_path / "page.html")


def test_a_race_with_a_file_says_where_it_was_made(tmp_path):
    with raced(path=tmp_path / "my.race") as race:
        made = race.about["made"]
        assert contents(pb.report(race, tmp_path / "page.html"))["made"] == made


@pytest.mark.parametrize(
    ("left", "total", "settled", "said"),
    [
        (1, 3, True, "Of 3 algorithms one is enough: a0. Each of the others is beaten at every budget."),
        (2, 3, True, "2 of 3 algorithms are worth having: a0 and a1. The other one is beaten at every budget."),
        (3, 3, True, "All 3 algorithms are worth having: none is beaten at every budget by another."),
        (28, 30, True, "28 of 30 algorithms are worth having. The other 2 are beaten at every budget."),
        (2, 3, False, "2 of 3 algorithms are still in the race: a0 and a1. The other one is beaten at every budget."),
    ],
)
def test_the_answer_is_one_sentence(left, total, settled, said):
    names = [f"a{k}" for k in range(total)]
    assert pareto_sentence(names[:left], names, settled=settled) == said


def test_the_advice_follows_the_leaders():
    ratings = np.zeros((10, 4, 2))
    ratings[:, :2, 0] = ratings[:, 2:, 1] = 0.9
    ratings[:, :2, 1] = ratings[:, 2:, 0] = 0.1
    bands = pb.plots.DecisionBands.of(posterior_of(ratings, pb.log_grid(1, 1000, 4)))
    assert leader_sentence(bands, "seconds") == "Up to about 32 seconds choose A, beyond that B."
    assert (
        leader_sentence(pb.plots.DecisionBands.of(posterior_of(ratings[:, :2])), "s")
        == "At every budget the best choice is A."
    )
