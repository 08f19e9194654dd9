"""The explorer recommends what Python recommends from the same draws.

Win rates are rounded to one byte and ratings to two, which changes a value by at most 0.002 and 1.6e-5. Python answers from
the rounded draws here, so that the two agree up to rounding errors of sums.
"""

import re

import numpy as np
import pytest
import scipy.stats  # for the code that the page shows as "the same in Python"

import polarbear as pb
from polarbear.findings import Code
from polarbear.selection.answers import SURE_ENOUGH
from polarbear.show.value_units import units_of
from polarbear.wording import format_below, format_number, format_percent, join_names, percent
from tests.plots.posteriors import specialist_posterior
from tests.reporting.pages import read_data
from tests.reporting.races import recorded_runs
from tests.reporting.stored import crossing_posterior, stored_posterior
from tests.selection.posteriors import GRIDS, posterior_of, random_posterior

RISKS = ["expected", "best", "quantile&level=0.2", "loss"]
ALL_CANDIDATES = {"confidence": 1.0}  # eliminates no algorithm


def drawn_weights(budgets):
    """Weights of a drawn preference, as the page's address stores them."""
    return "".join(f"{value:02x}" for value in np.linspace(0, 250, budgets).astype(int))


def preferences(grid):
    """Preferences of each kind in the page's address, between budgets of the grid and at the ends."""
    first, last = grid.budgets[0], grid.budgets[-1]
    inner = float(f"{(first + 2 * last) / 3:.3g}")
    yield f"kind=at&budget={inner}"
    yield f"kind=at&budget={last}"
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
    code, shown = recommendation["python"], recommendation["figures"]
    selection = run_python(code, posterior)
    best = selection.candidates[0]
    values = {
        "probabilityBest": best.probability_best,
        "expected": best.expected,
        "lower": best.lower,
        "upper": best.upper,
        "loss": best.loss,
        "score": best.score,
    }
    several = len(selection.candidates) > 1
    needed = {"probabilityBest", "loss"} if several else set()
    needed |= {"expected"} if several or selection.criterion != pb.StrongestRival() else set()
    needed |= {"score"} if "Quantile" in code and several else set()
    if "portfolio" in code:
        among = "" if "among" in code else ", among=posterior.names"
        alone = run_python(re.sub(", portfolio=.*", f"{among}, criterion=pb.FirstPlace())", code), posterior)
        values["alone"] = next(each.expected for each in alone.candidates if each.members[0] == selection.best_single)
        needed |= {"alone"}
    assert needed <= shown.keys()
    for key, value in shown.items():
        assert value == pytest.approx(values[key], abs=tolerance, rel=0), (key, code)
    return selection


# What only the page states: it holds no outcomes of portfolios. A full stop ends it, and not a decimal point.
REMARK = r" (?:The best single algorithm,|A is dropped, but)(?:[^.]|\.\d)*\."


