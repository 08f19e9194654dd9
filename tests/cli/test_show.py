"""`show` on tables of recorded runs and on race files."""

import json

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference import fitting
from tests.cli.conftest import run_command
from tests.importers.test_optuna import write as write_studies

FEW_BUDGETS = ["--budgets", ":5"]


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
    command = ["show", table, "--as-race", "--budgets", ":8", "--prior", "RandomWalk"]
    return run_command(*command), run_command(*command, "--json").data


def finding(data, code):
    """The numbers of the finding with a code."""
    (found,) = [each for each in data["findings"] if each["code"] == code]
    return found["numbers"]


@pytest.fixture
def study(polarbear, table, tmp_path):
    """The result of the table at eight budgets, saved."""
    path = tmp_path / "study.npz"
    assert polarbear("show", table, "--budgets", ":8", "--save", path).code == 0
    return path


def test_a_table_gives_kept_algorithms_and_a_result_to_select_from(polarbear, table, tmp_path):
    outcome = polarbear("show", table, "--json", "--budgets", ":8", "--save", tmp_path / "study.npz")
    assert outcome.code == 0
    assert outcome.data["kept"] == ["good", "late"]
    assert outcome.data["runs"] == 72
    assert outcome.data["instances"] == 24
    assert outcome.data["ranges"][-1]["names"] == ["late"]
    assert polarbear("select", tmp_path / "study.npz", "--budget", 5).code == 0


def test_the_answer_of_a_saved_result_names_its_file(polarbear, table, tmp_path):
    """Options of reading are typed once: what is printed needs none after --save, and all of them before."""
    options, saved = ["--budgets", "1..100:5", "--cluster", "none"], tmp_path / "study.npz"
    typed = " ".join(polarbear("show", table, *options).out.split())
    assert "Page: add --save study.npz, then polarbear report study.npz" in typed
    kept = polarbear("show", table, *options, "--save", saved).out
    assert f"Page: polarbear report {saved}" in kept
    assert "--cluster" not in kept
    assert polarbear("show", saved).out == kept


def test_a_posterior_alone_answers_as_its_runs_do_among_the_same_algorithms(polarbear, study, tmp_path):
    alone = tmp_path / "posterior.npz"
    pb.load(study).posterior.save(alone)
    grid = polarbear("show", study, "--json").data["budgets"]
    for options in (["--budget", grid[2]], ["--budget", "final"], ["--only", "good", "--only", "bad"]):
        first, second = (polarbear("select", path, *options, "--json").data for path in (study, alone))
        assert first["candidates"] == second["candidates"]
        assert first["preference"] == second["preference"]


@pytest.mark.parametrize("budget", [None, 5, 50, 100])
def test_select_without_options_is_that_of_the_library(polarbear, table, study, budget):
    """By the win rate against the strongest rival and the probability of being best, among what is not dominated."""
    result = pb.analyse(table, budgets=":8")
    preference = None if budget is None else pb.At(budget)
    options = [] if budget is None else ["--budget", budget]
    queries = {
        (): {},
        ("--risk", "expected"): {"risk": pb.Expected()},
        ("--criterion", "top:1"): {"criterion": pb.TopK(1)},
    }
    for typed, query in queries.items():
        expected = pb.select(result.posterior, preference, among=result.kept, **query)
        found = polarbear("select", study, *options, *typed, "--json").data
        assert found["candidates"] == json.loads(json.dumps(expected.to_dict()))["candidates"]
        assert (found["criterion"], found["risk"]) == (str(expected.criterion), str(expected.risk))
        printed = polarbear("select", study, *options, *typed).out
        if "within the range of" not in printed:
            assert printed == f"{expected}\n"
    usual = polarbear("select", study, *options, "--json").data
    assert (usual["criterion"], usual["risk"]) == (str(pb.StrongestRival()), str(pb.ProbabilityBest()))


def test_between_budgets_runs_are_looked_up_and_a_posterior_alone_takes_the_budget_below(polarbear, table, tmp_path):
    """The one that is called late overtakes at 50 evaluations."""
    saved, alone = tmp_path / "study.npz", tmp_path / "posterior.npz"
    grid = polarbear("show", table, "--budgets", ":4", "--save", saved, "--json").data["budgets"]
    result = pb.load(saved)
    result.save(alone, draws=4000)
    below = max(budget for budget in grid if budget < 50)
    assert 50 not in grid
    assert polarbear("select", saved, "--budget", 49, "--json").data["candidates"][0]["members"] == ["good"]
    assert polarbear("select", saved, "--budget", 50, "--json").data["candidates"][0]["members"] == ["late"]
    some = ["--only", "good", "--only", "late"]
    data = polarbear("select", alone, "--budget", 50, *some, "--json").data
    assert data["candidates"][0]["members"] == ["good"]
    (found,) = [each for each in data["findings"] if each["code"] == "nearest_budget"]
    assert found["numbers"]["used"] == below
    text = " ".join(polarbear("select", alone, "--budget", 50, *some, "--details").out.split())
    assert text.startswith("good")


