from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear.calibration.simulator import Simulator
from polarbear.observe.rankings import ABSENT, UNRANKED

RECORDED = Path(__file__).parents[2] / "case_studies" / "data" / "ma_bbob_d30.npz"


@pytest.fixture(scope="module")
def recorded():
    """Real runs: six step-size rules of CMA-ES, and random search, on 160 MA-BBOB instances, at 40 of the 200 times."""
    with np.load(RECORDED) as data:
        at = np.linspace(0, 199, 40).astype(int)
        grid = pb.Grid(data["evaluations"][at].astype(float), "log")
        return pb.Choices.from_values(data["values"][:, at], grid=grid, names=data["algorithms"], per_instance=True)


@pytest.fixture(scope="module")
def belief(recorded):
    return pb.fit(recorded, prior=pb.BSpline(), draws=1000)


def test_real_runs_contradict_the_model(recorded, belief):
    check = pb.model_check(belief, recorded)
    worst = check.misfits[0]
    assert (worst.name, worst.other) == ("MSR", "XNES")
    assert worst.modelled - worst.observed == pytest.approx(0.16, abs=0.02)
    assert worst.errors < -4
    assert worst.first > 4_000
    assert worst.last < 20_000
    assert check.threshold < 4.4


def test_although_no_decision_falls_with_it(recorded, belief):
    check, out = pb.model_check(belief, recorded), pb.dominated(belief, confidence=0.95)
    assert {each.name for each in out} == {"RS", "LPXNES", "MSR"}
    opinions = check.judged(out)
    assert min(each.own for each in opinions) > 0.95
    contradicted, third, fine, advice = check.sentences(out)
    assert contradicted.startswith("Rankings contradict the model (Plackett-Luce): MSR beat XNES on ")
    assert third.startswith(
        "A pair's win rate depends on a third algorithm, which the model (Plackett-Luce) excludes: at 13,676 the fitted win "
        "rate of CSA over "
    )
    assert third.endswith("; leaving out TPA changes win rates too.")
    assert fine == "The pairs' own outcomes contradict no elimination."
    assert advice == "To rely on outcomes instead of the model, fit with prior=BayesianBootstrap()."
    assert check.sentences() == [contradicted, third, advice]  # no sentence about eliminations if there are none


def test_real_runs_depend_on_who_else_was_there(recorded, belief):
    check = pb.model_check(belief, recorded)
    assert [each.name for each in check.disturbances] == ["MSR", "TPA"]
    worst = check.disturbances[0]
    assert worst.without - worst.rate == pytest.approx(0.084, abs=0.01)
    assert worst.errors > 6
    assert worst.sentence in " ".join(check.sentences())


def test_a_pair_has_nobody_to_leave_out():
    pair = pb.Choices.from_values([[[1, 2]], [[2, 1]]], grid=[1], per_instance=True)
    check = pb.model_check(pb.fit(pair, prior=pb.Dirichlet(), draws=200), pair)
    assert check.left_out == {}
    assert check.disturbances == ()
    assert check.sentences() == []


@pytest.mark.parametrize("autocorrelation", [0.0, 0.95])
def test_rankings_that_follow_the_model_do_not_contradict_it(autocorrelation):
    # Forty data sets, of which the check may call one in a hundred contradicted.
    utilities = np.linspace([1.0, 0.0, -1.0], [-1.0, 0.5, 0.5], 10)
    for seed in range(40):
        values = Simulator(autocorrelation).values(utilities, 60, rng=np.random.default_rng(seed))
        choices = pb.Choices.from_values(values, grid=range(1, 11), per_instance=True)
        check = pb.model_check(pb.fit(choices, prior=pb.RandomWalk(), draws=200), choices)
        assert check.misfits == ()
        assert check.disturbances == ()
        assert check.sentences() == []
    np.testing.assert_allclose(check.observed + check.observed.transpose(0, 2, 1) + np.eye(3), 1)


@pytest.fixture
def cycle():
    """On two instances of three each beats the next one, in a circle: no rating explains that."""
    values = np.tile([[[1, 2, 3]], [[3, 1, 2]], [[2, 3, 1]]], (40, 4, 1))
    return pb.Choices.from_values(values, grid=[1, 2, 3, 4], per_instance=True)


