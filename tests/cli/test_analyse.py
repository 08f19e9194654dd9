import numpy as np
import pytest

from polarbear.inference import fitting


@pytest.fixture
def recorded(tmp_path):
    """A table of runs with IOHprofiler's names of columns: "good" beats "bad" throughout, "late" wins in the end."""
    rng = np.random.default_rng(3)
    path = tmp_path / "runs.csv"
    lines = ["algorithm_name,function_id,instance,run_id,evaluations,raw_y"]
    for instance in range(24):
        for name, values in {"good": (3.0, 2.0), "bad": (6.0, 5.0), "late": (6.0, 0.5)}.items():
            noise = rng.normal(0, 0.7)
            lines += [f"{name},1,{instance},1,{at},{value + noise}" for at, value in zip((1, 50), values, strict=True)]
            lines.append(f"{name},1,{instance},1,100,{values[-1] + noise}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_from_a_table_to_a_pareto_set_and_selections(polarbear, recorded, tmp_path):
    said = polarbear("analyse", recorded, "--json", "--count", 8, "--save", tmp_path / "belief.npz")
    assert said.code == 0
    assert said.data["pareto_set"] == ["good", "late"]
    assert said.data["runs"] == 72
    assert said.data["instances"] == 24
    assert said.data["selections"]["final"]["choice"] == ["late"]
    assert polarbear("select", tmp_path / "belief.npz", "--at", 5).code == 0


def test_in_words_and_as_a_race(polarbear, recorded):
    said = polarbear("analyse", recorded, "--race", "--count", 8, "--prior", "RandomWalk")
    assert said.code == 0
    for words in ("72 runs of 3 algorithms on 24 instances", "Anytime Pareto set: good, late", "As a race: ", "saved"):
        assert words in said.out


def test_dominated_algorithms_come_with_a_bound_on_the_error(polarbear, recorded):
    """At the weakest time 23 of 24 duels are won, and there are six ordered pairs: 6 / ∫ (1 + λ)^23 (1 − λ) dλ."""
    asked = ["analyse", recorded, "--count", 8, "--prior", "RandomWalk"]
    (told,) = polarbear(*asked, "--json").data["dominated"]
    assert (told["name"], told["by"]) == ("bad", "good")
    assert told["error_bound"] == pytest.approx(6 / (2 * (2**24 - 1) / 24 - (2**25 - 1) / 25))
    said = polarbear(*asked)
    (row,) = (line.split() for line in said.out.splitlines() if line.startswith("bad  good"))
    assert row[3:5] == ["0.1", "%"]
    assert "wrong at most" in said.out


def test_a_specialist_is_named(polarbear, tmp_path):
    """A is first on two of five instances and last on the others, where B, C and D are first in turn."""
    orders = [[0, 1, 2, 3], [0, 1, 2, 3], [3, 0, 1, 2], [3, 1, 0, 2], [3, 1, 2, 0]]
    lines = ["algorithm_name,instance,evaluations,raw_y"]
    lines += [
        f"{'ABCD'[a]},{i},{t},{order[a]}" for i, order in enumerate(orders * 40) for a in range(4) for t in (1, 9)
    ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    asked = ["analyse", path, "--count", 2, "--confidence", 0.95]
    (told,) = polarbear(*asked, "--json").data["specialists"]
    assert (told["name"], told["by"]) == ("A", "B")
    said = polarbear(*asked)
    assert "A is a specialist: B beats it on most instances at every time, but it comes first on " in said.out
    assert told["share"] == pytest.approx(0.4, abs=0.05)


def test_a_replayed_race_takes_a_guarantee(polarbear, recorded):
    asked = ["analyse", recorded, "--race", "--count", 8, "--prior", "RandomWalk", "--json"]
    before = polarbear(*asked).data["race"]["eliminations"]
    after = polarbear(*asked, "--guarantee", 0.01).data["race"]["eliminations"]
    assert [each["name"] for each in before] == [each["name"] for each in after] == ["bad"]
    assert before[0]["error_bound"] > 0.01 >= after[0]["error_bound"]


def test_aocc_is_asked_too_and_says_where_it_does_not_apply(polarbear, recorded):
    said = polarbear("analyse", recorded, "--count", 8)
    assert "Would AOCC have chosen differently? AOCC does not apply: it needs distances to a known optimum" in said.out
    shifted = recorded.with_name("distances.csv")
    head, *rows = recorded.read_text().splitlines()
    moved = [f"{start},{float(value) + 10}" for start, value in (row.rsplit(",", 1) for row in rows)]
    shifted.write_text("\n".join([head, *moved]) + "\n")
    told = polarbear("analyse", shifted, "--json", "--count", 8).data["aocc"]
    assert set(told["means"]) == {"good", "bad", "late"}
    assert told["choice"] == "good"  # log 13 + log 12 is less than log 16 + log 10.5
    assert told["sentence"].startswith("AOCC between 1e-08 and 100 would choose good")


def test_a_race_file_can_be_analysed(polarbear, finished):
    said = polarbear("analyse", finished, "--json", "--count", 5, "--confidence", 0.8)  # it is beaten with 0.90
    assert said.code == 0
    assert "poor" not in said.data["pareto_set"]


def test_other_names_of_columns(polarbear, recorded):
    recorded.write_text(recorded.read_text().replace("raw_y", "loss").replace("evaluations", "step"))
    said = polarbear("analyse", recorded, "--map", "raw_y=loss", "--map", "evaluations=step", "--json", "--count", 5)
    assert said.code == 0
    assert said.data["runs"] == 72


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--map", "raw_y"], "expected --map name=column"),
        (["--prior", "Nonsense"], "Nonsense"),
        (["--prior", "Dirichlet", "--elimination", "joint"], "treats each time alone"),
        (["--start", "80", "--stop", "70"], "expected a grid from above 0 to a later time"),
        (["--confidence", "0.2"], "confidence"),
        (["--stop", "5000", "--race"], "expected instances on which all of"),
        (["--guarantee", "0.05"], "expected --race with --guarantee 0.05, got no --race"),
        (["--guarantee", "2", "--race"], "expected guarantee in (0, 0.5]"),
    ],
)
def test_bad_wishes(polarbear, recorded, options, message):
    said = polarbear("analyse", recorded, "--count", 5, *options)
    assert said.code == 1
    assert message in said.err
    assert said.out == ""