def test_the_text_has_the_answer_and_the_replayed_race(as_race):
    outcome, _ = as_race
    assert outcome.code == 0
    for words in (
        "Best algorithm by budget, tentative (24 instances, 1 to 100 evaluations, lower is better)",
        "Drop bad: good beats it at every budget.",
        "saved",
    ):
        assert words in outcome.out


def test_drops_have_an_error_bound(polarbear, table, as_race):
    """At the weakest time 23 of 24 duels are won, and there are six ordered pairs: 6 / ∫ (1 + λ)^23 (1 − λ) dλ."""
    (drop,) = as_race[1]["dropped"].values()
    assert (drop["name"], drop["by"]) == ("bad", "good")
    assert drop["error_bound"] == pytest.approx(6 / (2 * (2**24 - 1) / 24 - (2**25 - 1) / 25))
    text = polarbear("show", table, "--details", "--budgets", ":8", "--prior", "RandomWalk").out
    (row,) = [line.split() for line in text.splitlines() if line.startswith("  bad ")]
    assert row == ["bad", "good", "over", "99", "%", "0.1", "%"]


def test_a_specialist_is_dropped_by_default(polarbear, tmp_path):
    """A is first on two of five instances and last on the others, where B, C and D are first in turn."""
    orders = [[0, 1, 2, 3], [0, 1, 2, 3], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]]
    lines = ["algorithm_name,instance,evaluations,raw_y"]
    lines += [
        f"{'ABCD'[a]},{i},{t},{order[a]}" for i, order in enumerate(orders * 40) for a in range(4) for t in (1, 9)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    command = ["show", path, "--budgets", ":2", "--confidence", 0.95]
    data = polarbear(*command, "--json").data
    assert data["circles"] == []
    assert data["dropped"]["A"]["by"] == "B"
    assert "Only B is kept: choose it at every budget." in polarbear(*command).out


def test_a_replayed_race_takes_a_guarantee(polarbear, table, as_race):
    before = as_race[1]["as_race"]["dropped"]
    command = ["show", table, "--as-race", "--budgets", ":8", "--prior", "RandomWalk", "--guarantee", 0.01, "--json"]
    after = polarbear(*command).data["as_race"]["dropped"]
    assert list(before) == list(after) == ["bad"]
    assert before["bad"]["error_bound"] > 0.01 >= after["bad"]["error_bound"]


def test_without_an_optimum_nothing_is_said_about_aocc(as_race):
    outcome, data = as_race
    assert "AOCC" not in outcome.out
    assert data["aocc"] is None


def test_with_an_optimum_aocc_chooses(polarbear, table):
    aocc = polarbear("show", table, "--json", "--budgets", ":8", "--optimum", -10).data["aocc"]
    assert set(aocc["means"]) == {"good", "bad", "late"}
    assert aocc["choice"] == "good"  # log 13 + log 12 is less than log 16 + log 10.5
    assert aocc["sentence"].startswith("AOCC between 1e-08 and 100 would choose good")


def test_an_optimum_that_values_surpass_is_reported(polarbear, table):
    outcome = polarbear("show", table, "--budgets", ":8", "--optimum", 2)
    assert outcome.code == 0
    text = " ".join(outcome.out.split())
    assert "AOCC does not apply: it needs the optimum, which is not 2, since values go down to -" in text


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
    command = ["show", distances("BBOB"), "--budgets", ":8"]
    assert polarbear(*command, "--json").data["aocc"]["choice"] == "good"
    assert "\nAOCC between" in polarbear(*command, "--details").out
    assert polarbear("show", distances("PBO"), "--budgets", ":8", "--json").data["aocc"] is None


def test_nothing_is_said_about_aocc_where_it_does_not_apply_to_the_format(polarbear, distances):
    command = ["show", distances("BBOB", move=0.0), "--budgets", ":8"]  # values below zero
    assert polarbear(*command, "--json").data["aocc"] is None
    assert "AOCC" not in polarbear(*command, "--details").out


def test_columns_may_have_other_names(polarbear, table, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(table.read_text().replace("raw_y", "loss").replace("evaluations", "step"))
    outcome = polarbear("show", other, "--column", "raw_y=loss", "--column", "evaluations=step", "--json", *FEW_BUDGETS)
    assert outcome.code == 0
    assert outcome.data["runs"] == 72


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--column", "raw_y"], "expected --column name=value, such as --column raw_y=loss, got 'raw_y'"),
        (["--prior", "Nonsense"], "Nonsense"),
        (["--prior", "Dirichlet", "--dominance", "joint"], "treats each budget alone"),
        (["--budgets", "80..70"], "expected budgets from above 0 to a later one, got 80 to 70"),
        (
            ["--budgets", "80-90"],
            "expected budgets such as 10..500, 10.., ..500, 10..500:40 or 10,100,500, got '80-90'",
        ),
        (["--tolerance", "much"], "expected a tolerance such as 0.5, or a share such as 0.1%, got 'much'"),
        (["--confidence", "0.2"], "confidence"),
        (["--budgets", "..5000", "--as-race"], "expected instances on which all of"),
        (["--guarantee", "0.05"], "expected --as-race with --guarantee 0.05, got no --as-race"),
        (["--guarantee", "2", "--as-race"], "expected guarantee as a number above 0 and at most 0.5, got 2.0"),
    ],
)
def test_wrong_options_are_reported(polarbear, table, options, message):
    outcome = polarbear("show", table, *FEW_BUDGETS, *options)
    assert outcome.code == 3
    assert message in outcome.err
    assert outcome.out == ""


