"""Races that drop algorithms by e-values, and the error bound of every drop."""

import dataclasses
import json
from itertools import permutations

import numpy as np
import pytest

import polarbear as pb
from polarbear.posterior.elimination import Drop
from polarbear.race import loop
from polarbear.race.inference import choices_of_runs
from polarbear.race.serialisation import from_plain, to_plain
from tests.race.paper import posterior_of, some_posterior
from tests.race.simulated import simulated_runs
from tests.race.small import BUDGETS, LEVEL, NAMES, crossing_utilities, play_rounds, settings_of

ABCD = tuple("abcd")
ORDERED = np.full((4, 4), [3.0, 1.5, 0.0, -1.5])  # a beats b beats c beats d at all budgets, on about 80 % of instances


def steps(state, utilities, names, rounds=12, budgets=BUDGETS):
    """The states before and after each round."""
    for _ in range(rounds):
        before, state = state, play_rounds(state, utilities, names, budgets)
        if len(state.rounds) == len(before.rounds):
            return
        yield before, state


def weakest(state):
    """The smallest e-value over budgets, shape (algorithm, algorithm)."""
    return pb.evidence(choices_of_runs(state)).min(axis=0)


def drops(state):
    return [each for round_ in state.rounds for each in round_.dropped]


def certain_of(order):
    """A posterior that is certain of one order at all budgets, best first."""
    ratings = [10.0 ** -order.index(name) for name in NAMES]
    return posterior_of([[ratings] * 4] * 10, NAMES, BUDGETS)


def uncertain():
    return some_posterior(np.random.default_rng(0), NAMES, BUDGETS, sharpness=0.0)


@pytest.mark.parametrize("utilities", [crossing_utilities(ABCD), ORDERED], ids=["crossing", "ordered"])
@pytest.mark.parametrize(
    "design",
    [
        {"prior": pb.Dirichlet(), "dominance": "pointwise", "until": "every-budget"},
        {"prior": pb.RandomWalk(), "dominance": "joint", "until": "pairs"},
    ],
    ids=["pointwise-every-budget", "joint-pairs"],
)
def test_an_algorithm_is_dropped_if_and_only_if_its_e_values_suffice(design, utilities):
    settings = settings_of(**design, confidence=0.95, batch=pb.FixedBatch(8), guarantee=0.1)
    count = 0
    for before, after in steps(loop.start(settings, ABCD), utilities, ABCD, rounds=10):
        e, inside = weakest(after), set(before.candidates)
        for each in after.rounds[-1].dropped:
            value = e[ABCD.index(each.by), ABCD.index(each.name)]
            assert value >= 16 / 0.1 * (1 - 1e-9)
            assert each.error_bound == pytest.approx(16 / value)
            assert {each.by, each.name} <= inside
            inside.remove(each.name)
            count += 1
        assert after.candidates == inside
        for winner, loser in permutations(inside, 2):
            assert e[ABCD.index(winner), ABCD.index(loser)] < 160
    assert count >= 1 + 2 * (utilities is ORDERED)


def test_every_drop_has_the_error_bound_of_its_e_value_without_a_guarantee():
    settings = settings_of(confidence=0.9, batch=pb.FixedBatch(8))
    losers = []
    for _, after in steps(loop.start(settings, ABCD), ORDERED, ABCD):
        e = weakest(after)
        for each in after.rounds[-1].dropped:
            expected = min(1.0, 16 / e[ABCD.index(each.by), ABCD.index(each.name)])
            assert each.error_bound == pytest.approx(expected)
            losers.append(each)
    assert {each.name for each in losers} == set("bcd")
    assert max(each.error_bound for each in losers) > 0.2  # the posterior needs less evidence


def test_the_most_certain_drop_comes_first():
    settings = settings_of(batch=pb.FixedBatch(100), guarantee=0.05, confidence=0.95)
    state = play_rounds(loop.start(settings, ABCD), ORDERED, ABCD)
    assert [each.name for each in drops(state)] == ["d", "c", "b"]
    bounds = [each.error_bound for each in drops(state)]
    assert bounds == sorted(bounds)
    assert bounds[0] < 1e-20  # where 1 - bound is 1 for several of them


def test_a_certain_posterior_without_evidence_drops_algorithms_only_without_a_guarantee(believe):
    believe(certain_of("abcde"))
    state = play_rounds(loop.start(settings_of(), NAMES))
    assert state.candidates == {"a"}
    assert all(each.error_bound == 1.0 for each in drops(state))  # two instances prove nothing
    assert play_rounds(loop.start(settings_of(guarantee=0.5), NAMES), rounds=3).candidates == set(NAMES)


