"""The section "How much better": its data are those of Python, and the browser shows them."""

import base64
import re
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import polarbear as pb
from polarbear.reporting import magnitude
from tests.magnitude.runs import three_algorithms
from tests.reporting.pages import read_data
from tests.reporting.pages import report as report_on
from tests.reporting.races import HOSTILE, recorded_runs, small_race
from tests.selection.posteriors import posterior_of

NAMES = ("quick", "steady", "poor")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
GRID = pb.log_grid(10, 1000, 7)


@pytest.fixture(scope="module")
def runs():
    return three_algorithms(25)


@pytest.fixture(scope="module")
def posterior(runs):
    return pb.fit(pb.Choices.from_trajectories(runs, grid=GRID, per_instance=True), draws=300)


def section_of(path):
    return read_data(path)["sections"].get("magnitude")


def unpack(section, algorithms=3):
    shape = len(section["instances"]), len(section["budgets"]), algorithms
    values = np.frombuffer(base64.b64decode(section["values"]), dtype="<f4").reshape(shape)
    return values, np.frombuffer(base64.b64decode(section["ranks"]), dtype=np.uint8).reshape(shape)


def test_an_algorithm_that_never_found_a_value_has_no_speed_up(tmp_path, runs):
    """Against it, any algorithm would need nearly none of its budget."""
    failed = [pb.Trajectory("broken", run.instance, [], [], end=1000, failed=True) for run in runs[::3]]
    choices = pb.Choices.from_trajectories([*runs, *failed], grid=GRID, per_instance=True)
    posterior = pb.fit(choices, draws=300)
    section = section_of(report_on(posterior, tmp_path / "page.html", runs=[*runs, *failed]))
    rivals = {posterior.names[each["algorithm"]] for row in section["speed"] for each in row["rivals"]}
    assert rivals == {"quick", "steady", "poor"}


def test_a_posterior_has_the_section_only_with_its_runs(tmp_path, posterior, runs):
    assert section_of(report_on(posterior, tmp_path / "page.html")) is None
    section = section_of(report_on(posterior, tmp_path / "page.html", runs=runs))
    values, ranks = unpack(section)
    collection = pb.collect_runs(runs, posterior=posterior)
    np.testing.assert_allclose(values, collection.table.values, rtol=1e-6)
    np.testing.assert_array_equal(ranks, pb.rank_values(collection.table.values))
    curves = pb.quality_curves(collection)
    np.testing.assert_allclose(section["quality"]["median"], curves.median.T, rtol=1e-3)
    np.testing.assert_allclose(section["quality"]["low"], curves.low_quartile.T, rtol=1e-3)
    last = section["speed"][-1]
    assert posterior.names[last["leader"]] == "steady"
    found = pb.speed_up(collection, "steady", "quick")
    rival = next(each for each in last["rivals"] if posterior.names[each["algorithm"]] == "quick")
    assert rival["text"] == f"{found.amount(-1)} ({found.interval(-1)})"
    np.testing.assert_allclose(rival["ratio"], [found.ratio[-1], found.lower[-1], found.upper[-1]], rtol=1e-3)


