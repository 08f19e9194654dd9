"""Listed instances that are repeated: new seeds, one cluster per listed instance, in memory and in the file."""

import pytest

import polarbear as pb
from polarbear.findings import Code, Finding
from polarbear.race.findings import race_findings
from tests.driver.races import SETTINGS, race_of, run_quietly
from tests.race.live_algorithms import four

PROBLEMS = [10.0, 20.0, 30.0]
STRICT = {**SETTINGS, "prior": pb.BayesianBootstrap(), "confidence": 0.99, "margin": 0.0}


def clusters_of(result):
    return result.state.observations.choices.rankings.clusters


def test_repetitions_differ_and_form_clusters(local, tmp_path):
    path, source = tmp_path / "my.race", pb.problems.Repeated(PROBLEMS, 3)
    with pb.Race(four(), source, path=path, **STRICT) as race:
        result = run_quietly(race, local)
    assert (result.stopped, result.instances) == ("instances ran out", 9)
    assert clusters_of(result).labels == (0, 1, 2) * 3
    values = [result.state.observations.runs["early", index].trajectory.values[0] for index in range(9)]
    assert len(set(values)) == 9  # other seeds on the same problem
    assert max(values[0::3]) < min(values[1::3])
    assert str(result.posterior.scope) == "to new instances, based on 3 instances with 9 repetitions"
    assert result.posterior.beliefs.sample.rankings.repeated.problem.tolist() == [0, 1, 2] * 3
    measured = Finding(Code.MEASURED_COPIES, "note", numbers={"instances": 3, "fewest": 3, "most": 3, "enough": True})
    assert measured in pb.select(result.posterior, among=["early"], portfolio=2).findings
    last = result.posterior.grid.budgets[-1]
    assert last - 1 not in result.posterior.grid.budgets
    assert measured in pb.select(result.posterior, pb.At(last - 1), among=["early"], portfolio=2).findings
    with pb.Race.open(path) as race:
        assert clusters_of(race.outcome).labels == (0, 1, 2) * 3
        assert race.outcome.posterior.scope == result.posterior.scope
    with pb.Race(four(), pb.problems.Repeated(PROBLEMS, 5), path=path, **STRICT) as race:  # more repetitions
        assert run_quietly(race, local).instances == 15


def test_a_race_that_ran_out_of_instances_continues_with_repetitions(local, tmp_path):
    path = tmp_path / "my.race"
    with pb.Race(four(), PROBLEMS, path=path, **STRICT) as race:
        assert run_quietly(race, local).instances == 3
    with pytest.raises(ValueError, match="its race differs"):
        pb.Race(four(), pb.problems.Repeated(PROBLEMS, 2), path=path, **{**STRICT, "margin": 0.1})
    with pb.RaceFile.open(path, write=False) as file:
        assert "clusters" not in file.about  # a refused race leaves the file as it was
    with pb.Race.open(path, algorithms=four(), instances=pb.problems.Repeated(PROBLEMS, 2)) as race:
        result = run_quietly(race, local)
    assert clusters_of(result).labels == (0, 1, 2) * 2
    with pytest.raises(ValueError, match=r"expected instances as polarbear\.problems\.Repeated, .* got list"):
        pb.Race.open(path, algorithms=four(), instances=PROBLEMS)
    with pytest.raises(ValueError, match="got another order of repetitions"):
        pb.Race.open(path, algorithms=four(), instances=pb.problems.Repeated(PROBLEMS[:2], 3))


def test_problems_that_the_race_has_used_keep_their_places():
    source = pb.problems.Repeated(["a", "b", "c"], 2, first=(0, 1, 0))
    assert list(source) == ["a", "b", "a", "c", "b", "c"]


@pytest.mark.parametrize(
    ("problems", "repeats", "words"),
    [
        ([1], 0, "of at least 1 for repeats"),
        ([], 2, "got none"),
        (lambda index, seed: index, 2, "expected a list of problems"),
    ],
)
def test_what_cannot_be_repeated_is_refused(problems, repeats, words):
    with pytest.raises(ValueError, match=words):
        race_of(instances=pb.problems.Repeated(problems, repeats))


@pytest.mark.parametrize(("problems", "repeats"), [(40, 2), (8, 10)])
def test_forecasts_count_other_instances_and_need_many_of_them(local, problems, repeats):
    """Eight instances, however often they are repeated, are too few for a forecast."""
    source = pb.problems.Repeated([float(k) for k in range(problems)], repeats)
    with pb.Race(four(), source, **{**STRICT, "until": "every-budget"}) as race:
        result = run_quietly(race, local, max_instances=80)
    (stop,) = (each for each in race_findings(result) if each.code is Code.STOPPED)
    assert result.instances == 80
    assert stop.numbers["undecided"]
    assert (stop.numbers["further"] > 0) == (problems == 40)
