"""The page in a real browser: it loads from a file, requests nothing, shows names as text, and is accessible."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import polarbear as pb
from polarbear.baselines import compare_with_aocc
from polarbear.inference.group_fitting import GroupPosterior
from polarbear.opening import result_of_posterior
from polarbear.reporting.sections import SECTIONS
from polarbear.result import result_of_race
from polarbear.show.standings import standings as word_standings
from tests.plots.posteriors import specialist_posterior
from tests.reporting.pages import report as report_on
from tests.reporting.races import HOSTILE, small_race, with_failures
from tests.selection.posteriors import posterior_of, random_posterior

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "device_scale_factor": 2}
BUDGET_KINDS = ("at", "between", "around", "drawn")


@pytest.fixture(scope="module")
def race():
    """A race with an elimination and undecided pairs."""
    race = small_race(confidence=0.8)
    assert race.outcome.drops
    return race


@pytest.fixture(scope="module")
def result(race):
    """The result of the race, with failures."""
    return with_failures(race.outcome)


@pytest.fixture(scope="module")
def report(open_report, result):
    """A report on the race. Tests that use it change nothing but what is visible."""
    about = {"optimum": 0.0, "features": winner_feature(result)}
    return open_report(result, title="Four & more", own_tab=True, about=about)


def winner_feature(result):
    """A table with one feature on which the best choice depends: which candidate comes first at the end."""
    runs = pb.collect_runs(result)
    columns = [runs.index(name) for name in result.kept]
    first = [result.kept[place] for place in runs.table.values[:, -1, columns].argmin(axis=1)]
    return {"instance": list(runs.instances), "kind": first, "number": list(range(len(first)))}


def test_every_section_of_a_race_has_content(report, result):
    page = report.page
    assert page.title() == page.text_content("h1") == "Four & more"
    ids = [section.get_attribute("id") for section in page.locator("main section").all()]
    assert ids == [*(section.name for section in SECTIONS if section.name != "groups"), "cite"]
    for section in page.locator("main section").all():
        assert len(section.inner_text().split()) > 10
    stated = page.text_content("#standings-groups").replace("\N{NO-BREAK SPACE}", " ")
    answer = result_of_race(result)
    standings = word_standings(answer.answer, answer.dropped, answer.clock)
    assert all(standings[heading] for heading in ("Best at some budget", "Dropped"))
    assert all(f"{name}{reason}" in stated for group in standings.values() for name, reason in group)
    assert "3 runs failed" in page.text_content("#failures")
    assert "ZeroDivisionError: </script>" in page.text_content("#failures")
    assert page.locator("#settings-list").get_by_text("SciPy").count() == 1
    assert page.locator("#best-chart svg path").count() >= len(result.kept)


def test_mean_aocc_is_shown_as_bars(report, result):
    page = report.page
    runs = [run.trajectory for run in result.runs]
    comparison = compare_with_aocc(runs, result.posterior, among=result.kept)
    assert page.text_content("#aocc-text") == comparison.sentence
    best_first = sorted(comparison.means, key=comparison.means.get, reverse=True)
    rows = [f"{name}{comparison.means[name]:.3f}" for name in best_first]
    assert page.locator("#aocc-bars li").all_text_contents() == rows
    widths = page.evaluate(
        "[...document.querySelectorAll('#aocc-bars .bar')].map((bar) => [bar, bar.firstChild])"
        ".map((pair) => pair.map((each) => each.getBoundingClientRect().width))"
    )
    shares = [filled / whole for whole, filled in widths]
    assert shares == pytest.approx([comparison.means[name] for name in best_first], abs=1e-3)  # of a pixel's width


def test_each_group_of_instances_has_a_row_with_its_leaders(open_report):
    groups = {f"function {number}": random_posterior(seed=number) for number in (1, 2)}
    given = {"function 1": groups["function 1"], "function 2": GroupPosterior(31, 30, groups["function 2"])}
    given["function 3"] = GroupPosterior(7, 7, groups["function 2"])
    page = open_report(random_posterior(), about={"groups": given}).page
    labels = page.locator("#groups-chart text.label").all_text_contents()
    assert [label for label in labels if label.startswith("function")] == [
        "function 1 (12, tentative)",
        "function 2 (31)",
        "function 3 (7, too few)",
    ]
    described = page.get_attribute("#groups-chart svg", "aria-label")
    assert "function 3 (7 instances, too few for a choice of its own): " in described
    bands = page.locator("#groups-chart rect")
    groups["function 3"] = random_posterior()  # that of all instances
    candidates = {name: pb.pareto_set(posterior, confidence=0.95) for name, posterior in groups.items()}
    maps = [pb.decision_map(groups[name], among=among) for name, among in candidates.items()]
    ranges = [span for each in maps for span in each.ranges]
    assert bands.all_text_contents() == [f"{each.choice}: {each.certainty}" for each in ranges]
    leaders = {each.leader for each in ranges if each.leader}
    without = {"unclear"} if any(each.leader is None for each in ranges) else set()
    assert set(page.locator("#groups-legend li").all_text_contents()) == leaders | without


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_violation(report, scheme):
    """All rules in light colours; in dark ones those about colours, the only ones that depend on the scheme."""
    rules = {"runOnly": ["color-contrast", "link-in-text-block"]} if scheme == "dark" else {}
    report.page.emulate_media(color_scheme=scheme)
    report.open_details()
    report.page.evaluate("document.querySelectorAll('[hidden]').forEach((each) => { each.hidden = false; })")
    violations = Axe().run(report.page, options={"resultTypes": ["violations"], **rules}).response["violations"]
    serious = [each for each in violations if each["impact"] in ("serious", "critical")]
    assert [(each["id"], each["nodes"][0]["html"]) for each in serious] == []


def test_without_scripts_the_whole_answer_is_there_and_no_empty_section(report, result, browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.path.as_uri())
    answer = result_of_race(result)
    assert page.inner_text(".headline").replace("\N{NO-BREAK SPACE}", " ") == answer.words().headline
    rows = page.locator(".answer tbody tr").all()
    stated = [row.locator("th, td").all_inner_texts()[1].replace("\N{NO-BREAK SPACE}", " ") for row in rows]
    assert stated == [choice for _, choice in answer.words().rows]
    header = page.inner_text("header")
    assert f"The answer is {answer.trust}." in header
    assert all(name in header for name in (*answer.kept, *answer.dropped))
    assert "switched off" in header
    assert page.locator("main section:visible").evaluate_all("(all) => all.map((each) => each.id)") == ["cite"]
    assert page.is_hidden(".toc")
    context.close()


def test_the_contents_lead_to_every_section_and_keep_the_query(open_report, result):
    report = open_report(result)
    page = report.page
    links = page.locator(".toc a").all()
    ids = page.locator("main section").evaluate_all("(all) => all.map((each) => each.id)")
    assert [link.get_attribute("href") for link in links] == [f"#{name}" for name in ids]
    report.choose("machines", 2)
    page.locator(".toc a[href='#pairs']").click()
    page.wait_for_url(lambda url: "machines=2" in url)
    assert page.evaluate("document.getElementById('pairs').getBoundingClientRect().top") == pytest.approx(16, abs=2)
    page.goto(f"{report.path.as_uri()}#trust")
    report.wait_until_ready()
    top = page.evaluate("document.getElementById('trust').getBoundingClientRect().top")
    assert 0 <= top < page.viewport_size["height"]


def test_on_a_phone_the_contents_open_at_a_touch(open_report, result):
    page = open_report(result, **PHONE).page
    assert page.is_hidden(".toc a >> nth=0")
    page.tap(".toc summary")
    page.tap(".toc a[href='#pairs']")
    page.wait_for_function("Math.abs(document.getElementById('pairs').getBoundingClientRect().top) < 60")


def is_within_viewport(page, selector):
    box = page.locator(selector).bounding_box()
    return box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


def test_the_recommendation_stays_beside_the_controls(open_report, result):
    page = open_report(result, viewport={"width": 1440, "height": 900}).page
    for control in ("input[name=kind]", "input[name=machines]", "input[name=dropped]"):
        page.locator(control).first.evaluate("(each) => each.scrollIntoView({ block: 'center', behavior: 'instant' })")
        assert is_within_viewport(page, ".recommended")
        assert is_within_viewport(page, ".statements")


@pytest.mark.parametrize("width", [1024, 1440, 1920])
def test_the_recommendation_never_covers_the_table_of_choices(open_report, result, width):
    page = open_report(result, viewport={"width": width, "height": 900}).page
    for machines in (1, 3):
        page.locator(f"input[name=machines][value='{machines}']").check(force=True)
        place = page.locator(".alternatives").bounding_box()["y"] + page.evaluate("scrollY")
        for offset in range(0, 1100, 100):
            page.evaluate("(y) => scrollTo({ top: y, behavior: 'instant' })", place - offset)
            answer, table = (page.locator(each).bounding_box() for each in (".recommendation", ".alternatives"))
            assert answer["y"] + answer["height"] <= table["y"]


def test_print_shows_the_answer_to_the_query_without_controls(open_report, result):
    report = open_report(result, viewport={"width": 680, "height": 960})
    page = report.page
    report.ask("kind=between&start=20&stop=200&machines=2")
    before = page.text_content(".recommendation")
    page.emulate_media(media="print")
    assert page.inner_text(".query-text") == "for a budget between 20 and 200 evaluations, on average, on 2 machines"
    assert page.text_content(".recommendation") == before
    assert page.is_visible(".recommended")
    assert page.is_visible("#explorer-chart svg")
    for hidden in (".controls fieldset", ".slider", ".toc", "#pair-menus", ".instruction"):
        assert page.locator(f"{hidden}:visible").count() == 0


def test_the_label_of_the_threshold_is_above_all_curves(report):
    chart, box = report.page.locator("#evolution-chart"), "(each) => each.getBoundingClientRect().toJSON()"
    label = chart.get_by_text("decided from").evaluate(box)
    curves = [each.evaluate(box) for each in chart.locator(".curve, .dotted").all()]
    assert len(curves) >= 4
    assert label["bottom"] < min(curve["top"] for curve in curves)


def test_the_columns_of_the_pair_table_are_named(report, result):
    heads = report.page.locator("#pairs-table thead th")
    assert heads.all_text_contents()[1:] == list(result.posterior.names)
    assert heads.evaluate_all("(all) => all.slice(1).map((each) => each.title)") == list(result.posterior.names)


def test_a_single_budget_has_a_band_and_a_range_of_some_width(open_report):
    page = open_report(random_posterior(50, 1, 3)).page
    widths = "(all) => all.map((each) => each.getBBox().width)"
    assert min(page.locator("#ratings-chart .band").evaluate_all(widths)) >= 6
    assert min(page.locator("#best-chart .area").evaluate_all(widths)) > 100
    assert min(page.locator("#best-chart rect").evaluate_all(widths)) > 100


def test_a_posterior_has_a_page_without_a_race(open_report):
    posterior = random_posterior(100, 12, 4, spread=0.3)
    page = open_report(posterior, about={"confidence": 0.7, "unit": "seconds"}).page
    assert page.locator("#aocc, #cost, #failures, #evolution").count() == 0
    assert "seconds" in page.text_content("#best-chart")
    expected = result_of_posterior(posterior, confidence=0.7).words().headline
    assert page.text_content(".headline").replace("\N{NO-BREAK SPACE}", " ") == expected


def curve_ends(page):
    """The shares that the chart of a pair shows at its first and last budget: mean, and probability of above one half."""
    return page.evaluate(
        """() => {
          const chart = document.querySelector("#pair-chart svg");
          const [top, , bottom] = [...chart.querySelectorAll(".rule")].map((line) => Number(line.getAttribute("y1")))
            .sort((a, b) => a - b);
          const ends = (line) => {
            const ys = line.getAttribute("d").split(/[ML]/).filter(Boolean).map((point) => Number(point.split(" ")[1]));
            return [ys[0], ys[ys.length - 1]].map((y) => (bottom - y) / (bottom - top));
          };
          return [".curve .line", ".dotted"].map((each) => ends(chart.querySelector(each)));
        }"""
    )


@pytest.fixture(scope="module")
def bootstrap():
    """A comes first most often and loses to B and C on most instances: ratings would turn the picture upside down."""
    return specialist_posterior(draws=1000)


@pytest.fixture(scope="module")
def bootstrap_report(open_report, bootstrap):
    return open_report(bootstrap, own_tab=True)


@pytest.mark.parametrize("pair", ["AB", "BA", "CA", "BB"])
def test_the_chart_of_a_pair_shows_its_win_rate(bootstrap_report, bootstrap, pair):
    page = bootstrap_report.page
    for menu, name in zip(page.locator("#pair-menus select").all(), pair, strict=True):
        menu.select_option(label=name)
    rates = pb.win_rates(bootstrap, *pair)
    mean, ahead = curve_ends(page)
    assert mean == pytest.approx(rates.mean(axis=0)[[0, -1]], abs=0.004)
    expected = [0.5, 0.5] if pair[0] == pair[1] else (rates > 0.5).mean(axis=0)[[0, -1]]
    assert ahead == pytest.approx(expected, abs=0.004)
    caption = page.text_content("#pair-caption")
    assert f"The share of instances on which {pair[0]} beats {pair[1]} at each budget." in caption
    cells = page.locator("#pairs-table tbody tr").nth(1).locator("td").all_text_contents()
    assert int(cells[0]) == round(100 * pb.anytime_dominance(bootstrap)[1, 0])


def test_scope_and_prior_are_stated(bootstrap_report):
    page = bootstrap_report.page
    assert "(200 instances, " in page.text_content("header")
    assert "Prior: the Bayesian bootstrap" in page.text_content("#trust-list")
    assert "Each pair of algorithms has a prior of its own" in page.text_content("#trust-list")


def test_an_added_algorithm_is_named_before_its_first_run(open_report):
    race = small_race(("quick", "slow"), instances=8)
    race.add("late", None)
    page = open_report(race).page
    assert "late has joined the race and has not run yet." in page.text_content("#trust")


def test_names_are_text_everywhere(open_report):
    result = with_failures(small_race(HOSTILE, confidence=0.8).outcome, error=HOSTILE[1])
    report = open_report(result, title=HOSTILE[1])
    page = report.page
    report.ask("kind=at&machines=3", "kind=drawn&dropped=1", "kind=between&risk=best")
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2  # the page's own
    assert page.locator("#ratings-legend li").all_text_contents() == list(result.posterior.names)
    assert page.text_content("h1") == HOSTILE[1]


@pytest.mark.parametrize(("algorithms", "letters"), [(2, 1), (20, 60)])
def test_a_phone_scrolls_down_and_never_sideways(open_report, algorithms, letters):
    posterior = random_posterior(100, 12, algorithms, seed=4)
    names = [f"{k:02}{'algorithm name ' * 10}"[:letters].strip() for k in range(algorithms)]
    if letters > 1:
        posterior = posterior_of(posterior.ratings, posterior.grid, names=names)
    report = open_report(posterior, **PHONE, about={"confidence": 0.9})
    report.open_details()
    for kind in BUDGET_KINDS:
        report.choose("kind", kind)
        assert report.page.evaluate("document.documentElement.scrollWidth") == 360


def test_the_largest_page_stays_below_three_megabytes(open_report):
    report = open_report(random_posterior(250, 200, 20))  # more draws than fit
    assert report.path.stat().st_size < 3_000_000
    assert report.page.evaluate("Number(document.querySelector('[data-figure=expected]').value)") > 0


def test_the_query_and_the_place_survive_a_reload(open_report, result):
    report = open_report(result, live=3600)
    page = report.page
    report.choose("kind", "between")
    report.choose("machines", 3)
    page.wait_for_url(lambda url: "machines=3" in url)
    before = page.text_content(".python")
    page.evaluate("scrollTo({ top: 700, behavior: 'instant' })")
    page.reload()
    report.wait_until_ready()
    assert page.text_content(".python") == before
    assert "portfolio=3" in before
    assert page.evaluate("scrollY") == pytest.approx(700, abs=2)


def test_a_live_page_loads_the_page_of_the_next_round(open_report, result):
    assert not result.finished
    report = open_report(result, live=3600, title="Round 1", own_tab=True, fake_clock=True)
    report_on(result, report.path, title="Round 2", live=None)
    assert report.page.is_visible("#live")
    report.page.clock.fast_forward(3_600_000)
    report.page.wait_for_selector("h1:text-is('Round 2')")
    report.wait_until_ready()
    assert report.page.is_hidden("#live")