def test_the_intervals_of_the_medians_are_those_of_the_quality_curves(tmp_path, posterior, runs, monkeypatch):
    section = section_of(report_on(posterior, tmp_path / "page.html", runs=runs))
    curves = pb.quality_curves(runs, posterior=posterior)
    np.testing.assert_allclose(section["quality"]["lower"], curves.lower.T, rtol=1e-3)
    np.testing.assert_allclose(section["quality"]["upper"], curves.upper.T, rtol=1e-3)
    monkeypatch.setattr(magnitude, "_MEDIAN_WORK", 0)  # 200 draws: every fifth of 1000
    section = section_of(report_on(posterior, tmp_path / "page.html", runs=runs))
    collection = pb.collect_runs(runs, posterior=posterior)
    step = -(-len(collection.weights.below) // 200)
    fewer = replace(
        collection.weights,
        **{name: getattr(collection.weights, name)[..., ::step] for name in ("draws", "below", "above")},
    )
    curves = pb.quality_curves(replace(collection, weights=fewer))
    np.testing.assert_allclose(section["quality"]["lower"], curves.lower.T, rtol=1e-3)


def shares_of(section, pairs=3):
    """Return the shares of gaps as whole per cents, NaN where unknown: (pair, tolerance, quantity, budget)."""
    gaps = section["gaps"]
    shape = pairs, len(gaps["amounts"]), 6, len(gaps["budgets"])
    shares = np.frombuffer(base64.b64decode(gaps["shares"]), dtype=np.uint8).reshape(shape)
    return np.where(shares == 255, np.nan, shares)


def tolerances_of(section):
    none, *others = section["gaps"]["amounts"]
    assert none == "any amount"
    return [0.0, *(float(text.removeprefix("more than ").replace(",", "")) for text in others)]


def test_the_page_has_the_shares_of_gaps_of_every_pair_for_a_few_tolerances(tmp_path, posterior, runs):
    section = section_of(report_on(posterior, tmp_path / "page.html", runs=runs))
    tolerances, shares = tolerances_of(section), shares_of(section)
    values = {name: np.array([run.at(GRID.budgets) for run in runs if run.algorithm == name]) for name in NAMES}
    for pair, (one, other) in enumerate(combinations(NAMES, 2)):
        for place, tolerance in enumerate(tolerances):
            for quantity, gaps in ((0, values[other] - values[one]), (3, values[one] - values[other])):
                assert shares[pair, place, quantity].tolist() == [
                    round(100 * np.mean(row > tolerance)) for row in gaps.T
                ]
            found = pb.gap_exceeds(runs, one, other, tolerance, posterior=posterior)
            for quantity, name in ((1, "better_lower"), (2, "better_upper"), (4, "worse_lower"), (5, "worse_upper")):
                np.testing.assert_allclose(shares[pair, place, quantity], 100 * getattr(found, name), atol=0.51)
    best = np.min(list(values.values()), axis=0)
    distances = np.concatenate([(each - best)[each > best] for each in values.values()])
    for tolerance, share in zip(tolerances[1:], (0.1, 0.5, 0.9), strict=True):
        assert np.mean(distances < tolerance / 1.5) < share < np.mean(distances < 1.5 * tolerance)  # one digit


def test_of_many_pairs_the_page_has_the_shares_at_fewer_budgets(tmp_path, posterior, runs, monkeypatch):
    whole = section_of(report_on(posterior, tmp_path / "page.html", runs=runs))
    monkeypatch.setattr(magnitude, "_GAP_CELLS", 3 * 4 * 3)
    few = section_of(report_on(posterior, tmp_path / "page.html", runs=runs))
    assert few["gaps"]["budgets"] == [GRID.budgets[t] for t in (0, 3, 6)]
    np.testing.assert_array_equal(shares_of(few), shares_of(whole)[..., [0, 3, 6]])


def test_runs_that_were_not_made_are_not_known(tmp_path):
    race = small_race(confidence=0.8)
    section = section_of(report_on(race, tmp_path / "page.html"))
    values, ranks = unpack(section, 4)
    made = {(run.trajectory.algorithm, str(run.trajectory.instance)) for run in race.outcome.runs}
    for row, instance in enumerate(section["instances"]):
        for column, name in enumerate(race.outcome.posterior.names):
            assert np.isnan(values[row, 0, column]) == ((name, instance) not in made)
    np.testing.assert_array_equal(np.isnan(values), ranks == 255)


def test_of_many_instances_the_page_has_a_sample(tmp_path, posterior, runs, monkeypatch):
    monkeypatch.setattr(magnitude, "_CELLS", 10 * 7 * 3)
    section = section_of(report_on(posterior, tmp_path / "page.html", runs=runs))
    assert (len(section["instances"]), section["total"]) == (10, 25)
    values, _ = unpack(section)
    chosen = [int(each) for each in section["instances"]]
    np.testing.assert_allclose(values, pb.collect_runs(runs, posterior=posterior).table.values[chosen], rtol=1e-6)


def test_the_browser_shows_the_instances_of_a_pair_and_their_runs(open_report, posterior, runs):
    report = open_report(posterior, about={"runs": runs, "unit": "evaluations"})
    page = report.page
    assert page.text_content("#magnitude-text").startswith(
        "For the quality that others have at 1,000 evaluations, steady needs 0."
    )
    assert page.locator("#quality-chart .curve").count() == 3
    page.locator("#magnitude-budget input").evaluate(
        "(slider) => { slider.value = 3; slider.dispatchEvent(new Event('input')); }"
    )
    for menu, name in zip(page.locator("#magnitude-pair select").all(), ("quick", "steady"), strict=True):
        menu.select_option(label=name)
    won = pb.instances_won(runs, "quick", "steady", grid=GRID, at=100)
    rows = page.locator("#instances-table tbody tr")
    assert rows.locator("th").all_text_contents() == [str(instance) for instance in won.instances]
    assert rows.locator("td:last-child").all_text_contents() == list(won.winners)
    counts = f"quick wins {len(won.won_by('quick'))}, steady wins {len(won.won_by('steady'))}"
    assert counts in page.text_content("#instances-text")
    assert "needs for the quality that the rival reaches at 100 evaluations" in page.text_content("#speed-table")
    rows.nth(4).locator("button").click()
    assert page.text_content("#instance-caption").startswith(f"Runs on instance {won.instances[4]}:")
    assert rows.nth(4).locator("button").get_attribute("aria-pressed") == "true"
    assert page.locator("#instances-table button[aria-pressed=true]").count() == 1


def test_the_browser_shows_the_sentence_and_the_shares_of_gaps(open_report, posterior, runs):
    page = open_report(posterior, about={"runs": runs, "unit": "evaluations"}).page
    collection = pb.collect_runs(runs, posterior=posterior, unit="evaluations")
    menu = page.locator("#magnitude-tolerance select")
    texts = menu.locator("option").all_text_contents()
    tolerance = float(texts[2].removeprefix("more than "))
    page.locator("#magnitude-budget input").evaluate(
        "(slider) => { slider.value = 3; slider.dispatchEvent(new Event('input')); }"
    )
    for pair in (("quick", "poor"), ("poor", "quick"), ("steady", "poor")):
        for select, name in zip(page.locator("#magnitude-pair select").all(), pair, strict=True):
            select.select_option(label=name)
        for text, amount in ((texts[0], 0), (texts[2], tolerance)):
            menu.select_option(label=text)
            found = pb.gap_exceeds(collection, *pair, amount, at=100)
            assert page.text_content("#gap-shares-text").replace("\u00a0", " ") == found.sentence
            assert f"better than the other by {text}" in page.text_content("#gap-shares-caption")
            lines = page.locator("#gap-shares-chart .line").evaluate_all("(all) => all.map((e) => e.getAttribute('d'))")
            for line, shares in zip(lines, (found.better, found.worse), strict=True):
                drawn = [float(height) for height in re.findall(r"[ML][\d.]+ ([\d.]+)", line)]
                np.testing.assert_allclose(drawn, 10 + 190 * (1 - shares), atol=1.05)  # half a per cent of 190 pixels
    page.locator("#magnitude-pair select").first.select_option(label="poor")
    assert page.text_content("#gap-shares-text") == "Choose two different algorithms."
    assert page.is_hidden("#gap-shares-figure")


def test_the_browser_draws_the_interval_of_each_median(open_report, posterior, runs):
    """The ends of the strong band at the first budget, on the logarithmic axis of the chart."""
    page = open_report(posterior, about={"runs": runs}).page
    curves = pb.quality_curves(runs, posterior=posterior)
    everything = [curves.median, curves.lower, curves.upper, curves.low_quartile, curves.high_quartile]
    low, high = np.log([np.min(everything), np.max(everything)])
    bands = page.locator("#quality-chart .interval-of-median")
    assert bands.count() == 3
    for column, name in enumerate(NAMES):
        outline = page.locator(f"#quality-chart .curve:has(title:text-is('{name}')) .interval-of-median").get_attribute(
            "d"
        )
        heights = [float(height) for height in re.findall(r"[ML][\d.]+ ([\d.]+)", outline)]
        ends = np.log([curves.upper[0, column], curves.lower[0, column]])
        np.testing.assert_allclose([heights[0], heights[-1]], 10 + 290 * (1 - (ends - low) / (high - low)), atol=0.2)
    caption = page.text_content("#quality-figure figcaption")
    assert "Strong band: the 95\u00a0% interval of the" in caption
    assert "Faint band: from the lower to the upper quartile" in caption


def test_an_interval_that_few_instances_do_not_bound_reaches_the_edges(open_report):
    runs = three_algorithms(2)
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=GRID, per_instance=True), draws=300)
    report = open_report(posterior, about={"runs": runs})
    assert {end for curve in section_of(report.path)["quality"]["upper"] for end in curve} == {None}
    for band in report.page.locator("#quality-chart .interval-of-median").all():
        heights = {float(height) for height in re.findall(r"[ML][\d.]+ ([\d.]+)", band.get_attribute("d"))}
        assert heights == {10.0, 300.0}


