"""The explorer recommends what Python recommends from the same draws."""

import base64
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats  # for the code that the page shows as "the same in Python"

import polarbear as pb
from polarbear.reporting import portfolio_rates
from polarbear.reporting.draws import thin_and_round
from polarbear.reporting.portfolio_rates import portfolio_win_rates
from polarbear.selection.answers import SURE_ENOUGH
from polarbear.selection.portfolio import win_rate_against
from tests.plots.posteriors import specialist_posterior
from tests.reporting.pages import read_data
from tests.selection.posteriors import GRIDS, posterior_of, random_posterior

RISKS = ["expected", "best", "quantile&level=0.2", "regret"]
ALL_CANDIDATES = {"confidence": 1.0}  # eliminates no algorithm


def drawn_weights(times):
    """Weights of a drawn preference, as the page's address stores them."""
    return "".join(f"{value:02x}" for value in np.linspace(0, 250, times).astype(int))


def preferences(grid):
    """Preferences of each kind in the page's address, between grid times and at the ends."""
    first, last = grid.times[0], grid.times[-1]
    inner = float(f"{(first + 2 * last) / 3:.3g}")
    yield f"kind=at&time={inner}"
    yield f"kind=at&time={last}"
    yield f"kind=between&start={first}&stop={inner}"
    yield f"kind=between&start={inner}&stop={inner}"
    yield f"kind=around&centre={inner}&spread=0.7"
    yield f"kind=drawn&heights={drawn_weights(len(grid))}"


READ = """() => {
    const recommendation = document.querySelector(".recommendation");
    const figures = [...recommendation.querySelectorAll("data")].map((each) => [each.dataset.figure, Number(each.value)]);
    return {
        name: recommendation.querySelector(".recommended").textContent,
        figures: Object.fromEntries(figures),
        text: [...recommendation.querySelectorAll(".statement, .too-close ~ .recommended, .statements li")]
            .filter((each) => !each.querySelector("[data-figure=score]")).map((each) => each.textContent).join(" "),
        python: recommendation.querySelector(".python").textContent,
    };
}"""


def shown(report):
    """The recommendation as the page shows it: its name, its figures, and the query in Python."""
    report.wait_for_update()
    return report.page.evaluate(READ)


def run_python(code, posterior):
    """What Python recommends for the query that the page shows as code."""
    return eval(code, {"pb": pb, "scipy": scipy, "posterior": posterior})


def check_figures(recommendation, posterior, *, tolerance):
    """Compare the figures of the page with those of Python, and return Python's recommendation."""
    selection, shown = run_python(recommendation["python"], posterior), recommendation["figures"]
    best = selection.candidates[0]
    values = {
        "probabilityBest": best.probability_best,
        "expected": best.expected,
        "lower": best.lower,
        "upper": best.upper,
        "regret": best.regret,
        "score": best.score,
        "winRate": selection.win_rate_against_best_single,
    }
    needed = {"expected"} | ({"probabilityBest", "regret"} if len(selection.candidates) > 1 else set())
    needed |= {"score"} if "Quantile" in recommendation["python"] and len(selection.candidates) > 1 else set()
    needed |= {"winRate"} if "portfolio" in recommendation["python"] else set()
    needed |= {"lower", "upper"} if round(100 * best.lower) != round(100 * best.upper) else set()
    assert needed <= shown.keys()
    for key, value in shown.items():  # win rates of portfolios are stored in sixteen bits
        allowed = max(tolerance, 1e-5) if key == "winRate" else tolerance
        assert value == pytest.approx(values[key], abs=allowed, rel=0), (key, recommendation["python"])
    return selection


def check_words(recommendation, selection):
    """The page states what Python's sentence states after the query and, where it is sure, after the name.

    Rounded numbers may differ by one in the last digit: the page adds in another order, and rounds halves up. For the same
    reason one may say "99 %" and the other "over 99 %".
    """
    stated, sentence = (
        text.replace("\N{NO-BREAK SPACE}", " ").replace(" × ", " x ").replace(". ", " ").rstrip(".").lower()
        for text in (recommendation["text"], selection.sentence)
    )
    name = selection.candidates[0].name.lower()
    heads = (f", choose {name}: ", f", choose {name}", ", it is too close to call: ")
    sentence = next(sentence.split(head, 1)[1] for head in heads if head in sentence).strip()
    number = r"\d+(?:\.\d+)?"
    assert re.sub(f"(over )?{number}", "#", stated) == re.sub(f"(over )?{number}", "#", sentence)
    digits = [[float(each) for each in re.findall(number, text)] for text in (stated, sentence)]
    assert digits[0] == pytest.approx(digits[1], abs=1)


