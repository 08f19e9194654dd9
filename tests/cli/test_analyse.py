"""`analyse` on tables of recorded runs and on race files."""

import html
import json

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference import fitting
from tests.cli.conftest import run_command
from tests.importers.test_optuna import write as write_studies
from tests.reporting.pages import read_data

FEW_TIMES = ["--count", 5]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table of runs with IOHprofiler's names of columns: "good" beats "bad" at all times, "late" wins at the end."""
    rng = np.random.default_rng(3)
    path = tmp_path_factory.mktemp("table") / "runs.csv"
    lines = ["algorithm_name,function_id,instance,run_id,evaluations,raw_y"]
    for instance in range(24):
        for name, values in {"good": (3.0, 2.0), "bad": (6.0, 5.0), "late": (6.0, 0.5)}.items():
            noise = rng.normal(0, 0.7)
            lines += [f"{name},1,{instance},1,{at},{value + noise}" for at, value in zip((1, 50), values, strict=True)]
            lines.append(f"{name},1,{instance},1,100,{values[-1] + noise}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def with_data_sets(table):
    """The same table with its instances as repetitions on three data sets, in a column that only --cluster names."""
    head, *rows = table.read_text().splitlines()
    rows = [f"{row},{'abc'[int(row.split(',')[2]) % 3]}" for row in rows]
    path = table.with_name("data_sets.csv")
    path.write_text("\n".join([f"{head},data_set", *rows]) + "\n")
    return path


@pytest.fixture(scope="module")
def as_race(table):
    """The analysis of the table with a replayed race, as text and as JSON."""
    command = ["analyse", table, "--race", "--count", 8, "--prior", "RandomWalk"]
    return run_command(*command), run_command(*command, "--json").data


def test_a_table_gives_a_pareto_set_and_a_posterior_to_select_from(polarbear, table, tmp_path):
    outcome = polarbear("analyse", table, "--json", "--count", 8, "--save", tmp_path / "posterior.npz")
    assert outcome.code == 0
    assert outcome.data["pareto_set"] == ["good", "late"]
    assert outcome.data["runs"] == 72
    assert outcome.data["instances"] == 24
    assert outcome.data["selections"]["final"]["choice"] == ["late"]
    assert polarbear("select", tmp_path / "posterior.npz", "--at", 5).code == 0


@pytest.mark.parametrize("command", ["analyse", "select"])
def test_the_help_says_that_a_saved_posterior_holds_no_eliminations(polarbear, command):
    text = " ".join(polarbear(command, "--help").out.replace("│", " ").split())
    assert "It holds no eliminations: select then compares all algorithms, or those of --among." in text


def test_a_saved_posterior_answers_like_the_runs_among_the_same_algorithms(polarbear, table, tmp_path):
    saved = tmp_path / "posterior.npz"
    grid = polarbear("analyse", table, "--count", 8, "--save", saved, "--json").data["grid"]
    everything = polarbear("select", saved, "--at", grid[2], "--json").data
    assert {name for each in everything["candidates"] for name in each["members"]} == {"good", "bad", "late"}
    from_runs = polarbear("select", table, "--count", 8, "--at", grid[2], "--json").data
    assert {name for each in from_runs["candidates"] for name in each["members"]} == {"good", "late"}
    some = ["--among", "good", "--among", "late"]
    among = polarbear("select", saved, "--at", grid[2], *some, "--json").data
    assert among["sentence"] == from_runs["sentence"] != everything["sentence"]


@pytest.mark.parametrize("time", [None, 5, 50, 100])
def test_select_without_options_is_that_of_the_library(polarbear, table, tmp_path, time):
    """By the win rate against the strongest rival and the probability of being best, among what is not dominated."""
    data = polarbear("analyse", table, "--count", 8, "--json").data
    runs = pb.read_runs(table).runs
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=pb.Grid(data["grid"], "log")))
    preference = None if time is None else pb.At(time)
    expected = pb.select(posterior, preference)
    budget = [] if time is None else ["--at", time]
    found = polarbear("select", table, "--count", 8, *budget, "--json").data
    assert found["sentence"] == expected.sentence
    assert (found["criterion"], found["risk"]) == (str(pb.StrongestRival()), str(pb.ProbabilityBest()))
    assert [each["beats_all"] for each in found["candidates"]] == [each.beats_all for each in expected.candidates]
    by_value = polarbear("select", table, "--count", 8, *budget, "--risk", "expected", "--json").data
    assert by_value["sentence"] == pb.select(posterior, preference, pb.Expected()).sentence
    top = polarbear("select", table, "--count", 8, *budget, "--top", 1, "--json").data
    assert top["sentence"] == pb.select(posterior, preference, criterion=pb.TopK(1)).sentence


