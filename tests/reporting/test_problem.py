"""The section "It depends on the problem", and the explorer's fields for features."""

import base64
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas
import pytest

import polarbear as pb
from polarbear.features import dependence
from polarbear.features.dependence import find_dependence, group_posteriors
from polarbear.features.training_set import make_training_set
from polarbear.opening import result_of_posterior
from polarbear.reporting import problem
from polarbear.reporting.subject import Subject, tables_of
from tests.features.two_kinds import GRID, two_kinds
from tests.reporting.pages import read_data
from tests.reporting.pages import report as report_on
from tests.reporting.stored import read_draws

AT_THE_END = "kind=at&budget=1000&risk=expected&machines=1"


@pytest.fixture(scope="module")
def data():
    """Runs on instances of two kinds, a posterior of all of them, and the features of the instances."""
    runs, table = two_kinds(40)
    return runs, pb.fit(pb.Choices.from_trajectories(runs, grid=GRID), draws=400), table


@pytest.fixture(scope="module")
def found(data):
    """What the page must state: the answers of Python to the same question."""
    runs, posterior, table = data
    collected = pb.collect_runs(runs, posterior=posterior, unit="evaluations")
    return find_dependence(make_training_set(collected, table, preference=None, among=posterior.names))


@pytest.fixture(scope="module")
def tab(open_report, data):
    runs, posterior, table = data
    about = {"runs": runs, "features": table, "unit": "evaluations", "confidence": 0.999}
    return open_report(posterior, about=about, own_tab=True)


def test_the_tree_shows_every_group_with_its_choices(tab, found):
    page = tab.page
    assert page.inner_text("#problem-heading") == "It depends on the problem"
    assert page.locator("#problem-text li").all_text_contents() == list(found.explanation.sentences)
    labels = page.locator("#problem-tree-chart text.strong").all_text_contents()
    assert labels == [
        "all instances (40)",
        *(f"{each.name} ({each.instances}, tentative)" for each in found.explanation.groups),
    ]
    drawn = page.locator("#problem-tree-chart rect title").all_text_contents()
    ranges = [*found.for_all.ranges, *found.policy.root.left.ranges, *found.policy.root.right.ranges]
    assert [each.split(":")[0] for each in drawn] == [each.name for each in ranges]
    alternative = page.get_attribute("#problem-tree-chart svg", "aria-label")
    assert f"size > 20 ({found.policy.root.right.instances} instances, tentative): third, then second." in alternative


def test_each_group_has_a_panel_in_the_stacking_order_of_the_page(tab, found):
    panels = tab.page.locator("#problem-panels figure")
    titles = [each.inner_text() for each in panels.locator(".panel-title").all()]
    assert titles == [f"{each.name} ({each.size})" for each in found.explanation.groups]
    order = tab.page.locator("#best-chart .area title").all_text_contents()
    for panel in panels.all():
        assert panel.locator(".area title").all_text_contents() == order


def test_the_table_is_sorted_by_the_keyboard_and_follows_the_budget(tab, found):
    page = tab.page

    def column(place):
        return page.locator(f"#problem-table tbody tr > :nth-child({place})").all_inner_texts()

    heads = page.locator("#problem-table thead th")
    assert heads.all_inner_texts() == ["instance", "comes first", "group", "size", "noise", "rotated"]
    assert column(1) == [str(k) for k in range(40)]
    shares = found.training.scores.at_budgets[:, -1]
    assert column(2) == [found.training.scores.names[k] for k in shares.argmax(axis=1)]
    page.locator("#problem-table thead button").nth(4).focus()
    for direction, reverse in (("ascending", False), ("descending", True)):
        page.keyboard.press("Enter")
        assert heads.nth(4).get_attribute("aria-sort") == direction
        values = [float(each) for each in column(5)]
        assert values == sorted(values, reverse=reverse)
    page.locator("#problem-budget input").fill("0")
    assert set(column(2)) == {"third"}
    assert "First at 10 evaluations, on 40 instances: third 40." in page.inner_text("#problem-instances-text")


