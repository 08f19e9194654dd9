"""Comparing versions that run here, and recorded versions."""

import re
from concurrent.futures import Future
from functools import partial

import numpy as np
import pytest

import polarbear as pb
from tests.race.live_algorithms import GRID, fails_until_fixed, instance, staircase


class Counting:
    """An executor that passes runs on, and keeps their jobs."""

    def __init__(self, executor):
        self._executor, self.jobs = executor, []

    def submit(self, function, payload, job, limits):
        self.jobs.append(job)
        return self._executor.submit(function, payload, job, limits)


@pytest.fixture(scope="module")
def local():
    with pb.LocalExecutor(workers=1) as executor:
        yield executor


@pytest.fixture
def executor(local):
    return Counting(local)


def version(level):
    return partial(staircase, levels=(0.0, level, level, 0.0))


def compare(old, new, executor, **options):
    return pb.compare(old, new, instance, GRID, executor=executor, draws=2000, **options)


def test_the_same_code_is_no_worse_since_both_get_the_same_seeds(executor):
    result = compare(version(0.0), version(0.0), executor)
    assert (result.answer, result.exit_code) == ("no worse", 0)
    assert set(result.win_rates.mean.round(2)) == {0.5}
    assert len(executor.jobs) == 2 * result.instances <= 2 * 48
    seeds = {(job.instance, job.seed) for job in executor.jobs}
    assert len(seeds) == result.instances


def test_a_worse_version_is_noticed_after_few_looks(executor):
    seen = []
    result = compare(version(0.0), version(1.5), executor, common_random_numbers=False, after_look=seen.append)
    assert (result.answer, result.exit_code) == ("worse", 1)
    assert result.win_rates.budgets[result.win_rates.worst] in (2, 4)
    assert [each.instances for each in seen] == [24, 48, 96][: len(seen)]
    assert seen[-1] is result
    assert len(executor.jobs) == 2 * result.instances < 200


def test_a_limit_leaves_close_versions_undecided(executor):
    result = compare(version(0.0), version(0.02), executor, common_random_numbers=False, max_instances=30, margin=0.01)
    assert (result.answer, result.exit_code, result.instances) == ("undecided", 2, 30)


def test_a_list_of_instances_is_used_up(executor):
    result = pb.compare(version(0.0), version(0.0), [1.0] * 10, GRID, executor=executor, draws=1000)
    assert result.instances == 10


def test_repetitions_of_two_instances_are_two_instances(executor):
    looks = []
    repeated = pb.problems.Repeated([1.0, 2.0], 60)
    options = {"executor": executor, "draws": 1000, "common_random_numbers": False, "after_look": looks.append}
    result = pb.compare(version(0.0), version(1.5), repeated, GRID, max_instances=48, **options)
    assert (result.answer, result.exit_code) == ("undecided", 2)
    assert [each.data for each in looks] == ["2 instances with 24 repetitions", "2 instances with 48 repetitions"]
    assert (result.units, result.to_data()["units"]) == (2, 2)
    assert result.instances_needed >= 5 / 2 * 48  # fewer than five units show nothing
    assert result.to_data()["units_needed"] == pytest.approx(result.instances_needed / 24)
    assert result.sentence.startswith("Undecided after 2 instances with 48 repetitions: ")
    assert result.sentence.endswith(": it takes at least 5 instances.")
    once = pb.compare(version(0.0), version(0.02), pb.problems.Repeated([1.0] * 9, 1), GRID, margin=0.01, **options)
    assert re.search(r"Undecided after 9 instances: .* % of instances .* more instances\.$", once.sentence)


def test_repetitions_of_many_instances_decide(executor):
    repeated = pb.problems.Repeated([float(k) for k in range(20)], 4)
    options = {"executor": executor, "draws": 1000, "common_random_numbers": False}
    assert pb.compare(version(0.0), version(1.5), repeated, GRID, **options).answer == "worse"


def test_no_time_at_all_is_an_error():
    class Never:
        def submit(self, *arguments):
            return Future()

    with pytest.raises(pb.RaceError, match="no instance was completed within the time limit"):
        pb.compare(version(0.0), version(0.0), instance, GRID, executor=Never(), max_seconds=0)


def test_versions_that_always_fail_are_an_error(tmp_path, executor):
    broken = partial(fails_until_fixed, flag=str(tmp_path / "never"))
    with pytest.raises(pb.RaceError, match=r"(?s)all 24 runs of OLD failed, .*; on instance 0 with: .*not yet"):
        compare(broken, broken, executor)


def test_a_version_that_always_fails_is_no_comparison(tmp_path, executor):
    broken = partial(fails_until_fixed, flag=str(tmp_path / "never"))
    with pytest.raises(pb.RaceError, match="all 24 runs of NEW failed, so there is nothing to compare"):
        compare(version(0.0), broken, executor)


def recorded(shift, *, count=80, seed=0, name="cma"):
    noise = np.random.default_rng(seed).random(count)
    return [pb.Trajectory(name, i, [1, 10], [5.0, each + shift], end=100) for i, each in enumerate(noise)]


def test_recorded_versions_may_have_the_same_name():
    better, worse = recorded(-0.4, seed=1), recorded(0.4, seed=2)
    old = recorded(0.0)
    assert pb.compare(old, better, grid=[10, 100]).answer == "no worse"
    result = pb.compare(old, worse, grid=[10, 100], names=("main", "branch"))
    assert result.sentence.startswith("branch is worse than main: at ")


def test_recorded_versions_are_compared_on_common_instances():
    assert pb.compare(recorded(0.0), recorded(-0.4, seed=1, count=50), grid=[10]).instances == 50
    elsewhere = [pb.Trajectory("cma", f"other {i}", [1], [0.0], end=100) for i in range(5)]
    with pytest.raises(ValueError, match="got no instance that has both"):
        pb.compare(recorded(0.0), elsewhere, grid=[10])


@pytest.mark.parametrize(
    ("old", "new", "options", "message"),
    [
        (recorded(0.0), version(0.0), {}, "expected two algorithms or two recordings, got one of each"),
        (recorded(0.0), recorded(0.0), {"instances": instance}, "expected no instances with recorded runs"),
        (version(0.0), version(0.0), {}, "expected instances and a grid"),
        (recorded(0.0) + recorded(0.0, name="de"), recorded(0.0), {}, "expected runs of one algorithm.*got cma, de"),
    ],
)
def test_impossible_requests_are_refused(old, new, options, message):
    with pytest.raises(ValueError, match=message):
        pb.compare(old, new, **options)


def test_an_unknown_setting_is_refused():
    with pytest.raises(TypeError, match="a comparison has no setting 'prior'; choose from clock"):
        pb.compare(recorded(0.0), recorded(0.0), prior=pb.RandomWalk())