def test_hostile_names_and_missing_solutions_are_shown_as_text(open_report):
    runs = [*recorded_runs(HOSTILE, instances=8), pb.Trajectory("never", 0, [], [], end=1000)]
    choices = pb.Choices.from_trajectories(runs, grid=pb.log_grid(10, 1000, 5), per_instance=True)
    page = open_report(pb.fit(choices, draws=100), about={"runs": runs}).page
    page.locator("#magnitude-pair select").nth(1).select_option(label="never")
    assert page.evaluate("window.hacked") is None
    assert "no solution" in page.text_content("#instances-table")
    assert page.text_content("#instances-table tbody tr td:nth-child(4)") == "∞"
    assert "of every algorithm. No value for: never. The dashed" in page.text_content("#instance-caption")


def test_the_best_median_is_named_where_another_algorithm_beats_it():
    ratings = np.tile([0.5, 0.3, 0.2], (4, 2, 1))
    posterior = posterior_of(ratings, names=["often", "steady", "poor"])
    find = partial(magnitude._other_best_median, posterior)
    medians = [[2.0, 2.0], [2.0, 1.0], [2.0, None]]
    assert find(medians, "often", maximise=False) == 1
    assert find(medians, "often", maximise=True) is None
    assert find(medians, "steady", maximise=False) is None
    assert find(medians, "poor", maximise=False) is None  # its median is not known
    assert find([[2.0, 2.0], [2.0, 3.0]], "steady", maximise=False) is None  # "often" leads by both