def expected_words(selection):
    """Yield the sentences of the page, from the numbers and findings of Python's selection."""
    best, units = selection.candidates[0], units_of(selection)
    by_rivals = isinstance(selection.criterion, pb.StrongestRival)
    average = "" if isinstance(selection.preference, pb.At) else " on average over these budgets"
    low, high = units.format(best.lower), units.format(best.upper)
    interval = "" if low == high else f" ({units.format_interval(best.lower, best.upper)})"
    who = "Its best member" if len(best.members) > 1 else "It"
    does = f"{who} {selection.criterion.describe(best.expected, selection.algorithms)}"
    if selection.valued == "ratings":
        does = f"Its rating is {units.format(best.expected)}"
    loss = units.format_loss(best.loss) + (" of this rating" if selection.valued == "ratings" else "")
    cost = (
        f"Expected loss, by which the strongest rival wins more than half: {loss}."
        if by_rivals
        else f"Not knowing the best choice for certain costs {loss} on average."
    )
    others = [f"Next comes {each.name}." for each in selection.candidates[1:2]]
    if not others:
        yield "It is the only candidate." if by_rivals else f"{does}{interval}{average}."
    elif selection.is_sure:
        sure = (
            f"{format_percent(best.probability_best)} sure that it is the best choice of {len(selection.candidates)}."
        )
        yield from (sure, f"{does}{interval}{average}.", cost, *others)
    else:
        likely = sorted(selection.candidates, key=lambda each: -each.probability_best)[:3]
        chances = [
            f"{each.name} ({format_below(each.probability_best, SURE_ENOUGH)})"
            for each in likely
            if each.probability_best >= 0.01
        ]
        yield f"The best choice is {join_names(chances, 'or')}. If you must choose, take {best.name}"  # a heading
        yield from (f"{does}{interval}{average}.", cost)
    if (rival := selection.rival) is not None:
        which = "Among the other algorithms, its" if rival.is_dropped else "Its"
        beats = f"which it is expected to beat on {percent(rival.expected)} of new instances"
        won = (
            f"; it won {percent(rival.observed)} of the {rival.instances} observed"
            if rival.observed is not None
            else ""
        )
        yield f"{which} strongest rival is {rival.name}, {beats}{won}."
    found = {each.code: each for each in selection.findings}
    if Code.NEAREST_BUDGET in found:
        yield "This page has no runs to look up this budget, and the answer is for the nearest budget of the grid below, a"
        yield f"budget of {format_number(found[Code.NEAREST_BUDGET].numbers['used'])}."
    if Code.LEFT_OUT in found:
        names = ", ".join(found[Code.LEFT_OUT].subject)
        yield f"Left out, since not observed together with another algorithm at these budgets: {names}."
    if Code.SUMMED_RATINGS in found:
        only = found[Code.SUMMED_RATINGS].numbers["only_copies"]
        copies = (
            "; for this preference the best choice is therefore the best algorithm on every machine" if only else ""
        )
        yield f"A portfolio has the sum of its members' ratings, as if all runs were independent{copies}."
    if Code.BUDGETS_OUTSIDE in found:
        share = found[Code.BUDGETS_OUTSIDE].numbers["share"]
        yield f"Only {100 * share:.2g} % of the budgets lie within the grid; the others are left out."


def check_words(recommendation, selection):
    """The page states what follows from Python's selection, in its own words.

    Rounded numbers may differ by one in the last digit: the page adds in another order, and rounds halves up. For the same
    reason one may say "99 %" and the other "over 99 %".
    """
    stated = re.sub(REMARK, "", recommendation["text"].replace("\N{NO-BREAK SPACE}", " ")).replace(" × ", " x ")
    expected = " ".join(expected_words(selection))
    number = r"\d+(?:\.\d+)?"
    assert re.sub(f"(over )?{number}", "#", stated) == re.sub(f"(over )?{number}", "#", expected)
    digits = [[float(each) for each in re.findall(number, text)] for text in (stated, expected)]
    assert digits[0] == pytest.approx(digits[1], abs=1)


def check_recommendation(recommendation, posterior):
    """Compare name and figures with Python's, and return the query in Python."""
    selection = check_figures(recommendation, posterior, tolerance=1e-9)  # sums in another order
    assert recommendation["name"].replace(" × ", " x ") == selection.candidates[0].name
    check_words(recommendation, selection)
    return recommendation["python"]


def check_shown(report, posterior):
    return check_recommendation(shown(report), posterior)


@pytest.fixture(params=["ratings", "pairs"])
def fit_on(request):
    """A function that returns a posterior on a grid: of the paper's priors, or of the default belief."""

    def fit(grid, *, algorithms=4, seed=3):
        if request.param == "pairs":
            return crossing_posterior(grid, algorithms, seed=seed)
        return random_posterior(400, len(grid), algorithms, grid=grid, seed=seed)

    return fit