def check_recommendation(recommendation, posterior):
    """Compare name and figures with Python's, and return the query in Python."""
    selection = check_figures(recommendation, posterior, tolerance=1e-9)  # sums in another order
    assert recommendation["name"].replace(" × ", " x ") == selection.candidates[0].name
    check_words(recommendation, selection)
    return recommendation["python"]


def check_shown(report, posterior):
    return check_recommendation(shown(report), posterior)


@pytest.mark.parametrize("name", GRIDS)
def test_every_kind_of_preference_is_answered_as_in_python(open_report, name):
    """On each grid; combinations with each risk attitude and portfolio, which never see the grid, follow below."""
    posterior = random_posterior(200, len(GRIDS[name]), 4, grid=GRIDS[name], seed=3)
    report, same = open_report(posterior, about=ALL_CANDIDATES), thin_and_round(posterior)
    queries = [
        f"{preference}&{rest}"
        for preference in preferences(posterior.grid)
        for rest in ("risk=expected&machines=1", "risk=quantile&level=0.2&machines=3")
    ]
    for recommendation in report.ask(*queries, read=READ):
        check_recommendation(recommendation, same)
        check_figures(recommendation, posterior, tolerance=1e-3)  # from ratings that were not rounded


def test_every_risk_attitude_and_portfolio_is_answered_as_in_python(open_report):
    posterior = random_posterior(200, 12, 4, grid=GRIDS["log"], seed=3)
    report, same = open_report(posterior, about=ALL_CANDIDATES), thin_and_round(posterior)
    of_each_kind = {each.split("&")[0]: each for each in reversed([*preferences(posterior.grid)])}
    queries = [
        f"{preference}&risk={risk}&machines={machines}"
        for preference in of_each_kind.values()
        for risk in RISKS
        for machines in (1, 2, 5)
    ]
    for recommendation in report.ask(*queries, read=READ):
        check_recommendation(recommendation, same)


def test_below_the_threshold_of_python_it_is_too_close_to_call(open_report):
    """B is the best choice in 79 % of the draws of the first report, and in 81 % of those of the second."""
    texts = []
    for share in (79, 81):
        ratings = np.tile([0.6, 0.4], (100, 2, 1))
        ratings[:share] = [0.4, 0.6]
        report = open_report(posterior_of(ratings), about=ALL_CANDIDATES)
        texts.append(report.page.inner_text(".recommendation").replace("\N{NO-BREAK SPACE}", " "))
        assert read_data(report.path)["sure_enough"] == SURE_ENOUGH
    assert "Too close to call" in texts[0]
    assert "B (79 %) or " in texts[0].replace("\n", " ")
    assert "If you must choose, take" in texts[0]
    assert "Too close to call" not in texts[1]
    assert "81 % sure that it is the best choice of 2." in texts[1]


@pytest.mark.parametrize("machines", [2, 3])
def test_the_win_rate_of_a_portfolio_is_that_of_the_outcomes(open_report, machines):
    """Outcomes know that A and B win on different instances, which ratings do not."""
    posterior = specialist_posterior(draws=300)
    report, same = open_report(posterior, about=ALL_CANDIDATES), thin_and_round(posterior)
    (answer,) = report.ask(f"kind=between&start=1&stop=3&machines={machines}", read=READ)
    selection = check_figures(answer, same, tolerance=1e-9)
    check_words(answer, selection)
    members = [same.names.index(name) for name in selection.candidates[0].members]
    assert len(set(members)) == machines
    single = same.names.index(selection.best_single)
    by_ratings = win_rate_against(replace(same, beliefs=None), members, single)
    if machines == 2:  # all three algorithms tie with the single one where it comes first, whatever the source
        assert abs(by_ratings.mean() - answer["figures"]["winRate"]) > 0.01


def test_fewer_draws_give_nearly_the_same_win_rates(monkeypatch):
    posterior = specialist_posterior(draws=1000)
    exact = portfolio_win_rates(posterior, range(3))
    rows, times, _ = posterior.beliefs.sample.rankings.ranks.shape
    monkeypatch.setattr(portfolio_rates, "_POINTS", 12 * rows * times * 200)  # twelve curves of 200 draws each
    thinned = portfolio_win_rates(posterior, range(3))
    assert (thinned["columns"], thinned["largest"]) == (exact["columns"], exact["largest"]) == ([0, 1, 2], 3)
    rates = [np.frombuffer(base64.b64decode(each["packed"]), dtype="<u2") / 65535 for each in (exact, thinned)]
    assert 0 < np.abs(rates[0] - rates[1]).max() < 0.01