@pytest.mark.parametrize("size", [5, 40])
def test_the_recommendation_follows_the_group_of_the_given_features(tab, data, found, size):
    page, names = tab.page, {"pb": pb, **dict(zip(("runs", "posterior", "features"), data, strict=True))}
    tab.ask(AT_THE_END)
    for_all = page.inner_text(".recommendation")
    page.fill("input[data-feature=size]", str(size))
    page.keyboard.press("Tab")
    tab.wait_for_update()
    assert page.inner_text(".recommended") == found.policy.choose(1000, size=size)
    group = 0 if size == 5 else 1
    posterior = group_posteriors(found, found.explanation.tree.leaves)[group]
    values = pb.StrongestRival().curves(posterior, np.arange(len(posterior.names)))[:, -1]
    shown = float(page.get_attribute("data[data-figure=expected]", "value"))
    best = posterior.names.index(page.inner_text(".recommended"))
    assert shown == pytest.approx(values[:, best].mean(), abs=0.02)  # the page holds 300 of 1000 draws
    assert eval(page.text_content(".recommendation .python"), names) == page.inner_text(".recommended")
    assert f"problem with size = {size}" in page.inner_text(".query-text")
    assert f"Group of this problem, by the policy: {found.explanation.groups[group].name} (" in page.inner_text(
        ".statements"
    )
    page.wait_for_url(lambda url: f"given.size={size}" in url)
    page.emulate_media(media="print")
    assert f"size = {size}" in page.inner_text(".query-text")
    assert page.is_hidden("input[data-feature=size]")
    page.emulate_media(media="null")
    tab.ask(f"{AT_THE_END}&given.size={size}&given.other=1")
    assert page.input_value("input[data-feature=size]") == str(size)
    tab.ask(f"{AT_THE_END}&given.size=large")
    assert page.inner_text(".recommendation") == for_all
    assert page.input_value("input[data-feature=size]") == ""


def test_a_value_outside_the_data_and_a_portfolio_are_explained(tab):
    tab.ask(f"{AT_THE_END}&given.size=400")
    assert "Its size lies outside the data, which reach from 5 to 40." in tab.page.inner_text(".statements")
    tab.ask("kind=at&budget=1000&machines=2&given.size=40")
    assert "The best single algorithm, second, comes first on" in tab.page.inner_text(".statements")
    assert tab.page.locator(".recommendation .python").count() == 0


def test_without_a_feature_the_answer_is_that_of_the_group_so_far(open_report):
    """`inner` matters only where `outer` is true; `c` is the best choice on the other half and on all instances."""
    outer, inner = np.arange(80) % 2 == 1, np.arange(80) % 8 < 5
    best = np.where(outer, np.where(inner, "a", "b"), "c")
    runs = [
        pb.Trajectory(name, i, [1], [0.0 if name == best[i] else 2.0], end=1000) for i in range(80) for name in "abc"
    ]
    table = {"instance": range(80), "outer": outer, "inner": inner}
    grid = pb.log_grid(100, 1000, 2)
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=grid), draws=200)
    policy = pb.policy(runs, table, grid=grid)
    assert policy.used == ("outer", "inner")
    tab = open_report(posterior, about={"runs": runs, "features": table})
    for given, group, missing in (
        ({"outer": "true"}, "outer = true (40 of 80 instances)", "inner"),
        ({"inner": "true"}, "all instances (80 instances)", "outer"),
    ):
        tab.ask("&".join([AT_THE_END, *(f"given.{name}={value}" for name, value in given.items())]))
        assert tab.page.inner_text(".recommended") == policy.choose(1000, **given)
        statements = tab.page.inner_text(".statements")
        assert (
            f"Group of this problem, by the policy: {group}. Not given: {missing}, so the answer is for" in statements
        )


def subject_of(posterior, runs, table):
    """What a page about recorded runs and a table of features shows."""
    source = replace(result_of_posterior(posterior), runs=tuple(runs))
    return Subject(source, {}, features=tables_of(table), features_given=True)


def test_code_for_a_race_names_its_file_or_its_result():
    def arguments(file, **about):
        subject = SimpleNamespace(result=object(), source=SimpleNamespace(path=file), **about)
        return problem._policy_in_python(subject, ("a", "b"))

    assert arguments("'my folder/my.race'", features_given=False) == ['pb.load("my folder/my.race")']
    assert arguments("", features_given=True) == ["result", "features"]


def test_an_algorithm_with_few_runs_does_not_take_the_answer_away():
    """`poor` ran on 5 of 60 instances, and is eliminated."""
    rng = np.random.default_rng(0)
    even = np.arange(60) % 2 == 0
    runs = [
        pb.Trajectory(name, i, [1], [float((name == "a") != even[i]) + rng.random() / 2 + 3 * (name == "poor")], end=9)
        for i in range(60)
        for name in ("a", "b", "poor")
        if name != "poor" or i < 5
    ]
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=[1, 9]))
    table = {"instance": range(60), "even": even}
    subject = subject_of(posterior, runs, table)
    shown = problem.problem(subject)
    assert shown["matters"]
    assert [subject.posterior.names[column] for column in shown["columns"]] == ["a", "b"]
    assert shown["notes"][0].startswith("The algorithms did not all run on enough of the same instances")
    assert shown["policy"]["python"] == ["runs", "features", 'among=["a", "b"]', "grid=posterior.grid"]


def noise_of(table):
    return {"instance": table["instance"], "noise": table["noise"]}


