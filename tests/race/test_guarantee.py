"""Races that eliminate by e-values, and the bound that every elimination carries."""

import dataclasses
import json
from itertools import permutations

import numpy as np
import pytest

import polarbear as pb
from polarbear.race import loop
from polarbear.race.rounds import Eliminated
from polarbear.race.serialisation import from_plain, to_plain
from tests.race.paper import posterior_of, some_posterior
from tests.race.simulated import simulated_runs
from tests.race.small import LEVEL, NAMES, TIMES, crossing_utilities, settings_of, told

ABCD = tuple("abcd")
ORDERED = np.full((4, 4), [3.0, 1.5, 0.0, -1.5])  # a beats b beats c beats d at all times, on about 80 % of instances


def steps(state, utilities, names, rounds=12, times=TIMES):
    """The states before and after each round."""
    for _ in range(rounds):
        before, state = state, told(state, utilities, names, times)
        if len(state.rounds) == len(before.rounds):
            return
        yield before, state


def weakest(state):
    """The smallest e-value over times, shape (algorithm, algorithm)."""
    return pb.evidence(loop.choices_of_runs(state)).min(axis=0)


def eliminations(state):
    return [each for round_ in state.rounds for each in round_.eliminated]


@pytest.fixture
def believing(monkeypatch):
    """Let the race believe a posterior, whatever the runs."""

    def will_believe(posterior):
        monkeypatch.setattr(loop, "fit", lambda *_, **__: posterior)

    return will_believe


def sure_of(order):
    """A posterior that is sure of one order at all times: best first."""
    ratings = [10.0 ** -order.index(name) for name in NAMES]
    return posterior_of([[ratings] * 4] * 10, NAMES, TIMES)


def unsure():
    return some_posterior(np.random.default_rng(0), NAMES, TIMES, sharpness=0.0)


@pytest.mark.parametrize("utilities", [crossing_utilities(ABCD), ORDERED], ids=["crossing", "ordered"])
@pytest.mark.parametrize(
    "design",
    [
        {"prior": pb.Dirichlet(), "elimination": "pointwise", "resolution": "strict"},
        {"prior": pb.Dirichlet(), "elimination": "pointwise", "resolution": "crossing"},
        {"prior": pb.RandomWalk(), "elimination": "joint", "resolution": "crossing"},
    ],
    ids=["pointwise-strict", "pointwise-crossing", "joint-crossing"],
)
def test_eliminations_come_with_evidence_and_evidence_brings_eliminations(design, utilities):
    settings = settings_of(**design, confidence=0.95, batch=pb.FixedBatch(8), guarantee=0.1)
    found = 0
    for before, after in steps(loop.start(settings, ABCD), utilities, ABCD, rounds=10):
        e, inside = weakest(after), set(before.candidates)
        for each in after.rounds[-1].eliminated:
            value = e[ABCD.index(each.by), ABCD.index(each.name)]
            assert value >= 16 / 0.1 * (1 - 1e-9)
            assert each.error_bound == pytest.approx(16 / value)
            assert {each.by, each.name} <= inside
            inside.remove(each.name)
            found += 1
        assert after.candidates == inside
        for winner, loser in permutations(inside, 2):
            assert e[ABCD.index(winner), ABCD.index(loser)] < 160
    assert found >= 1 + 2 * (utilities is ORDERED)


@pytest.mark.parametrize("guarantee", [None, 0.2])
def test_every_elimination_has_a_bound(guarantee):
    settings = settings_of(confidence=0.9, batch=pb.FixedBatch(8), guarantee=guarantee)
    found = []
    for _, after in steps(loop.start(settings, ABCD), ORDERED, ABCD):
        e = weakest(after)
        for each in after.rounds[-1].eliminated:
            expected = min(1.0, 16 / e[ABCD.index(each.by), ABCD.index(each.name)])
            assert each.error_bound == pytest.approx(expected)
            found.append(each)
    assert {each.name for each in found} == set("bcd")
    if guarantee is None:  # the posterior needs less
        assert max(each.error_bound for each in found) > 0.2