def test_the_ends_of_runs_are_counted_and_can_be_chosen(polarbear, table, tmp_path):
    path = tmp_path / "ends.csv"
    lines = table.read_text().splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith("good") or ",100," not in line) + "\n")
    done = polarbear("show", path, "--json").data
    assert finding(done, "runs_go_on") == {"later": 48, "runs": 72, "stop": 50, "clock": "evaluations"}
    (remedy,) = [each["remedy"] for each in done["findings"] if each["code"] == "runs_go_on"]
    assert remedy == {"kind": "StopAt", "budget": 100}
    assert "--budgets ..100" in polarbear("show", path, "--details").out
    assert "run_ends" not in {each["code"] for each in done["findings"]}
    until_the_end = polarbear("show", path, "--budgets", "..100", "--json").data
    assert finding(until_the_end, "run_ends") == {"finished": 0, "cut": 24, "failed": 0, "stop": 100}
    stays = polarbear("show", path, "--ended", "stays", "--json").data
    assert finding(stays, "run_ends") == {"finished": 72, "cut": 0, "failed": 0, "stop": 100}
    assert stays["budgets"][-1] == 100


def test_tolerances_tie_values(polarbear, table):
    tied = polarbear("show", table, "--tolerance", 100, "--json").data
    assert tied["pairs"]["win_rate"] == [0.5] * 6
    shares = polarbear("show", table, "--tolerance", "100000%", "--json").data
    assert shares["pairs"] == tied["pairs"]


def test_one_algorithm_alone_is_no_comparison(polarbear, table, tmp_path):
    lines = [line for line in table.read_text().splitlines() if not line.startswith(("bad", "late"))]
    alone = tmp_path / "alone.csv"
    alone.write_text("\n".join(lines))
    outcome = polarbear("show", alone)
    assert outcome.code == 3
    assert "expected runs of two algorithms or more" in outcome.err


def test_a_race_file_is_compared_at_its_own_times(polarbear, finished):
    data = polarbear("show", finished, "--json", "--confidence", 0.8).data  # "poor" is beaten with 0.90
    assert data["budgets"] == np.floor(np.geomspace(5, 60, 5) + 1e-9).tolist()  # evaluations
    assert "poor" not in data["kept"]
    assert data["status"] == "recorded"
    assert len(polarbear("show", finished, "--json", "--budgets", ":3").data["budgets"]) == 3
    tied = polarbear("show", finished, "--tolerance", 1e9, "--prior", "BayesianBootstrap", "--json").data
    assert tied["pairs"]["win_rate"] == [0.5] * 6
    outcome = polarbear("show", finished, "--clock", "seconds")
    assert (outcome.code, "expected the clock evaluations of the race file" in outcome.err) == (3, True)