def test_a_circle_is_found(cycle):
    check = pb.model_check(pb.fit(cycle, prior=pb.Dirichlet(), draws=500), cycle)
    assert {(each.name, each.other) for each in check.misfits} == {("A", "B"), ("A", "C"), ("B", "C")}
    assert check.own[0, 0, 1] == pytest.approx(stats.beta.sf(0.5, 80.5, 40.5))
    assert check.sentences()[0].endswith("; 2 more pairs contradict it.")


def test_a_decision_against_the_pairs_own_outcomes_is_named(cycle):
    check = pb.model_check(pb.fit(cycle, prior=pb.Dirichlet(), draws=500), cycle)
    (opinion,) = check.judged([pb.Dominated("A", "B", 0.99)])
    assert opinion.contradicted
    told = " ".join(check.sentences([pb.Dominated("A", "B", 0.99)]))
    assert (
        "The pair's own outcomes contradict this elimination: B beats A with probability 0.990 under the posterior, but "
        "with 0.000 at 1 from the outcomes of these two alone."
    ) in told
    assert "Run such a pair on more instances to settle it." in told


def test_a_decision_that_only_the_model_supports_is_named_too(cycle):
    check = pb.model_check(pb.fit(cycle, prior=pb.Dirichlet(), draws=500), cycle)
    even = replace(check, own=np.full_like(check.own, 0.4))
    (opinion,) = even.judged([pb.Dominated("A", "B", 0.99)])
    assert not opinion.contradicted
    assert opinion.unsupported
    told = " ".join(even.sentences([pb.Dominated("A", "B", 0.99)]))
    assert (
        "The model supports this elimination; the pair's own outcomes do not: B beats A with probability 0.990" in told
    )


def test_a_second_opinion_is_taken_where_the_two_were_compared():
    ranks = [[[0, 1, ABSENT], [0, 1, 2]]] * 20 + [[[ABSENT, 0, 1], [0, 1, 2]]] * 20
    choices = pb.Choices.from_rankings(pb.Rankings(ranks, None, [1.0, 2.0]), per_instance=True)
    check = pb.model_check(pb.fit(choices, prior=pb.Dirichlet(), draws=200), choices)
    (opinion,) = check.judged([pb.Dominated("C", "A", 0.99)])
    assert opinion.time == 2.0  # at 1 the two were never seen together
    assert opinion.own > 0.99


def test_who_was_never_compared_is_no_misfit():
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


def test_the_check_needs_the_choices_of_the_posterior_with_their_rankings(cycle):
    posterior = pb.fit(cycle, prior=pb.Dirichlet(), draws=200)
    with pytest.raises(ValueError, match="make them with per_instance=True"):
        pb.model_check(posterior, pb.Choices.from_values([[[1, 2, 3]]], grid=[1], per_instance=False))
    other = pb.Choices.from_values([[[1, 2, 3]]], grid=[1], per_instance=True)
    with pytest.raises(ValueError, match="expected the choices that the posterior was fitted to"):
        pb.model_check(posterior, other)


def test_weights_times_a_number_contradict_no_more(recorded, belief):
    check = pb.model_check(belief, recorded)
    heavier = pb.model_check(belief, recorded * 10.0)
    np.testing.assert_allclose(heavier.errors, check.errors, atol=1e-9)
    np.testing.assert_allclose(heavier.own, check.own, atol=1e-9)
    assert heavier.misfits[0].instances == pytest.approx(160)


def test_what_two_never_did_against_each_other_supports_nothing():
    # A and B on some instances, B and C on others: the model alone says that A beats C.
    values = np.array([[[0.0, 1.0, np.nan]]] * 20 + [[[np.nan, 0.0, 1.0]]] * 20)
    choices = pb.Choices.from_values(values, grid=[1], per_instance=True)
    belief = pb.fit(choices, prior=pb.Dirichlet(), draws=200)
    check = pb.model_check(belief, choices)
    (opinion,) = check.judged([pb.Dominated("C", "A", 0.99)])
    assert opinion.own == 0.5
    assert opinion.unsupported


@pytest.mark.parametrize("swapped", [True, False])
def test_what_is_no_posterior_or_no_choices_is_refused(recorded, belief, swapped):
    given = (recorded, belief) if swapped else (belief, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="expected a Posterior and then the Choices"):
        pb.model_check(*given)


