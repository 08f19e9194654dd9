"""Parts of recorded runs on the command line: --where, --only, --without, --per and --by, in all commands."""

import pytest
from polarbear.cli.groups import compare_groups
from polarbear.cli.recorded_runs import Reading
from polarbear.cli.source import open_source

import polarbear as pb
from tests.reporting.pages import read_data

HEADER = "algorithm_name,function_id,dimension,instance,evaluations,raw_y"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """On function 1 `a` is best, on function 2 `b` is; `c` is last. Runs take 10 evaluations per dimension."""
    best = {1: ["a", "b", "c"], 2: ["b", "a", "c"]}
    rows = [
        f"{name},{function},{dimension},{instance},{share * dimension},{place + 1 - share / 20}"
        for function, order in best.items()
        for dimension in (2, 5)
        for instance in range(1, 13)
        for place, name in enumerate(order)
        for share in (1, 10)
    ]
    path = tmp_path_factory.mktemp("parts") / "runs.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def choice(outcome):
    assert outcome.code == 0, outcome.err
    return outcome.data["choice"]


@pytest.mark.parametrize(("function", "best"), [(1, "a"), (2, "b")])
def test_select_takes_recorded_runs_and_a_part_of_them(polarbear, table, function, best):
    assert choice(polarbear("select", table, "--where", f"function={function}", "--json")) == [best]
    assert choice(polarbear("select", table, "--where", f"function={function}", "--without", best, "--json")) != [best]


def test_show_gives_an_answer_for_each_group_and_for_all(polarbear, table):
    outcome = polarbear("show", table, "--by", "function", "--json", "--budgets", ":3")
    groups = outcome.data["groups"]
    assert {name: group["kept"] for name, group in groups.items()} == {"1": ["a"], "2": ["b"]}
    assert {group["instances"] for group in groups.values()} == {24}
    assert outcome.data["kept"] == ["a", "b", "c"]  # two functions are too few to generalise to new ones
    text = polarbear("show", table, "--by", "function", "--budgets", ":3").out
    assert "function 2 (24 instances, tentative): b" in text
    assert {group["note"] for group in groups.values()} == {"tentative"}


def test_select_answers_the_same_query_for_each_group(polarbear, table):
    query = ["--budget", 5, "--risk", "quantile", "--only", "a", "--only", "b", "--budgets", ":3"]
    outcome = polarbear("select", table, "--by", "function", "--json", *query)
    groups = outcome.data["groups"]
    assert (outcome.data["by"], list(groups)) == ("function", ["function 1", "function 2"])
    assert {name: group["choice"] for name, group in groups.items()} == {"function 1": ["a"], "function 2": ["b"]}
    assert all({each["members"][0] for each in group["candidates"]} == {"a", "b"} for group in groups.values())
    assert all("5 % quantile" in group["sentence"] for group in groups.values()), groups
    pooled = polarbear("select", table, "--json", *query)
    assert outcome.data["sentence"] == pooled.data["sentence"]
    text = polarbear("select", table, "--by", "function", *query).out
    first, second = text.split("By function")
    assert pooled.data["sentence"] in first
    rows = [line.split() for line in second.splitlines()[-2:]]
    assert [(row[0], row[1], row[3]) for row in rows] == [("1", "24", "a"), ("2", "24", "b")]


def test_groups_do_not_keep_the_win_rates_of_all_pairs(table):
    source = open_source(table, Reading(count=3), by="function", quiet=True)
    groups = compare_groups(source, "function")
    assert list(groups.fitted) == ["function 1", "function 2"]
    for posterior, _ in groups.fitted.values():
        kept = posterior.beliefs._rates
        assert not kept
        before = pb.win_rates(posterior).mean()
        assert kept
        posterior.beliefs.free_memory()
        assert not kept
        assert pb.win_rates(posterior).mean() == before


def test_a_group_with_few_comparisons_takes_the_answer_for_all(polarbear, table, tmp_path):
    rows = table.read_text() + "".join(f"a,3,2,{instance},2,1.0\n" for instance in range(1, 4))
    rows += "".join(f"{name},4,2,{instance},2,1.0\n" for instance in range(1, 4) for name in "ac")
    path = tmp_path / "more.csv"
    path.write_text(rows)
    query = ["--budget", 5, "--start", 2, "--stop", 20, "--only", "a", "--only", "b"]
    data = polarbear("select", path, "--by", "function", *query, "--json").data
    groups = data["groups"]
    assert {name: group["choice"] for name, group in list(groups.items())[:2]} == {
        "function 1": ["a"],
        "function 2": ["b"],
    }
    for name, instances in (("function 3", 0), ("function 4", 3)):  # they compare nothing, or a and c
        assert (groups[name]["instances"], groups[name]["note"]) == (instances, "too few")
        assert groups[name]["sentence"] == data["sentence"]
    assert data["group_remarks"][-1].startswith(
        "function 3, function 4: fewer than 8 independent instances, so the answer"
    )
    show = ["show", path, "--by", "function", "--start", 2, "--stop", 20]
    shown = polarbear(*show, "--json").data
    assert shown["groups"]["4"]["note"] == "too few"
    assert shown["groups"]["4"]["ranges"] == shown["ranges"]
    (small,) = [each for each in shown["group_findings"] if each["code"] == "small_groups"]
    assert small["numbers"]["groups"] == ["3", "4"]
    assert "3 and 4: fewer than 8 independent instances." in " ".join(polarbear(*show).out.split())


