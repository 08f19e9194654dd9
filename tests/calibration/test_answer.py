"""Every number of the printed answer against recordings or simulations whose truth does not come from our model.

Run with `pytest -m calibration -s tests/calibration/test_answer.py`; it prints the tables.
"""

from pathlib import Path

import numpy as np
import pytest

import polarbear as pb
from polarbear.answer.forecast import next_step
from polarbear.answer.need import budget_need
from polarbear.answer.ranges import NAMED, all_ranges, join_ranges
from polarbear.answer.worst_case import exposures
from polarbear.magnitude.collection import collect_runs
from polarbear.selection.answers import find_answers

pytestmark = pytest.mark.calibration

RECORDED = Path(__file__).parents[2] / "case_studies" / "data" / "ma_bbob_d30.npz"
ORDERS = 40


@pytest.fixture(scope="module")
def recorded():
    """The 160 recordings of MA-BBOB at 40 budgets: values (instance, budget, algorithm), the grid and the names."""
    with np.load(RECORDED) as data:
        values, budgets = data["values"], data["evaluations"].astype(float)
        names = [str(name) for name in data["algorithms"]]
    places = np.unique(np.linspace(0, values.shape[1] - 1, 40).astype(int))
    return values[:, places], pb.Grid(budgets[places], "log"), names


@pytest.fixture(scope="module")
def win_rates(recorded):
    """The share of all recordings on which the first algorithm beats the second, (budget, first, second)."""
    values, _, _ = recorded
    one, other = values[:, :, :, None], values[:, :, None, :]
    return (one < other).mean(axis=0) + (one == other).mean(axis=0) / 2


def answer_of(recorded, rows):
    """The posterior of some recordings, the kept algorithms, the probability that each is best, and the ranges."""
    values, grid, names = recorded
    posterior = pb.fit(pb.Choices.from_values(values[rows], grid=grid, names=names), draws=1000)
    kept = pb.pareto_set(posterior)
    probability = find_answers(posterior, np.array([names.index(name) for name in kept])).probability
    return posterior, kept, probability, all_ranges(posterior, kept, probability, margin=0.05)


def resampled(order, number):
    return np.random.default_rng(order).integers(0, 160, number)


@pytest.mark.parametrize(
    ("instances", "unclear", "right"), [(8, 0.47, 0.87), (30, 0.14, 0.91), (80, 0.05, 0.93), (160, 0.03, 0.95)]
)
def test_ranges_name_the_right_algorithm(recorded, win_rates, instances, unclear, right):
    """Truth: the algorithm whose smallest win rate over all 160 recordings is largest."""
    _, grid, names = recorded
    rates = win_rates.copy()
    rates[:, range(len(names)), range(len(names))] = 1.0
    best = rates.min(axis=2).argmax(axis=1)
    counts, changed = np.zeros(3), np.zeros(2)
    for order in range(ORDERS):
        rows = resampled(order, instances * 5 // 4)
        ranges = answer_of(recorded, rows[:instances])[3]
        for each in ranges:
            inside = [names[best[t]] in each.names for t in range(each.first, each.last + 1)]
            counts += (len(inside), 0, 0) if each.kind == "unclear" else (0, len(inside), sum(inside))
        more = answer_of(recorded, rows)[3]
        changed += [said(join_ranges(grid, ranges), k) != said(join_ranges(grid, more), k) for k in (True, False)]
    share = counts[0] / counts[:2].sum()
    print(f"\n{instances:4d} instances: unclear {share:.0%}, named and right {counts[2] / counts[1]:.1%}, ", end="")
    print(f"sequence changes in {changed[0] / ORDERS:.0%}, names alone in {changed[1] / ORDERS:.0%}")
    assert share <= unclear
    assert counts[2] / counts[1] >= right


def said(ranges, unclear):
    """The sequence of ranges: their kinds and names, or the named algorithms alone."""
    return [each.names[0] if each.kind == "best" else each.kind for each in ranges if unclear or each.kind == "best"]


@pytest.mark.parametrize("instances", [8, 30, 80, 160])
def test_the_worst_case_is_seldom_exceeded(recorded, win_rates, instances):
    """The 0.8 quantile, the largest over rivals and budgets, is below the true worst case in at most 20 % of orders."""
    _, _, names = recorded
    exceeded, stated, true = 0, [], []
    for order in range(ORDERS):
        posterior, kept, *_ = answer_of(recorded, resampled(order, instances))
        choice = pb.select(posterior, among=kept).recommendation
        stated.append(exposures(posterior, kept).of([kept.index(choice)]).wins)
        true.append(win_rates[:, :, names.index(choice)].max())
        exceeded += true[-1] > stated[-1]
    print(f"\n{instances:4d} instances: up to {np.mean(stated):.2f}, true {np.mean(true):.2f}, exceeded {exceeded}")
    assert exceeded <= 0.2 * ORDERS


def test_forecasts_come_true_more_often_than_not(recorded):
    """After that many more instances, an algorithm is named at half of the budgets of the range."""
    forecasts, named = 0, 0
    for instances in (8, 16, 30, 60):
        for order in range(ORDERS):
            rows = resampled(order, 10 * instances)
            posterior, _, _, ranges = answer_of(recorded, rows[:instances])
            ranges = join_ranges(posterior.grid, ranges)
            step = next_step(posterior, ranges)
            if step is None:
                continue
            forecasts += 1
            (where,) = (each for each in ranges if (each.start, each.stop) == (step.start, step.stop))
            probability = answer_of(recorded, rows[: instances + step.instances])[2][where.first : where.last + 1]
            named += (probability.max(axis=1) >= NAMED).mean() >= 0.5
    print(f"\n{named} of {forecasts} forecasts came true")
    assert named > forecasts / 2


@pytest.mark.parametrize("instances", [10, 30, 100])
@pytest.mark.parametrize("kind", ["constant", "scattered", "two kinds"])
def test_intervals_of_the_need_contain_the_true_median(kind, instances):
    """Both algorithms have the value -log t + c, one of them sooner by a factor whose median over instances is known."""
    rng, covered, data_sets = np.random.default_rng(3), 0, 200
    budgets = np.geomspace(1, 10_000, 400)
    for _ in range(data_sets):
        logs = {
            "constant": np.full(instances, np.log(0.5)),
            "scattered": np.log(0.5) + rng.normal(0, 0.8, instances),
            "two kinds": np.log(np.where(rng.random(instances) < 0.7, 0.5, 0.05)),
        }[kind]
        runs = [
            pb.Trajectory(name, i, budgets * factor, -np.log(budgets), end=1e6)
            for i, log in enumerate(logs)
            for name, factor in (("slow", 1.0), ("fast", np.exp(log)))
        ]
        need = budget_need(collect_runs(runs, grid=[1_000, 2_000]), "fast", "slow", 1_000)
        ratio = need.lower, need.upper
        if need.better == "slow":
            ratio = 1 / need.upper, 1 / need.lower
        covered += ratio[0] <= 0.5 * 1.03 and ratio[1] >= 0.5 * 0.97  # budgets are 2.3 % apart
    print(f"\n{kind}, {instances} instances: {covered / data_sets:.1%} contain the median")
    assert covered / data_sets >= 0.92