@pytest.mark.parametrize("name", GRIDS)
def test_every_kind_of_preference_is_answered_as_in_python(open_report, fit_on, name):
    """On each grid; combinations with each risk attitude and portfolio, which never see the grid, follow below."""
    posterior = fit_on(GRIDS[name])
    report = open_report(posterior, about=ALL_CANDIDATES)
    same = stored_posterior(report.path, posterior)
    assert same.draws == (400 if posterior.beliefs is None else 300)
    queries = [
        f"{preference}&{rest}"
        for preference in preferences(posterior.grid)
        for rest in ("risk=expected&machines=1", "risk=quantile&level=0.2&machines=3")
    ]
    for recommendation in report.ask(*queries, read=READ):
        check_recommendation(recommendation, same)
        if posterior.beliefs is None:
            check_figures(recommendation, posterior, tolerance=1e-3)  # from ratings that were not rounded


def test_every_risk_attitude_and_portfolio_is_answered_as_in_python(open_report, fit_on):
    posterior = fit_on(GRIDS["log"])
    report = open_report(posterior, about=ALL_CANDIDATES)
    same = stored_posterior(report.path, posterior)
    of_each_kind = {each.split("&")[0]: each for each in reversed([*preferences(posterior.grid)])}
    queries = [
        f"{preference}&risk={risk}&machines={machines}"
        for preference in of_each_kind.values()
        for risk in RISKS
        for machines in (1, 2, 4)
    ]
    for recommendation in report.ask(*queries, read=READ):
        check_recommendation(recommendation, same)


def test_win_rates_of_one_byte_change_no_value_by_more_than_half_a_step(open_report):
    """The draws of the page are the first draws of the posterior; its minima over rivals are those of each draw."""
    posterior = crossing_posterior(GRIDS["log"], seed=3)
    report, exact = open_report(posterior, about=ALL_CANDIDATES), posterior.thin(300)
    for kind in preferences(posterior.grid):
        (answer,) = report.ask(f"{kind}&risk=expected&machines=1", read=READ)
        if "nearest budget of the grid" in answer["text"]:
            continue
        best = run_python(answer["python"], exact).candidates[0]
        assert answer["name"] == best.name
        for key, value in (("expected", best.expected), ("lower", best.lower), ("upper", best.upper)):
            assert answer["figures"].get(key, value) == pytest.approx(value, abs=0.5 / 255 + 1e-6)


def test_the_minimum_over_rivals_is_taken_within_each_draw(open_report):
    """Four algorithms are nearly equal: each draw has a strongest rival, which is another one in the next draw."""
    values = np.random.default_rng(1).normal(size=(20, 2, 4))
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2], names=list("ABCD")), draws=300)
    report = open_report(posterior, about=ALL_CANDIDATES)
    same = stored_posterior(report.path, posterior)
    (answer,) = report.ask("kind=at&budget=1&risk=expected&machines=1", read=READ)
    check_recommendation(answer, same)
    name, rivals = answer["name"], [each for each in same.names if each != answer["name"]]
    means = [pb.win_rates(same, name, rival)[:, 0].mean() for rival in rivals]
    assert answer["figures"]["expected"] < min(means) - 0.02


def test_a_known_budget_between_grid_budgets_has_the_answer_of_the_nearest_one_below(open_report):
    """The page holds no runs, so that Python, which has them, may answer otherwise."""
    names = ("quick", "steady", "slow")
    posterior = pb.fit(pb.Choices.from_trajectories(recorded_runs(names), grid=[10, 100, 1000]), draws=300)
    report = open_report(posterior, about=ALL_CANDIDATES)
    between, below = report.ask("kind=at&budget=99&machines=1", "kind=at&budget=10&machines=1", read=READ)
    assert between["figures"] == below["figures"]
    assert between["name"] == below["name"]
    said = "This page has no runs to look up this budget, and the answer is for the nearest budget of the grid below"
    assert f"{said}, a budget of 10." in between["text"]
    assert said not in below["text"]
    assert "pb.At(99)" in between["python"]
    exact = run_python(between["python"], posterior)
    assert exact.candidates[0].expected != pytest.approx(between["figures"]["expected"], abs=0.05)