def test_a_group_without_an_algorithm_says_nothing_about_it(polarbear, table, tmp_path):
    path = tmp_path / "more.csv"
    rows = "".join(f"{name},4,2,{instance},2,{k}.0\n" for instance in range(1, 12) for k, name in enumerate("ca"))
    path.write_text(table.read_text() + rows)
    group = polarbear("select", path, "--by", "function", "--all", "--json").data["groups"]["function 4"]
    assert (group["choice"], group["note"]) == (["c"], "tentative")
    assert group["remarks"][0] == "It does not compare b."
    assert {each["members"][0] for each in group["candidates"]} == {"a", "c"}


def test_plot_draws_panels_or_files_per_group(polarbear, table, tmp_path, monkeypatch):
    drawn = {}
    monkeypatch.setattr("polarbear.plots.save", lambda figure, path, **_: drawn.setdefault(path.name, figure))
    monkeypatch.setattr("matplotlib.layout_engine.ConstrainedLayoutEngine.execute", lambda *_: None)  # needs no layout
    command = ["plot", table, "--by", "function", "--budgets", ":2", "a", "b", "-o", tmp_path / "figures"]
    outcome = polarbear(*command)
    assert outcome.code == 0, outcome.err
    for name in ("ratings", "decision-map", "values"):
        titles = [ax.get_title(loc="left") for ax in drawn[f"{name}.pdf"].axes]
        assert titles == ["all runs", "function 1", "function 2"]
    others = ("dominance", "pair", "comparisons", "quality", "speed-up", "gap")
    for name in others:
        assert {f"{name}.pdf", f"{name}-function-1.pdf", f"{name}-function-2.pdf"} <= drawn.keys()
    assert "tree.pdf" in drawn  # one tree for all groups
    assert len(drawn) == 4 + 3 * len(others)


def test_names_are_accepted_as_tables_shorten_them(polarbear, tmp_path):
    names = [
        f"{kind} with restarts and a long description (population {size})" for kind in ("DE", "ES") for size in (1, 2)
    ]
    rows = [f"{name},1,2,{instance},10,{k}" for instance in range(1, 9) for k, name in enumerate(names)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join([HEADER, *rows]))
    printed = polarbear("show", path).out
    shortened = "DE with ...population 2)"
    assert shortened in printed
    assert names[1] not in printed
    assert choice(polarbear("select", path, "--only", shortened, "--only", names[2], "--json")) == [names[1]]
    assert choice(polarbear("select", path, "--without", shortened, "--only", "ES...2)", "--json")) == [names[3]]
    outcome = polarbear("select", path, "--only", "DE...")
    assert (outcome.code, "which may be any of" in outcome.err) == (3, True), outcome.err


def test_one_budget_is_a_query_and_no_grid(polarbear, table):
    outcome = polarbear("show", table, "--start", 5, "--stop", 5)
    assert (outcome.code, "use: polarbear select FILE --at 5" in outcome.err) == (3, True), outcome.err


def test_per_divides_budgets(polarbear, table):
    outcome = polarbear("show", table, "--per", "dimension", "--json", "--budgets", ":3")
    assert outcome.data["budgets"][-1] == 10
    assert outcome.data["clock"] == "evaluations per dimension"


def test_report_and_plot_take_recorded_runs(polarbear, table, tmp_path):
    page = tmp_path / "page.html"
    outcome = polarbear("report", table, "--by", "function", "--only", "a", "--only", "b", "-o", page, "--budgets", ":3")
    assert outcome.code == 0, outcome.err
    data = read_data(page)
    assert data["names"] == ["a", "b"]
    assert [(each["name"], each["instances"]) for each in data["sections"]["groups"]["groups"]] == [
        ("function 1", 24),
        ("function 2", 24),
    ]
    figure = tmp_path / "ratings.png"
    assert polarbear("plot", table, "--where", "dimension=5", "ratings", "-o", figure, "--budgets", ":3").code == 0
    assert figure.stat().st_size > 0


def test_a_race_can_be_compared_without_some_of_its_algorithms(polarbear, finished):
    with pb.Race.open(finished) as race:
        names = race.state.names
    left = polarbear("show", finished, "--without", names[0], "--json").data["candidates"]
    assert left == list(names[1:])
    assert choice(polarbear("select", finished, "--only", names[0], "--only", names[1], "--json"))[0] in names[:2]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["select", "TABLE", "--where", "dimension=3"], "got none: dimension has 2, 5"),
        (["select", "RACE", "--where", "dimension=3"], "which has no columns"),
        (["select", "RACE", "--only", "unknown"], "expected names of algorithms for --only"),
        (["report", "RACE", "--by", "function"], "got 'function'; it stores none: add a table of features"),
        (["select", "RACE", "--by", "function"], "got 'function'; it stores none: add --features TABLE"),
        (["plot", "SAVED", "--by", "function"], "expected recorded runs or a race with --by function"),
        (
            ["select", "SAVED", "--only", "a"],
            "expected recorded runs or a race file for --only, got the saved posterior",
        ),
        (["show", "TABLE", "--by", "colour"], "expected one of the fields"),
    ],
)
def test_impossible_parts_are_refused(polarbear, table, finished, saved, command, message):
    places = {"TABLE": table, "RACE": finished, "SAVED": saved}
    outcome = polarbear(*(places.get(word, word) for word in command))
    assert (outcome.code, message in outcome.err) == (3, True), outcome.err
