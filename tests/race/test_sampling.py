"""Which algorithms run, on which instances, until when, and with which seeds."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from polarbear import Dirichlet, FixedBatch, RandomWalk, Settings
from polarbear.race import loop
from polarbear.race.sampling import job, next_plan, running_until, seed_of

NAMES, BUDGETS = ("a", "b", "c", "d"), (1.0, 2.0, 4.0, 8.0)


def state_of(undecided, *, dominance="pointwise", batch=3):
    """A race in which every pair is decided except for the given {(a, b): budgets}."""
    settings = Settings(grid=BUDGETS, prior=RandomWalk(), dominance=dominance, batch=FixedBatch(batch))
    state = loop.start(settings, NAMES)
    decided = np.ones_like(state.decided)
    for (a, b), budgets in undecided.items():
        for t in budgets:
            i, j = NAMES.index(a), NAMES.index(b)
            decided[BUDGETS.index(t), i, j] = decided[BUDGETS.index(t), j, i] = False
    return dataclasses.replace(state, decided=decided)


def test_at_first_all_algorithms_run_to_the_end():
    state = loop.start(Settings(grid=BUDGETS, prior=Dirichlet(), dominance="pointwise"), NAMES)
    assert running_until(state) == dict.fromkeys(NAMES, 8.0)


def test_each_algorithm_runs_until_its_last_undecided_budget():
    state = state_of({("a", "b"): [1.0, 4.0], ("b", "c"): [2.0]})
    assert running_until(state) == {"a": 4.0, "b": 4.0, "c": 2.0}  # d, fully decided, does not run


def test_under_joint_dominance_undecided_algorithms_run_to_the_end():
    state = state_of({("a", "b"): [1.0, 4.0], ("b", "c"): [2.0]}, dominance="joint")
    assert running_until(state) == {"a": 8.0, "b": 8.0, "c": 8.0}


def test_nothing_runs_when_every_pair_is_decided():
    assert next_plan(state_of({})) is None
    assert next_plan(state_of({}), most_instances=5) is None


def test_a_plan_has_every_undecided_algorithm_on_every_instance():
    plan = next_plan(state_of({("a", "b"): [4.0], ("b", "c"): [2.0]}))
    assert (plan.kind, plan.instances) == ("fresh", (0, 1, 2))
    assert plan.budgets == (("a", 4.0), ("b", 4.0), ("c", 2.0))
    assert [(each.algorithm, each.instance, each.budget) for each in plan.jobs] == [
        (name, instance, budget) for instance in range(3) for name, budget in plan.budgets
    ]
    assert next_plan(state_of({("a", "b"): [4.0]}), most_instances=2).instances == (0, 1)
    assert next_plan(state_of({("a", "b"): [4.0]}), most_instances=20).instances == (0, 1, 2)


def test_seeds_depend_only_on_race_instance_and_algorithm():
    first = Settings(grid=BUDGETS, seed=3)
    other = Settings(grid=[1, 5], seed=3, confidence=0.9, margin=0.1, batch=FixedBatch(1), until="every-budget")
    for name in NAMES:
        for instance in range(4):
            mine, theirs = job(first, name, instance, 8.0), job(other, name, instance, 2.0)
            assert (mine.seed, mine.instance_seed) == (theirs.seed, theirs.instance_seed)
    everything = {
        job(Settings(grid=BUDGETS, seed=seed), name, i, 8).seed
        for seed in range(3)
        for name in NAMES
        for i in range(20)
    }
    assert len(everything) == 3 * 4 * 20  # all different
    assert all(0 <= seed < 2**31 for seed in everything)


def test_the_seed_of_an_instance_is_the_same_for_all_algorithms():
    settings = Settings(grid=BUDGETS, seed=3)
    assert len({job(settings, name, 5, 8.0).instance_seed for name in NAMES}) == 1
    assert job(settings, "a", 5, 8.0).instance_seed not in {job(settings, name, 5, 8.0).seed for name in NAMES}
    assert job(settings, "a", 5, 8.0).instance_seed != job(settings, "a", 6, 8.0).instance_seed


def test_common_random_numbers_are_shared_only_within_an_instance():
    settings = Settings(grid=BUDGETS, seed=3, common_random_numbers=True)
    by_instance = [{job(settings, name, instance, 8.0).seed for name in NAMES} for instance in range(5)]
    assert all(len(seeds) == 1 for seeds in by_instance)
    assert len(set.union(*by_instance)) == 5


def test_seeds_are_the_same_in_another_process_and_in_every_version():
    """Python's hashes of strings differ between processes. If these seeds did, stored races would change."""
    ours = [seed_of(0, "run", 1, "cma"), seed_of(7, "instance", 3), seed_of(1, "run", 0, "größe")]
    code = (
        "from polarbear.race.sampling import seed_of as seed\n"
        "print([seed(0, 'run', 1, 'cma'), seed(7, 'instance', 3), seed(1, 'run', 0, 'größe')])"
    )
    theirs = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert str(ours) == theirs.strip()
    assert ours == [1356449631, 386263444, 886960255]


@pytest.mark.parametrize("parts", [((1, 23), (12, 3)), (("a", "b"), ("ab",)), ((0, "run", 11, ""), (0, "run", 1, "1"))])
def test_parts_of_a_seed_stay_separate(parts):
    first, second = parts
    assert seed_of(*first) != seed_of(*second)
