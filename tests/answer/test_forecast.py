"""The next step: which range to narrow, and how many more instances it takes."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import polarbear as pb
from polarbear.answer import find_answer
from polarbear.answer.forecast import next_step
from polarbear.answer.ranges import Range


@dataclass
class Undecided:
    """What a forecast asks of a posterior: P(A beats B) at each budget, also for C, and the number of instances."""

    ahead: np.ndarray
    instances: int
    beliefs: None = None
    names: tuple[str, ...] = ("A", "B", "C")
    against_third: np.ndarray | None = None

    def win_rate_above(self, first, second):
        return (self.ahead if second == 1 else self.third) if first == 0 else 1 - self.ahead

    @property
    def third(self):
        """P(A beats C): the same, or given."""
        return self.ahead if self.against_third is None else self.against_third


def unclear(first, last, names=("A", "B", "C"), kind="unclear"):
    return Range(kind, float(first), float(last), first, last, tuple(names))


def instances_of(z, instances, **options):
    step = next_step(Undecided(norm.cdf(np.atleast_1d(z)), instances), [unclear(0, np.size(z) - 1, **options)])
    return None if step is None else step.instances


@given(z=st.floats(0.01, 3), instances=st.integers(1, 5000))
def test_the_number_grows_with_the_square_of_the_probit(z, instances):
    """Φ(z √k) = 0.8 gives k = (Φ⁻¹(0.8) / z)²; one significant digit, at least a tenth of the instances, and one."""
    further = instances * ((norm.ppf(0.8) / z) ** 2 - 1)
    found = instances_of(z, instances)
    if further > 8 * instances * (1 + 1e-9):
        assert found is None
    elif further < 8 * instances * (1 - 1e-9):
        exact = max(further, instances / 10, 1)
        digit = 10 ** np.floor(np.log10(exact) + 1e-12)
        assert abs(found - exact) <= 0.5 * digit * (1 + 1e-9)
        assert found % digit == 0


@pytest.mark.parametrize(
    ("z", "instances", "expected"), [(0.5, 30, 50), (-0.5, 30, 50), (0.3, 100, 700), (0.84, 30, 3), (2.0, 5, 1)]
)
def test_by_hand(z, instances, expected):
    assert instances_of(z, instances) == expected


def test_half_of_the_budgets_need_to_be_decided():
    assert instances_of([0.1, 0.5, 2.0], 30) == instances_of(0.5, 30)
    assert instances_of([0.0, 0.0, 2.0], 30) is None


def test_only_the_budgets_of_the_range_count():
    posterior = Undecided(norm.cdf([3.0, 3.0, 0.5, 0.5, 3.0]), 30)
    assert next_step(posterior, [unclear(2, 3)]).instances == instances_of(0.5, 30)


def test_the_widest_unclear_range_and_its_leaders():
    posterior = Undecided(norm.cdf(np.full(9, 0.5)), 30)
    ranges = [unclear(0, 1), unclear(2, 4, "BA"), unclear(5, 8, "A", "best")]
    step = next_step(posterior, ranges)
    assert (step.start, step.stop, step.pair) == (2, 4, ("B", "A"))


@pytest.mark.parametrize("kind", ["best", "equal", "tied", "several", "alone", "not observed", "no results"])
def test_no_other_kind_of_range_asks_for_instances(kind):
    assert next_step(Undecided(norm.cdf(np.full(3, 0.5)), 30), [unclear(0, 2, kind=kind)]) is None


def test_one_contender_needs_no_decision():
    assert instances_of(0.5, 30, names="A") is None


def test_clusters_count_and_not_their_instances():
    values = np.random.default_rng(3).normal(size=(60, 3, 2)) + np.array([0, 0.3])
    grid, names = pb.log_grid(1, 100, 3), ["A", "B"]
    clusters = pb.Clusters(np.repeat(np.arange(6), 10).tolist(), kind="function")
    few = pb.fit(pb.Choices.from_values(values, grid=grid, names=names, clusters=clusters))
    ranges = [unclear(0, 2, "AB")]
    ahead = few.win_rate_above(0, 1)
    assert next_step(few, ranges).instances == next_step(Undecided(ahead, 6), ranges).instances


def test_with_so_many_instances_more_of_the_same_kind_an_algorithm_is_named():
    """The data are repeated as often as the forecast asks: half of the budgets of the range reach about 0.8."""
    forecasts = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=(40, 1, 2)) + 0.1 * rng.normal(size=(40, 5, 2)) + [0, 0.2 * rng.random()]
        choose = {"grid": pb.log_grid(1, 100, 5), "names": ["A", "B"]}
        step = find_answer(pb.fit(pb.Choices.from_values(values, **choose)), ["A", "B"], margin=0.05).step
        if step is None:
            continue
        forecasts.append(step.instances)
        repeated = np.tile(values, (round(1 + step.instances / 40), 1, 1))
        later = pb.fit(pb.Choices.from_values(repeated, **choose))
        where = [step.start <= budget <= step.stop for budget in later.grid.budgets]
        assert np.median(np.maximum(*(later.win_rate_above(a, 1 - a)[where] for a in (0, 1)))) > 0.75
    assert len(forecasts) >= 3


def test_the_slowest_contender_decides():
    sure, unsure = norm.cdf([0.7]), norm.cdf([0.5])
    both = [
        next_step(Undecided(ahead, 30, against_third=third), [unclear(0, 0)])
        for ahead, third in ((sure, unsure), (unsure, sure))
    ]
    assert [step.instances for step in both] == [50, 50]  # 30 ((0.84 / 0.5)² − 1), rounded
    assert {step.pair for step in both} == {("A", "B")}