def test_a_race_in_seconds_is_compared_in_seconds(polarbear, race_toml):
    options = ["--set", "race.clock=seconds", "--set", "grid={start=0.001, stop=0.004, count=2}"]
    polarbear("race", race_toml, *options, "--max-instances", "4", "--progress", "none")
    outcome = polarbear("show", race_toml.parent / "my.race", "--as-race")
    assert "4 instances, 0.001 to 0.004 seconds" in outcome.out


def test_clusters_can_be_chosen(polarbear, with_data_sets, monkeypatch):
    fitted, fit = [], fitting.fit
    monkeypatch.setattr(fitting, "fit", lambda choices, **options: fitted.append(choices) or fit(choices, **options))
    command = ["show", with_data_sets, *FEW_BUDGETS, "--json", "--cluster", "data_set"]
    outcome = polarbear(*command, "--as-race", "--prior", "RandomWalk")
    assert outcome.code == 0
    found = finding(outcome.data, "assumed")
    assert (found["assumption"], found["clusters"], found["members"]) == ("CLUSTERS", 3, 24)
    assert (found["kind"], found["unit"]) == ("data set", "instance")
    clusters = fitted[0].rankings.clusters
    assert (clusters.number, clusters.kind, clusters.unit) == (3, "data set", "instance")
    outcome = polarbear(*command, "--cluster", "function")
    assert finding(outcome.data, "assumed")["kind"] == "data set-function combination"
    outcome = polarbear("show", with_data_sets, "--cluster", "none", *FEW_BUDGETS, "--json")
    assert "CLUSTERS" not in outcome.out


@pytest.mark.parametrize(
    ("prior", "kind", "within"),
    [
        ("BayesianBootstrap", "data set", False),
        ("{kind = 'BayesianBootstrap', generalise_to = 'instances'}", "instance", True),
        ("RandomWalk", "instance", True),
    ],
)
def test_the_analysis_states_what_it_generalises_to(polarbear, with_data_sets, prior, kind, within):
    outcome = polarbear("show", with_data_sets, "--cluster", "data_set", *FEW_BUDGETS, "--prior", prior, "--json")
    known = {"unit": "instance", "instances": 24, "clusters": 3, "cluster": "data set", "alone": 0}
    assert outcome.data["scope"] == {"kind": kind, "within": within, **known}


def test_clusters_that_do_not_exist_are_reported(polarbear, with_data_sets, finished):
    outcome = polarbear("show", with_data_sets, "--cluster", "dataset")
    assert outcome.code == 3
    assert "got 'dataset'; did you mean 'data_set'?" in outcome.err
    outcome = polarbear("show", finished, "--cluster", "data_set")
    assert outcome.code == 3
    assert "expected recorded runs for cluster, got the race file" in outcome.err


def test_a_preset_sets_columns_and_clock(polarbear, tmp_path, finished):
    lines = ["solver_name,data_name,objective_name,idx_rep,time,objective_value"]
    lines += [
        f"{name},d{number % 4},o{number},0,{budget},{value + number}"
        for number in range(12)
        for name, values in {"quick": (2.0, 1.0), "slow": (4.0, 3.0)}.items()
        for budget, value in zip((0.1, 0.5), values, strict=True)
    ]
    (tmp_path / "run.csv").write_text("\n".join(lines) + "\n")
    outcome = polarbear("show", tmp_path, "--reader", "benchopt", *FEW_BUDGETS)
    assert outcome.code == 0
    assert "0.1 to 0.5 seconds" in outcome.out
    data = polarbear("show", tmp_path, "--reader", "benchopt", *FEW_BUDGETS, "--json").data
    assert (data["scope"]["kind"], data["scope"]["clusters"], data["scope"]["instances"]) == ("function", 4, 12)
    assert len(data["budgets"]) == 5
    outcome = polarbear("show", finished, "--reader", "benchopt")
    assert (outcome.code, "expected recorded runs for reader, got the race file" in outcome.err) == (3, True)


def test_a_database_of_studies_is_not_a_race_file(polarbear, tmp_path):
    studies = [
        (f"{name}-{run}", {"algorithm": name, "run": run}, ["MINIMIZE"], [("COMPLETE", value, 1), ("COMPLETE", 1.0, 2)])
        for run in range(8)
        for name, value in {"tpe": 3.0, "random": 4.0}.items()
    ]
    write_studies(tmp_path / "studies.db", studies)
    outcome = polarbear("show", tmp_path / "studies.db", *FEW_BUDGETS, "--json")
    assert outcome.code == 0
    assert (outcome.data["runs"], len(outcome.data["candidates"]), outcome.data["instances"]) == (16, 2, 8)