def test_between_grid_times_runs_are_looked_up_and_a_saved_posterior_takes_the_time_below(polarbear, table, tmp_path):
    """The one that is called late overtakes at 50 evaluations."""
    saved, some = tmp_path / "posterior.npz", ["--among", "good", "--among", "late"]
    grid = polarbear("analyse", table, "--count", 4, "--save", saved, "--json").data["grid"]
    below = max(time for time in grid if time < 50)
    assert 50 not in grid
    select = "select", table, "--count", 4
    assert polarbear(*select, "--at", 49, "--json").data["candidates"][0]["members"] == ["good"]
    assert polarbear(*select, "--at", 50, "--json").data["candidates"][0]["members"] == ["late"]
    data = polarbear("select", saved, "--at", 50, *some, "--json").data
    assert data["candidates"][0]["members"] == ["good"]
    assert data["sentence"].startswith("For a budget of 50, choose good")
    assert data["sentence"].endswith(
        "The posterior has no runs to look up this budget, and the answer is for the nearest grid budget below, a budget of "
        f"{below:g}."
    )


def test_the_text_has_the_pareto_set_and_the_replayed_race(as_race):
    outcome, _ = as_race
    assert outcome.code == 0
    for words in (
        "Which algorithm at which budget (72 runs of 3 algorithms on 24 instances, compared at ",
        "Eliminated\n  bad: beaten by good at every budget",
        "Status: provisional. The prior RandomWalk",
        "As a race: ",
        "saved",
    ):
        assert words in outcome.out


def test_eliminations_have_an_error_bound(as_race):
    """At the weakest time 23 of 24 duels are won, and there are six ordered pairs: 6 / ∫ (1 + λ)^23 (1 − λ) dλ."""
    outcome, data = as_race
    (elimination,) = data["dominated"]
    assert (elimination["name"], elimination["by"]) == ("bad", "good")
    assert elimination["error_bound"] == pytest.approx(6 / (2 * (2**24 - 1) / 24 - (2**25 - 1) / 25))
    text = " ".join(outcome.out.split())
    assert (
        " from the outcomes of these two alone; wrong with a probability of at most 0.1 %, whatever the model)" in text
    )