def test_the_win_rate_is_left_out_where_there_are_too_many_portfolios(open_report):
    values = np.random.default_rng(0).normal(size=(20, 2, 12))
    values[:10, :, 3] -= 9  # each of two algorithms is by far the best on one half of the instances
    values[10:, :, 5] -= 9
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 10]), draws=100)
    assert portfolio_win_rates(posterior, range(12))["largest"] == 1
    few = portfolio_win_rates(posterior, [3, 5, 6])
    assert (few["columns"], few["largest"]) == ([3, 5, 6], 3)
    report = open_report(posterior, about=ALL_CANDIDATES)
    (text,) = report.ask("kind=at&time=2&machines=2", read='() => document.querySelector(".statements").textContent')
    assert "is not on this page, since there are too many portfolios; Python computes it." in text


def test_a_grid_of_a_single_time_is_a_known_budget(open_report):
    posterior = random_posterior(50, 1, 3)
    report, same = open_report(posterior, about=ALL_CANDIDATES), thin_and_round(posterior)
    queries = ["kind=at&risk=best", "kind=between&machines=2", f"kind=drawn&heights={drawn_weights(2)[2:]}"]
    for recommendation in report.ask(*queries, read=READ):
        check_figures(recommendation, same, tolerance=1e-9)


@pytest.fixture(scope="module")
def twenty(open_report):
    """A report on twenty algorithms, whose portfolios of five are too many to compare, and its posterior."""
    posterior = random_posterior(200, 6, 20, seed=1)
    return open_report(posterior, about=ALL_CANDIDATES, own_tab=True), thin_and_round(posterior)


@pytest.mark.parametrize("risk", [risk for risk in RISKS if risk != "best"])
def test_the_search_for_a_portfolio_finds_that_of_python(twenty, risk):
    report, same = twenty
    (recommendation,) = report.ask(f"kind=between&start=10&stop=400&risk={risk}&machines=5", read=READ)
    check_recommendation(recommendation, same)
    assert "too many portfolios" in report.page.text_content(".statements")


def test_the_probability_of_being_the_best_of_too_many_portfolios_is_refused_as_in_python(twenty):
    report, same = twenty
    report.ask("kind=between&start=10&stop=400&risk=best&machines=5")
    assert "requires comparing all portfolios, and there are too many" in report.page.text_content(".recommendation")
    with pytest.raises(ValueError, match="there are too many"):
        pb.select(same, pb.Between(10, 400), pb.ProbabilityBest(), portfolio=5)


def test_copies_have_the_value_of_plackett_luce(open_report):
    """One algorithm is strong and the others weak: copies of it are best, and have the value s / (s + r)."""
    ratings = np.tile([0.6, 0.1, 0.1, 0.1, 0.1], (50, 4, 1))
    report = open_report(posterior_of(ratings), about=ALL_CANDIDATES)
    sizes = (2, 3, 5)
    answers = report.ask(*(f"kind=at&time=2&risk=expected&machines={size}" for size in sizes), read=READ)
    for size, recommendation in zip(sizes, answers, strict=True):
        assert recommendation["name"] == f"{size} × A"
        assert recommendation["figures"]["expected"] == pytest.approx(size * 0.6 / (size * 0.6 + 0.4), abs=1e-4)


def test_a_page_with_repeated_runs_leaves_copies_out_and_says_so(open_report):
    """Repeated runs measure copies, which takes more data than the page holds; its answer is that of copies=False."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(12, 1, 4, 3)) + rng.normal(size=(12, 3, 4, 3)) - [1.0, 0.0, 0.0]
    clusters = pb.Clusters(tuple(np.repeat(np.arange(12), 3).tolist()), kind="instance", unit="run")
    choices = pb.Choices.from_values(values.reshape(36, 4, 3), grid=[1, 2, 3, 4], clusters=clusters)
    posterior = pb.fit(choices, draws=200, seed=1)
    report, same = open_report(posterior, about=ALL_CANDIDATES), thin_and_round(posterior)
    said = (
        "Repeated runs measure the value of copies of one algorithm, but this page does not hold them, so it leaves copies "
        "out; in Python, select with portfolio={} includes them."
    )
    for machines in (2, 3, 5):
        (recommendation,) = report.ask(f"kind=between&start=1&stop=4&risk=expected&machines={machines}", read=READ)
        assert f"portfolio={machines}, copies=False" in recommendation["python"]
        assert "×" not in recommendation["name"]
        selection = check_figures(recommendation, same, tolerance=1e-9)
        assert said.format(machines) in recommendation["text"]
        recommendation["text"] = recommendation["text"].replace(" " + said.format(machines), "")
        check_words(recommendation, selection)
        assert ("2 machines of 5 would be idle" in recommendation["text"]) == (machines == 5)


@pytest.fixture(scope="module")
def shared_report(open_report):
    """A report on four algorithms that cross, with a touch screen, and its posterior."""
    posterior = random_posterior(200, 10, 4, seed=5)
    return open_report(posterior, about=ALL_CANDIDATES, own_tab=True, has_touch=True), thin_and_round(posterior)


@pytest.fixture
def explorer(shared_report):
    """The shared report with the query that it starts with."""
    report, same = shared_report
    report.ask("kind=at")
    return report, same


def chart_box(report):
    """Position and size of the explorer's chart, scrolled into view."""
    chart = report.page.locator("#explorer-chart")
    chart.scroll_into_view_if_needed()
    return chart.bounding_box()


