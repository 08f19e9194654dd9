"""One result for recorded runs, saved posteriors and races: opening them, and what can be asked."""

import json
from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code, Include, StopAt
from polarbear.opening import analyse, as_tolerances, is_posterior_file, is_race_file, load, require_race_file
from polarbear.result import Drop, Result, result_of_race
from polarbear.selection import At, Between, Final
from polarbear.selection.query import as_preference
from tests.reporting.races import recorded_runs, small_race

NAMES = ("quick", "steady", "slow", "hopeless")
WHAT = ("ranges", "probabilities", "pairs", "runs", "rounds", "drops")


@pytest.fixture(scope="module")
def runs():
    return recorded_runs(NAMES)


@pytest.fixture(scope="module")
def recorded(runs):
    return analyse(runs, clock="evaluations", budgets=":10", draws=400)


@pytest.fixture(scope="module")
def race_file(tmp_path_factory):
    """A race file and the outcome of its race."""
    path = tmp_path_factory.mktemp("race") / "my.race"
    with small_race(path=path) as race:
        return path, race.outcome


@pytest.fixture(scope="module")
def saved(recorded, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "posterior.npz"
    recorded.posterior.save(path)
    return path


@pytest.fixture(scope="module")
def results(recorded, saved, race_file):
    return {"runs": recorded, "posterior": load(saved), "race": load(race_file[0])}


def write_csv(path, runs, columns=("algorithm_name", "instance", "evaluations", "raw_y")):
    """A table with one row per improvement, and the end of each run."""
    lines = [",".join(columns)]
    for run in runs:
        events = [*zip(run.budgets, run.values, strict=True), (run.end, run.values[-1])]
        lines += [f"{run.algorithm},{run.instance},{round(budget)},{float(value)!r}" for budget, value in events]
    path.write_text("\n".join(lines) + "\n")
    return path


def plain(runs):
    """Runs with whole times, and values as Python floats."""
    return [pb.Trajectory(run.algorithm, run.instance, np.round(run.budgets), run.values, 1000) for run in runs]


# Opening


@pytest.mark.parametrize("source", ["runs", "posterior", "race"])
def test_every_source_gives_the_same_kind_of_result(results, source):
    result = results[source]
    assert isinstance(result, Result)
    assert result.source == source
    assert set(result.candidates) == set(NAMES)
    assert set(result.kept) | set(result.dropped) == set(NAMES)
    assert "hopeless" in result.dropped
    assert result.dropped["hopeless"].by in result.kept
    assert str(result).startswith("Best algorithm by budget")
    assert result._repr_html_().startswith("<table>")
    assert repr(result).startswith("Result(")
    assert result.details()
    assert result.trust in ("firm", "tentative", "unreliable")


def test_what_is_known_about_the_source(results, race_file):
    runs, posterior, race = results["runs"], results["posterior"], results["race"]
    assert (runs.clock, runs.maximise, runs.status) == ("evaluations", False, "recorded")
    assert (posterior.clock, posterior.maximise, posterior.status) == ("", None, "saved")
    assert (race.clock, race.maximise) == ("evaluations", False)
    assert race.status == "finished" if race_file[1].finished else race.status == race_file[1].stopped
    assert (len(runs.runs), posterior.runs, len(race.runs)) == (160, (), len(race_file[1].runs))
    assert (runs.race, posterior.race) == (None, None)


def test_a_saved_posterior_says_what_its_runs_said_as_far_as_it_knows(recorded, saved):
    again = load(saved)
    assert again.kept == recorded.kept
    assert [(each.kind, each.names) for each in again.answer.ranges] == [
        (each.kind, each.names) for each in recorded.answer.ranges
    ]
    assert again.answer.single == recorded.answer.single
    assert again.answer.needs == ()
    assert recorded.answer.needs != ()
    assert Code.NOT_CHECKED in {each.code for each in again.findings}
    assert Code.NOT_CHECKED not in {each.code for each in recorded.findings}


def test_trajectories_and_their_file_give_the_same_result(runs, tmp_path):
    path = write_csv(tmp_path / "runs.csv", plain(runs))
    options = {"clock": "evaluations", "budgets": ":6", "draws": 400}
    here, there = analyse(plain(runs), **options), analyse(path, cluster="none", **options)
    assert there.kept == here.kept
    for a, b in ((0, 1), (0, 2), (1, 2)):  # whatever the draws, which depend on the labels of instances
        assert there.posterior.win_rate_above(a, b) == pytest.approx(here.posterior.win_rate_above(a, b))
    assert there.answer.probability == pytest.approx(here.answer.probability, abs=0.05)
    assert [each.ratio for each in there.answer.needs] == pytest.approx([each.ratio for each in here.answer.needs])
    assert (there.clock, there.path) == ("evaluations", str(path))
    assert load(path).kept == here.kept
    read = pb.read_runs(path, cluster="none")
    for source in (read, read.runs):
        again = analyse(source, **options).answer
        assert (again.ranges, again.single, again.needs) == (
            there.answer.ranges,
            there.answer.single,
            there.answer.needs,
        )


def test_options_of_reading(runs, tmp_path):
    path = write_csv(tmp_path / "runs.csv", plain(runs), columns=("solver", "problem", "calls", "score"))
    columns = {"algorithm_name": "solver", "instance": "problem", "evaluations": "calls", "raw_y": "score"}
    result = analyse(path, columns=columns, without=["slow"], maximise=True, budgets=":5", draws=100)
    assert set(result.candidates) == {"quick", "steady", "hopeless"}
    assert result.maximise
    assert "higher is better" in str(result)


def test_a_folder_of_files(runs, tmp_path):
    for name in NAMES:
        write_csv(tmp_path / f"{name}.csv", [run for run in plain(runs) if run.algorithm == name])
    result = load(tmp_path)
    assert (set(result.candidates), result.instances) == (set(NAMES), 40)


def test_kinds_of_files_are_recognised_by_what_they_hold(saved, race_file, tmp_path, runs):
    table = write_csv(tmp_path / "runs.csv", runs[:8])
    renamed = tmp_path / "no suffix"
    renamed.write_bytes(saved.read_bytes())
    assert [is_race_file(each) for each in (race_file[0], saved, table, tmp_path)] == [True, False, False, False]
    assert [is_posterior_file(each) for each in (race_file[0], saved, renamed, table, tmp_path)] == [
        *(False, True, True),
        *(False, False),
    ]
    assert load(renamed).source == "posterior"


def test_the_budgets_to_compare(runs):
    chosen = analyse(runs, budgets="50..500:4", draws=100).posterior.grid
    assert (len(chosen), chosen.budgets[0], chosen.budgets[-1]) == (4, 50, 500)
    assert analyse(runs, budgets=[20, 200], draws=100).posterior.grid.budgets.tolist() == [20, 200]
    recorded = sorted({budget for run in runs for budget in run.budgets.tolist()})
    assert set(analyse(runs, draws=100).posterior.grid.budgets) == {*recorded, 1000}  # few, so they are the grid
    assert analyse(runs, draws=100).posterior.grid.axis == "log"
    assert len(analyse(runs, budgets=":30", draws=100).posterior.grid) == 30


def test_rules_of_dropping(runs):
    assert analyse(runs, budgets=":5", draws=400, confidence=1).kept == NAMES
    joint = analyse(runs, budgets=":5", draws=400, dominance="joint")
    assert joint.dominance == "joint"
    assert set(joint.kept) >= set(analyse(runs, budgets=":5", draws=400).kept)


def test_tolerances_make_ties():
    values = {"a": 1.0, "b": 1.05, "c": 3.0}
    runs = [pb.Trajectory(name, i, [10], [value], end=100) for i in range(40) for name, value in values.items()]
    assert analyse(runs, budgets=":3", draws=100).kept == ("a",)
    tied = analyse(runs, budgets=":3", draws=100, tolerance=0.1)
    assert set(tied.kept) == {"a", "b"}
    assert tied.answer.same == {"a": ("b",)}
    assert "values within 0.1 tie" in str(tied)


@pytest.mark.parametrize(
    ("tolerance", "expected"),
    [
        (None, {}),
        (0, {"absolute_tolerance": 0}),
        (0.5, {"absolute_tolerance": 0.5}),
        ("0.5", {"absolute_tolerance": 0.5}),
        ("0.1%", {"relative_tolerance": 0.001}),
        (" 2 % ", {"relative_tolerance": 0.02}),
        ("0.5, 0.1%", {"absolute_tolerance": 0.5, "relative_tolerance": 0.001}),
    ],
)
def test_tolerances_are_amounts_or_shares(tolerance, expected):
    assert as_tolerances(tolerance) == pytest.approx(expected)


@pytest.mark.parametrize("tolerance", ["x", "", "0.1%%", "-1", -0.5, "nan", "inf", float("inf"), "0.5,x"])
def test_what_is_no_tolerance(tolerance):
    with pytest.raises(ValueError, match=r"expected a tolerance such as 0.5, or a share such as 0.1%, got "):
        as_tolerances(tolerance)


def test_a_share_makes_ties():
    values = {"a": 100.0, "b": 101.0, "c": 300.0}
    runs = [pb.Trajectory(name, i, [10], [value], end=100) for i in range(40) for name, value in values.items()]
    assert analyse(runs, budgets=":3", draws=100, tolerance="0.5%").kept == ("a",)
    assert set(analyse(runs, budgets=":3", draws=100, tolerance="2%").kept) == {"a", "b"}


def test_algorithms_with_few_instances_are_left_out_unless_included(runs):
    rare = [run.under_name("rare") for run in runs if run.algorithm == "quick"][:4]
    result = analyse([*runs, *rare], budgets=":5", draws=100)
    assert "rare" not in result.candidates
    (found,) = [each for each in result.findings if each.code is Code.SPARSE_ALGORITHMS]
    assert (found.numbers, found.remedy) == ({"usual": 40.0, "counts": {"rare": 4}}, Include(("rare",)))
    included = analyse([*runs, *rare], budgets=":5", draws=100, include=["rare"])
    assert "rare" in included.candidates
    assert Code.SPARSE_ALGORITHMS not in {each.code for each in included.findings}


def test_runs_that_go_on_and_how_runs_ended(runs):
    longer = [pb.Trajectory(run.algorithm, run.instance, run.budgets, run.values, 5000) for run in runs]
    mixed = [*(run for run in longer if run.algorithm != "slow"), *(run for run in runs if run.algorithm == "slow")]
    found = {each.code: each for each in analyse(mixed, clock="seconds", budgets=":5", draws=100).findings}
    assert found[Code.RUNS_GO_ON].numbers == {"later": 120, "runs": 160, "stop": 1000.0, "clock": "seconds"}
    assert found[Code.RUNS_GO_ON].remedy == StopAt(5000.0)
    beyond = {each.code: each for each in analyse(mixed, budgets="..5000:5", draws=100).findings}
    assert Code.RUNS_GO_ON not in beyond
    assert beyond[Code.RUN_ENDS].numbers == {"finished": 0, "cut": 40, "failed": 0, "stop": 5000.0}


# Races


def test_the_result_of_a_race(race_file):
    path, outcome = race_file
    result, loaded = result_of_race(outcome), load(path)
    assert result.kept == loaded.kept == outcome.kept
    here, there = ({**each.to_dict(), "findings": None} for each in (result, loaded))
    assert here == there
    assert {each.code for each in result.findings} == {each.code for each in loaded.findings}
    assert (result.path, loaded.path) == ("", str(path))
    for name, drop in result.dropped.items():
        (told,) = [each for each in outcome.drops if each.name == name]
        assert (drop.by, drop.instances, drop.round, drop.cost) == (told.by, told.instances, told.round, told.cost)
    assert (result.margin, result.confidence) == (0.05, 0.9)


def test_options_compare_the_runs_of_a_race_as_recorded_runs(race_file):
    path, outcome = race_file
    assert analyse(path).race is not None
    again = analyse(path, budgets=":5", draws=100)
    assert (again.race, again.source, again.confidence) == (None, "runs", 0.9)  # by the rule of the race
    assert len(again.posterior.grid) == 5
    assert analyse(path, only=["quick", "steady"], draws=100).candidates == ("quick", "steady")
    assert analyse(path, without=["quick"], draws=100).candidates == ("steady", "slow", "hopeless")
    assert again.posterior.prior.startswith("RandomWalk")
    strict = analyse(path, confidence=1, prior=pb.BayesianBootstrap())
    assert (strict.race, strict.confidence, strict.kept) == (None, 1, NAMES)
    assert strict.posterior.grid == outcome.state.settings.grid


def test_an_algorithm_that_you_dropped_is_no_candidate(tmp_path):
    with small_race(path=tmp_path / "my.race") as race:
        race.drop("steady")
        result = race.result
    assert "steady" not in result.candidates
    assert result.dropped["steady"] == Drop("steady")
    assert Code.DROPPED_BY_USER in {each.code for each in result.findings}


def test_a_race_without_a_round_has_no_answer_yet(tmp_path):
    with pb.Race(["a", "b"], None, [1, 10], path=tmp_path / "my.race"):
        pass
    result = load(tmp_path / "my.race")
    assert (result.fitted, result.kept, result.instances, result.trust) == (None, ("a", "b"), 0, "unreliable")
    assert str(result).startswith("No answer yet.")
    assert json.loads(json.dumps(result.to_dict()))["kept"] == ["a", "b"]
    with pytest.raises(ValueError, match=r"expected .*, got .*; continue it with: race.run\(\)"):
        _ = result.answer


# As data


@pytest.mark.parametrize("source", ["runs", "posterior", "race"])
def test_the_dictionary_is_json_and_says_what_the_answer_says(results, source):
    result = results[source]
    stored = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    answer = result.answer
    assert stored["kept"] == list(result.kept)
    assert set(stored["dropped"]) == set(result.dropped)
    assert [(each["kind"], tuple(each["names"])) for each in stored["ranges"]] == [
        (each.kind, each.names) for each in answer.ranges
    ]
    assert set(stored["probability_best"]) == set(answer.names)
    for name, probability in stored["probability_best"].items():
        assert probability == pytest.approx(answer.probability[:, answer.names.index(name)])
    assert stored["single"]["names"] == list(answer.single.names)
    assert stored["best_at_no_budget"] == list(answer.elsewhere)
    assert [(each["better"], each["worse"]) for each in stored["how_much_better"]] == [
        (each.better, each.worse) for each in answer.needs
    ]
    assert [each["code"] for each in stored["findings"]] == [each.code.name.lower() for each in result.findings]
    assert stored["budgets"] == result.posterior.grid.budgets.tolist()
    assert (stored["status"], stored["trust"]) == (result.status, result.trust)


def test_the_dictionary_of_few_instances_is_json_too():
    for instances in (1, 2, 3):
        result = analyse(recorded_runs(NAMES, instances=instances), budgets=":5", draws=100)
        json.dumps(result.to_dict(), allow_nan=False)


def test_the_dictionary_names_algorithms_that_are_the_same(runs):
    twins = [*runs, *(run.under_name("twin") for run in runs if run.algorithm == "slow")]
    stored = analyse(twins, budgets=":5", draws=100).to_dict()
    assert stored["same"] == {"slow": ["twin"]}


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("source", ["runs", "posterior", "race"])
def test_each_part_is_a_data_frame(results, source, backend):
    result = results[source]
    known = {"runs": {"runs"}, "posterior": set(), "race": {"runs", "rounds"}}[source]
    for what in WHAT:
        if what in ("runs", "rounds") and what not in known:
            continue
        frame = result.to_frame(what, backend=backend)
        columns = {key: list(column) for key, column in result.to_table(what).items()}
        assert list(frame.column_names if backend == "pyarrow" else frame.columns) == list(columns)
        assert frame.shape[0] == len(next(iter(columns.values())))


def test_the_parts(recorded, runs):
    ranges, drops, table = (recorded.to_table(what) for what in ("ranges", "drops", "runs"))
    assert ranges["names"] == [", ".join(each.names) for each in recorded.answer.ranges]
    assert ranges["start"] == [each.start for each in recorded.answer.ranges]
    assert drops["name"] == list(recorded.dropped)
    assert set(recorded.to_table("probabilities")["algorithm_name"]) == set(recorded.kept)
    read = {(name, instance): [] for name, instance in zip(table["algorithm_name"], table["instance"], strict=True)}
    for name, instance, value in zip(table["algorithm_name"], table["instance"], table["raw_y"], strict=True):
        read[name, instance].append(float(value))
    assert {key: values[-1] for key, values in read.items()} == {
        (run.algorithm, run.instance): run.values[-1] for run in runs
    }


def test_without_drops_there_is_a_table_without_rows():
    equal = [pb.Trajectory(name, i, [5], [1.0 + i % 2], end=100) for i in range(9) for name in "ab"]
    result = analyse(equal, budgets=":3", draws=100)
    assert result.dropped == {}
    frame = result.to_frame("drops")
    assert (len(frame), list(frame.columns)[:2]) == (0, ["name", "by"])


def test_runs_of_files_have_instances_as_text(runs, tmp_path):
    result = analyse(write_csv(tmp_path / "runs.csv", plain(runs)), budgets=":5", draws=100)
    frame = result.to_frame("runs", backend="polars")
    assert frame["instance"].n_unique() == 40
    assert "instance" in frame["instance"][0]


# What can be asked


def test_a_budget_is_a_number_a_pair_or_a_preference(recorded):
    posterior, kept = recorded.posterior, list(recorded.kept)
    for budget, preference in (
        (20, At(20)),
        (np.int64(20), At(20)),
        ((50, 500), Between(50, 500)),
        ([50, 500], Between(50, 500)),
        (Final(), Final()),
        (None, None),
    ):
        found, expected = recorded.select(budget), pb.select(posterior, preference, among=kept)
        assert found.recommendation == expected.recommendation
        assert found.probability_best == expected.probability_best


def test_a_selection_is_among_the_kept_algorithms_or_those_that_are_named(recorded):
    assert {each.members[0] for each in recorded.select().candidates} == set(recorded.kept)
    assert recorded.select(only=["hopeless", "slow"]).recommendation == "slow"
    assert len(recorded.select(machines=2).recommendation) == 2


def test_the_simplest_set(recorded):
    everything = recorded.simplest(tolerance=0.499)
    assert (everything.names, everything.suffices) == (recorded.answer.single.names, True)
    few, more = recorded.simplest(0.3), recorded.simplest(0.05)
    assert set(few.names) | set(more.names) <= set(recorded.kept)
    for case, tolerance in ((few, 0.3), (more, 0.05)):
        assert (case.wins <= 0.5 + tolerance) == case.suffices
    for wrong in (-0.1, 0.5, np.nan):
        with pytest.raises(ValueError, match=r"expected a tolerance .*, got .*; use"):
            recorded.simplest(wrong)


def test_pairs_and_speed_ups(recorded):
    pairs = recorded.pairs()
    assert pairs.to_table().keys() == pb.relations(recorded.posterior, margin=recorded.margin).to_table().keys()
    last = recorded.answer.needs[-1]
    found = recorded.speed_up(last.better, last.worse)
    assert last.budget == recorded.posterior.grid.budgets[-1]
    assert found.ratio[-1] == pytest.approx(last.ratio, rel=0.2)


# Errors say what was expected, what was found, and what to do


@pytest.mark.parametrize("what", ["runs", "rounds"])
def test_parts_that_a_result_does_not_have(results, what):
    with pytest.raises(ValueError, match=rf"expected a result with {what}, got one of a saved posterior.*; .*load"):
        results["posterior"].to_table(what)
    with pytest.raises(ValueError, match=r"expected a result with rounds, got one of recorded runs.*; load"):
        results["runs"].to_frame("rounds")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda runs: analyse("no such file.csv"), r"there is no file .*; "),
        (lambda runs: analyse(runs, columns={}), r"analyse has no option 'columns' for runs in memory; read"),
        (lambda runs: analyse([1, 2]), r"expected a path, .*, got 1; "),
        (lambda runs: analyse(runs[:1]), r"expected runs of two algorithms or more, got runs of quick; "),
        (lambda runs: analyse([], budgets=[1, 10]), r"expected runs of two algorithms or more, got none; "),
        (lambda runs: analyse([]), r"expected runs of two algorithms or more, got none; add"),
        (lambda runs: analyse(runs, include=["quik"]), r"expected .* include, got 'quik'; did you mean 'quick'"),
        (lambda runs: analyse(runs, confidence=2, budgets=":3"), r"expected confidence in .*, got 2; use"),
    ],
)
def test_what_cannot_be_analysed(runs, call, message):
    with pytest.raises((ValueError, TypeError, FileNotFoundError), match=message):
        call(runs)


