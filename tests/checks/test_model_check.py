"""The model check on recorded runs, on simulated data that follow the model, and on data that contradict it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear.answer.doubts import find_model_doubts
from polarbear.calibration.simulator import Simulator
from polarbear.checks.leave_one_out import restrict_to
from polarbear.findings import Code, ShowPair, UseBootstrap
from polarbear.observe.rankings import ABSENT, UNRANKED

RECORDED = Path(__file__).parents[2] / "case_studies" / "data" / "ma_bbob_d30.npz"


@pytest.fixture(scope="module")
def recorded():
    """Real runs: six step-size rules of CMA-ES, and random search, on 160 MA-BBOB instances, at 40 of the 200 budgets."""
    with np.load(RECORDED) as data:
        at = np.linspace(0, 199, 40).astype(int)
        grid = pb.Grid(data["evaluations"][at].astype(float), "log")
        return pb.Choices.from_values(data["values"][:, at], grid=grid, names=data["algorithms"], per_instance=True)


@pytest.fixture(scope="module")
def posterior(recorded):
    return pb.fit(recorded, prior=pb.BSpline(), draws=1000)


@pytest.fixture(scope="module")
def recorded_check(recorded, posterior):
    return pb.model_check(posterior, recorded)


def test_real_runs_contradict_the_model(recorded_check):
    check = recorded_check
    worst = check.misfits[0]
    assert (worst.name, worst.other) == ("MSR", "XNES")
    assert worst.modelled - worst.observed == pytest.approx(0.16, abs=0.02)
    assert worst.errors < -4
    assert worst.first > 4_000
    assert worst.last < 20_000
    assert check.threshold < 4.4


def test_real_runs_confirm_every_drop(recorded_check, posterior):
    check, drops = recorded_check, pb.dominated(posterior, confidence=0.95)
    assert {each.name for each in drops} == {"RS", "LPXNES", "MSR"}
    assert min(each.own for each in check.check_drops(drops)) > 0.95
    found = doubts_on(check, drops)
    assert [each.code for each in found] == [Code.MODEL_MISFIT, Code.MODEL_INFLUENCE]
    misfit, influence = found
    assert (misfit.subject, misfit.remedy) == (("MSR", "XNES"), UseBootstrap())
    assert (influence.subject, influence.numbers["first"], influence.numbers["others"]) == (("MSR",), "CSA", ["TPA"])
    assert doubts_on(check) == found


def doubts_on(check, drops=()):
    return find_model_doubts(check, drops, is_race=False)


def test_win_rates_of_real_runs_depend_on_third_algorithms(recorded_check):
    check = recorded_check
    assert [each.name for each in check.influences] == ["MSR", "TPA"]
    worst = check.influences[0]
    assert worst.without - worst.rate == pytest.approx(0.084, abs=0.01)
    assert worst.errors > 6
    (found,) = (each for each in doubts_on(check) if each.code is Code.MODEL_INFLUENCE)
    assert found.numbers["without"] == worst.without


def test_of_two_algorithms_none_is_left_out():
    pair = pb.Choices.from_values([[[1, 2]], [[2, 1]]], grid=[1], per_instance=True)
    check = pb.model_check(pb.fit(pair, prior=pb.Dirichlet(), draws=200), pair)
    assert check.left_out == {}
    assert check.influences == ()
    assert doubts_on(check) == []


@pytest.mark.parametrize("autocorrelation", [0.0, 0.95])
def test_rankings_that_follow_the_model_do_not_contradict_it(autocorrelation):
    # The check rejects a correct model in one of a hundred data sets.
    utilities = np.linspace([1.0, 0.0, -1.0], [-1.0, 0.5, 0.5], 10)
    for seed in range(25):
        values = Simulator(autocorrelation).values(utilities, 60, rng=np.random.default_rng(seed))
        choices = pb.Choices.from_values(values, grid=range(1, 11), per_instance=True)
        check = pb.model_check(pb.fit(choices, prior=pb.RandomWalk(), draws=200), choices)
        assert check.misfits == ()
        assert check.influences == ()
        assert doubts_on(check) == []
    np.testing.assert_allclose(check.observed + check.observed.transpose(0, 2, 1) + np.eye(3), 1)


@pytest.fixture(scope="module")
def cycle():
    """Each algorithm beats the next one, in a cycle, on two of three instances; no rating explains that."""
    values = np.tile([[[1, 2, 3]], [[3, 1, 2]], [[2, 3, 1]]], (40, 4, 1))
    return pb.Choices.from_values(values, grid=[1, 2, 3, 4], per_instance=True)


@pytest.fixture(scope="module")
def cycle_check(cycle):
    return pb.model_check(pb.fit(cycle, prior=pb.Dirichlet(), draws=500), cycle)


def test_a_cycle_is_found(cycle_check):
    check = cycle_check
    assert {(each.name, each.other) for each in check.misfits} == {("A", "B"), ("A", "C"), ("B", "C")}
    assert check.own[0, 0, 1] == pytest.approx(stats.beta.sf(0.5, 80.5, 40.5))
    assert doubts_on(check)[0].numbers["more"] == 2


def test_a_drop_that_the_pair_contradicts_is_named(cycle_check):
    check = cycle_check
    (pair_check,) = check.check_drops([pb.Drop("A", "B", 0.99)])
    assert pair_check.contradicted
    found = doubts_on(check, [pb.Drop("A", "B", 0.99)])[0]
    assert (found.code, found.severity, found.subject) == (Code.DROP_CONTRADICTED, "unreliable", ("A", "B"))
    assert found.numbers == {"probability": 0.99, "own": pair_check.own, "budget": 1.0}
    assert found.remedy == ShowPair("B", "A")


def test_a_drop_that_only_the_model_supports_is_named(cycle_check):
    check = cycle_check
    even = replace(check, own=np.full_like(check.own, 0.4))
    (pair_check,) = even.check_drops([pb.Drop("A", "B", 0.99)])
    assert not pair_check.contradicted
    assert pair_check.unsupported
    found = doubts_on(even, [pb.Drop("A", "B", 0.99)])[0]
    assert (found.code, found.severity, found.remedy) == (Code.DROP_UNSUPPORTED, "tentative", UseBootstrap())


def test_a_pair_is_checked_at_budgets_at_which_it_was_compared():
    ranks = [[[0, 1, ABSENT], [0, 1, 2]]] * 20 + [[[ABSENT, 0, 1], [0, 1, 2]]] * 20
    choices = pb.Choices.from_rankings(pb.Rankings(ranks, None, [1.0, 2.0]), per_instance=True)
    check = pb.model_check(pb.fit(choices, prior=pb.Dirichlet(), draws=200), choices)
    (pair_check,) = check.check_drops([pb.Drop("C", "A", 0.99)])
    assert pair_check.budget == 2.0  # at 1 the two were never compared
    assert pair_check.own > 0.99


def test_a_pair_that_was_never_compared_is_no_misfit():
    ranks = [[[0, 1, ABSENT]], [[ABSENT, 0, 1]], [[0, UNRANKED, UNRANKED]]] * 10
    choices = pb.Choices.from_rankings(pb.Rankings(ranks, None, [1.0]), per_instance=True)
    check = pb.model_check(pb.fit(choices, prior=pb.Dirichlet(), draws=200), choices)
    np.testing.assert_array_equal(check.compared[0], [[0, 20, 10], [20, 0, 10], [10, 10, 0]])
    apart = pb.Rankings([[[0, 1, ABSENT]], [[ABSENT, 0, 1]]], None, [1.0])
    choices = pb.Choices.from_rankings(apart, per_instance=True)
    check = pb.model_check(pb.fit(choices, prior=pb.Dirichlet(), draws=200), choices)
    assert np.isnan(check.observed[0, 0, 2])
    assert check.errors[0, 0, 2] == 0
    assert check.own[0, 0, 2] == pytest.approx(0.5)


def test_choices_without_rankings_or_of_another_posterior_are_rejected(cycle):
    posterior = pb.fit(cycle, prior=pb.Dirichlet(), draws=200)
    with pytest.raises(ValueError, match="make them with per_instance=True"):
        pb.model_check(posterior, pb.Choices.from_values([[[1, 2, 3]]], grid=[1], per_instance=False))
    other = pb.Choices.from_values([[[1, 2, 3]]], grid=[1], per_instance=True)
    with pytest.raises(ValueError, match="expected the choices that the posterior was fitted to"):
        pb.model_check(posterior, other)


def test_the_scale_of_weights_does_not_matter(recorded, posterior, recorded_check):
    check = recorded_check
    heavier = pb.model_check(posterior, recorded * 10.0)
    np.testing.assert_allclose(heavier.errors, check.errors, atol=1e-9)
    np.testing.assert_allclose(heavier.own, check.own, atol=1e-9)
    assert heavier.misfits[0].instances == pytest.approx(160)


def test_a_pair_that_was_never_compared_supports_no_drop():
    # A and B on some instances, B and C on others: only the model implies that A beats C.
    values = np.array([[[0.0, 1.0, np.nan]]] * 20 + [[[np.nan, 0.0, 1.0]]] * 20)
    choices = pb.Choices.from_values(values, grid=[1], per_instance=True)
    check = pb.model_check(pb.fit(choices, prior=pb.Dirichlet(), draws=200), choices)
    (pair_check,) = check.check_drops([pb.Drop("C", "A", 0.99)])
    assert pair_check.own == 0.5
    assert pair_check.unsupported


@pytest.mark.parametrize("swapped", [True, False])
def test_arguments_of_other_types_are_rejected(recorded, posterior, swapped):
    given = (recorded, posterior) if swapped else (posterior, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="expected a Posterior and then the Choices"):
        pb.model_check(*given)


def with_a_copy(seed=0, instances=200):
    """A, B and C are equal; D is A, a little worse. Plackett-Luce makes A too strong, as it always beats D."""
    noise = np.random.default_rng(seed).gumbel(size=(instances, 1, 3)).repeat(2, axis=1)
    values = np.append(-noise, -noise[..., :1] + 0.01, axis=2)
    return pb.Choices.from_values(values, grid=[1, 2], per_instance=True)


def test_beliefs_about_pairs_have_no_model_to_contradict(cycle):
    for choices in (cycle, with_a_copy()):
        posterior = pb.fit(choices, draws=500)
        check = pb.model_check(posterior, choices)
        assert not check.by_model
        assert check.left_out == {}
        assert (check.misfits, check.influences) == ((), ())
        np.testing.assert_array_equal(check.own, pb.dominance(posterior))
        decisions = pb.dominated(posterior, confidence=0.9)
        assert all(each.own >= 0.9 for each in check.check_drops(decisions))
        assert doubts_on(check, decisions) == []


def test_a_copy_disturbs_the_model_but_no_belief_about_a_pair():
    choices = with_a_copy()
    check = pb.model_check(pb.fit(choices, prior=pb.Dirichlet(), draws=500), choices)
    assert check.by_model
    assert check.influences[0].name == "D"
    alone = restrict_to(choices.rankings, [0, 1, 2])
    beliefs, without = (pb.win_probability(pb.fit(each, draws=500)) for each in (choices, alone))
    np.testing.assert_array_equal(beliefs[:, :3, :3], without)


def test_clusters_make_pair_outcomes_less_certain():
    """Three data sets with forty repetitions each: A wins on two, B on the third."""
    values = np.repeat([[[0.0, 1.0]], [[0.0, 1.0]], [[1.0, 0.0]]], 40, axis=0)
    labels = np.repeat(["x", "y", "z"], 40)
    clustered = pb.Choices.from_rankings(
        pb.Rankings(values.astype(int), None, [1.0], clusters=labels), per_instance=True
    )
    check = pb.model_check(pb.fit(clustered, draws=2000), clustered)
    assert 0.6 < check.own[0, 0, 1] < 0.85  # two wins of three
    assert check.observed[0, 0, 1] == pytest.approx(2 / 3)