def test_a_specialist_is_dropped_by_default(polarbear, tmp_path):
    """A is first on two of five instances and last on the others, where B, C and D are first in turn."""
    orders = [[0, 1, 2, 3], [0, 1, 2, 3], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]]
    lines = ["algorithm_name,instance,evaluations,raw_y"]
    lines += [
        f"{'ABCD'[a]},{i},{t},{order[a]}" for i, order in enumerate(orders * 40) for a in range(4) for t in (1, 9)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    command = ["analyse", path, "--count", 2, "--confidence", 0.95]
    data = polarbear(*command, "--json").data
    assert data["cycles"] == []
    assert ("A", "B") in {(each["name"], each["by"]) for each in data["dominated"]}
    assert "A: beaten by B at every budget (" in " ".join(polarbear(*command).out.split())


def test_the_page_has_the_remarks_of_the_terminal(polarbear, table, tmp_path):
    data = polarbear("analyse", table, "--report", tmp_path / "a.html", "--stop", 90, "--json").data["summary"]
    assert polarbear("report", table, "-o", tmp_path / "b.html", "--stop", 90).code == 0
    for page in ("a.html", "b.html"):
        text = (tmp_path / page).read_text().replace("\N{NO-BREAK SPACE}", " ")
        assert read_data(tmp_path / page)["answer"] == data["answer"]
        assert html.escape(data["headline"]) in text
        assert f"({data['effort']})</caption>" in text
        assert f"Status: {data['status']}." in text
        assert all(html.escape(each["text"]) in text for each in data["remarks"])


def test_a_replayed_race_takes_a_guarantee(polarbear, table, as_race):
    before = as_race[1]["race"]["eliminations"]
    command = ["analyse", table, "--race", "--count", 8, "--prior", "RandomWalk", "--guarantee", 0.01, "--json"]
    after = polarbear(*command).data["race"]["eliminations"]
    assert [each["name"] for each in before] == [each["name"] for each in after] == ["bad"]
    assert before[0]["error_bound"] > 0.01 >= after[0]["error_bound"]


def test_without_an_optimum_nothing_is_said_about_aocc(as_race):
    outcome, data = as_race
    assert "AOCC" not in outcome.out
    assert data["aocc"] is None


def test_with_an_optimum_aocc_chooses(polarbear, table):
    aocc = polarbear("analyse", table, "--json", "--count", 8, "--optimum", -10).data["aocc"]
    assert set(aocc["means"]) == {"good", "bad", "late"}
    assert aocc["choice"] == "good"  # log 13 + log 12 is less than log 16 + log 10.5
    assert aocc["sentence"].startswith("AOCC between 1e-08 and 100 would choose good")


def test_an_optimum_that_values_surpass_is_reported(polarbear, table):
    outcome = polarbear("analyse", table, "--count", 8, "--optimum", 2)
    assert outcome.code == 0
    assert "AOCC does not apply: it needs the optimum, which is not 2, since values go down to -" in outcome.out


@pytest.fixture
def distances(table, tmp_path):
    """A function that writes the runs of the table in IOHprofiler's format, of a suite, with all values moved."""

    def write(suite, move=10.0):
        rows = [row.split(",") for row in table.read_text().splitlines()[1:]]
        for name in ("good", "bad", "late"):
            runs = [
                [(int(at), float(value) + move) for who, _, number, _, at, value in rows if (who, number) == (name, i)]
                for i in sorted({row[2] for row in rows})
            ]
            data = "".join("evaluations raw_y\n" + "".join(f"{t} {v}\n" for t, v in run) for run in runs)
            listed = [{"instance": i, "evals": 100} for i in range(len(runs))]
            scenarios = [{"dimension": 2, "path": f"{name}.dat", "runs": listed}]
            index = {"suite": suite, "function_id": 1, "algorithm": {"name": name}, "scenarios": scenarios}
            (tmp_path / f"{name}.dat").write_text(data)
            (tmp_path / f"IOHprofiler_{name}.json").write_text(json.dumps(index))
        return tmp_path

    return write


def test_aocc_chooses_where_the_format_implies_the_optimum(polarbear, distances):
    command = ["analyse", distances("BBOB"), "--count", 8]
    assert polarbear(*command, "--json").data["aocc"]["choice"] == "good"
    assert "\nWould AOCC have chosen differently? AOCC between" in polarbear(*command).out
    assert polarbear("analyse", distances("PBO"), "--count", 8, "--json").data["aocc"] is None


def test_nothing_is_said_about_aocc_where_it_does_not_apply_to_the_format(polarbear, distances):
    command = ["analyse", distances("BBOB", move=0.0), "--count", 8]  # values below zero
    assert polarbear(*command, "--json").data["aocc"] is None
    assert "AOCC" not in polarbear(*command).out


@pytest.mark.parametrize("option", ["--column", "--map"])  # --map is the former name
def test_columns_may_have_other_names(polarbear, table, tmp_path, option):
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace("raw_y", "loss").replace("evaluations", "step"))
    outcome = polarbear("analyse", other, option, "raw_y=loss", option, "evaluations=step", "--json", *FEW_TIMES)
    assert outcome.code == 0
    assert outcome.data["runs"] == 72


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "raw_y"], "expected --column name=value, such as --column raw_y=loss, got 'raw_y'"),
        (["--prior", "Nonsense"], "Nonsense"),
        (["--prior", "Dirichlet", "--elimination", "joint"], "treats each time alone"),
        (["--start", "80", "--stop", "70"], "expected a grid from above 0 to a later time"),
        (["--confidence", "0.2"], "confidence"),
        (["--stop", "5000", "--race"], "expected instances on which all of"),
        (["--guarantee", "0.05"], "expected --race with --guarantee 0.05, got no --race"),
        (["--guarantee", "2", "--race"], "expected guarantee in (0, 0.5]"),
    ],
)
def test_wrong_options_are_reported(polarbear, table, options, message):
    outcome = polarbear("analyse", table, *FEW_TIMES, *options)
    assert outcome.code == 1
    assert message in outcome.err
    assert outcome.out == ""


