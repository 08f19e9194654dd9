"""The hypervolume over time: against moocore, against counting, and by its own laws."""

import sys

import moocore
import numpy as np
import pytest

from polarbear.observe import Trajectory
from polarbear.observe.archive import Archive, merge_archives
from polarbear.observe.hypervolume import HypervolumeSoFar, measure_run, reference_point


def over_time(points, reference):
    so_far = HypervolumeSoFar(np.array(reference, dtype=float))
    return [so_far.add(point) for point in np.asarray(points, dtype=float)]


@pytest.mark.parametrize("objectives", [2, 3, 4])
@pytest.mark.parametrize("digits", [1, 15], ids=["with equal values", "continuous"])
def test_after_each_point_it_is_moocores(objectives, digits):
    points = np.random.default_rng(objectives).random((300, objectives)).round(digits)
    reference = np.full(objectives, 0.9)  # some points are beyond it, and with one digit on it
    expected = [moocore.hypervolume(points[: count + 1], ref=reference) for count in range(len(points))]
    assert over_time(points, reference) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("objectives", [2, 3])
def test_equal_fronts_tie_exactly_in_whatever_order_they_were_found(objectives):
    rng = np.random.default_rng(0)
    points = rng.integers(0, 7, (60, objectives)) / 7
    finals = {over_time(rng.permutation(points), np.full(objectives, 1.1))[-1] for _ in range(20)}
    assert len(finals) == 1


def test_points_that_are_not_better_in_every_objective_add_nothing():
    assert over_time([[5, 0], [4, 0], [0, 4], [3, 3], [3, 3], [2, 5]], [4, 4]) == [0, 0, 0, 1, 1, 1]


def test_an_archive_keeps_the_points_that_no_earlier_one_dominated():
    points = np.random.default_rng(1).random((700, 3)).round(1)
    archive = Archive.of(np.arange(700), points)
    new = [count for count, point in enumerate(points) if not any((other <= point).all() for other in points[:count])]
    assert archive.budgets.tolist() == new
    np.testing.assert_array_equal(archive.points, points[new])


def test_an_archive_sorts_by_budget_and_leaves_out_infinite_points():
    archive = Archive.of([3, 1, 2], [[1, 1], [2, 2], [np.inf, 0]])
    assert (archive.budgets.tolist(), archive.points.tolist()) == ([1, 3], [[2, 2], [1, 1]])


def test_the_reference_point_lies_a_tenth_of_the_range_beyond_the_worst_values_of_all_archives():
    first = Archive.of([1, 2], [[0, 20], [10, 5]])
    second = Archive.of([1, 2], [[5, 30], [5, 10]])  # the second point dominates the first, which still counts
    assert reference_point([first, second]) == pytest.approx([11, 32.5])
    assert reference_point([Archive.of([1], [[3, 4]])]).tolist() == [4, 5]  # no range


def test_every_run_has_a_positive_hypervolume_from_its_first_point_on():
    rng = np.random.default_rng(2)
    archives = [Archive.of(np.arange(1, 50), rng.random((49, 2)) + shift) for shift in (0.0, 3.0)]
    reference = reference_point(archives)
    assert all(over_time(each.points, reference)[0] > 0 for each in archives)


def test_a_measured_run_is_an_ordinary_trajectory_with_its_archive():
    run = Trajectory("A", 1, [1], [5.0], end=9, cluster="c")
    archive = Archive.of([2, 4], [[2, 3], [3, 1]], np.array([4.0, 4.0]))
    measured = measure_run(run, archive)
    assert (measured.algorithm, measured.instance, measured.end, measured.cluster) == ("A", 1, 9, "c")
    assert measured.maximise
    assert measured.at([1, 2, 4, 10])[:3].tolist() == [-np.inf, 2, 4]
    divided = measured.divide_budgets(2)
    assert divided.archive.budgets.tolist() == divided.budgets.tolist() == [1, 2]


def test_merged_archives_are_the_archive_of_all_points():
    rng = np.random.default_rng(3)
    reference = np.ones(2)
    budgets, points = rng.permutation(np.arange(100.0)), rng.random((100, 2))
    parts = [Archive.of(budgets[part], points[part], reference) for part in (slice(40), slice(40, None))]
    early = budgets <= 70
    merged, whole = merge_archives(parts, 70), Archive.of(budgets[early], points[early])
    assert merged.budgets.tolist() == whole.budgets.tolist()
    np.testing.assert_array_equal(merged.points, whole.points)


def test_archives_with_different_references_cannot_be_merged():
    one, other = (Archive.of([1], [[0, 0]], np.full(2, value)) for value in (1.0, 2.0))
    with pytest.raises(ValueError, match=r"same reference point, got \([12].0, .*\) and \([12].0"):
        merge_archives([one, other], 5)
    with pytest.raises(ValueError, match="same reference point, got None"):
        merge_archives([Archive.of([1], [[0, 0]])], 5)


def test_a_hypervolume_that_overflows_is_refused():
    with pytest.raises(ValueError, match=r"hypervolume is a finite number.*give a closer reference"):
        over_time([[0, 0]], [1e200, 1e200])


def test_two_objectives_need_no_moocore_and_three_name_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "moocore", None)
    assert over_time([[0, 0]], [1, 1]) == [1]
    with pytest.raises(ImportError, match=r"needs moocore: pip install 'polarbear-anytime\[objectives\]'"):
        over_time([[0, 0, 0]], [1, 1, 1])