def test_below_the_threshold_of_python_it_is_too_close_to_call(open_report):
    """B is the best choice in 79 % of the draws of the first report, and in 81 % of those of the second."""
    texts = []
    for share in (79, 81):
        ratings = np.tile([0.6, 0.4], (100, 2, 1))
        ratings[:share] = [0.4, 0.6]
        report = open_report(posterior_of(ratings), about=ALL_CANDIDATES)
        texts.append(report.page.inner_text(".recommendation").replace("\N{NO-BREAK SPACE}", " "))
        assert read_data(report.path)["sure_enough"] == SURE_ENOUGH
    assert "Unclear" in texts[0]
    assert "B (79 %) or " in texts[0].replace("\n", " ")
    assert "If you must choose, take" in texts[0]
    assert "Unclear" not in texts[1]
    assert "81 % sure that it is the best choice of 2." in texts[1]


def test_portfolios_of_the_default_belief_have_different_algorithms(open_report):
    """Their value is the share of instances on which a member comes first. A, which is dropped, is a member of the best."""
    posterior = specialist_posterior(draws=300)
    assert pb.pareto_set(posterior) == ("B", "C")
    report = open_report(posterior)
    same = stored_posterior(report.path, posterior)
    two, three = report.ask(*(f"kind=between&start=1&stop=3&machines={number}" for number in (2, 3)), read=READ)
    for answer in (two, three):
        assert "A is dropped, but may be the best where the others fail." in answer["text"]
        assert "among" not in answer["python"]
        check_recommendation(answer, same)
    assert three["name"] == "A + B + C"
    assert three["figures"]["expected"] == pytest.approx(1.0)
    report.ask("kind=at&budget=2&machines=4")
    assert "there are fewer algorithms to choose from than machines" in report.page.text_content(".recommendation")
    with pytest.raises(ValueError, match="expected at most 3 machines"):
        pb.select(same, pb.At(2), portfolio=4, copies=False)


def test_algorithms_that_share_too_few_instances_have_no_portfolios(open_report):
    """Without the sparse one the others have: it is dropped in the second report."""
    for place, kept in ((0.0, "ABC"), (3.0, "AB")):
        values = np.random.default_rng(0).normal([0.0, 0.0, place], size=(30, 2, 3))
        values[8:, :, 2] = np.nan
        posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2], names=list("ABC")), draws=100)
        assert pb.pareto_set(posterior) == tuple(kept)
        report = open_report(posterior)
        report.ask("kind=at&budget=1&machines=2")
        stated = report.page.text_content(".recommendation")
        refused = "There is no answer: expected candidates that share at least half of the instances" in stated
        assert refused == (kept == "ABC")
        (answer,) = report.ask("kind=at&budget=1&machines=1", read=READ)
        check_words(answer, run_python(answer["python"], posterior.thin(100)))


def test_copies_under_the_papers_priors_have_the_sum_of_their_ratings(open_report):
    """A rating above one is no share; for all attitudes but a quantile, copies of the best algorithm are the best choice."""
    ratings = np.tile([0.6, 0.1, 0.1, 0.1, 0.1], (50, 4, 1))
    report = open_report(posterior_of(ratings), about=ALL_CANDIDATES)
    sizes = (2, 3, 5)
    answers = report.ask(*(f"kind=at&budget=2&risk=expected&machines={size}" for size in sizes), read=READ)
    for size, recommendation in zip(sizes, answers, strict=True):
        assert recommendation["name"] == f"{size} × A"
        assert recommendation["figures"]["expected"] == pytest.approx(size * 0.6, abs=1e-4)
        assert f"Its rating is {size * 0.6:.3g}." in recommendation["text"]
        assert "has a rating of 0.6." in recommendation["text"]
        assert not re.search(r"1[0-9]{2}\s%", recommendation["text"])


