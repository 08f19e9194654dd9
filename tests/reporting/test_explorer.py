"""What the explorer recommends is what Python recommends from the same draws."""

import math

import numpy as np
import pytest
import scipy.stats  # for what the page calls the same in Python

import polarbear as pb
from polarbear import log_grid
from polarbear.reporting.draws import thin_and_round
from tests.selection.beliefs import GRIDS, posterior_of, random_posterior

RISKS = ["expected", "best", "quantile&level=0.2", "regret"]
FIGURES = {"probabilityBest": "probability_best", "expected": "expected", "lower": "lower", "regret": "regret"}


def drawn(times):
    return "".join(f"{value:02x}" for value in np.linspace(0, 250, times).astype(int))


def wishes(grid):
    """Preferences of each kind in the page's address, between grid times and at the ends."""
    first, last = grid.times[0], grid.times[-1]
    inner = float(f"{(first + 2 * last) / 3:.3g}")
    yield f"kind=at&time={inner}"
    yield f"kind=at&time={last}"
    yield f"kind=between&start={first}&stop={inner}"
    yield f"kind=between&start={inner}&stop={inner}"
    yield f"kind=around&centre={inner}&spread=0.7"
    yield f"kind=drawn&heights={drawn(len(grid))}"


READ = """() => {
    const verdict = document.querySelector(".verdict");
    const figures = [...verdict.querySelectorAll("data")].map((each) => [each.dataset.figure, Number(each.value)]);
    return {
        choice: verdict.querySelector(".choice").textContent,
        figures: Object.fromEntries(figures),
        python: verdict.querySelector(".python").textContent,
    };
}"""


def shown(opened):
    """The recommendation as the page shows it: members, figures, and the same question in Python."""
    opened.settle()
    return opened.page.evaluate(READ)


def shown_for(opened, wishes):
    """The recommendations for wishes that come by the page's address."""
    return opened.page.evaluate(
        f"""async (wishes) => {{
            const all = [];
            for (const wish of wishes) {{
                const changed = new Promise((go) => addEventListener("hashchange", go, {{ once: true }}));
                location.hash = wish;
                await changed;
                all.push(({READ})());
            }}
            return all;
        }}""",
        list(wishes),
    )


def asked(python, posterior):
    """What Python answers."""
    return eval(python, {"pb": pb, "scipy": scipy, "posterior": posterior})


def check(page, posterior, *, tolerance):
    """Hold what the page shows to what Python answers, and give that."""
    best = asked(page["python"], posterior).candidates[0]
    expected = {key: getattr(best, name) for key, name in FIGURES.items()}
    if "Quantile" in page["python"]:
        expected["lower"] = best.score
    assert page["figures"] == pytest.approx(expected, abs=tolerance, rel=0), page["python"]
    return best


def agrees(opened, posterior):
    page = shown(opened)
    best = check(page, posterior, tolerance=1e-9)  # sums in another order
    assert page["choice"].replace(" × ", " x ") == best.name
    return page["python"]


@pytest.mark.parametrize("name", GRIDS)
def test_every_preference_risk_and_portfolio_is_answered_as_in_python(opened, name):
    posterior = random_posterior(200, len(GRIDS[name]), 4, grid=GRIDS[name], seed=3)
    page, same = opened(posterior, about={"confidence": 1.0}), thin_and_round(posterior)
    asked_for = [
        f"{wish}&risk={risk}&machines={machines}"
        for wish in wishes(posterior.grid)
        for risk in RISKS
        for machines in (range(1, 6) if name == "log" else (1, 3))
    ]
    for told in shown_for(page, asked_for):
        best = check(told, same, tolerance=1e-9)
        assert told["choice"].replace(" × ", " x ") == best.name
        check(told, posterior, tolerance=1e-3)  # ratings that were not rounded


def test_a_single_time_is_a_known_budget(opened):
    posterior = random_posterior(50, 1, 3)
    page, same = opened(posterior, about={"confidence": 1.0}), thin_and_round(posterior)
    for told in shown_for(page, ["kind=at&risk=best", "kind=between&machines=2", f"kind=drawn&heights={drawn(2)[2:]}"]):
        check(told, same, tolerance=1e-9)


@pytest.mark.parametrize("risk", [risk for risk in RISKS if risk != "best"])
def test_where_there_are_too_many_portfolios_the_same_search_is_made(opened, risk):
    posterior = random_posterior(1000, 6, 20, seed=1)
    page, same = opened(posterior, about={"confidence": 1.0}), thin_and_round(posterior)
    shown_for(page, [f"kind=between&start=10&stop=400&risk={risk}&machines=5"])
    agrees(page, same)
    assert "too many teams" in page.page.text_content(".why")


def test_the_probability_of_being_the_best_of_too_many_portfolios_is_refused_as_in_python(opened):
    posterior = random_posterior(1000, 6, 20, seed=1)
    page = opened(posterior, about={"confidence": 1.0})
    page.page.evaluate("hash => { location.hash = hash; }", "kind=between&start=10&stop=400&risk=best&machines=5")
    page.settle()
    assert "needs all teams, and there are too many to compare" in page.page.text_content(".verdict")
    with pytest.raises(ValueError, match="needs all of them, and there are too many"):
        pb.select(thin_and_round(posterior), pb.Between(10, 400), pb.ProbabilityBest(), portfolio=5)


def test_copies_have_the_value_of_plackett_luce(opened):
    """One algorithm is strong and the others weak: copies of it are best, and are worth s / (s + r)."""
    ratings = np.tile([0.6, 0.1, 0.1, 0.1, 0.1], (50, 4, 1))
    page = opened(posterior_of(ratings), about={"confidence": 1.0})
    for machines in (2, 3, 5):
        (told,) = shown_for(page, [f"kind=at&time=2&risk=expected&machines={machines}"])
        assert told["choice"] == f"{machines} × A"
        assert told["figures"]["expected"] == pytest.approx(machines * 0.6 / (machines * 0.6 + 0.4), abs=1e-4)


