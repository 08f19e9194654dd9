"""A program that is run again continues the race of its file, or reports what differs."""

import importlib
import linecache
import re
import sys
from functools import partial
from unittest.mock import Mock

import pytest

import polarbear as pb
from polarbear.algorithms.counted import Counted
from polarbear.driver.agreement import describe_algorithm, describe_instances, instance_differences
from polarbear.driver.source_code import digest_code
from polarbear.findings import Code
from polarbear.race.findings import race_findings
from tests.driver.races import SETTINGS, journal, race_of, run_quietly, stored_runs
from tests.race.live_algorithms import LEVELS, four, staircase


def test_a_script_that_is_run_again_continues_its_race(local, tmp_path, finished):
    path, rounds = tmp_path / "my.race", finished[1].rounds
    for limit in (4, 8, 12):
        with race_of(path=path) as race:
            assert run_quietly(race, local, max_instances=limit).rounds == rounds[: limit // 4]
    assert journal(path) == journal(finished[0])[:3]


def test_a_finished_race_returns_its_result_without_running_anything(copied, finished):
    executor = Mock()
    runs = stored_runs(copied)
    with race_of(path=copied) as race:
        result = run_quietly(race, executor)
    assert executor.mock_calls == []
    assert (result.stopped, result.rounds) == ("finished", finished[1].rounds)
    assert stored_runs(copied) == runs


def test_the_error_lists_everything_that_differs(copied):
    changed = {name: each for name, each in four().items() if name != "late"}
    changed["poor"] = partial(staircase, levels=LEVELS["middle"])
    with pytest.raises(ValueError, match="its race differs from this one") as error:
        race_of(
            {**changed, "new": four()["late"]}, path=copied, confidence=0.95, grid=pb.Grid((1.0, 2.0, 3.0, 8.0), "log")
        )
    lines = str(error.value).splitlines()
    assert lines[1:-1] == [
        "  grid: budgets [1.0, 2.0, 4.0, 8.0] in the file, budgets [1.0, 2.0, 3.0, 8.0] here",
        "  confidence: 0.9 in the file, 0.95 here",
        "  algorithm 'new': not in the file",
        "  algorithm 'late': in the file, missing here",
        "  algorithm 'poor': tests.race.live_algorithms.staircase(levels=[4.0, 4.0, 4.0, 4.0], pause=0.0) in the file, "
        "tests.race.live_algorithms.staircase(levels=[0.6, 0.6, 0.6, 0.6]) here",
    ]
    assert "pb.Race.open(path" in lines[-1]
    race_of(path=copied).close()  # not left locked


def test_settings_that_were_changed_later_are_the_ones_that_must_agree(copied):
    pb.Race.open(copied, confidence=0.95).close()
    with pytest.raises(ValueError, match=r"confidence: 0\.95 in the file, 0\.9 here"):
        race_of(path=copied)
    race_of(path=copied, confidence=0.95).close()


def test_an_added_algorithm_belongs_to_the_race(copied):
    new = partial(staircase, levels=LEVELS["late"])
    with race_of(path=copied) as race:
        race.add("new", new)
    with race_of({**four(), "new": new}, path=copied) as race:
        assert race.state.newcomers == {"new"}
    with pytest.raises(ValueError, match="algorithm 'new': in the file, missing here"):
        race_of(path=copied)


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ([1, 2, 3], [1, 2, 3, 4], ""),
        (pb.problems.Repeated([1, 2, 3], 2), pb.problems.Repeated([1, 2, 3], 5), ""),
        (pb.problems.MixedProblems(2), pb.problems.MixedProblems(2), ""),
        ([1, 2, 3], [1, 5, 3], "3 instances, the first of them 1 in the file, others here"),
        ([1, 2, 3], [1, 2], "3 instances, the first of them 1 in the file, 2 instances, the first of them 1 here"),
        ([1, 2, 3], max, "3 instances, the first of them 1 in the file, max here"),
        (pb.problems.MixedProblems(2), pb.problems.MixedProblems(7), r"MixedProblems\(dimension=2.* in the file, .*=7"),
    ],
)
def test_the_instances_must_be_the_same_but_a_list_may_grow(before, after, line):
    lines = instance_differences(describe_instances(before), after)
    assert bool(lines) == bool(line)
    assert not line or re.match(f"instances: {line}", lines[0])


