"""Parts of recorded runs on the command line: --where, --only, --without and --per of show, --by of all."""

import pytest

import polarbear as pb
from tests.cli.conftest import run_command
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


@pytest.fixture
def study(table, tmp_path):
    """A function that reads the table, or another file, with options, and returns the saved result."""

    def save(*options, file=table):
        path = tmp_path / "study.npz"
        outcome = run_command("show", file, "--save", path, *options)
        assert outcome.code == 0, outcome.err
        return path

    return save


def choice(outcome):
    assert outcome.code == 0, outcome.err
    return outcome.data["choice"]


@pytest.mark.parametrize(("function", "best"), [(1, "a"), (2, "b")])
def test_a_part_of_recorded_runs_is_saved_and_selected_from(polarbear, table, study, function, best):
    part = "--where", f"function={function}"
    assert choice(polarbear("select", study(*part), "--json")) == [best]
    assert choice(polarbear("select", study(*part, "--without", best), "--json")) != [best]
    shown = polarbear("show", table, *part, "--json").data
    saved = polarbear("show", study(*part), "--json").data
    assert {**saved, "status": shown["status"]} == shown


def test_show_gives_an_answer_for_each_group_and_for_all(polarbear, table):
    outcome = polarbear("show", table, "--by", "function", "--json", "--budgets", ":3")
    groups = outcome.data["groups"]
    assert {name: group["kept"] for name, group in groups.items()} == {"1": ["a"], "2": ["b"]}
    assert {group["instances"] for group in groups.values()} == {24}
    assert outcome.data["kept"] == ["a", "b", "c"]  # two functions are too few to generalise to new ones
    text = polarbear("show", table, "--by", "function", "--budgets", ":3").out
    assert "function 2 (24 instances, tentative): b" in text
    assert {group["note"] for group in groups.values()} == {"tentative"}


def test_select_answers_the_same_query_for_each_group(polarbear, study):
    saved = study("--budgets", ":3")
    query = ["--budget", 5, "--risk", "quantile", "--only", "a", "--only", "b"]
    outcome = polarbear("select", saved, "--by", "function", "--json", *query)
    groups = outcome.data["groups"]
    assert (outcome.data["by"], list(groups)) == ("function", ["1", "2"])
    assert {name: group["choice"] for name, group in groups.items()} == {"1": ["a"], "2": ["b"]}
    assert all({each["members"][0] for each in group["candidates"]} == {"a", "b"} for group in groups.values())
    assert all("5 % quantile" in group["risk"] for group in groups.values()), groups
    pooled = polarbear("select", saved, "--json", *query).data
    assert {name: outcome.data[name] for name in pooled} == pooled
    text = polarbear("select", saved, "--by", "function", *query).out
    first, second = text.split("\n\n")
    assert f"{first}\n" == polarbear("select", saved, *query).out
    assert [line.split(" (best")[0] for line in second.splitlines()] == [
        "function 1 (24 instances, tentative): a (over 99 %)",
        "function 2 (24 instances, tentative): b (over 99 %)",
    ]


def test_groups_do_not_keep_the_win_rates_of_all_pairs(study):
    groups = pb.load(study("--budgets", ":3")).split("function").groups
    assert list(groups.posteriors) == ["1", "2"]
    for group in groups.posteriors.values():
        posterior = group.posterior
        kept = posterior.beliefs._rates
        assert not kept
        before = pb.win_rates(posterior).mean()
        assert kept
        posterior.beliefs.free_memory()
        assert not kept
        assert pb.win_rates(posterior).mean() == before


def test_a_group_with_few_comparisons_takes_the_answer_for_all(polarbear, table, study, tmp_path):
    rows = table.read_text() + "".join(f"a,3,2,{instance},2,1.0\n" for instance in range(1, 4))
    rows += "".join(f"{name},4,2,{instance},2,1.0\n" for instance in range(1, 4) for name in "ac")
    path = tmp_path / "more.csv"
    path.write_text(rows)
    saved = study("--budgets", "2..20", file=path)
    query = ["--budget", 5, "--only", "a", "--only", "b"]
    data = polarbear("select", saved, "--by", "function", *query, "--json").data
    groups = data["groups"]
    assert {name: group["choice"] for name, group in list(groups.items())[:2]} == {
        "1": ["a"],
        "2": ["b"],
    }
    for name, instances in (("3", 0), ("4", 3)):  # they compare nothing, or a and c
        assert (groups[name]["instances"], groups[name]["note"]) == (instances, "too few")
        assert groups[name]["candidates"] == data["candidates"]
    (small,) = [each for each in data["group_findings"] if each["code"] == "small_groups"]
    assert small["numbers"]["groups"] == ["3", "4"]
    assert "as for all instances): " in polarbear("select", saved, "--by", "function", *query).out
    show = ["show", path, "--by", "function", "--budgets", "2..20"]
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
    group = polarbear("select", path, "--by", "function", "--json").data["groups"]["4"]
    assert (group["choice"], group["note"]) == (["c"], "tentative")
    assert "b" not in {each["members"][0] for each in group["candidates"]}
    named = polarbear("select", path, "--by", "function", "--only", "b", "--only", "c", "--json").data["groups"]["4"]
    assert [each["members"] for each in named["candidates"]] == [["c"]]