def test_too_many_portfolios_are_refused(open_report):
    posterior = random_posterior(100, 6, 20, seed=1)
    report = open_report(posterior, about=ALL_CANDIDATES)
    report.ask("kind=between&start=10&stop=400&risk=quantile&machines=5")
    assert "There are too many portfolios to compare on this page" in report.page.text_content(".recommendation")
    (answer,) = report.ask("kind=between&start=10&stop=400&risk=best&machines=5", read=READ)
    check_recommendation(answer, stored_posterior(report.path, posterior))  # copies of the best need no comparison


def test_a_grid_of_a_single_budget_is_a_known_budget(open_report, fit_on):
    posterior = fit_on(pb.Grid([10.0]), algorithms=3)
    report = open_report(posterior, about=ALL_CANDIDATES)
    same = stored_posterior(report.path, posterior)
    queries = ["kind=at&risk=best", "kind=between&machines=2", f"kind=drawn&heights={drawn_weights(2)[2:]}"]
    for recommendation in report.ask(*queries, read=READ):
        check_figures(recommendation, same, tolerance=1e-9)


def test_algorithms_that_are_the_same_are_named_together(open_report):
    values = np.random.default_rng(3).normal([0.0, 0.5, 0.5], size=(40, 2, 3))
    values[..., 1] = values[..., 0]
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2], names=["one", "two", "three"]), draws=300)
    report = open_report(posterior, about=ALL_CANDIDATES)
    same = stored_posterior(report.path, posterior)
    alone, both = report.ask("kind=at&budget=1&machines=1", "kind=at&budget=1&machines=2", read=READ)
    check_recommendation(alone, same)
    assert alone["name"] == "one = two"
    check_figures(both, same, tolerance=1e-9)
    assert both["name"] == "one = two + three"


def test_a_single_candidate_is_shown_with_its_strongest_dropped_rival(open_report):
    values = np.random.default_rng(3).normal([0.0, 2.0, 4.0], size=(40, 2, 3))
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2], names=list("ABC")), draws=300)
    assert pb.pareto_set(posterior) == ("A",)
    report = open_report(posterior)
    (answer,) = report.ask("kind=at&budget=1&machines=1", read=READ)
    check_recommendation(answer, stored_posterior(report.path, posterior))
    assert "It is the only candidate. Among the other algorithms, its strongest rival is B, " in answer["text"]
    assert "% of the 40 observed." in answer["text"]


@pytest.fixture(scope="module")
def shared_report(open_report):
    """A report on four algorithms that cross, with a touch screen, and its posterior."""
    posterior = random_posterior(200, 10, 4, seed=5)
    report = open_report(posterior, about=ALL_CANDIDATES, own_tab=True, has_touch=True)
    return report, stored_posterior(report.path, posterior)


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
    assert f"pb.At({same.grid.budgets[-1]:g})" in check_shown(report, same)
    keys.press("Tab")  # to the exact number
    keys.press("Control+A")
    keys.type("123.5")
    keys.press("Tab")  # to the risk attitude
    assert "pb.At(123.5), pb.Expected()" in check_shown(report, same)
    keys.press("ArrowLeft")
    assert "pb.ProbabilityBest()" in check_shown(report, same)
    keys.press("Tab")  # to the number of machines
    keys.press("ArrowRight")
    assert "portfolio=2" in check_shown(report, same)


def test_weights_are_drawn_with_the_keyboard(explorer):
    report, same = explorer
    report.choose("kind", "drawn")
    report.page.get_by_role("button", name="Uniform").press("Enter")
    report.page.get_by_label("Budget to change").press("Home")
    report.page.get_by_label("Budget to change").press("ArrowRight")
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
    report = open_report(posterior, about={"confidence": 0.6})
    same = stored_posterior(report.path, posterior)
    assert run_python(shown(report)["python"], same).values.shape[1] == len(candidates)
    report.page.get_by_label("include dropped algorithms").check()
    assert run_python(check_shown(report, same), same).values.shape[1] == 5
