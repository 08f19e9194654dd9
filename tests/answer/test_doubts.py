"""What limits an answer: its data, its model, and its drops, by code and numbers."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.answer.doubts import find_doubts
from polarbear.checks.model_check import model_check
from polarbear.findings import Code, GiveRuns, Restore, ShowPair, UseBootstrap, most_serious_first, trust
from polarbear.posterior.elimination import Drop
from tests.answer.told import crossing_values, names_of

GRID = pb.log_grid(10, 1000, 4)


def choices_of(values, *, clusters=None, names=None):
    grid = pb.Grid(np.geomspace(10, 1000, np.shape(values)[1]), "log") if np.shape(values)[1] != 4 else GRID
    return pb.Choices.from_values(values, grid=grid, names=names or names_of(np.shape(values)[2]), clusters=clusters)


def doubts(values, *, prior=None, checked=True, decisions=(), circles=(), same=None, is_race=False, clusters=None):
    """The doubts about the posterior of these values (instance, budget, algorithm), by code."""
    choices = choices_of(values, clusters=clusters)
    posterior = pb.fit(choices, prior=prior, draws=400)
    check = model_check(posterior, choices) if checked else None
    found = find_doubts(posterior, decisions=decisions, circles=circles, check=check, same=same or {}, is_race=is_race)
    assert len({(each.code, each.subject) for each in found}) == len(found)
    return {each.code: each for each in found}


def clear_values(instances=40, budgets=4, algorithms=3):
    return np.random.default_rng(0).normal(size=(instances, budgets, algorithms)) + 3 * np.arange(algorithms)


def test_many_instances_and_clear_outcomes_leave_no_doubt():
    assert doubts(clear_values(), decisions=[Drop("a1", "a0", 0.99), Drop("a2", "a0", 0.99)]) == {}


# Data


@pytest.mark.parametrize(
    ("instances", "severity"), [(1, "unreliable"), (2, "tentative"), (29, "tentative"), (30, None), (31, None)]
)
def test_fewer_than_thirty_instances(instances, severity):
    found = doubts(clear_values(instances)).get(Code.FEW_INSTANCES)
    assert (found.severity if found else None) == severity
    if found:
        assert found.numbers == {"number": instances, "clusters": False, "needed": 30}


@pytest.mark.parametrize(("clusters", "severity"), [(1, "unreliable"), (19, "tentative"), (20, None)])
def test_fewer_than_twenty_clusters(clusters, severity):
    labels = (np.arange(80) % clusters).tolist()
    found = doubts(clear_values(80), clusters=labels).get(Code.FEW_INSTANCES)
    assert (found.severity if found else None) == severity
    if found:
        assert found.numbers == {"number": clusters, "clusters": True, "needed": 20}


def test_instances_that_compare_nothing_do_not_count_and_make_no_clusters():
    values = clear_values(35)
    values[:10, :, 1:] = np.nan
    assert doubts(values)[Code.FEW_INSTANCES].numbers == {"number": 25, "clusters": False, "needed": 30}


def test_a_posterior_that_is_not_reliable():
    choices = choices_of(clear_values())
    posterior = pb.fit(choices, prior=pb.RandomWalk(), draws=400)
    diagnostics = replace(posterior.diagnostics, reliable=False, pareto_k=0.9, effective_draws=12.0)
    (found,) = find_doubts(
        replace(posterior, diagnostics=diagnostics),
        decisions=[],
        circles=[],
        check=model_check(posterior, choices),
        same={},
        is_race=False,
    )
    assert (found.code, found.severity, found.remedy) == (Code.UNRELIABLE_POSTERIOR, "unreliable", UseBootstrap())
    assert (found.numbers["pareto_k"], found.numbers["effective_draws"]) == (0.9, 12.0)


def test_budgets_with_far_fewer_instances():
    values = clear_values(40)
    values[9:, 2:] = np.nan
    found = doubts(values)[Code.FEW_AT_BUDGETS]
    assert found.numbers == {
        "start": pytest.approx(GRID.budgets[2]),
        "stop": pytest.approx(GRID.budgets[3]),
        "instances": 9,
        "elsewhere": 40,
    }
    assert Code.FEW_AT_BUDGETS not in doubts(values, is_race=True)  # a race ends runs early on purpose
    values = clear_values(40)
    values[10:, 2:] = np.nan  # a quarter is enough
    assert Code.FEW_AT_BUDGETS not in doubts(values)


def test_budgets_at_which_algorithms_were_not_observed():
    values = clear_values(40, algorithms=5)
    values[:, :1, 1] = values[:, 3:, 2] = values[:, 3:, 3] = values[:, 1:3, 4] = np.nan
    first, second, third, last = GRID.budgets.tolist()
    found = doubts(values)[Code.NOT_OBSERVED]
    assert found.numbers["gaps"] == [
        {"algorithms": ["a1"], "gaps": [(None, second)]},
        {"algorithms": ["a2", "a3"], "gaps": [(third, None)]},
        {"algorithms": ["a4"], "gaps": [(first, last)]},
    ]
    assert (found.severity, found.subject) == ("tentative", ("a1", "a2", "a3", "a4"))


def test_without_runs_nothing_is_checked():
    found = doubts(clear_values(), checked=False)
    assert (found[Code.NOT_CHECKED].severity, found[Code.NOT_CHECKED].remedy) == ("tentative", GiveRuns())
    assert list(found) == [Code.NOT_CHECKED]


def test_circles_and_identical_algorithms_are_told():
    found = doubts(clear_values(), circles=[("a0", "a1", "a2")], same={"a0": ("a2",)})
    assert found[Code.CIRCLE].subject == ("a0", "a1", "a2")
    assert found[Code.SAME_RESULTS].subject == ("a0", "a2")
    assert {each.severity for each in found.values()} == {"note"}


# Model


def circle_values(instances=90):
    """Rock, paper and scissors: a0 beats a1, a1 beats a2 and a2 beats a0, on most instances."""
    orders = np.array([[0.0, 1.0, 2.0], [2.0, 0.0, 1.0], [1.0, 2.0, 0.0]])
    return np.repeat(orders[np.arange(instances) % 3][:, None], 4, axis=1)


def test_outcomes_that_contradict_the_model():
    choices = choices_of(circle_values())
    check = model_check(pb.fit(choices, prior=pb.RandomWalk(), draws=400), choices)
    found = doubts(circle_values(), prior=pb.RandomWalk())[Code.MODEL_MISFIT]
    worst = check.misfits[0]
    assert (found.severity, found.subject, found.remedy) == ("tentative", (worst.name, worst.other), UseBootstrap())
    assert found.numbers["more"] == len(check.misfits) - 1
    assert found.numbers["observed"] == pytest.approx(2 / 3, abs=0.01) or found.numbers["observed"] == pytest.approx(
        1 / 3
    )
    assert found.numbers["modelled"] == pytest.approx(0.5, abs=0.05)
    assert Code.MODEL_MISFIT not in doubts(circle_values())  # the bootstrap assumes no model


def test_a_pair_that_depends_on_a_third_algorithm():
    """a2 is a copy of a1 with a little noise, so that leaving it out changes how a0 and a1 compare."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(300, 1, 3)) + np.zeros((1, 4, 1))
    values[..., 2] = values[..., 1] + 1e-3 * rng.normal(size=(300, 1))
    found = doubts(values, prior=pb.RandomWalk())[Code.MODEL_INFLUENCE]
    assert found.severity == "tentative"
    assert found.subject[0] in names_of(3)
    assert found.subject[0] not in (found.numbers["first"], found.numbers["second"])
    assert abs(found.numbers["rate"] - found.numbers["without"]) > 0.05


