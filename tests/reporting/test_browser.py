"""The page in a real browser: it loads from a file, asks for nothing, shows names as text, and can be used by everybody."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import polarbear as pb
from polarbear.baselines import compare_with_aocc
from polarbear.reporting.sentences import error_bound_clause
from tests.plots.beliefs import specialist_posterior
from tests.reporting.races import HOSTILE, raced, with_failures
from tests.selection.beliefs import posterior_of, random_posterior

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "device_scale_factor": 2}


@pytest.fixture(scope="module")
def result():
    """A race with an elimination, open pairs and failures."""
    race = raced(confidence=0.8)
    assert race.result.eliminations
    return with_failures(race.result)


@pytest.fixture(scope="module")
def hostile():
    """A race of algorithms whose names want to be markup."""
    return with_failures(raced(HOSTILE, confidence=0.8).result, message="Traceback\n" + HOSTILE[1])


def many(algorithms, letters):
    """A posterior of many algorithms with names of some length."""
    posterior = random_posterior(100, 12, algorithms, seed=4)
    names = [f"{k:02}{'algorithm name ' * 10}"[:letters].strip() for k in range(algorithms)]
    return posterior_of(posterior.ratings, posterior.grid, names=names if letters > 1 else None)


def test_every_section_of_a_race_is_told(opened, result):
    page = opened(result, title="Four & more").page
    assert page.title() == page.text_content("h1") == "Four & more"
    for section in page.locator("main section").all():
        assert len(section.inner_text().split()) > 10
    out = result.eliminations[0]
    told = page.text_content("#eliminations-list")
    assert out.name in told
    assert f"{out.by} beats it on most instances at " in told
    assert f"{error_bound_clause(out.error_bound)}." in told
    assert "3 runs failed" in page.text_content("#failures")
    assert "ZeroDivisionError: </script>" in page.text_content("#failures")
    assert page.locator("#particulars-list").get_by_text("SciPy").count() == 1
    assert page.locator("#best-chart svg path").count() >= len(result.pareto_set)


def test_aocc_is_set_beside_the_ratings(opened, result):
    page = opened(result).page
    runs = [run.trajectory for run in result.runs]
    verdict = compare_with_aocc(runs, result.posterior, among=result.pareto_set)
    assert page.text_content("#aocc-text") == verdict.sentence
    best_first = sorted(verdict.means, key=verdict.means.get, reverse=True)
    rows = [f"{name}{verdict.means[name]:.3f}" for name in best_first]
    assert page.locator("#aocc-bars li").all_text_contents() == rows
    widths = page.evaluate(
        "[...document.querySelectorAll('#aocc-bars .bar')].map((bar) => [bar, bar.firstChild])"
        ".map((pair) => pair.map((each) => each.getBoundingClientRect().width))"
    )
    shares = [filled / whole for whole, filled in widths]
    assert shares == pytest.approx([verdict.means[name] for name in best_first], abs=1e-3)  # of a pixel's width


def test_a_posterior_has_a_page_without_a_race(opened):
    posterior = random_posterior(100, 12, 4, spread=0.3)
    page = opened(posterior, about={"confidence": 0.7, "unit": "seconds"}).page
    assert page.locator("#aocc, #cost, #failures, #evolution").count() == 0
    assert "seconds" in page.text_content("#best-chart")
    assert page.text_content(".lead").startswith(f"{len(pb.pareto_set(posterior, confidence=0.7))} of 4")


def heights(page):
    """The shares that the chart of a pair shows at its first and last time: mean, and probability of above one half."""
    return page.evaluate(
        """() => {
          const chart = document.querySelector("#pair-chart svg");
          const [top, , bottom] = [...chart.querySelectorAll(".rule")].map((line) => Number(line.getAttribute("y1")))
            .sort((a, b) => a - b);
          const ends = (line) => {
            const ys = line.getAttribute("d").split(/[ML]/).filter(Boolean).map((point) => Number(point.split(" ")[1]));
            return [ys[0], ys[ys.length - 1]].map((y) => (bottom - y) / (bottom - top));
          };
          return [".curve .line", ".decided"].map((each) => ends(chart.querySelector(each)));
        }"""
    )


@pytest.mark.parametrize("pair", ["AB", "BA", "CA", "BB"])
def test_a_pair_is_drawn_with_its_win_rate(opened, pair):
    """A comes first most often and loses to B and C on most instances: ratings would turn the picture upside down."""
    posterior = specialist_posterior(draws=1000)
    page = opened(posterior).page
    for choice, name in zip(page.locator("#pair-choice select").all(), pair, strict=True):
        choice.select_option(label=name)
    rates = pb.win_rates(posterior, *pair)
    mean, ahead = heights(page)
    assert mean == pytest.approx(rates.mean(axis=0)[[0, -1]], abs=0.004)
    expected = [0.5, 0.5] if pair[0] == pair[1] else (rates > 0.5).mean(axis=0)[[0, -1]]
    assert ahead == pytest.approx(expected, abs=0.004)
    caption = page.text_content("#pair-caption")
    assert f"The share of instances on which {pair[0]} beats {pair[1]} at each budget." in caption
    cells = page.locator("#pairs-table tbody tr").nth(1).locator("td").all_text_contents()
    assert int(cells[0]) == round(100 * pb.anytime_dominance(posterior)[1, 0])


def test_scope_and_belief_are_stated(opened):
    posterior = specialist_posterior(plackett_luce=20)
    page = opened(posterior).page
    assert "The answer generalises to new instances, based on 200." in page.text_content("header")
    assert "the Bayesian bootstrap" in page.text_content("#trust-list")
    assert "counts as much as 20 instances: 9.0 % of each win rate" in page.text_content("#trust-list")


def test_a_newcomer_is_named_before_its_first_run(opened):
    race = raced(confidence=0.8)
    race.add("late", None)
    page = opened(race).page
    assert "late has joined the race and has not run yet." in page.text_content("#trust")


def test_names_are_text_wherever_they_stand(opened, hostile):
    opened_page = opened(hostile, title=HOSTILE[1])
    page = opened_page.page
    for wish in ("kind=at&machines=3", "kind=drawn&everybody=1", "kind=between&risk=best"):
        page.evaluate("hash => { location.hash = hash; }", wish)
        opened_page.settle()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2  # the page's own
    legend = page.locator("#ratings-legend li").all_text_contents()
    assert legend == list(hostile.posterior.names)
    assert page.text_content("h1") == HOSTILE[1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(opened, result, scheme):
    page = opened(result, color_scheme=scheme).page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for kind in ("at", "drawn"):
        page.check(f"input[name=kind][value={kind}]", force=True)
        found = Axe().run(page).response["violations"]
        bad = [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")]
        assert bad == []


@pytest.mark.parametrize(("algorithms", "letters"), [(2, 1), (5, 60), (20, 1), (20, 60)])
def test_a_phone_scrolls_down_and_never_sideways(opened, algorithms, letters):
    page = opened(many(algorithms, letters), **PHONE, about={"confidence": 0.9}).page
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for kind in ("at", "between", "around", "drawn"):
        page.check(f"input[name=kind][value={kind}]", force=True)
        assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_the_largest_page_stays_below_three_megabytes(opened):
    page = opened(random_posterior(500, 200, 20))
    assert page.path.stat().st_size < 3_000_000
    assert page.page.evaluate("Number(document.querySelector('[data-figure=expected]').value)") > 0


def test_what_is_chosen_survives_a_reload(opened, result):
    page = opened(result, live=3600)
    page.page.check("input[name=kind][value=between]", force=True)
    page.page.check("input[name=machines][value='3']", force=True)
    page.page.wait_for_url(lambda url: "machines=3" in url)
    before = page.page.text_content(".python")
    page.page.evaluate("scrollTo({ top: 700, behavior: 'instant' })")
    page.page.reload()
    page.page.wait_for_selector("html[data-ready]", state="attached")
    assert page.page.text_content(".python") == before
    assert "portfolio=3" in before
    assert page.page.evaluate("scrollY") == pytest.approx(700, abs=2)


def test_a_live_page_loads_what_was_written_anew(opened, result):
    assert not result.finished
    page = opened(result, live=0.2, title="Round 1")
    pb.report(result, page.path, title="Round 2", live=None)
    page.page.wait_for_selector("h1:text-is('Round 2')")
    page.page.wait_for_selector("html[data-ready]", state="attached")
    assert page.page.is_hidden("#live")


def test_without_scripts_the_answer_is_still_there(opened, result, browser):
    path = opened(result).path
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert "algorithms" in page.inner_text(".lead")
    assert "switched off" in page.inner_text("header")
    context.close()