def test_another_source_of_instances_is_refused(tmp_path):
    path = tmp_path / "my.race"
    race_of(instances=[0, 1, 2], path=path).close()
    race_of(instances=[0, 1, 2, 3], path=path).close()
    with pytest.raises(ValueError, match="instances: 3 instances, the first of them 0 in the file, others here"):
        race_of(instances=[0, 5, 2], path=path)


def test_names_without_algorithms_have_no_identity(copied):
    with pb.Race(list(four()), None, path=copied, **SETTINGS) as race:
        assert race.outcome.finished


def test_long_arguments_are_stored_as_a_digest():
    first, second = (describe_algorithm(partial(staircase, levels=[0] * 1000 + [last])) for last in (1, 2))
    assert first != second
    assert max(len(first), len(second)) < 200


class Optimiser:
    def __call__(self, objective, budget, rng):
        objective(0.0)


@pytest.mark.parametrize(
    ("algorithm", "identity"),
    [
        (pb.command("./solver --seed {seed}"), "./solver --seed '{seed}'"),
        (pb.counted(Optimiser()), f"Counted(function={__name__}.Optimiser)"),
        (partial(staircase, 3, levels=[1, "a"]), "tests.race.live_algorithms.staircase(3, levels=[1, 'a'])"),
        (partial(staircase, levels=Optimiser()), f"tests.race.live_algorithms.staircase(levels={__name__}.Optimiser)"),
    ],
)
def test_identities_do_not_depend_on_the_process(algorithm, identity):
    assert describe_algorithm(algorithm) == identity


def write_module(tmp_path, monkeypatch, step):
    """Return a function of a module that was just written, as a program finds it when it is started again."""
    (tmp_path / "edited_optimisers.py").write_text(
        f"def early(problem, seed, budget):\n    yield from [(1.0, {step}), (8.0, 0.0)]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "edited_optimisers", raising=False)
    linecache.clearcache()
    importlib.invalidate_caches()
    return importlib.import_module("edited_optimisers").early


@pytest.mark.parametrize("wrap", [lambda function: function, partial, pb.counted])
def test_an_edit_of_the_code_changes_its_digest_and_nothing_else_does(tmp_path, monkeypatch, wrap):
    def digest(step):
        function = write_module(tmp_path, monkeypatch, step)
        if wrap is pb.counted:
            return digest_code(Counted(function))
        return digest_code(wrap(function))

    first = digest(1.5)
    assert first is not None
    assert digest(1.5) == first
    assert digest(2.25) != first


def test_a_script_whose_algorithm_was_edited_keeps_its_runs_and_says_so_once(local, tmp_path, monkeypatch, caplog):
    caplog.set_level("WARNING", "polarbear")  # a command with --quiet in this process may have raised it
    path = tmp_path / "my.race"
    for step, warnings in ((1.5, 0), (1.5, 0), (2.25, 1), (2.25, 0)):
        early = write_module(tmp_path, monkeypatch, step)
        caplog.clear()
        with race_of({**four(), "early": early}, path=path) as race:
            runs = stored_runs(path)
            run_quietly(race, local, max_instances=4)
        assert [record.levelname for record in caplog.records] == ["WARNING"] * warnings
        assert runs.items() <= stored_runs(path).items()
        with pb.Race.open(path) as race:  # the note stays
            found = [each.subject for each in race_findings(race.outcome) if each.code is Code.CHANGED_CODE]
        assert found == ([("early",)] if step == 2.25 else [])
        for record in caplog.records:
            assert record.getMessage().startswith(
                "The code of early has changed since runs of it were stored in my.race."
            )


def test_code_without_source_is_not_compared():
    assert digest_code(eval("lambda problem, seed, budget: []")) is None
    assert digest_code(pb.command("solver {instance}")) is None
    assert digest_code(None) is None