def test_budgets_that_repeat_each_other():
    values = np.repeat(np.random.default_rng(2).normal(size=(60, 1, 2)), 4, axis=1)
    found = doubts(values, prior=pb.Dirichlet())[Code.DEPENDENT_BUDGETS]
    assert found.numbers["budgets"] == 4
    assert found.numbers["independent"] < 2
    assert Code.DEPENDENT_BUDGETS not in doubts(values)
    alone = np.random.default_rng(2).normal(size=(60, 4, 2))
    assert Code.DEPENDENT_BUDGETS not in doubts(alone, prior=pb.Dirichlet())


# Drops


def test_a_drop_that_the_outcomes_of_the_pair_contradict():
    values, wrong = clear_values(), [Drop("a0", "a1", 0.97)]
    found = doubts(values, decisions=wrong, prior=pb.RandomWalk())[Code.DROP_CONTRADICTED]
    assert (found.severity, found.subject, found.remedy) == ("unreliable", ("a0", "a1"), ShowPair("a1", "a0"))
    assert found.numbers["probability"] == 0.97
    assert found.numbers["own"] < 0.05
    assert found.numbers["budget"] in GRID.budgets
    found = doubts(values, decisions=wrong, prior=pb.RandomWalk(), is_race=True)[Code.DROP_CONTRADICTED]
    assert found.remedy == Restore("a0")


