"""The answer as a whole: what it names, and that nothing vanishes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polarbear as pb
from polarbear.answer import find_answer
from polarbear.answer.need import budget_need
from polarbear.answer.worst_case import exposures
from polarbear.magnitude.collection import collect_runs
from polarbear.posterior.probability_best import probability_best
from tests.answer.told import crossing_values, fitted, names_of


def answer_of(posterior, kept=None, **options):
    return find_answer(posterior, posterior.names if kept is None else kept, **{"margin": 0.05, **options})


def runs_of(values, grid, names, *, maximise=False):
    """Trajectories whose best values at the budgets of the grid are these, which must not rise; NaN ends a run."""
    runs = []
    for i, per_budget in enumerate(values):
        for name, own in zip(names, per_budget.T, strict=True):
            known = ~np.isnan(own)
            end = grid.budgets[known][-1] if known.any() else 1.0
            events = grid.budgets[known & np.isfinite(own)], own[known & np.isfinite(own)]
            runs.append(pb.Trajectory(name, i, *events, end=end, maximise=maximise))
    return runs


def everyone(answer):
    """All algorithms that the answer names somewhere."""
    named = {name for each in answer.ranges for name in each.names} | set(answer.elsewhere)
    named |= {name for case in (answer.single, answer.team) if case is not None for name in case.names}
    return named | {name for pair in answer.same.items() for name in (pair[0], *pair[1])}


def test_two_algorithms_that_cross():
    posterior = fitted(crossing_values(extra=[9.0]))
    answer = answer_of(posterior, ["a0", "a1"])
    assert [(each.kind, each.names) for each in answer.ranges if each.kind == "best"] == [
        ("best", ("a0",)),
        ("best", ("a1",)),
    ]
    assert answer.single.names[0] == pb.select(posterior, among=["a0", "a1"]).recommendation
    assert answer.single.wins > 0.9
    assert not answer.is_single_clear
    assert answer.team is None  # two of two is no choice
    assert (answer.needs, answer.elsewhere, answer.same) == ((), (), {})
    assert answer.budgets.tolist() == posterior.grid.budgets.tolist()


@pytest.mark.parametrize("prior", [None, pb.RandomWalk(), pb.Dirichlet()], ids=["bootstrap", "walk", "Dirichlet"])
def test_the_probability_of_being_best_is_that_of_the_criterion(prior):
    posterior = fitted(crossing_values(20, 4, extra=[0.5]), prior=prior)
    found = answer_of(posterior).probability
    for t in range(4):
        if prior is None:  # the win rate against the strongest rival
            draws = [np.min([posterior.win_rates(a, b)[t] for b in range(3) if b != a], axis=0) for a in range(3)]
        else:
            draws = posterior.ratings[:, t].T
        assert found[t] == pytest.approx(probability_best(np.stack(draws, axis=1)), abs=1e-6)


def test_when_everything_is_decided_there_is_nothing_to_do():
    answer = answer_of(fitted(np.random.default_rng(0).normal(size=(60, 6, 3)) + np.array([0, 3, 6])), ["a0"])
    assert [(each.kind, each.names) for each in answer.ranges] == [("best", ("a0",))]
    assert (answer.names, answer.single, answer.team, answer.step, answer.elsewhere) == (("a0",), None, None, None, ())


def test_when_nothing_is_decided_the_range_is_unclear_and_nobody_vanishes():
    posterior = fitted(np.random.default_rng(1).normal(size=(10, 6, 7)))
    answer = answer_of(posterior)
    assert {each.kind for each in answer.ranges} == {"unclear"}
    assert everyone(answer) == set(posterior.names)
    assert answer.single is not None


def test_algorithms_that_are_equal_on_many_instances():
    values = np.zeros((2000, 3, 2))
    values[::2, :, 0] = values[1::2, :, 1] = 1.0  # each wins on half of them
    answer = answer_of(fitted(values), margin=0.05)
    assert [(each.kind, set(each.names)) for each in answer.ranges] == [("equal", {"a0", "a1"})]
    assert answer.is_single_clear
    assert answer.step is None


def test_identical_algorithms_are_one_and_are_told():
    values = np.random.default_rng(3).normal(size=(30, 4, 3))
    values[..., 2] = values[..., 0]
    answer = answer_of(fitted(values))
    assert (answer.names, answer.same) == (("a0", "a1"), {"a0": ("a2",)})
    assert everyone(answer) == {"a0", "a1", "a2"}
    only = answer_of(fitted(values), ["a0", "a2"])
    assert (only.names, only.same, only.single) == (("a0",), {"a0": ("a2",)}, None)
    assert [(each.kind, each.names) for each in only.ranges] == [("best", ("a0",))]


def test_forty_algorithms():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(20, 6, 40)) + rng.normal(scale=0.3, size=40) * np.linspace(-1, 1, 6)[:, None]
    posterior = fitted(values, draws=200)
    answer = answer_of(posterior)
    assert everyone(answer) == set(names_of(40))
    assert all(len(each.names) <= 4 for each in answer.ranges if each.kind == "unclear")


@settings(max_examples=30)
@given(seed=st.integers(0, 2**16), algorithms=st.integers(1, 7), instances=st.integers(1, 40))
def test_nobody_vanishes_whatever_the_data(seed, algorithms, instances):
    """With missing runs, twins, and algorithms that solve nothing."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(size=(instances, 5, algorithms + 1)), int(rng.integers(0, 3)))
    values += rng.normal(size=algorithms + 1) * np.linspace(-1, 1, 5)[:, None]
    values[..., -1] = values[..., 0]
    for column in range(algorithms + 1):
        if rng.random() < 0.3:
            values[:, rng.integers(1, 6) :, column] = np.nan
        elif rng.random() < 0.2:
            values[:, : rng.integers(6), column] = np.inf
    posterior = fitted(values, draws=100)
    answer = answer_of(posterior)
    assert everyone(answer) == set(posterior.names)
    assert answer.probability.shape == (5, len(answer.names))
    assert set(answer.names).isdisjoint(name for each in answer.same.values() for name in each)