def test_the_ends_of_runs_are_counted_and_can_be_chosen(polarbear, table, tmp_path):
    path = tmp_path / "ends.csv"
    lines = table.read_text().splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith("good") or ",100," not in line) + "\n")
    done = polarbear("analyse", path)
    assert "48 of 72 runs go on after 50 evaluations, where others were cut off" in done.out
    assert "add: --stop 100" in " ".join(done.out.split())
    assert "were cut off before" not in done.out
    until_the_end = polarbear("analyse", path, "--stop", 100)
    assert "Of the runs, 24 were cut off before 100 and are unknown afterwards." in until_the_end.out
    stays = polarbear("analyse", path, "--ended", "stays", "--json").data
    assert stays["ended"] == {"finished": 72, "cut off": 0, "failed": 0, "cut off early": 0}
    assert stays["grid"][-1] == 100


def test_tolerances_tie_values(polarbear, table):
    tied = polarbear("analyse", table, "--absolute-tolerance", 100, "--json").data
    assert tied["pairwise"]["win_rate"] == [0.5] * 6
    shares = polarbear("analyse", table, "--relative-tolerance", 1000, "--json").data
    assert shares["pairwise"] == tied["pairwise"]


def test_one_algorithm_alone_is_no_comparison(polarbear, table, tmp_path):
    lines = [line for line in table.read_text().splitlines() if not line.startswith(("bad", "late"))]
    alone = tmp_path / "alone.csv"
    alone.write_text("\n".join(lines))
    outcome = polarbear("analyse", alone)
    assert outcome.code == 1
    assert "expected runs of two algorithms or more" in outcome.err


def test_a_race_file_is_compared_at_its_own_times(polarbear, finished):
    data = polarbear("analyse", finished, "--json", "--confidence", 0.8).data  # "poor" is beaten with 0.90
    assert data["grid"] == np.floor(np.geomspace(5, 60, 5) + 1e-9).tolist()  # evaluations
    assert "poor" not in data["pareto_set"]
    assert len(polarbear("analyse", finished, "--json", "--count", 3).data["grid"]) == 3
    outcome = polarbear("analyse", finished, "--clock", "seconds")
    assert (outcome.code, "expected --clock evaluations for the race file" in outcome.err) == (1, True)


def test_a_race_in_seconds_is_compared_in_seconds(polarbear, race_toml):
    options = ["--set", "race.clock=seconds", "--set", "grid={start=0.001, stop=0.004, count=2}"]
    polarbear("race", race_toml, *options, "--max-instances", "4", "--quiet")
    outcome = polarbear("analyse", race_toml.parent / "my.race", "--race")
    assert "compared at 2 times from 0.001 to 0.004 seconds" in outcome.out