def test_evidence_drops_algorithms_where_the_posterior_is_uncertain(believe):
    believe(uncertain())
    utilities = np.full((4, 5), [6.0, 0.0, 0.0, 0.0, 0.0])
    assert play_rounds(loop.start(settings_of(confidence=0.99), NAMES), utilities, rounds=10).candidates == set(NAMES)
    state = play_rounds(loop.start(settings_of(confidence=0.99, guarantee=0.05), NAMES), utilities, rounds=10)
    assert state.candidates == {"a"}
    for each in drops(state):
        assert each.by == "a"
        assert each.error_bound <= 0.05
        assert each.probability < 0.99  # that of the posterior


def test_a_pair_that_may_be_dropped_stays_undecided_until_there_is_evidence(believe):
    believe(certain_of("abcde"))
    state = play_rounds(loop.start(settings_of(guarantee=0.05), NAMES))
    assert not state.decided[:, ~np.eye(5, dtype=bool)].any()
    assert loop.ask(state) is not None
    utilities = np.full((4, 5), [12.0, 9.0, 6.0, 3.0, 0.0])
    finished = play_rounds(state, utilities, rounds=20)
    assert finished.candidates == {"a"}
    assert loop.ask(finished) is None


def test_with_a_guarantee_no_algorithm_comes_back(believe):
    """The error bound of a drop holds for ever, whatever the posterior says later about the dropped algorithm."""
    utilities = np.full((4, 5), [8.0, 0.0, 8.0, 0.0, 0.0])
    ratings = np.concatenate([certain_of(order).ratings for order in ("acbde", "cabde")])
    found = {}
    for guarantee in (0.05, None):
        believe(posterior_of(ratings, NAMES, BUDGETS), certain_of("bacde"))
        settings = settings_of(batch=pb.FixedBatch(40), guarantee=guarantee)
        found[guarantee] = play_rounds(loop.start(settings, NAMES), utilities, rounds=2)
        assert {each.name for each in found[guarantee].rounds[0].dropped} == set("bde")
    assert [found[guarantee].rounds[1].returned for guarantee in (0.05, None)] == [(), ("b",)]
    assert [found[guarantee].kept for guarantee in (0.05, None)] == [("a", "c"), ("b",)]


@pytest.mark.parametrize(
    ("orders", "kept"), [(("abc", "bca", "cab"), ("a", "b", "c")), (("abc", "abc", "bca", "cab"), ("a",))]
)
def test_a_cycle_of_e_values_is_kept_and_a_chain_is_not(believe, orders, kept):
    """a beats b and b beats c with bounds below the guarantee. c beats a, too, or the two win equally often."""
    believe(uncertain())
    settings = settings_of(batch=pb.FixedBatch(240), guarantee=0.05, confidence=0.99)
    state = loop.start(settings, NAMES)
    runs = simulated_runs(plan := loop.ask(state), LEVEL, NAMES, BUDGETS)
    state = loop.tell(state, plan, [ordered(run, orders[run.trajectory.instance % len(orders)]) for run in runs])
    e = weakest(state)
    assert min(e[0, 1], e[1, 2]) > 25 / 0.05
    assert (e[2, 0] > 25 / 0.05) == (len(kept) > 1)
    assert max(e[0, 2], e[2, 0] if len(kept) == 1 else 0) < 1
    assert state.kept == kept


def ordered(run, order):
    """The run with values in this order, ahead of all other algorithms."""
    path = run.trajectory
    if path.algorithm not in order:
        return run
    values = np.linspace(-100, -200, len(path.budgets)) + order.index(path.algorithm)
    return dataclasses.replace(run, trajectory=dataclasses.replace(path, values=values))


@pytest.mark.parametrize("until", ["pairs", "every-budget"])
def test_pairs_that_cross_are_decided_as_without_a_guarantee(believe, until):
    early, late = ([10.0 ** -order.index(name) for name in NAMES] for order in ("abcde", "edcba"))
    believe(posterior_of([[early, early, late, late]] * 10, NAMES, BUDGETS))
    plain, proved = (
        play_rounds(loop.start(settings_of(guarantee=guarantee, until=until), NAMES)) for guarantee in (None, 0.05)
    )
    np.testing.assert_array_equal(proved.decided, plain.decided)
    assert loop.ask(proved) is None


def test_pairs_equivalent_somewhere_are_decided_as_without_a_guarantee(believe):
    ratings = np.array([[1.0] * 5, *[[5.0, 4.0, 3.0, 2.0, 1.0]] * 3])
    believe(posterior_of([ratings] * 10, NAMES, BUDGETS))
    state = play_rounds(loop.start(settings_of(guarantee=0.05, until="every-budget"), NAMES))
    assert state.candidates == set(NAMES)
    assert loop.ask(state) is None