def test_what_a_race_file_states_itself(race_file):
    path, _ = race_file
    with pytest.raises(ValueError, match=r"expected recorded runs for columns, got the race file .*; leave it out"):
        analyse(path, columns={})
    with pytest.raises(ValueError, match=r"expected the clock evaluations .*, got seconds; leave it out"):
        analyse(path, clock="seconds")
    with pytest.raises(ValueError, match=r"expected .* only, got 'quik'; did you mean"):
        analyse(path, only=["quik", "slow"])


def test_what_is_no_saved_result(runs, tmp_path):
    table = write_csv(tmp_path / "runs.csv", runs[:8])
    with pytest.raises(ValueError, match=r"expected a race file, got another file in .*runs\.csv; "):
        require_race_file(table)
    with pytest.raises(ValueError, match=r"expected a race file, got the folder .*; name a file in it"):
        require_race_file(tmp_path)
    (tmp_path / "my.race").touch()
    with pytest.raises(FileNotFoundError, match=r"there is no file .*mine\.race; .*my\.race"):
        load(tmp_path / "mine.race")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match="is a symbolic link to"):
        load(tmp_path / "link")


@pytest.mark.parametrize(
    "ask", [lambda result: result.speed_up("slow", "quick"), lambda result: result.split("x"), Result.as_race]
)
def test_a_saved_posterior_has_no_runs(results, ask):
    with pytest.raises(ValueError, match=r"expected .*runs.*, got a saved posterior.*; (load|analyse)"):
        ask(results["posterior"])