def picture(opened):
    """Where the explorer's picture is, in sight."""
    place = opened.page.locator("#explorer-chart")
    place.scroll_into_view_if_needed()
    return place.bounding_box()


def test_dragging_the_budget_changes_the_recommendation_to_that_of_python(opened):
    posterior = random_posterior(300, 10, 4, seed=5)
    page, same = opened(posterior, about={"confidence": 1.0}), thin_and_round(posterior)
    chart = picture(page)
    height = chart["y"] + chart["height"] / 2
    page.page.mouse.move(chart["x"] + chart["width"] / 2, height)
    page.page.mouse.down()
    budgets, choices = set(), set()
    for share in np.linspace(0.12, 0.98, 15):
        page.page.mouse.move(chart["x"] + share * chart["width"], height)
        budgets.add(agrees(page, same))
        choices.add(shown(page)["choice"])
    page.page.mouse.up()
    assert len(budgets) == 15
    assert len(choices) > 1  # the leader does change along the way


@pytest.mark.parametrize("kind", ["between", "around", "drawn"])
def test_what_is_dragged_in_the_picture_is_what_is_asked(opened, kind):
    posterior = random_posterior(200, 10, 4, seed=5)
    page, same = opened(posterior, about={"confidence": 1.0}), thin_and_round(posterior)
    page.page.check(f"input[name=kind][value={kind}]", force=True)
    before = shown(page)["python"]
    chart = picture(page)
    page.page.mouse.move(chart["x"] + 0.3 * chart["width"], chart["y"] + 0.7 * chart["height"])
    page.page.mouse.down()
    page.page.mouse.move(chart["x"] + 0.5 * chart["width"], chart["y"] + 0.2 * chart["height"], steps=3)
    page.page.mouse.up()
    assert agrees(page, same) != before


def test_the_keyboard_alone_is_enough(opened):
    posterior = random_posterior(200, 10, 4, seed=5)
    page, same = opened(posterior, about={"confidence": 1.0}), thin_and_round(posterior)
    keys = page.page.keyboard
    page.page.focus("input[name=kind]:checked")
    keys.press("Tab")  # the budget's slider
    before = agrees(page, same)
    keys.press("ArrowRight")
    assert agrees(page, same) != before
    keys.press("End")
    assert f"pb.At({posterior.grid.times[-1]:g})" in agrees(page, same)
    keys.press("Tab")  # the exact number
    keys.press("Control+A")
    keys.type("123.5")
    keys.press("Tab")  # what matters
    assert "pb.At(123.5), pb.Expected()" in agrees(page, same)
    keys.press("ArrowRight")
    assert "pb.ProbabilityBest()" in agrees(page, same)
    keys.press("Tab")  # machines
    keys.press("ArrowRight")
    assert "portfolio=2" in agrees(page, same)


def test_a_weight_is_drawn_with_the_keyboard(opened):
    posterior = random_posterior(200, 5, 3, seed=5)
    page, same = opened(posterior, about={"confidence": 1.0}), thin_and_round(posterior)
    page.page.check("input[name=kind][value=drawn]", force=True)
    page.page.get_by_role("button", name="All alike").press("Enter")
    page.page.get_by_label("Time to change").press("ArrowRight")
    page.page.get_by_label("Weight there").press("Home")
    assert "pb.Weighted([128, 0, 128, 128, 128])" in agrees(page, same)


def test_no_weight_at_all_is_said_and_not_answered(opened):
    page = opened(random_posterior(50, 5, 3))
    page.page.evaluate("hash => { location.hash = hash; }", f"kind=drawn&heights={'00' * 5}")
    page.settle()
    assert "No budget counts yet" in page.page.text_content(".verdict")


def test_a_touch_moves_the_budget(opened):
    posterior = random_posterior(100, 10, 4, seed=5)
    page, same = opened(posterior, has_touch=True, about={"confidence": 1.0}), thin_and_round(posterior)
    before = shown(page)["python"]
    page.page.locator("#explorer-chart").tap(position={"x": 100, "y": 150})
    assert agrees(page, same) != before


def test_those_that_are_out_can_be_chosen_too(opened):
    posterior = random_posterior(200, 6, 5, seed=2, spread=0.3)
    left = pb.pareto_set(posterior, confidence=0.6)
    assert 0 < len(left) < 5
    page, same = opened(posterior, about={"confidence": 0.6}), thin_and_round(posterior)
    assert asked(shown(page)["python"], same).values.shape[1] == len(left)
    page.page.check("input[name=everybody]")
    assert asked(agrees(page, same), same).values.shape[1] == 5


@pytest.mark.parametrize("machines", [1, 3])
def test_how_long_the_page_computes(opened, machines):
    """Measured and printed; nothing is asserted about a time."""
    posterior = random_posterior(1000, 50, 10, grid=log_grid(100, 60_000, 50))
    page = opened(posterior, about={"confidence": 1.0})
    took = []
    for time in np.geomspace(200, 50_000, 9):
        shown_for(page, [f"kind=around&centre={time:.3g}&spread=0.5&risk=quantile&machines={machines}"])
        took.append(float(page.page.get_attribute("#explorer-place", "data-milliseconds")))
    print(f"\n1000 draws x 50 times x 10 algorithms, {machines} machines, by quantile: {np.median(took):.1f} ms")
    assert all(math.isfinite(each) for each in took)