def test_the_most_certain_elimination_comes_first():
    settings = settings_of(batch=pb.FixedBatch(100), guarantee=0.05, confidence=0.95)
    state = told(loop.start(settings, ABCD), ORDERED, ABCD)
    assert [each.name for each in eliminations(state)] == ["d", "c", "b"]
    bounds = [each.error_bound for each in eliminations(state)]
    assert bounds == sorted(bounds)
    assert bounds[0] < 1e-20  # where 1 - bound is 1 for several of them


def test_a_sure_posterior_without_evidence_eliminates_only_without_a_guarantee(believing):
    believing(sure_of("abcde"))
    state = told(loop.start(settings_of(), NAMES))
    assert state.candidates == {"a"}
    assert all(each.error_bound == 1.0 for each in eliminations(state))  # two instances prove nothing
    assert told(loop.start(settings_of(guarantee=0.5), NAMES), rounds=3).candidates == set(NAMES)


def test_evidence_eliminates_where_the_posterior_is_unsure(believing):
    believing(unsure())
    utilities = np.full((4, 5), [6.0, 0.0, 0.0, 0.0, 0.0])
    assert told(loop.start(settings_of(confidence=0.99), NAMES), utilities, rounds=10).candidates == set(NAMES)
    state = told(loop.start(settings_of(confidence=0.99, guarantee=0.05), NAMES), utilities, rounds=10)
    assert state.candidates == {"a"}
    for each in eliminations(state):
        assert each.by == "a"
        assert each.error_bound <= 0.05
        assert each.probability < 0.99  # what the posterior says, beside it


def test_a_pair_that_may_be_eliminated_stays_undecided_until_there_is_evidence(believing):
    believing(sure_of("abcde"))
    state = told(loop.start(settings_of(guarantee=0.05), NAMES))
    assert not state.resolved[:, ~np.eye(5, dtype=bool)].any()
    assert loop.ask(state) is not None
    utilities = np.full((4, 5), [12.0, 9.0, 6.0, 3.0, 0.0])
    finished = told(state, utilities, rounds=20)
    assert finished.candidates == {"a"}
    assert loop.ask(finished) is None


@pytest.mark.parametrize("resolution", ["crossing", "strict"])
def test_pairs_that_cross_are_decided_as_without_a_guarantee(believing, resolution):
    early, late = ([10.0 ** -order.index(name) for name in NAMES] for order in ("abcde", "edcba"))
    believing(posterior_of([[early, early, late, late]] * 10, NAMES, TIMES))
    plain, proved = (
        told(loop.start(settings_of(guarantee=guarantee, resolution=resolution), NAMES)) for guarantee in (None, 0.05)
    )
    np.testing.assert_array_equal(proved.resolved, plain.resolved)
    assert loop.ask(proved) is None


def test_pairs_equivalent_somewhere_are_decided_as_without_a_guarantee(believing):
    ratings = np.array([[1.0] * 5, *[[5.0, 4.0, 3.0, 2.0, 1.0]] * 3])
    believing(posterior_of([ratings] * 10, NAMES, TIMES))
    state = told(loop.start(settings_of(guarantee=0.05, resolution="strict"), NAMES))
    assert state.candidates == set(NAMES)
    assert loop.ask(state) is None


def test_an_unreliable_posterior_decides_nothing(believing):
    doubtful = sure_of("abcde")
    believing(dataclasses.replace(doubtful, diagnostics=dataclasses.replace(doubtful.diagnostics, reliable=False)))
    state = told(loop.start(settings_of(guarantee=0.5), NAMES), np.full((4, 5), [9.0, 0, 0, 0, 0]), rounds=8)
    assert eliminations(state) == []