def test_a_range_has_two_ends():
    with pytest.raises(ValueError, match=r"expected a range as two budgets, got \(1, 2, 3\); give"):
        as_preference((1, 2, 3))


# The next step of a race


@pytest.mark.parametrize(
    ("stopped", "remedy"),
    [
        ("max_instances", "--decide {0} {1} --max-instances {2}"),  # the limit that stopped it would stop it again
        ("max_seconds", "--decide {0} {1}\n"),
        ("instances ran out", "add instances to [instances], or repeat them with repeats"),
    ],
)
def test_the_next_step_can_run(stopped, remedy):
    rng = np.random.default_rng(2)
    runs = [pb.Trajectory(name, i, [1], [rng.random()], end=9) for i in range(8) for name in ("a", "b")]
    with pb.Race(["a", "b"], None, [1, 9], batch=pb.FixedBatch(8), draws=400) as race:
        race.drive(pb.ReplayExecutor(runs), max_instances=8, progress="none")
        outcome = replace(race.outcome, stopped=stopped)
    result = result_of_race(outcome, path="my.race", continues=True)
    step = result.answer.step
    assert step is not None
    assert remedy.format(*step.pair, 8 + step.instances) in str(result.words(shell=True)) + "\n"


def test_before_the_first_round_there_are_notes_and_no_answer():
    with pb.Race(["a", "b"], None, [1, 9]) as race:
        result = race.result
    assert repr(result) == "Result(a, b of 2 algorithms, 0 instances)"
    assert str(result).startswith("No answer yet.")
    assert "No round of the race has ended yet." in result.details()
    assert result.to_dict()["findings"][0]["code"] == "no_round"
    with pytest.raises(ValueError, match="expected a race with at least one round"):
        result.select(5)


def test_the_folder_of_a_configuration_stands_for_its_race_file(tmp_path):
    (tmp_path / "race.toml").write_text("")
    with pytest.raises(ValueError, match=r"expected one race file in the folder .*, got none; start it first"):
        load(tmp_path)
    for name in ("my.race", "other.race"):
        with pb.Race(["a", "b"], None, [1, 10], path=tmp_path / name):
            pass
        if name == "my.race":
            assert load(tmp_path).path == str(tmp_path / "my.race")
    with pytest.raises(ValueError, match=r"got my.race, other.race; name one of them"):
        load(tmp_path)
