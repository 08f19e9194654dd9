import numpy as np
import pytest

import polarbear as pb
from polarbear.baselines import compare_with_aocc


def posterior_of(runs):
    return pb.fit(pb.Choices.from_trajectories(runs, grid=[10, 20, 30]), prior=pb.Dirichlet(), draws=400)


def recorded(rules, instances=20, **kwargs):
    """Runs whose value on an instance is a rule's, from the first evaluation on."""
    return [
        pb.Trajectory(name, i, [1], [rule(i)], until=30, **kwargs)
        for i in range(instances)
        for name, rule in rules.items()
    ]


def test_the_two_agree_where_one_algorithm_is_better_on_every_instance():
    runs = recorded({"good": lambda i: 1e-4 * (1 + i), "bad": lambda i: 1e-2 * (1 + i)})
    verdict = compare_with_aocc(runs, posterior_of(runs))
    assert (verdict.choice, verdict.ours, verdict.differs) == ("good", "good", False)
    assert "would choose good too" in verdict.sentence
    assert verdict.means["good"] == pytest.approx(np.mean([(2 - np.log10(1e-4 * (1 + i))) / 10 for i in range(20)]))


def test_the_two_differ_where_few_instances_are_won_by_many_orders_of_magnitude():
    # "often" wins 15 of 20 instances by a little, "hugely" the other 5 by ten orders of magnitude.
    runs = recorded({"often": lambda i: 0.9, "hugely": lambda i: 1.0 if i < 15 else 1e-10})
    verdict = compare_with_aocc(runs, posterior_of(runs))
    assert (verdict.choice, verdict.ours, verdict.differs) == ("hugely", "often", True)
    assert "would choose hugely" in verdict.sentence
    assert "rankings choose often under the same uniform preference" in verdict.sentence


def test_values_outside_the_bounds_are_remarked_upon():
    runs = recorded({"good": lambda i: 1e4, "bad": lambda i: 1e5})
    assert "100% of the final values lie outside these bounds" in compare_with_aocc(runs, posterior_of(runs)).sentence


@pytest.mark.parametrize(
    ("rule", "kwargs", "reason"),
    [(lambda i: -1.0, {}, "known optimum, and values go down to -1"), (lambda i: 1.0, {"maximise": True}, "minimised")],
)
def test_where_aocc_does_not_apply_it_says_why(rule, kwargs, reason):
    runs = recorded({"a": rule, "b": lambda i: 0.5}, **kwargs)
    verdict = compare_with_aocc(runs, posterior_of(runs))
    assert verdict.choice is None
    assert not verdict.differs
    assert reason in verdict.sentence


def test_ours_is_chosen_among_the_candidates():
    runs = recorded({"good": lambda i: 1e-4, "bad": lambda i: 1e-2})
    verdict = compare_with_aocc(runs, posterior_of(runs), among=["bad"])
    assert (verdict.choice, verdict.ours) == ("good", "bad")


def test_all_runs_of_an_algorithm_too_short():
    runs = recorded({"good": lambda i: 1e-4, "bad": lambda i: 1e-2})
    posterior = posterior_of(runs)
    short = [
        run if run.algorithm == "good" else pb.Trajectory("bad", run.instance, [1], [1.0], until=20) for run in runs
    ]
    assert "no run of bad lasted" in compare_with_aocc(short, posterior).sentence


def cut(runs, until):
    """The same runs, each stopped where it is told to; None: not run at all."""
    stops = [(run, until(run.algorithm, run.instance)) for run in runs]
    return [
        pb.Trajectory(run.algorithm, run.instance, run.times, run.values, until=stop)
        for run, stop in stops
        if stop is not None
    ]


def test_all_are_compared_on_the_instances_that_they_share():
    # Where "partial" did not run to the end, "good" did badly: over all its instances it would be behind.
    rules = {"good": lambda i: 1e-4 if i < 12 else 10.0, "partial": lambda i: 1e-3, "bad": lambda i: 50.0}
    runs = cut(recorded(rules), lambda name, i: 20 if name == "partial" and i >= 12 else 30)
    verdict = compare_with_aocc(runs, posterior_of(runs), among=["good", "partial"])
    assert verdict.means == pytest.approx({"good": 0.6, "partial": 0.5, "bad": (2 - np.log10(50)) / 10})
    assert (verdict.choice, verdict.instances) == ("good", 12)
    assert "over the 12 of 20 instances on which all that are compared ran to the end" in verdict.sentence
    whole = recorded(rules)
    assert "over all 20 instances" in compare_with_aocc(whole, posterior_of(whole)).sentence


def test_who_went_out_early_is_left_out_and_who_went_out_late_is_not():
    rules = {"good": lambda i: 1e-4, "late": lambda i: 1e-3, "early": lambda i: 1e-2}
    last = {"good": 20, "late": 15, "early": 4}
    runs = cut(recorded(rules), lambda name, i: 30 if i < last[name] else None)
    verdict = compare_with_aocc(runs, posterior_of(runs), among=["good"])
    assert (set(verdict.means), verdict.instances) == ({"good", "late"}, 15)
    assert "Not compared, since they ran to the end on too few: early." in verdict.sentence


def test_it_does_not_apply_where_nobody_can_be_compared_on_equal_terms():
    rules = {"first": lambda i: 1e-4, "second": lambda i: 1e-3}
    apart = cut(recorded(rules), lambda name, i: 30 if (i < 10) == (name == "first") else 20)
    verdict = compare_with_aocc(apart, posterior_of(apart))
    assert (verdict.choice, verdict.means, verdict.instances) == (None, {}, 0)
    assert "there is no instance on which all of first, second ran to the end of the grid" in verdict.sentence
    alone = compare_with_aocc(apart, posterior_of(apart), among=["first"])
    assert "nobody else ran to the end of the grid on half of the instances of first" in alone.sentence