@pytest.fixture(scope="module")
def long_report(open_report):
    """A page with long names, of algorithms and of instances, on a phone."""
    names = [
        f"{kind}(restarts=9, sigma0=0.25, boundary=reflect, population=4+3*log(d))" for kind in ("cma", "de", "pso")
    ]
    label = "instance {:02}-of-a-benchmark-with-a-very-long-name-and-a-rotation-in-30-dimensions, run 1"
    runs = [replace(each, instance=label.format(each.instance)) for each in recorded_runs(tuple(names), instances=25)]
    choices = pb.Choices.from_trajectories(runs, grid=pb.log_grid(10, 1000, 5), per_instance=True)
    return open_report(pb.fit(choices, draws=100), about={"runs": runs, "unit": "evaluations"}, own_tab=True, **PHONE)


def test_a_phone_shows_whole_tables_and_the_whole_recommendation_despite_long_names(long_report):
    page = long_report.page
    overflow = "(each) => [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight]"
    for table in ("#speed-table", "#instances-table"):
        assert page.locator(table).evaluate(overflow)[0] <= 0
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator("#gap-shares-chart svg").bounding_box()["width"] <= 390
    region, row = (page.locator(f"#instances-table{part}").bounding_box() for part in ("", " tbody tr >> nth=1"))
    assert row["y"] + row["height"] <= region["y"] + region["height"]
    long_report.choose("machines", 3)
    assert max(page.locator(".sticky-summary").evaluate(overflow)) <= 0
    assert page.locator(".sticky-summary").bounding_box()["height"] < 200
    page.locator(".recommendation details").evaluate("(each) => { each.open = true; }")
    page.locator(".python").evaluate("(each) => { each.style.maxHeight = '2rem'; }")  # long code scrolls
    rules = {"runOnly": ["scrollable-region-focusable"]}
    assert Axe().run(page, options=rules).response["violations"] == []
    assert page.text_content("#instance-caption").startswith("Runs on instance ")
    assert "instance instance" not in page.text_content("#instance-caption")


def test_paper_has_both_ends_of_the_instances_and_the_explanations(long_report):
    page = long_report.page
    rows = page.locator("#instances-table tbody tr")
    labels = rows.locator("th").all_text_contents()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert rows.locator("th:visible").all_text_contents() == labels[:10] + labels[-10:]
    assert "Printed: 10 instances at each end, of 25." in page.inner_text("#gap-text")
    assert page.is_visible("#trust .terms")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert rows.locator("th:visible").count() == 25
    assert page.is_hidden("#trust .terms")
