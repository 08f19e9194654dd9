"""A race whose configuration names features of its instances: groups, balance, and answers without --features."""

import sys
from dataclasses import replace

import pytest

import polarbear as pb
from polarbear.findings import Code
from polarbear.race.findings import race_findings
from polarbear.race.outcome import RaceOutcome
from tests.cli.conftest import data_of, run_command
from tests.reporting.pages import read_data

RACE = """
[race]
file = "my.race"
draws = 1000

[grid]
budgets = [1, 4]

[algorithms]
smooth = {function = "kinds:smooth", shape = "generator"}
rough = {function = "kinds:rough", shape = "generator"}

[instances]
names = [NAMES]
features = "features.csv"
balance = "kind"

[limits]
instances = 24

[execution]
workers = 1
"""
ALGORITHMS = """
def smooth(problem, seed, budget):
    yield 1, 1.0 + (problem[0] == "r") + seed / 2**32
    yield 4, float(problem[0] == "r") + seed / 2**40


def rough(problem, seed, budget):
    yield 1, 1.0 + (problem[0] == "s") + seed / 2**32
    yield 4, float(problem[0] == "s") + seed / 2**40
"""
NAMES = [f"s{number}" for number in range(30)] + [f"r{number}" for number in range(12)]

# The kinds are called as the algorithms that are best on them, as in a column that was made from the runs.
NAMES_WINNERS = "The feature kind names the algorithm with the best final value of each instance."


@pytest.fixture(scope="module")
def race(tmp_path_factory):
    """The file of the race, and what the command that ran it printed."""
    folder, path = tmp_path_factory.mktemp("groups"), list(sys.path)
    (folder / "kinds.py").write_text(ALGORITHMS)
    (folder / "race.toml").write_text(RACE.replace("NAMES", ", ".join(f'"{name}"' for name in NAMES)))
    rows = [f"{name},{'smooth' if name[0] == 's' else 'rough'},{len(name)},7" for name in [*NAMES, "x1"]]
    (folder / "features.csv").write_text("\n".join(["instance,kind,letters,constant", *rows]) + "\n")
    outcome = run_command("race", folder / "race.toml", "--groups", "kind")
    sys.path[:] = path
    assert outcome.code == 0, outcome.err
    return folder / "my.race", outcome


def test_features_are_stored_and_groups_take_turns(race):
    path, outcome = race
    assert "describes an instance without runs" in outcome.err
    assert "the same on all instances: constant" in " ".join(outcome.err.split())
    assert ("leaked_feature", "winner") in {
        (each["code"], each["numbers"].get("like")) for each in data_of(path)["findings"]
    }
    with pb.Race.open(path) as opened:
        state = opened.state
    assert state.settings.groups == "kind"
    used = [state.features[index]["kind"] for index in state.observations.instances]
    assert len(set(used)) == 2
    assert all(abs(used[: 2 * k].count("smooth") - k) == 0 for k in range(1, len(used) // 2))


def test_answers_by_feature_need_no_table(polarbear, race, tmp_path):
    path, _ = race
    selected = polarbear("select", path, "--by", "kind", "--budget", "final", "--json").data
    assert [(each["code"], each["numbers"]["like"]) for each in selected["group_findings"]] == [
        ("leaked_feature", "winner")
    ]
    assert {name: group["choice"] for name, group in selected["groups"].items()} == {
        "rough": ["rough"],
        "smooth": ["smooth"],
    }
    lines = polarbear("select", path, "--by", "kind", "--budget", "final").out.split("\n\n")[1].splitlines()
    assert [line.split(" (")[0] for line in lines if line.startswith("kind ")] == ["kind rough", "kind smooth"]
    text = polarbear("show", path, "--by", "kind").out
    assert "kind rough (" in text
    assert "instances, tentative): rough" in text
    assert NAMES_WINNERS in " ".join(text.split())
    page = tmp_path / "page.html"
    written = polarbear("report", path, "--by", "kind", "-o", page)
    assert written.code == 0
    data = read_data(page)
    assert data["sections"]["groups"]["notes"][0].startswith(NAMES_WINNERS)
    assert [group["name"] for group in data["sections"]["groups"]["groups"]] == ["kind rough", "kind smooth"]
    assert data["sections"].keys() >= {"groups", "cost"}  # it is the page of a race
    given = polarbear("select", path, "--budget", "final", "--given", "kind=rough", "--json")
    assert given.data["choice"] == ["rough"]
    wrong = polarbear("select", path, "--by", "kinds")
    assert (wrong.code, "did you mean 'kind'" in wrong.err) == (3, True)


def test_an_unknown_feature_is_refused_before_it_is_stored(polarbear, race, tmp_path):
    path = tmp_path / "my.race"
    path.write_bytes(race[0].read_bytes())
    outcome = polarbear("race", race[0].parent / "race.toml", "-o", path, "--groups", "kinds")
    assert (outcome.code, "got 'kinds'; did you mean 'kind'" in outcome.err) == (3, True)
    with pb.Race.open(path) as opened:
        assert opened.state.settings.groups == "kind"
        state = replace(opened.state, features={})
    assert Code.NO_GROUPS in [each.code for each in race_findings(RaceOutcome(state, "paused"))]


def test_figures_of_a_race_are_not_attempted_for_its_groups(polarbear, race, tmp_path, monkeypatch):
    monkeypatch.setattr("polarbear.cli.plot._possible_figures", lambda *_, **__: iter(["allocation", "comparisons"]))
    drawn = polarbear("plot", race[0], "--by", "kind", "--format", "svg", "-o", tmp_path)
    names = [line.rsplit("/", 1)[-1] for line in drawn.out.split()]
    assert names == ["allocation.svg", *(f"comparisons{end}.svg" for end in ("", "-kind-rough", "-kind-smooth"))]
    assert NAMES_WINNERS in " ".join(drawn.err.split())
    assert "no figure" not in drawn.err
    named = polarbear("plot", race[0], "evolution", "--by", "kind", "-o", tmp_path / "evolution.svg")
    assert (named.code, named.out) == (3, "")
    assert "expected no --by with the figure evolution, which shows the race as a whole; leave it out" in named.err