def with_a_copy(seed=0, instances=200):
    """A, B and C are equal; D is A, a little worse. Plackett-Luce makes A too strong, as it always beats D."""
    noise = np.random.default_rng(seed).gumbel(size=(instances, 1, 3)).repeat(2, axis=1)
    values = np.append(-noise, -noise[..., :1] + 0.01, axis=2)
    return pb.Choices.from_values(values, grid=[1, 2], per_instance=True)


@pytest.mark.parametrize("weight", ["auto", 0.0])
def test_outcomes_contradict_no_model_that_hardly_counts(cycle, weight):
    for choices in (cycle, with_a_copy()):
        posterior = pb.fit(choices, prior=pb.BayesianBootstrap(plackett_luce=weight), draws=500)
        check = pb.model_check(posterior, choices)
        assert check.model_share.max() < 0.5
        assert check.left_out == {}
        assert check.sentences(pb.dominated(posterior, confidence=0.9)) == []


def test_a_plackett_luce_fit_under_weights_is_contradicted_as_the_model_is(cycle):
    check = pb.model_check(pb.fit(cycle, prior=pb.BayesianBootstrap(plackett_luce=np.inf), draws=500), cycle)
    assert (check.model_share == 1).all()
    assert {(each.name, each.other) for each in check.misfits} == {("A", "B"), ("A", "C"), ("B", "C")}
    assert check.misfits[0].observed in (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert check.misfits[0].modelled == pytest.approx(0.5, abs=0.05)
    choices = with_a_copy()
    check = pb.model_check(pb.fit(choices, prior=pb.BayesianBootstrap(plackett_luce=np.inf), draws=500), choices)
    assert check.disturbances[0].name == "D"


def test_a_change_counts_as_far_as_the_model_does():
    choices = with_a_copy(instances=100)
    heavy = pb.model_check(pb.fit(choices, prior=pb.BayesianBootstrap(plackett_luce=400), draws=200), choices)
    (share,) = np.unique(heavy.model_share[:, 0, 1:].round(6))
    assert share == pytest.approx(400 / (400 + 101))  # a hundred instances and one pseudo-instance
    worst = heavy.disturbances[0]
    assert worst.name == "D"
    less = replace(heavy, model_share=heavy.model_share * 0.049 / abs(worst.without - worst.rate))
    assert less.disturbances == ()


def test_own_outcomes_of_a_bootstrap_are_its_win_rates_without_the_model(cycle):
    plain = pb.fit(cycle, prior=pb.BayesianBootstrap(plackett_luce=0, shrink=False), draws=2000)
    blended = pb.fit(cycle, prior=pb.BayesianBootstrap(plackett_luce=300), draws=2000)
    check = pb.model_check(blended, cycle)
    np.testing.assert_allclose(check.own, pb.dominance(plain), atol=0.01)
    assert np.abs(check.modelled - pb.win_probability(plain))[0, 0, 1] > 0.1  # the model says one half
    (opinion,) = check.judged([pb.Dominated("A", "B", 0.99)])
    assert opinion.contradicted


def test_clusters_make_own_outcomes_less_certain():
    """Three data sets with forty repetitions each: A wins on two, B on the third."""
    values = np.repeat([[[0.0, 1.0]], [[0.0, 1.0]], [[1.0, 0.0]]], 40, axis=0)
    labels = np.repeat(["x", "y", "z"], 40)
    clustered = pb.Choices.from_rankings(
        pb.Rankings(values.astype(int), None, [1.0], clusters=labels), per_instance=True
    )
    check = pb.model_check(pb.fit(clustered, prior=pb.BayesianBootstrap(), draws=2000), clustered)
    assert 0.6 < check.own[0, 0, 1] < 0.85  # as two wins of three
    assert check.observed[0, 0, 1] == pytest.approx(2 / 3)
    assert check.deviation[0, 0, 1] > 0.15  # of 120 independent instances it would be 0.04


def test_observed_win_rates_have_the_weights_of_the_posterior():
    """One data set has thirty repetitions and another ten; both count the same."""
    values = np.repeat([[[0, 1]], [[1, 0]]], [30, 10], axis=0)
    rankings = pb.Rankings(values, None, [1.0], clusters=np.repeat(["x", "y"], [30, 10]))
    choices = pb.Choices.from_rankings(rankings, per_instance=True)
    check = pb.model_check(pb.fit(choices, prior=pb.BayesianBootstrap(), draws=400), choices)
    assert check.observed[0, 0, 1] == pytest.approx(0.5)
    assert check.misfits == ()