def test_an_unreliable_posterior_decides_nothing(believe):
    certain = certain_of("abcde")
    believe(dataclasses.replace(certain, diagnostics=dataclasses.replace(certain.diagnostics, reliable=False)))
    state = play_rounds(loop.start(settings_of(guarantee=0.5), NAMES), np.full((4, 5), [9.0, 0, 0, 0, 0]), rounds=8)
    assert drops(state) == []


def test_few_races_of_equal_algorithms_drop_any(believe):
    """Any drop is wrong. The guarantee is 20 %; without the correction for 12 pairs more races would fail."""
    races, budget = 40, BUDGETS[:1]
    believe(some_posterior(np.random.default_rng(0), ABCD, budget, sharpness=0.0))
    settings = settings_of(grid=budget, prior=pb.Dirichlet(), dominance="pointwise", confidence=0.99, guarantee=0.2)
    wrong = uncorrected = 0
    for seed in range(races):
        state = loop.start(dataclasses.replace(settings, seed=seed, batch=pb.FixedBatch(5)), ABCD)
        looks = [after for _, after in steps(state, LEVEL[:1], NAMES, rounds=6, budgets=budget)]
        wrong += bool(drops(looks[-1]))
        uncorrected += any(weakest(look).max() >= 1 / 0.2 for look in looks)
    assert wrong <= 0.2 * races
    assert uncorrected > 0.2 * races


def test_the_error_bounds_of_founders_do_not_change_when_an_algorithm_joins():
    """The bounds of the three founders stay at 9 / e; those of the fourth algorithm are 2 · 4 · 3² / e."""
    settings = settings_of(batch=pb.FixedBatch(12), confidence=0.99, draws=1000, guarantee=0.05)
    three = play_rounds(loop.start(settings, "abc"), ORDERED[:, :3], tuple("abc"))
    losers = set()
    for _, after in steps(loop.add(three, "d"), ORDERED, ABCD):
        e = weakest(after)
        for each in after.rounds[-1].dropped:
            correction = 72 if "d" in (each.name, each.by) else 9
            assert each.error_bound == pytest.approx(min(1, correction / e[ABCD.index(each.by), ABCD.index(each.name)]))
            losers |= {each.name}
    assert "d" in losers


def test_an_algorithm_added_before_the_first_run_is_a_founder():
    state = loop.add(loop.start(settings_of(batch=pb.FixedBatch(60), confidence=0.95), "abc"), "d")
    state = play_rounds(state, ORDERED, ABCD)
    e = weakest(state)
    assert {each.name for each in drops(state)} == set("bcd")
    for each in drops(state):
        assert each.error_bound == pytest.approx(16 / e[ABCD.index(each.by), ABCD.index(each.name)])


def test_records_and_settings_of_old_race_files_are_read():
    record = to_plain(Drop("b", "a", 0.99, 3, 6, 99.0, 0.01))
    assert record["error_bound"] == 0.01
    assert from_plain(json.loads(json.dumps(record))).error_bound == 0.01
    del record["error_bound"]
    assert from_plain(record) == Drop("b", "a", 0.99, 3, 6, 99.0, None)
    settings = settings_of(guarantee=0.05)
    written = to_plain(settings)
    assert from_plain(written) == settings
    del written["guarantee"]
    assert from_plain(written) == settings_of()


@pytest.mark.parametrize("guarantee", [0.0, -0.1, 0.51, 1, float("nan"), "0.05", True])
def test_a_guarantee_outside_its_range_is_refused(guarantee):
    with pytest.raises(ValueError, match=r"expected guarantee as a number above 0 and at most 0.5, got "):
        settings_of(guarantee=guarantee)


def test_a_race_file_stores_the_guarantee_and_it_can_change(tmp_path):
    state = loop.start(settings_of(batch=pb.FixedBatch(60)), ABCD)
    recorded = [run.trajectory for run in simulated_runs(loop.ask(state), ORDERED, ABCD, BUDGETS)]
    path = tmp_path / "proved.race"
    settings = {"prior": pb.RandomWalk(), "draws": 400, "confidence": 0.95, "batch": pb.FixedBatch(20)}
    with pb.Race(ABCD, None, BUDGETS, path=path, guarantee=0.05, **settings) as race:
        result = race.drive(pb.ReplayExecutor(recorded), progress="none")
    assert {each.name for each in result.drops} == set("bcd")
    assert max(each.error_bound for each in result.drops) <= 0.05
    with pb.Race.open(path) as again:
        assert again.state.settings.guarantee == 0.05
        assert again.outcome.drops == result.drops
    with pb.Race.open(path, algorithms=ABCD, guarantee=1e-12) as stricter:
        left = stricter.drive(pb.ReplayExecutor(recorded), progress="none")
    assert all(each.error_bound <= 1e-12 for each in left.drops)
    assert set(left.kept) > set(result.kept)