def test_budgets_without_any_observation():
    """Nobody was observed at the last two of ten budgets, so that nothing can be chosen for all of them."""
    values = crossing_values()
    values[:, 8:] = np.nan
    answer = answer_of(fitted(values))
    assert (answer.ranges[-1].kind, answer.ranges[-1].names) == ("not observed", ())
    assert answer.single is None
    assert answer.team is None
    assert everyone(answer) == {"a0", "a1"}


def test_a_set_is_proposed_if_the_single_choice_is_exposed_and_the_set_is_clearly_better():
    values = crossing_values(60, extra=[0.4])
    answer = answer_of(fitted(values))
    assert answer.single.wins > 0.6
    assert set(answer.team.names) == {"a0", "a1"}
    assert answer.team.wins <= answer.single.wins - 0.1
    safe = answer_of(fitted(np.random.default_rng(0).normal(size=(400, 6, 3)) + np.array([0, 0.3, 0.6])))
    assert safe.single.wins <= 0.6
    assert safe.team is None


def test_the_worst_case_of_the_single_choice_is_its_exposure():
    posterior = fitted(crossing_values(25, extra=[0.4, 0.2]))
    answer = answer_of(posterior)
    found = exposures(posterior, posterior.names)
    column = posterior.names.index(answer.single.names[0])
    assert answer.single.wins == found.wins[:, column].max()
    assert answer.single.budget == posterior.grid.budgets[found.wins[:, column].argmax()]


# With runs


GRID = pb.log_grid(10, 1000, 10)


def with_runs(values, names=("a0", "a1"), *, drawn=400):
    """The posterior of falling values, and its runs."""
    falling = values - 1e3 * np.arange(values.shape[1])[:, None]
    runs = runs_of(falling, GRID, names)
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=GRID), draws=drawn)
    return posterior, collect_runs(runs, posterior=posterior)


def test_how_much_better_at_the_worst_and_at_the_last_budget():
    posterior, runs = with_runs(crossing_values(extra=[0.3]), names_of(3))
    answer = answer_of(posterior, runs=runs)
    single = answer.single
    worst, last = answer.needs
    assert worst == budget_need(runs, single.rival, single.names[0], single.budget)
    others = [name for name in answer.names if name != single.names[0]]
    best = max(others, key=lambda name: answer.probability[-1, answer.names.index(name)])
    assert last == budget_need(runs, best, single.names[0], 1000)


def test_a_choice_that_is_clear_is_compared_at_the_last_budget_only():
    rng = np.random.default_rng(0)
    posterior, runs = with_runs(rng.normal(size=(400, 10, 2)) + np.array([0, 0.5]))
    answer = answer_of(posterior, runs=runs)
    assert answer.is_single_clear
    assert [each.budget for each in answer.needs] == [1000]


def test_budgets_with_results_on_less_than_half_of_the_instances():
    """Nobody has a value before the fourth budget, and half of the instances from the fourth on."""
    values = crossing_values() - 1e3 * np.arange(10)[:, None]
    values[:, :3] = np.inf
    values[20:, :6] = np.inf
    runs = runs_of(values, GRID, names_of(2))
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=GRID), draws=400)
    answer = answer_of(posterior, runs=collect_runs(runs, posterior=posterior))
    assert (answer.ranges[0].kind, answer.ranges[0].length) == ("no results", 3)
    assert "no results" not in {each.kind for each in answer.ranges[1:]}
    assert "no results" not in {each.kind for each in answer_of(posterior).ranges}  # not known without runs


def test_runs_that_nobody_needs_change_nothing():
    """A dropped algorithm with results at all budgets does not make them results of the kept ones."""
    values = crossing_values(extra=[0.0]) - 1e3 * np.arange(10)[:, None]
    values[:, :4, :2] = np.inf
    runs = runs_of(values, GRID, names_of(3))
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=GRID), draws=400)
    answer = answer_of(posterior, ["a0", "a1"], runs=collect_runs(runs, posterior=posterior))
    assert (answer.ranges[0].kind, answer.ranges[0].length) == ("no results", 4)