def test_a_drop_that_the_outcomes_of_the_pair_do_not_support():
    values = np.random.default_rng(3).normal(size=(60, 1, 3)) + np.zeros((1, 4, 1))
    values[::2, :, :2], values[1::2, :, :2] = [0, 1], [1, 0]  # each beats the other on half of the instances
    values[:3, :, :2] = [0, 1]  # and a0 on a few more
    found = doubts(values, decisions=[Drop("a0", "a1", 0.96)], prior=pb.RandomWalk())
    assert (found[Code.DROP_UNSUPPORTED].severity, found[Code.DROP_UNSUPPORTED].subject) == ("tentative", ("a0", "a1"))
    assert 0.05 <= found[Code.DROP_UNSUPPORTED].numbers["own"] <= 0.5
    assert Code.DROP_CONTRADICTED not in found


@pytest.mark.parametrize(("common", "told"), [(7, True), (8, False)])
def test_a_drop_on_few_common_instances(common, told):
    values = clear_values(40)
    values[common:, :, 2] = np.nan
    found = doubts(values, decisions=[Drop("a2", "a0", 0.96), Drop("a1", "a0", 0.99)])
    assert (Code.DROP_ON_FEW in found) == told
    if told:
        assert (found[Code.DROP_ON_FEW].subject, found[Code.DROP_ON_FEW].numbers) == (("a2", "a0"), {"instances": 7})


def test_a_dropped_algorithm_that_comes_first_on_some_instances():
    """a2 is the best on 8 of 40 instances at the second budget, on 2 at the third, and never else."""
    values = np.tile(np.array([0.0, 1.0, 2.0]), (40, 4, 1))
    values[:8, 1, 2] = values[:2, 2, 2] = -1.0
    found = doubts(values, decisions=[Drop("a2", "a0", 0.99), Drop("a1", "a0", 0.99)])
    assert found[Code.DROPPED_FIRST_SOMEWHERE].subject == ("a2",)
    (only,) = found[Code.DROPPED_FIRST_SOMEWHERE].numbers["algorithms"]
    assert only == {"name": "a2", "share": pytest.approx(0.2), "budget": pytest.approx(GRID.budgets[1])}


def test_first_places_that_all_algorithms_share_are_nobody_s():
    values = clear_values(40)
    values[:20, 0] = np.inf  # nobody has a solution yet
    values[:2, 2, 2] = -99.0  # two instances are too few
    assert Code.DROPPED_FIRST_SOMEWHERE not in doubts(values, decisions=[Drop("a2", "a0", 0.99)])


# Together


def test_trust_is_that_of_the_most_serious_finding():
    found = doubts(clear_values(10), decisions=[Drop("a0", "a1", 0.97)], prior=pb.RandomWalk()).values()
    assert trust(found) == "unreliable"
    order = [each.severity for each in most_serious_first(found)]
    assert order == sorted(order, key=["unreliable", "tentative", "note"].index)
    assert trust(doubts(clear_values(10)).values()) == "tentative"
    assert trust(doubts(clear_values(), circles=[("a0", "a1", "a2")]).values()) == "firm"
    assert trust([]) == "firm"


def test_forty_algorithms_of_which_each_was_observed_elsewhere():
    values = np.random.default_rng(0).normal(size=(20, 4, 40))
    for column in range(40):
        values[:, 1 + column % 3 :, column] = np.nan
    found = doubts(values)
    assert len(found[Code.NOT_OBSERVED].subject) == 40
    assert len(found[Code.NOT_OBSERVED].numbers["gaps"]) == 3


def test_identical_algorithms_leave_no_doubt_of_their_own():
    values = crossing_values(40, 4)
    values[..., 1] = values[..., 0]
    assert doubts(values) == {}
