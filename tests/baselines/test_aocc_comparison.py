import numpy as np
import pytest

import polarbear as pb
from polarbear.baselines import compare_with_aocc


def posterior_of(runs):
    return pb.fit(pb.Choices.from_trajectories(runs, grid=[10, 20, 30]), prior=pb.Dirichlet(), draws=400)


def recorded(rules, instances=20, **kwargs):
    """Runs whose value on an instance is a rule's, from the first evaluation on."""
    return [
        pb.Trajectory(name, i, [1], [rule(i)], end=30, **kwargs)
        for i in range(instances)
        for name, rule in rules.items()
    ]


def test_the_two_agree_where_one_algorithm_is_better_on_every_instance():
    runs = recorded({"good": lambda i: 1e-4 * (1 + i), "bad": lambda i: 1e-2 * (1 + i)})
    comparison = compare_with_aocc(runs, posterior_of(runs))
    assert (comparison.choice, comparison.ours, comparison.differs) == ("good", "good", False)
    assert "would choose good too" in comparison.sentence
    assert comparison.means["good"] == pytest.approx(np.mean([(2 - np.log10(1e-4 * (1 + i))) / 10 for i in range(20)]))


def test_the_two_differ_where_few_instances_are_won_by_many_orders_of_magnitude():
    # "often" wins 15 of 20 instances by a little, "hugely" the other 5 by ten orders of magnitude.
    runs = recorded({"often": lambda i: 0.9, "hugely": lambda i: 1.0 if i < 15 else 1e-10})
    comparison = compare_with_aocc(runs, posterior_of(runs))
    assert (comparison.choice, comparison.ours, comparison.differs) == ("hugely", "often", True)
    assert "would choose hugely" in comparison.sentence
    assert "rankings choose often under the same uniform preference" in comparison.sentence


def test_values_outside_the_bounds_are_reported():
    runs = recorded({"good": lambda i: 1e4, "bad": lambda i: 1e5})
    comparison = compare_with_aocc(runs, posterior_of(runs))
    assert comparison.sentence == (
        "AOCC does not apply: every value lies above its bounds, 1e-08 to 100, so it is 0 for all algorithms."
    )
    assert (comparison.choice, comparison.ours) == (None, "good")
    mixed = recorded({"good": lambda i: 1e4 if i < 19 else 1e-9, "bad": lambda i: 1e5})
    assert " But all final values lie outside these bounds, " in compare_with_aocc(mixed, posterior_of(mixed)).sentence


@pytest.mark.parametrize(
    ("rule", "kwargs", "reason"),
    [
        (lambda i: -1.0, {}, "it needs the optimum, which is not 0, since values go down to -1"),
        (lambda i: 1.0, {"maximise": True}, "it needs the optimum, which is not 0, since values go up to 1"),
    ],
)
def test_where_aocc_does_not_apply_the_sentence_gives_the_reason(rule, kwargs, reason):
    runs = recorded({"a": rule, "b": lambda i: 0.5}, **kwargs)
    comparison = compare_with_aocc(runs, posterior_of(runs))
    assert comparison.choice is None
    assert not comparison.differs
    assert reason in comparison.sentence


@pytest.mark.parametrize(
    ("optimum", "sign"),
    [(7.0, 1), (-7e3, 1), (7.0, -1)],  # -1: values are maximised
)
def test_a_given_optimum_is_as_good_as_distances_to_it(optimum, sign):
    rules = {"good": lambda i: 2.0 ** -(4 + i % 3), "bad": lambda i: 2.0 ** -(2 + i % 5)}
    distances = recorded(rules)
    values = recorded(
        {name: lambda i, rule=rule: optimum + sign * rule(i) for name, rule in rules.items()}, maximise=sign < 0
    )
    expected = compare_with_aocc(distances, posterior_of(distances))
    comparison = compare_with_aocc(values, posterior_of(values), optimum=optimum)
    assert comparison.choice is not None
    assert comparison.means == pytest.approx(expected.means)
    assert comparison.sentence == expected.sentence


