"""The fitness of a candidate: its probability of belonging to the Pareto set, with the reason in words."""

import pytest

pytest.importorskip("ConfigSpace", reason="the climbers are those of the design")

import polarbear as pb
from tests.designing.climbers import GRID, InProcess, climber


def open_race(path):
    return pb.Race({"good": climber(1.0), "fair": climber(0.9)}, range(400), GRID, draws=500, path=path)


@pytest.fixture(scope="module")
def race(tmp_path_factory):
    path = tmp_path_factory.mktemp("fitness") / "my.race"
    with open_race(path) as race:
        yield race, path


def evaluate(race, name, algorithm):
    return pb.evaluate_candidate(race, name, algorithm, executor=InProcess(), max_instances=16)


def test_a_better_candidate_has_a_higher_fitness_and_a_reason(race):
    race, path = race
    bad, good = evaluate(race, "bad", climber(0.1)), evaluate(race, "better", climber(1.4))
    assert bad.probability < 0.2 < 0.8 < good.probability
    assert bad.sentence.startswith("bad is never clearly the best choice; against good it does best at ")
    assert good.sentence.startswith("better is the best choice at ")
    assert pb.pareto_fitness(path, "better") == good
    assert evaluate(race, "better", race.algorithms["better"]) == good  # a known algorithm is not raced again
    with pytest.raises(ValueError, match=r"expected a new name .* got 'better' again; .*pb\.pareto_fitness"):
        evaluate(race, "better", climber(0.1))


def test_code_that_fails_has_no_fitness(race):
    broken = evaluate(race[0], "broken", lambda problem, seed, budget: 1 / 0)
    assert broken.probability == 0
    assert "failed in every run: " in broken.sentence
    assert "division by zero" in broken.sentence


def test_recorded_runs_of_a_candidate_suffice(race):
    result = race[0].result
    runs = [pb.run_once(climber(3.0), None, 1, 16, name="new", instance=k) for k in range(8)]
    assert pb.pareto_fitness(result, "new", runs).probability > 0.8
    with pytest.raises(ValueError, match="expected runs of 'newer' only, got also new"):
        pb.pareto_fitness(result, "newer", runs)
    with pytest.raises(ValueError, match="took part in the race, got 'god'; did you mean 'good'"):
        pb.pareto_fitness(result, "god")


def test_a_candidate_that_is_beaten_by_rivals_who_beat_each_other_more_is_explained():
    """The three others beat each other in a circle, on two thirds of the instances; each beats the candidate on 60 %."""

    def run(name, instance):
        level = -1.0 if instance % 5 < 2 else 2.0  # first on 40 % of instances, last on the others
        return pb.Trajectory(name, instance, [1], [level if name == "odd" else (instance + int(name)) % 3 / 3], end=4)

    race = pb.Race(["0", "1", "2"], None, [1, 4], draws=500)
    recorded = pb.ReplayExecutor([run(name, instance) for name in "012" for instance in range(60)])
    result = race.drive(recorded, progress="none", max_instances=60, stop=lambda result: result.instances >= 60)
    fitness = pb.pareto_fitness(result, "odd", [run("odd", instance) for instance in range(60)])
    assert fitness.probability < 0.5
    assert fitness.sentence.startswith("odd loses to its strongest rival less often at ")
    assert "; against " in fitness.sentence


def test_a_loop_that_is_run_again_continues_its_race(tmp_path):
    candidates = {"first": climber(1.2), "second": climber(1.3), "third": climber(0.2)}
    with open_race(tmp_path / "my.race") as race:
        for name in ("first", "second"):
            last = evaluate(race, name, candidates[name])
    with open_race(tmp_path / "my.race") as race:
        runs = len(race.outcome.runs)
        assert evaluate(race, "first", candidates["first"]).probability <= 1
        assert evaluate(race, "second", candidates["second"]) == last
        assert len(race.outcome.runs) == runs
        assert evaluate(race, "third", candidates["third"]).probability < 0.5
        assert len(race.outcome.runs) > runs