def test_dragging_the_budget_changes_the_recommendation_to_that_of_python(explorer):
    report, same = explorer
    chart, mouse = chart_box(report), report.page.mouse
    height = chart["y"] + chart["height"] / 2
    mouse.move(chart["x"] + chart["width"] / 2, height)
    mouse.down()
    queries, names = set(), set()
    for share in np.linspace(0.12, 0.98, 9):
        mouse.move(chart["x"] + share * chart["width"], height)
        recommendation = shown(report)
        queries.add(check_recommendation(recommendation, same))
        names.add(recommendation["name"])
    mouse.up()
    assert len(queries) == 9
    assert len(names) > 1  # the leader changes along the way


@pytest.mark.parametrize("kind", ["between", "around", "drawn"])
def test_dragging_in_the_chart_changes_the_query(explorer, kind):
    report, same = explorer
    report.choose("kind", kind)
    before = shown(report)["python"]
    chart, mouse = chart_box(report), report.page.mouse
    mouse.move(chart["x"] + 0.3 * chart["width"], chart["y"] + 0.7 * chart["height"])
    mouse.down()
    mouse.move(chart["x"] + 0.5 * chart["width"], chart["y"] + 0.2 * chart["height"], steps=3)
    mouse.up()
    assert check_shown(report, same) != before


def test_a_touch_moves_the_budget(explorer):
    report, same = explorer
    before = shown(report)["python"]
    report.page.locator("#explorer-chart").tap(position={"x": 100, "y": 150})
    assert check_shown(report, same) != before


def test_the_keyboard_alone_is_enough(explorer):
    report, same = explorer
    keys = report.page.keyboard
    report.page.focus("input[name=kind]:checked")
    keys.press("Tab")  # to the slider of the budget
    before = check_shown(report, same)
    keys.press("ArrowRight")
    assert check_shown(report, same) != before
    keys.press("End")
    assert f"pb.At({same.grid.times[-1]:g})" in check_shown(report, same)
    keys.press("Tab")  # to the exact number
    keys.press("Control+A")
    keys.type("123.5")
    keys.press("Tab")  # to the risk attitude
    assert "pb.At(123.5), pb.Expected()" in check_shown(report, same)
    keys.press("ArrowRight")
    assert "pb.ProbabilityBest()" in check_shown(report, same)
    keys.press("Tab")  # to the number of machines
    keys.press("ArrowRight")
    assert "portfolio=2" in check_shown(report, same)


def test_weights_are_drawn_with_the_keyboard(explorer):
    report, same = explorer
    report.choose("kind", "drawn")
    report.page.get_by_role("button", name="Uniform").press("Enter")
    report.page.get_by_label("Time to change").press("Home")
    report.page.get_by_label("Time to change").press("ArrowRight")
    report.page.get_by_label("Weight there").press("Home")
    assert f"pb.Weighted([128, 0, {', '.join(['128'] * 8)}])" in check_shown(report, same)


def test_without_any_weight_the_page_asks_for_some(explorer):
    report, _ = explorer
    report.ask(f"kind=drawn&heights={'00' * 10}")
    assert "No budget has a positive weight yet" in report.page.text_content(".recommendation")


def test_eliminated_algorithms_can_be_included(open_report):
    posterior = random_posterior(200, 6, 5, seed=2, spread=0.3)
    candidates = pb.pareto_set(posterior, confidence=0.6)
    assert 0 < len(candidates) < 5
    report, same = open_report(posterior, about={"confidence": 0.6}), thin_and_round(posterior)
    assert run_python(shown(report)["python"], same).values.shape[1] == len(candidates)
    report.page.get_by_label("include eliminated algorithms").check()
    assert run_python(check_shown(report, same), same).values.shape[1] == 5
