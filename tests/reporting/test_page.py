"""The page as a file: its data, its security policy, and that no name can break out of its data."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest

import polarbear as pb
from polarbear.baselines import compare_with_aocc
from polarbear.race.outcome import RaceOutcome
from polarbear.reporting.page import SCRIPTS, to_script_json
from polarbear.reporting.sections import SECTIONS
from polarbear.reporting.sentences import drop_detail
from tests.plots.posteriors import specialist_posterior
from tests.reporting.pages import read_data, unpack_win_rates
from tests.reporting.pages import report as report_on
from tests.reporting.races import HOSTILE, small_race, with_failures
from tests.selection.posteriors import posterior_of, random_posterior


@pytest.fixture(scope="module")
def race():
    return small_race()


@pytest.fixture(scope="module")
def data(race, tmp_path_factory):
    """The data of the page about the race."""
    return read_data(report_on(race, tmp_path_factory.mktemp("page") / "page.html", title="T", optimum=0.0))


def test_the_policy_allows_the_pages_own_script_and_style_alone(tmp_path, race):
    text = report_on(race, tmp_path / "page.html").read_text()
    policy = re.search(r'Content-Security-Policy" content="(.*?)"', text)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r"(?:src|href)=.?(?:https?:|//)", text)


def test_every_asset_belongs_to_the_page():
    assets = sorted(each.name for each in (files("polarbear.reporting") / "assets").iterdir())
    markup = ["page.html", *(f"{section.name}.html" for section in SECTIONS)]
    assert assets == sorted([*SCRIPTS, *markup, "style.css"])


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_a_section_has_its_markup_and_registers_its_script(section):
    assets = files("polarbear.reporting") / "assets"
    markup, script = (assets / f"{section.name}.html").read_text(), (assets / section.scripts[-1]).read_text()
    assert markup.startswith(f'<section id="{section.name}" aria-labelledby="{section.name}-heading">')
    assert f"sections.{section.name} = (" in script


@pytest.mark.parametrize("name", HOSTILE)
def test_data_cannot_end_the_element_that_holds_them(name):
    text = to_script_json({name: [name, float("nan"), np.inf]})
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == {name: [name, None, None]}


def test_hostile_names_and_titles_are_no_markup(tmp_path):
    result = with_failures(small_race(HOSTILE, instances=8).outcome)
    path = report_on(result, tmp_path / "page.html", title=HOSTILE[0])
    text = path.read_text()
    assert "<img" not in text
    assert text.count("<script") == text.count("</script") == 2
    assert read_data(path)["names"] == list(HOSTILE)


def test_win_rates_of_the_bayesian_bootstrap_are_shares_of_instances(tmp_path):
    """A comes first most often, and B beats it on 60 % of the instances."""
    posterior = specialist_posterior()
    data = read_data(report_on(posterior, tmp_path / "page.html"))
    pairs, probability = data["sections"]["pairs"], pb.anytime_dominance(posterior)[1, 0]
    assert probability > 0.95
    assert pairs["beats"][1][0] == pytest.approx(probability, abs=1e-4)
    assert pairs["beats"][0][1] < 0.05
    mean, _, upper, ahead = unpack_win_rates(pairs["over_time"], 3, 3)[0]
    np.testing.assert_allclose(mean, 0.4, atol=0.02)
    assert (upper < 0.5).all()
    assert (ahead < 0.05).all()
    (dropped,) = data["sections"]["standings"]["groups"][2]["algorithms"]
    assert dropped["name"] == "A"
    assert "A" not in [data["names"][k] for k in data["candidates"]]


def test_the_data_of_a_race_are_those_of_its_result(data, race):
    result, sections = race.outcome, data["sections"]
    assert data["title"] == "T"
    assert [data["names"][k] for k in data["candidates"]] == list(result.kept)
    dropped = sections["standings"]["groups"][2]["algorithms"]
    assert dropped
    assert [each["name"] for each in dropped] == [each.name for each in result.drops]
    assert [each["detail"] for each in dropped] == [drop_detail(each, "evaluations") for each in result.drops]
    assert len(sections["standings"]["rounds"]["numbers"]) == len(result.rounds)
    cost = sections["cost"]
    assert cost["saved"] == pytest.approx(result.saved_share)
    assert sum(cost["cost"]) == sum(result.cost.values())
    assert sum(cost["full"]) == pytest.approx(result.full_cost)
    settings = sections["settings"]
    assert dict(settings["race"]["all"])["seed"] == settings["race"]["seed"] == "0"
    assert settings["environment"]["polarbear"] == data["version"] == pb.__version__
    assert settings["instances"] == result.instances
    assert "failures" not in sections


def test_aocc_is_compared_on_the_runs_of_a_race(data, race):
    result = race.outcome
    comparison = compare_with_aocc([run.trajectory for run in result.runs], result.posterior, among=result.kept)
    assert comparison.choice is not None
    assert data["sections"]["aocc"] == {
        "sentence": comparison.sentence,
        "means": [comparison.means.get(name) for name in data["names"]],
    }


def test_where_aocc_does_not_apply_the_page_says_why(tmp_path, race):
    observations = race.outcome.state.observations
    runs = {
        key: replace(run, trajectory=pb.Trajectory(*key, run.trajectory.budgets, run.trajectory.values - 20, end=1000))
        for key, run in observations.runs.items()
    }
    below = RaceOutcome(
        replace(race.outcome.state, observations=replace(observations, runs=runs)), race.outcome.stopped
    )
    aocc = read_data(report_on(below, tmp_path / "page.html", optimum=0.0))["sections"]["aocc"]
    assert aocc["means"] == [None] * 4
    assert aocc["sentence"].startswith("AOCC does not apply: it needs the optimum, which is not 0")


def test_without_an_optimum_there_is_no_aocc(tmp_path, race):
    assert "aocc" not in read_data(report_on(race, tmp_path / "page.html"))["sections"]
    with pytest.raises(ValueError, match="expected a race for optimum=0, got a posterior"):
        pb.report(race.outcome.posterior, tmp_path / "page.html", optimum=0.0)


def test_failed_runs_that_count_as_missing_are_missing_for_aocc_too(tmp_path):
    sentences = {}
    for failure in ("last", "missing"):
        result = with_failures(small_race(failure=failure, confidence=0.99, draws=1000, dominance="joint").outcome)
        assert "quick" in result.kept  # of which some runs failed
        sentences[failure] = read_data(report_on(result, tmp_path / "page.html", optimum=0.0))["sections"]["aocc"][
            "sentence"
        ]
    assert "over all 24 instances" in sentences["last"]
    assert "over the 21 of 24 instances" in sentences["missing"]


def test_failures_with_the_same_error_are_one_group_whatever_they_printed(tmp_path, race):
    failures = read_data(report_on(with_failures(race.outcome), tmp_path / "page.html"))["sections"]["failures"]
    assert failures["total"] == 3
    (group,) = failures["groups"]
    assert group["error"] == "ZeroDivisionError: </script>"
    assert len(group["instances"]) == 3
    assert (group["traceback"].endswith("step()"), group["output"]) == (True, "step 0")


def test_a_posterior_eliminates_by_the_given_confidence(tmp_path):
    posterior = random_posterior(200, 6, 5, seed=2, spread=0.3)
    for confidence in (0.6, 0.99):
        data = read_data(report_on(posterior, tmp_path / "page.html", confidence=confidence, unit="seconds"))
        candidates = pb.pareto_set(posterior, confidence=confidence)
        assert [data["names"][k] for k in data["candidates"]] == list(candidates)
        assert data["unit"] == "seconds"
        assert not {"aocc", "cost", "failures"} & set(data["sections"])


def test_a_posterior_of_separate_budgets_comes_with_a_caution(tmp_path):
    ratings = random_posterior(100, 4, 3).ratings
    posterior = posterior_of(ratings, joint=False, reliable=False)
    sections = read_data(report_on(posterior, tmp_path / "page.html"))["sections"]
    sentences = " ".join(sections["trust"]["sentences"])
    assert "treats each budget alone" in sentences
    assert "did not pass" in sentences
    assert sections["settings"]["dominance"] == "pointwise"


def test_an_elimination_in_doubt_is_marked_and_moves_the_question_of_trust_to_the_top(tmp_path):
    names, rng = ("all-rounder", "brilliant", "steady", "slow"), np.random.default_rng(3)
    places = {True: [1, 0, 2, 3], False: [0, 3, 1, 2]}  # "brilliant" wins most instances, and is the last on the others
    runs = [
        pb.Trajectory(name, instance, [10, 1000], [place, place - rng.random() / 2], end=1000)
        for instance in range(40)
        for name, place in zip(names, places[instance % 8 < 5], strict=True)
    ]
    race = pb.Race(names, None, [10, 1000], prior=pb.RandomWalk(), batch=pb.FixedBatch(40), draws=400)
    race.drive(pb.ReplayExecutor(runs), max_instances=40, progress="none")
    data = read_data(report_on(race, tmp_path / "page.html"))
    assert data["trust"] == "tentative"
    assert next(iter(data["sections"])) == "trust"
    assert data["sections"]["trust"]["status"].startswith("The answer is tentative. It may change")
    assert data["sections"]["pairs"]["doubted"] == [[0, 1]]


def test_only_the_page_of_a_running_race_reloads_itself(tmp_path, race):
    page = tmp_path / "page.html"
    refresh = '<noscript><meta http-equiv="refresh" content="5"></noscript>'
    assert not race.outcome.finished
    assert refresh in report_on(race, page, live=5).read_text()
    assert "The race is running" in page.read_text()
    assert refresh not in report_on(race, page).read_text()
    finished = small_race(("good", "bad"), instances=None)
    assert finished.outcome.finished
    assert refresh not in report_on(finished, page, live=5).read_text()


def test_a_page_is_replaced_atomically(tmp_path, race, monkeypatch):
    page = report_on(race, tmp_path / "page.html")
    before = page.read_text()
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        report_on(race, page, title="another")
    assert page.read_text() == before
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_a_source_without_a_result_is_refused(tmp_path):
    with pytest.raises(ValueError, match="expected a result, a race or a posterior, got 'my"):
        report_on("my.race", tmp_path / "page.html")
    empty = pb.Race(["a", "b"], None, [1, 2, 4])
    with pytest.raises(ValueError, match="nothing has been decided"):
        report_on(empty, tmp_path / "page.html")


def test_a_race_with_a_file_states_where_it_was_made(tmp_path):
    with small_race(("good", "bad"), instances=8, path=tmp_path / "my.race") as race:
        settings = read_data(report_on(race, tmp_path / "page.html"))["sections"]["settings"]
        assert settings["environment"] == race.about["made"]


def test_leaders_are_stacked_as_in_the_figure(tmp_path):
    """B leads first and A later, so that B is at the bottom; C never leads."""
    ratings = np.zeros((50, 4, 3))
    ratings[:, :2], ratings[:, 2:] = [0.1, 0.8, 0.1], [0.8, 0.1, 0.1]
    posterior = posterior_of(ratings)
    bands = pb.plots.DecisionBands.of(posterior)
    section = read_data(report_on(posterior, tmp_path / "page.html", confidence=1.0))["sections"]["best_by_budget"]
    assert section["columns"] == bands.stacking_order == [1, 0, 2]
    assert section["probability"] == bands.edges.T[[1, 0, 2]].tolist()


def test_names_that_begin_alike_stay_distinct_in_charts(tmp_path):
    names = [f"differential evolution with restarts, population {number}" for number in (20, 40)]
    posterior = posterior_of(random_posterior(50, 4, 2).ratings, names=names)
    short = read_data(report_on(posterior, tmp_path / "page.html"))["short_names"]
    assert len(set(short)) == 2
    assert max(map(len, short)) <= 24


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("solvers/cma.html", "cma"),
        ("solvers/my.html", "solvers"),
        ("solvers/race.html", "solvers"),
        ("solvers/results/page.html", "solvers"),
    ],
)
def test_a_page_with_a_generic_name_is_called_after_its_folder(tmp_path, path, title):
    page = tmp_path / path
    page.parent.mkdir(parents=True)
    posterior = random_posterior(50, 4, 3)
    assert read_data(report_on(posterior, page))["title"] == title
    assert read_data(report_on(posterior, page, title="mine"))["title"] == "mine"


def test_few_data_are_stated_in_the_header(tmp_path):
    values = np.ones((20, 3, 2)) * [1.0, 2.0]
    values[2:, 2] = np.nan
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 10, 100]), draws=100)
    header = report_on(posterior, tmp_path / "page.html").read_text().split("</header>")[0]
    assert "At most 2 instances compare algorithms at 100, and 20 elsewhere." in header
    assert "(20 instances, " in header