def test_plot_draws_panels_or_files_per_group(polarbear, study, tmp_path, monkeypatch):
    drawn = {}
    monkeypatch.setattr("polarbear.plots.save", lambda figure, path, **_: drawn.setdefault(path.name, figure))
    monkeypatch.setattr("matplotlib.layout_engine.ConstrainedLayoutEngine.execute", lambda *_: None)  # needs no layout
    saved = study("--budgets", ":2")
    outcome = polarbear("plot", saved, "--by", "function", "-o", tmp_path / "figures")
    assert outcome.code == 0, outcome.err
    for name in ("ratings", "decision-map", "values"):
        titles = [ax.get_title(loc="left") for ax in drawn[f"{name}.pdf"].axes]
        assert titles == ["all runs", "function 1", "function 2"]
    others, pairs = ("dominance", "comparisons", "quality"), ("pair", "speed-up", "gap")
    assert "tree.pdf" in drawn  # one tree for all groups
    assert len(drawn) == 4 + 3 * len(others)
    for name in pairs:
        path = tmp_path / f"{name}.pdf"
        assert polarbear("plot", saved, name, "a", "b", "--by", "function", "-o", path).code == 0
    for name in (*others, *pairs):
        assert {f"{name}.pdf", f"{name}-function-1.pdf", f"{name}-function-2.pdf"} <= drawn.keys()


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
    without = polarbear("show", path, "--without", shortened, "--json").data["candidates"]
    assert without == [name for name in names if name != names[1]]
    assert choice(polarbear("select", path, "--only", "ES...2)", "--json")) == [names[3]]
    outcome = polarbear("select", path, "--only", "DE...")
    assert (outcome.code, "which may be any of" in outcome.err) == (3, True), outcome.err


def test_one_budget_is_a_query_and_no_grid(polarbear, table):
    outcome = polarbear("show", table, "--budgets", "5..5")
    assert (outcome.code, "for the answer at one budget, select with budget=5" in outcome.err) == (3, True), outcome.err


def test_per_divides_budgets(polarbear, table):
    outcome = polarbear("show", table, "--per", "dimension", "--json", "--budgets", ":3")
    assert outcome.data["budgets"][-1] == 10
    assert outcome.data["clock"] == "evaluations per dimension"


def test_report_and_plot_take_recorded_runs(polarbear, study, tmp_path):
    page, saved = tmp_path / "page.html", study("--only", "a", "--only", "b", "--budgets", ":3")
    outcome = polarbear("report", saved, "--by", "function", "-o", page)
    assert outcome.code == 0, outcome.err
    data = read_data(page)
    assert data["names"] == ["a", "b"]
    assert [(each["name"], each["instances"]) for each in data["sections"]["groups"]["groups"]] == [
        ("function 1", 24),
        ("function 2", 24),
    ]
    figure = tmp_path / "ratings.png"
    assert polarbear("plot", study("--where", "dimension=5", "--budgets", ":3"), "ratings", "-o", figure).code == 0
    assert figure.stat().st_size > 0


def test_a_race_can_be_compared_without_some_of_its_algorithms(polarbear, finished, tmp_path):
    with pb.Race.open(finished) as race:
        names = race.state.names
    left = polarbear("show", finished, "--without", names[0], "--json").data["candidates"]
    assert left == list(names[1:])
    saved = tmp_path / "two.npz"
    assert polarbear("show", finished, "--only", names[0], "--only", names[1], "--save", saved).code == 0
    assert pb.load(saved).candidates == names[:2]
    assert choice(polarbear("select", saved, "--json"))[0] in names[:2]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["show", "TABLE", "--where", "dimension=3"], "got none: dimension has 2, 5"),
        (["show", "RACE", "--where", "dimension=3"], "expected recorded runs for where, got the race file"),
        (["show", "RACE", "--per", "dimension"], "expected recorded runs for per, got the race file"),
        (["show", "RACE", "--only", "unknown"], "got 'unknown'"),
        (["select", "RACE", "--only", "unknown"], "got 'unknown'"),
        (["report", "RACE", "--by", "function"], "got 'function'"),
        (["select", "RACE", "--by", "function"], "got 'function'"),
        (["plot", "POSTERIOR", "--by", "function"], "got a saved posterior, which holds no instances"),
        (
            ["show", "POSTERIOR", "--only", "a"],
            "expected recorded runs or a race file for --only, got the saved result",
        ),
        (["show", "POSTERIOR", "--by", "function"], "got a saved posterior, which holds no instances"),
        (["show", "TABLE", "--by", "colour"], "expected one of the fields"),
    ],
)
def test_impossible_parts_are_refused(polarbear, table, finished, posterior, command, message):
    places = {"TABLE": table, "RACE": finished, "POSTERIOR": posterior}
    outcome = polarbear(*(places.get(word, word) for word in command))
    assert (outcome.code, outcome.out) == (3, "")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