def test_where_no_feature_matters_the_page_says_so_and_asks_for_none(open_report, data):
    runs, posterior, table = data
    page = open_report(posterior, about={"runs": runs, "features": noise_of(table)}).page
    assert page.inner_text("#problem-heading") == "Does it depend on the problem?"
    assert page.inner_text("#problem-text").startswith("No feature matters: none of 1 feature")
    assert page.is_hidden("#problem-tree")
    assert page.locator("#explorer [data-feature]").count() == 0
    assert page.locator("#problem-table tbody tr").count() == 40


def test_an_algorithm_that_is_beaten_on_all_instances_may_lead_in_a_group(open_report, data):
    runs, _, table = data
    rare = [instance for instance, size in enumerate(table["size"]) if size == 40][8:]
    runs = [run for run in runs if run.algorithm != "third" and run.instance not in rare]
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=pb.log_grid(100, 1000, 3)), draws=400)
    assert pb.pareto_set(posterior) == ("first",)
    tab = open_report(posterior, about={"runs": runs, "features": table}, own_tab=True)
    tab.ask(f"{AT_THE_END}&given.size=40")
    assert tab.page.inner_text(".recommended") == "second"


def test_many_instances_are_a_sample_and_without_features_there_is_no_section(data, tmp_path, monkeypatch):
    runs, posterior, table = data
    monkeypatch.setattr(problem, "_INSTANCES", 30)
    page = report_on(posterior, tmp_path / "a.html", runs=runs, features=noise_of(table))
    shown = read_data(page)["sections"]["problem"]["instances"]
    assert (len(shown["labels"]), shown["total"]) == (30, 40)
    winners = np.frombuffer(base64.b64decode(shown["winners"]), dtype="<u2")
    assert len(winners) == 30 * len(shown["budgets"])
    assert "problem" not in read_data(report_on(posterior, tmp_path / "b.html", runs=runs))["sections"]
    with pytest.raises(ValueError, match="expected runs with features, got a posterior alone"):
        report_on(posterior, tmp_path / "c.html", features=table)


def test_imported_runs_bring_their_features_along(data, tmp_path):
    runs, _, table = data
    points = [(run, budget, value) for run in runs for budget, value in zip(run.budgets, run.values, strict=True)]
    columns = {
        "algorithm_name": [run.algorithm for run, _, _ in points],
        "dimension": [int(table["size"][run.instance]) for run, _, _ in points],
        "instance": [run.instance for run, _, _ in points],
        "evaluations": [budget for _, budget, _ in points],
        "raw_y": [value for _, _, value in points],
    }
    imported = pb.read_runs(pandas.DataFrame(columns))
    posterior = pb.fit(imported.choices(pb.log_grid(1, 100, 5)), draws=100)
    section = read_data(report_on(posterior, tmp_path / "a.html", runs=imported))["sections"]["problem"]
    assert [each["condition"] for each in section["rows"]][1:] == ["dimension ≤ 20", "dimension > 20"]


def test_candidates_without_common_instances_have_no_answer(data, tmp_path):
    runs, _, table = data
    few = [run for run in runs if run.algorithm != "second" or run.instance < 9]
    posterior = pb.fit(pb.Choices.from_trajectories(few, grid=GRID), draws=100)
    page = report_on(posterior, tmp_path / "a.html", runs=few, features=table, confidence=0.999)
    section = read_data(page)["sections"]["problem"]
    assert section["sentences"][0].startswith("There is no answer: expected runs of all 3 candidates on 10 instances")
    assert section["instances"] is None


def test_very_many_instances_are_sampled_before_they_are_explained(found, monkeypatch):
    monkeypatch.setattr(dependence, "_PRODUCTS", 10_000)
    small = find_dependence(replace(found.training, features=found.training.features[:1]))
    assert 10 <= len(small.training.scores.instances) < 40
    assert small.total == 40
    assert small.training.scores.first.sum() == pytest.approx(1)


def test_a_group_with_few_instances_shows_the_answer_for_all():
    rare = np.arange(60) < 6
    runs = [
        pb.Trajectory(name, i, [1], [float((name == "a") == rare[i])], end=9) for i in range(60) for name in ("a", "b")
    ]
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=[1, 9]))
    shown = problem.problem(subject_of(posterior, runs, {"instance": range(60), "rare": rare}))
    everything, common, few = shown["rows"]
    assert [each["note"] for each in shown["rows"]] == ["", "", "too few"]
    assert few["ranges"] == everything["ranges"]
    assert (few["sentence"], common["instances"]) == ("rare = true (6 instances, too few): a.", 54)
    assert shown["groups"][1]["size"] == "6 instances, too few for a choice of its own"
    assert [posterior.names[each] for each in shown["groups"][1]["columns"]] == ["a", "b"]
    ratings, rates = read_draws(shown["groups"][1], 2)
    assert rates[0, 0].mean() > 0.8  # a beats b on most of all instances
    assert ratings[0, 0].mean() > 0.8
