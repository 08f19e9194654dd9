"""Restore an algorithm, run only some of them, and read from the file why the race stopped."""

import pytest

import polarbear as pb
from polarbear.findings import Code
from polarbear.race.findings import race_findings
from polarbear.race.stopping import StoppingLimits
from tests.driver.races import journal, race_of, reopen, run_quietly


@pytest.fixture
def unfinished(local, tmp_path):
    """A race in which only "poor" is dropped."""
    path = tmp_path / "unfinished.race"
    with race_of(path=path, confidence=0.99, margin=0.0) as race:
        result = run_quietly(race, local, max_instances=8)
    assert result.kept == ("early", "late", "middle")
    return path


def test_a_restored_algorithm_catches_up_and_may_be_dropped_again(local, unfinished):
    with reopen(unfinished) as race:
        race.drop("middle")
        before = run_quietly(race, local, max_instances=16)
        assert "middle" in before.state.dropped_by_user
        race.restore("middle")
        race.restore("poor")
        assert (race.state.dropped_by_user, race.state.newcomers) == ({}, {"middle", "poor"})
        result = run_quietly(race, local, max_instances=16)
    first = result.rounds[len(before.rounds)]
    assert first.kind == "catch-up"
    assert "poor" in dict(first.budgets)  # the oldest missing instances come first
    assert "poor" in [each.name for each in first.dropped]  # its earlier runs still count
    assert {instance for name, instance in result.state.observations.runs if name == "middle"} >= set(
        range(before.instances)
    )
    assert journal(unfinished, kinds=("dropped", "restored")) == ['"middle"', '"middle"', '"poor"']
    with pb.Race.open(unfinished) as race:
        assert race.outcome.rounds == result.rounds
        assert race.outcome.kept == result.kept


@pytest.mark.parametrize(
    ("name", "words"),
    [("early", "'early' is a candidate already"), ("new", "expected an algorithm that was dropped, such as poor")],
)
def test_only_dropped_algorithms_are_restored(unfinished, name, words):
    with reopen(unfinished) as race, pytest.raises(ValueError, match=words):
        race.restore(name)
    assert journal(unfinished, kinds=("restored",)) == []


def test_only_selected_algorithms_run_until_their_pairs_are_decided(local, unfinished):
    with reopen(unfinished, margin=0.2, confidence=0.8, until="every-budget") as race:
        rounds = len(race.state.rounds)
        result = run_quietly(race, local, only=["early", "middle"], max_instances=200)
        new = [each for each in result.rounds[rounds:] if each.kind == "fresh"]
        assert new
        assert all(dict(each.budgets).keys() <= {"early", "middle"} for each in new)
        assert ("early", "middle") not in result.undecided()
        assert result.stopped == ("finished" if result.finished else "selected pairs decided")
        used = result.instances
    with reopen(unfinished) as race:
        assert race.outcome.rounds == result.rounds
        assert race.state.decided.tolist() == result.state.decided.tolist()
        race.restore("poor")  # so that something is undecided
        after = run_quietly(race, local, max_instances=used + 4)
    assert all(("late", index) not in after.state.observations.runs for each in new for index in each.instances)


def test_candidates_that_ran_on_few_instances_are_named(local, unfinished):
    with reopen(unfinished, margin=0.001, until="every-budget") as race:
        before = race.outcome.instances
        result = run_quietly(race, local, only=["early", "middle"], max_instances=2 * before + 1)
    assert result.instances == 2 * before + 1
    others = sorted(set(result.kept) - {"early", "middle"})
    (found,) = (each for each in race_findings(result) if each.code is Code.RAN_ON_FEW)
    assert (sorted(found.subject), found.numbers) == (others, {"instances": result.instances, "most": before})


def test_selected_pairs_are_decided_although_no_drop_is_likely(local, unfinished, monkeypatch):
    monkeypatch.setattr(StoppingLimits, "is_futile", lambda limits, state: True)
    with reopen(unfinished) as race:
        assert run_quietly(race, local, max_instances=12).stopped == "no drop likely"
        result = run_quietly(race, local, only=["early", "middle"], max_instances=12)
    assert result.instances == 12


@pytest.mark.parametrize(
    ("only", "words"),
    [
        (["early"], "expected two candidates or more to run, got early"),
        (["early", "poor"], "'poor' is not a candidate any more; restore it first"),
        (["early", "middel"], "got 'middel'; did you mean 'middle'"),
    ],
)
def test_selected_algorithms_must_be_candidates(local, unfinished, only, words):
    with reopen(unfinished) as race, pytest.raises(ValueError, match=words):
        run_quietly(race, local, only=only)


def test_all_algorithms_of_a_new_race_run_in_its_first_round(local):
    with pytest.raises(ValueError, match="expected a race in which every candidate has run"):
        run_quietly(race_of(), local, only=["early", "late"])


def test_the_file_tells_why_the_race_stopped(local, unfinished, tmp_path):
    def stopped():
        with pb.Race.open(unfinished) as race:
            return race.outcome.stopped

    assert stopped() == "max_instances"
    with reopen(unfinished) as race:
        run_quietly(race, local, stop=lambda result: True)
    assert stopped() == "callback"
    with reopen(unfinished) as race:
        run_quietly(race, local, max_seconds=0)
        assert stopped() == "max_seconds"
        race.restore("poor")
        assert race.outcome.stopped == stopped() == "paused"  # the reason is older than the restored algorithm
        run_quietly(race, local, max_instances=1)
        assert stopped() == "max_instances"
        race._record.note_stop(None)  # as at the start of a run that is killed
    assert stopped() == "paused"


def test_a_limit_that_stops_selected_algorithms_is_the_reason_also_if_the_race_would_leave_their_pair(local, tmp_path):
    with race_of(path=tmp_path / "my.race", confidence=0.99, margin=0.0, until="every-budget", patience=1) as race:
        left = run_quietly(race, local, max_instances=200)
        assert left.stopped == "pairs left undecided"
        pair = next(iter(left.undecided()))
        result = run_quietly(race, local, only=pair, max_instances=left.instances)
    assert (result.stopped, result.settled) == ("max_instances", False)


def test_a_call_that_runs_nothing_for_selected_algorithms_keeps_why_the_race_stopped(local, unfinished):
    """Otherwise the next steps would no longer raise the limit at which the race as a whole stopped."""
    pair = ["early", "late"]
    with reopen(unfinished) as race:
        assert run_quietly(race, local, only=pair).stopped == "selected pairs decided"
        assert run_quietly(race, local, max_instances=1).stopped == "max_instances"
        assert run_quietly(race, local, only=pair).stopped == "selected pairs decided"
    with pb.Race.open(unfinished) as race:
        assert race.outcome.stopped == "max_instances"