def test_few_races_of_equals_eliminate_anyone(believing):
    """Any elimination is wrong. The promise is 20 %; without the correction for twelve pairs more races would break it."""
    time = TIMES[:1]
    believing(some_posterior(np.random.default_rng(0), ABCD, time, sharpness=0.0))
    settings = settings_of(grid=time, prior=pb.Dirichlet(), elimination="pointwise", confidence=0.99, guarantee=0.2)
    wrong = uncorrected = 0
    for seed in range(60):
        state = loop.start(dataclasses.replace(settings, seed=seed, batch=pb.FixedBatch(10)), ABCD)
        looks = [after for _, after in steps(state, LEVEL[:1], NAMES, rounds=6, times=time)]
        wrong += bool(eliminations(looks[-1]))
        uncorrected += any(weakest(look).max() >= 1 / 0.2 for look in looks)
    assert wrong <= 0.2 * 60
    assert uncorrected > 0.2 * 60


@pytest.mark.parametrize("guarantee", [None, 0.05])
def test_a_newcomer_spends_what_was_reserved_for_it(guarantee):
    """The bounds of the three that began stay at 9 / e; those of the fourth are 2 · 4 · 3² / e."""
    settings = settings_of(batch=pb.FixedBatch(12), confidence=0.99, draws=1000, guarantee=guarantee)
    three = told(loop.start(settings, "abc"), ORDERED[:, :3], tuple("abc"))
    found = set()
    for _, after in steps(loop.add(three, "d"), ORDERED, ABCD):
        e = weakest(after)
        for each in after.rounds[-1].eliminated:
            spent = 72 if "d" in (each.name, each.by) else 9
            assert each.error_bound == pytest.approx(min(1, spent / e[ABCD.index(each.by), ABCD.index(each.name)]))
            found |= {each.name}
    assert "d" in found


def test_who_is_added_before_the_first_run_is_a_founder():
    state = loop.add(loop.start(settings_of(batch=pb.FixedBatch(60), confidence=0.95), "abc"), "d")
    state = told(state, ORDERED, ABCD)
    e = weakest(state)
    assert [each.name for each in eliminations(state)] == ["d", "c", "b"]
    for each in eliminations(state):
        assert each.error_bound == pytest.approx(16 / e[ABCD.index(each.by), ABCD.index(each.name)])


def test_records_and_settings_of_old_race_files_are_read():
    record = to_plain(Eliminated("b", "a", 0.99, 3, 6, 99.0, 0.01))
    assert record["error_bound"] == 0.01
    assert from_plain(json.loads(json.dumps(record))).error_bound == 0.01
    del record["error_bound"]
    assert from_plain(record) == Eliminated("b", "a", 0.99, 3, 6, 99.0, None)
    settings = settings_of(guarantee=0.05)
    written = to_plain(settings)
    assert from_plain(written) == settings
    del written["guarantee"]
    assert from_plain(written) == settings_of()


@pytest.mark.parametrize("guarantee", [0.0, -0.1, 0.51, 1, float("nan")])
def test_what_is_no_probability_of_an_error_is_refused(guarantee):
    with pytest.raises(ValueError, match=r"expected guarantee in \(0, 0.5\], .*got .*; use a value such as 0.05"):
        settings_of(guarantee=guarantee)


def test_a_race_takes_a_guarantee_keeps_it_and_can_change_it(tmp_path):
    state = loop.start(settings_of(batch=pb.FixedBatch(60)), ABCD)
    recorded = [run.trajectory for run in simulated_runs(loop.ask(state), ORDERED, ABCD, TIMES)]
    path = tmp_path / "proved.race"
    asked = {"prior": pb.RandomWalk(), "draws": 400, "confidence": 0.95, "batch": pb.FixedBatch(20)}
    with pb.Race(ABCD, None, TIMES, path=path, guarantee=0.05, **asked) as race:
        result = race.run(pb.ReplayExecutor(recorded), progress="none")
    assert {each.name for each in result.eliminations} == set("bcd")
    assert max(each.error_bound for each in result.eliminations) <= 0.05
    with pb.Race.open(path) as again:
        assert again.state.settings.guarantee == 0.05
        assert again.result.eliminations == result.eliminations
    with pb.Race.open(path, algorithms=ABCD, guarantee=1e-12) as stricter:
        left = stricter.run(pb.ReplayExecutor(recorded), progress="none")
    assert all(each.error_bound <= 1e-12 for each in left.eliminations)
    assert set(left.pareto_set) > set(result.pareto_set)
