"""`explain`, and `select` for an instance with given features."""

import csv

import pytest

from tests.cli.conftest import run_command
from tests.features.two_kinds import two_kinds
from tests.reporting.pages import read_data


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Recorded runs in a CSV file, with the features of their instances in another one."""
    folder = tmp_path_factory.mktemp("recorded")
    runs, table = two_kinds(40)
    with (folder / "runs.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["algorithm_name", "instance", "evaluations", "raw_y"])
        for run in runs:
            points = [*zip(run.budgets, run.values, strict=True), (run.end, run.values[-1])]
            writer.writerows([run.algorithm, run.instance, budget, value] for budget, value in points)
    with (folder / "features.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return folder / "runs.csv", folder / "features.csv"


@pytest.fixture(scope="module")
def study(recorded, tmp_path_factory):
    """The recorded runs as a saved result."""
    path = tmp_path_factory.mktemp("study") / "study.npz"
    assert run_command("show", recorded[0], "--save", path).code == 0
    return path


def test_explain_prints_the_split_and_its_gain(polarbear, recorded, study):
    runs, features = recorded
    outcome = polarbear("explain", runs, "--features", features, "--only", "first", "--only", "second", "--json")
    assert outcome.code == 0, outcome.err
    assert [each["feature"] for each in outcome.data["splits"]] == ["size"]
    assert outcome.data["gain"]["lower"] > 0
    assert outcome.data["unit"] == "evaluations"
    assert (
        outcome.data
        == polarbear("explain", study, "--features", features, "--only", "first", "--only", "second", "--json").data
    )
    alone = polarbear("explain", runs)
    assert alone.out == "No feature matters: there is none that differs between instances.\n"


def test_by_default_budgets_count_as_on_the_axis_of_the_grid(polarbear, recorded):
    def gain(*options):
        outcome = polarbear("explain", recorded[0], "--features", recorded[1], *options, "--json")
        return outcome.data["gain"]["gain"]

    assert gain() == gain("--budget", "log-uniform") != gain("--budget", "uniform")


def test_report_and_plot_show_the_tree(polarbear, recorded, tmp_path):
    runs, features = recorded
    outcome = polarbear("report", runs, "--features", features, "-o", tmp_path / "page.html")
    assert outcome.code == 0, outcome.err
    section = read_data(tmp_path / "page.html")["sections"]["problem"]
    assert [each["condition"] for each in section["rows"]] == ["all instances", "size ≤ 20", "size > 20"]
    assert [each["name"] for each in section["policy"]["fields"]] == ["size"]
    outcome = polarbear("plot", runs, "tree", "--features", features, "-o", tmp_path / "tree.svg")
    assert outcome.code == 0, outcome.err
    assert "size ≤ 20 (24, tentative)" in (tmp_path / "tree.svg").read_text()


def test_select_answers_for_the_given_features(polarbear, recorded):
    runs, features = recorded
    for size, choice in ((40, "second"), (5, "first")):
        outcome = polarbear(
            "select", runs, "--budget", "final", "--features", features, "--given", f"size={size}", "--json"
        )
        assert outcome.code == 0, outcome.err
        assert outcome.data["choice"] == [choice]
        assert outcome.data["group"] == ["size > 20" if size == 40 else "size ≤ 20"]
        assert outcome.data["unused"] == ""
        assert {"features_chosen", "leaked_feature"}.isdisjoint(each["code"] for each in outcome.data["findings"])
    given = ["--given", "size=40", "--given", "rotated=maybe"]
    unused = polarbear("select", runs, "--budget", "final", "--features", features, *given, "--json").data
    assert unused["unused"] == "rotated has no effect: the policy asks for size only."
    assert unused["sentence"].endswith(unused["unused"])
    text = polarbear("select", runs, "--budget", "final", "--features", features, "--given", "size=40").out
    assert "has no effect" not in text
    assert text.startswith("For the longest budget, the policy chooses second: it is expected to win on")
    assert "(size > 20; 16 instances, tentative)" in text


def test_groups_by_a_column_of_the_table(polarbear, recorded, tmp_path):
    runs, features = recorded
    by, page, figure = ["--features", features, "--by", "size"], tmp_path / "page.html", tmp_path / "map.svg"
    data = polarbear("show", runs, *by, "--json").data
    assert {name: group["instances"] for name, group in data["groups"].items()} == {"5": 24, "40": 16}
    assert data["group_findings"] == []
    assert polarbear("report", runs, *by, "-o", page).code == 0
    rows = read_data(page)["sections"]["groups"]["groups"]
    assert [row["name"] for row in rows] == ["size 5", "size 40"]
    assert rows[0]["basis"] == "24 instances, tentative"
    selected = polarbear("select", runs, *by, "--budget", "final", "--json").data["groups"]
    assert selected["40"]["choice"] == ["second"]
    text = polarbear("select", runs, *by, "--budget", "final").out
    assert "\nsize 40 (16 instances, tentative): second" in text
    assert polarbear("plot", runs, *by, "decision-map", "-o", figure).code == 0
    assert "size 40" in figure.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["select", "{runs}", "--features", "{features}", "--given", "sise=4"], "did you mean 'size'"),
        (["select", "{runs}", "--features", "{features}", "--given", "size"], "expected --given name=value"),
        (["select", "{runs}", "--given", "size=3", "--machines", "2"], "expected no --machines with --given"),
        (["select", "{runs}", "--given", "size=3", "--only", "first"], "expected no --only with --given"),
        (["select", "{runs}", "--given", "size=3", "--criterion", "first"], "expected no --criterion with --given"),
        (["select", "{runs}", "--given", "size=3", "--given", "size=4"], "got 'size' twice; leave one out"),
        (["select", "{runs}", "--features", "{features}", "-o", "x.csv"], "expected no --output with --features"),
        (["show", "{runs}", "--features", "{features}"], "expected --by with --features"),
        (["show", "{runs}", "--features", "{features}", "--by", "sise"], "features.csv has the columns instance,"),
        (["explain", "{finished}", "--features", "{strangers}"], "write the number of each instance, from 0"),
        (["explain", "{posterior}"], "got a saved posterior, which holds no instances"),
        (["report", "{posterior}", "--features", "{features}"], "expected runs with features, got a posterior alone"),
        (["explain", "{finished}"], "add --features TABLE"),
        (["explain", "{finished}", "--features", "{runs}"], "expected one row of features per instance, got two"),
    ],
)
def test_faulty_requests_are_explained(
    polarbear, recorded, finished, posterior, tmp_path, monkeypatch, arguments, message
):
    strangers = tmp_path / "strangers.csv"
    strangers.write_text("instance,size\nx,1\ny,2\n")
    places = {
        "runs": recorded[0],
        "features": recorded[1],
        "finished": finished,
        "posterior": posterior,
        "strangers": strangers,
    }
    monkeypatch.chdir(tmp_path)
    outcome = polarbear(*(each.format(**places) for each in arguments))
    assert outcome.code == 3
    assert message in " ".join(outcome.err.split())


def test_a_race_is_matched_by_the_index_of_its_instances(polarbear, finished, recorded):
    outcome = polarbear("explain", finished, "--features", recorded[1], "--json")
    assert outcome.code == 0, outcome.err
    assert set(outcome.data["features"]) == {"noise", "size", "rotated"}