def test_clusters_can_be_chosen(polarbear, with_data_sets, monkeypatch):
    fitted, fit = [], fitting.fit
    monkeypatch.setattr(fitting, "fit", lambda choices, **options: fitted.append(choices) or fit(choices, **options))
    command = ["analyse", with_data_sets, *FEW_TIMES, "--cluster", "data_set"]
    outcome = polarbear(*command, "--race", "--prior", "RandomWalk")
    assert outcome.code == 0
    assert "Clusters: 24 instances of 3 data sets, to generalise to new data sets" in outcome.out
    clusters = fitted[0].rankings.clusters
    assert (clusters.number, clusters.kind, clusters.unit) == (3, "data set", "instance")
    outcome = polarbear(*command, "--cluster", "function")
    assert "Clusters: 24 instances of 3 data set-function combinations" in outcome.out
    outcome = polarbear("analyse", with_data_sets, "--cluster", "none", *FEW_TIMES)
    assert (outcome.code, "cluster" in outcome.out) == (0, False)


@pytest.mark.parametrize(
    ("prior", "scope"),
    [
        ("BayesianBootstrap", "to new data sets, based on 3 data sets with 24 instances"),
        (
            "{kind = 'BayesianBootstrap', generalise_to = 'instances'}",
            "to new instances of these 3 data sets, based on 24 instances",
        ),
        ("RandomWalk", "to new instances of these 3 data sets, based on 24 instances"),
    ],
)
def test_the_analysis_states_what_it_generalises_to(polarbear, with_data_sets, prior, scope):
    outcome = polarbear("analyse", with_data_sets, "--cluster", "data_set", *FEW_TIMES, "--prior", prior)
    assert f"The answer generalises {scope}." in outcome.out.splitlines()


def test_clusters_that_do_not_exist_are_reported(polarbear, with_data_sets, finished):
    outcome = polarbear("analyse", with_data_sets, "--cluster", "dataset")
    assert outcome.code == 1
    assert "got 'dataset'; did you mean 'data_set'?" in outcome.err
    outcome = polarbear("analyse", finished, "--cluster", "data_set")
    assert outcome.code == 1
    assert "expected recorded runs for --cluster, got the race file" in outcome.err


def test_a_preset_sets_columns_and_clock(polarbear, tmp_path, finished):
    lines = ["solver_name,data_name,objective_name,idx_rep,time,objective_value"]
    lines += [
        f"{name},d{number % 4},o{number},0,{time},{value + number}"
        for number in range(12)
        for name, values in {"quick": (2.0, 1.0), "slow": (4.0, 3.0)}.items()
        for time, value in zip((0.1, 0.5), values, strict=True)
    ]
    (tmp_path / "run.csv").write_text("\n".join(lines) + "\n")
    outcome = polarbear("analyse", tmp_path, "--preset", "benchopt", *FEW_TIMES)
    assert outcome.code == 0
    assert "compared at 5 times from 0.1 to 0.5 seconds" in outcome.out
    assert "new functions, based on 4 functions" in outcome.out
    outcome = polarbear("analyse", finished, "--preset", "benchopt")
    assert (outcome.code, "expected recorded runs for --preset, got the race file" in outcome.err) == (1, True)


def test_a_database_of_studies_is_not_a_race_file(polarbear, tmp_path):
    studies = [
        (f"{name}-{run}", {"algorithm": name, "run": run}, ["MINIMIZE"], [("COMPLETE", value, 1), ("COMPLETE", 1.0, 2)])
        for run in range(8)
        for name, value in {"tpe": 3.0, "random": 4.0}.items()
    ]
    write_studies(tmp_path / "studies.db", studies)
    outcome = polarbear("analyse", tmp_path / "studies.db", *FEW_TIMES)
    assert outcome.code == 0
    assert "16 runs of 2 algorithms on 8 repetitions" in outcome.out