@pytest.mark.parametrize(("optimum", "beyond"), [(0.0, 1e-9), (1e4, 1e-5)])
def test_rounding_errors_beyond_the_optimum_count_as_the_optimum(optimum, beyond):
    def comparison(best):
        runs = recorded({"solved": lambda i: best, "bad": lambda i: optimum + 1e-2})
        return compare_with_aocc(runs, posterior_of(runs), optimum=optimum)

    assert comparison(optimum - beyond) == comparison(optimum)
    assert comparison(optimum).means["solved"] == 1
    assert comparison(optimum - 100 * beyond).choice is None


def test_an_optimum_is_finite():
    runs = recorded({"good": lambda i: 1e-4, "bad": lambda i: 1e-2})
    with pytest.raises(ValueError, match="expected a finite optimum, got nan"):
        compare_with_aocc(runs, posterior_of(runs), optimum=np.nan)


def test_the_recommendation_is_one_of_the_candidates():
    runs = recorded({"good": lambda i: 1e-4, "bad": lambda i: 1e-2})
    comparison = compare_with_aocc(runs, posterior_of(runs), among=["bad"])
    assert (comparison.choice, comparison.ours) == ("good", "bad")


def test_all_runs_of_an_algorithm_too_short():
    runs = recorded({"good": lambda i: 1e-4, "bad": lambda i: 1e-2})
    posterior = posterior_of(runs)
    short = [run if run.algorithm == "good" else pb.Trajectory("bad", run.instance, [1], [1.0], end=20) for run in runs]
    assert "no run of bad lasted" in compare_with_aocc(short, posterior).sentence


def cut(runs, end):
    """Return the same runs, each stopped at the budget that `until` returns; None stands for no run."""
    stops = [(run, end(run.algorithm, run.instance)) for run in runs]
    return [
        pb.Trajectory(run.algorithm, run.instance, run.budgets, run.values, end=stop)
        for run, stop in stops
        if stop is not None
    ]


def test_all_are_compared_on_the_instances_that_they_share():
    # Where "partial" did not run to the end, "good" did badly: over all its instances it would be behind.
    rules = {"good": lambda i: 1e-4 if i < 12 else 10.0, "partial": lambda i: 1e-3, "bad": lambda i: 50.0}
    runs = cut(recorded(rules), lambda name, i: 20 if name == "partial" and i >= 12 else 30)
    comparison = compare_with_aocc(runs, posterior_of(runs), among=["good", "partial"])
    assert comparison.means == pytest.approx({"good": 0.6, "partial": 0.5, "bad": (2 - np.log10(50)) / 10})
    assert (comparison.choice, comparison.instances) == ("good", 12)
    assert "over the 12 of 20 instances on which all that are compared ran to the end" in comparison.sentence
    whole = recorded(rules)
    assert "over all 20 instances" in compare_with_aocc(whole, posterior_of(whole)).sentence


def test_an_algorithm_dropped_early_is_left_out_and_one_dropped_late_is_not():
    rules = {"good": lambda i: 1e-4, "late": lambda i: 1e-3, "early": lambda i: 1e-2}
    last = {"good": 20, "late": 15, "early": 4}
    runs = cut(recorded(rules), lambda name, i: 30 if i < last[name] else None)
    comparison = compare_with_aocc(runs, posterior_of(runs), among=["good"])
    assert (set(comparison.means), comparison.instances) == ({"good", "late"}, 15)
    assert "Not compared, since they ran to the end on too few: early." in comparison.sentence


def test_aocc_does_not_apply_without_shared_instances():
    rules = {"first": lambda i: 1e-4, "second": lambda i: 1e-3}
    apart = cut(recorded(rules), lambda name, i: 30 if (i < 10) == (name == "first") else 20)
    comparison = compare_with_aocc(apart, posterior_of(apart))
    assert (comparison.choice, comparison.means, comparison.instances) == (None, {}, 0)
    assert "there is no instance on which all of first, second ran to the end of the grid" in comparison.sentence
    alone = compare_with_aocc(apart, posterior_of(apart), among=["first"])
    assert "no other algorithm ran to the end of the grid on half of the instances of first" in alone.sentence