def test_one_algorithm_alone_is_no_comparison(polarbear, recorded):
    lines = [line for line in recorded.read_text().splitlines() if not line.startswith(("bad", "late"))]
    recorded.write_text("\n".join(lines))
    said = polarbear("analyse", recorded)
    assert said.code == 1
    assert "expected runs of two algorithms or more" in said.err


def test_a_race_file_is_compared_as_it_was_raced(polarbear, race_toml, finished):
    said = polarbear("analyse", finished, "--json")
    assert said.data["grid"] == pytest.approx(np.geomspace(5, 60, 5))
    assert len(polarbear("analyse", finished, "--json", "--count", 3).data["grid"]) == 3
    said = polarbear("analyse", finished, "--clock", "seconds")
    assert (said.code, "were timed in evaluations, not in seconds" in said.err) == (1, True)
    options = ["--set", "race.clock=seconds", "--set", "grid={start=0.001, stop=0.004, count=2}"]
    options += ["--max-instances", "4", "--quiet"]
    polarbear("race", race_toml, *options)
    said = polarbear("analyse", race_toml.parent / "my.race", "--race")
    assert "compared at 2 times from 0.001 to 0.004 seconds" in said.out


@pytest.fixture
def of_data_sets(recorded):
    """The same table, its instances as repetitions on three data sets: a column that only --cluster knows."""
    head, *rows = recorded.read_text().splitlines()
    rows = [f"{row},{'abc'[int(row.split(',')[2]) % 3]}" for row in rows]
    recorded.write_text("\n".join([f"{head},data_set", *rows]) + "\n")
    return recorded


def test_clusters_can_be_chosen(polarbear, of_data_sets):
    said = polarbear("analyse", of_data_sets, "--cluster", "data_set", "--count", 5, "--race", "--prior", "RandomWalk")
    assert said.code == 0
    assert "clusters: 24 instances of 3 data sets, to generalise to new data sets" in said.err
    said = polarbear("analyse", of_data_sets, "--cluster", "data_set", "--cluster", "function", "--count", 5)
    assert "clusters: 24 instances of 3 data set-function combinations" in said.err
    said = polarbear("analyse", of_data_sets, "--cluster", "none", "--count", 5)
    assert (said.code, "cluster" in said.err) == (0, False)


@pytest.mark.parametrize(
    ("prior", "scope"),
    [
        ("BayesianBootstrap", "to new data sets, based on 3"),
        ("{kind = 'BayesianBootstrap', generalise_to = 'instances'}", "to new instances of these 3 data sets"),
        ("RandomWalk", "to new instances, based on 24"),
    ],
)
def test_the_analysis_states_what_it_generalises_to(polarbear, of_data_sets, prior, scope):
    asked = ["analyse", of_data_sets, "--cluster", "data_set", "--count", 5, "--prior", prior]
    assert f"The answer generalises {scope}." in polarbear(*asked).out.splitlines()
    assert polarbear(*asked, "--json").data["scope"] == scope


def test_status_states_what_the_race_generalises_to(polarbear, finished):
    told = polarbear("status", finished, "--json").data
    assert told["scope"] == f"to new instances, based on {told['instances']}"
    assert f"The answer generalises {told['scope']}." in polarbear("status", finished).out.splitlines()


def test_clusters_that_cannot_be(polarbear, of_data_sets, finished):
    said = polarbear("analyse", of_data_sets, "--cluster", "dataset")
    assert said.code == 1
    assert "got 'dataset'; did you mean 'data_set'?" in said.err
    said = polarbear("analyse", finished, "--cluster", "data_set")
    assert said.code == 1
    assert "expected recorded runs for --cluster, got the race file" in said.err


def test_clusters_reach_the_rankings(polarbear, of_data_sets, monkeypatch):
    fitted, fit = [], fitting.fit
    monkeypatch.setattr(fitting, "fit", lambda choices, **options: fitted.append(choices) or fit(choices, **options))
    polarbear("analyse", of_data_sets, "--cluster", "data_set", "--count", 5)
    clusters = fitted[0].rankings.clusters
    assert (clusters.number, clusters.kind, clusters.unit) == (3, "data set", "instance")
