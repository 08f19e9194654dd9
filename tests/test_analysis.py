"""Grids suggested for recorded runs, and races replayed on them."""

import math

import numpy as np
import pytest

import polarbear as pb
from polarbear.analysis import choose_grid, later_runs, replay, suggest_grid


def recorded_runs(instances=40, end=100.0, names=("good", "bad")):
    """Return runs of which "good" ends one lower than "bad" on average."""
    rng = np.random.default_rng(5)
    return [
        pb.Trajectory(name, instance, [2, 30], [9.0, level + rng.normal()], end=end)
        for instance in range(instances)
        for level, name in enumerate(names)
    ]


class TestSuggestedGrid:
    def test_it_ends_while_nearly_all_runs_still_continue(self):
        runs = [*recorded_runs(), pb.Trajectory("good", 99, [1], [3.0], end=1)]
        grid = suggest_grid(runs, count=7)
        assert (len(grid), grid.budgets[0], grid.budgets[-1], grid.axis) == (7, 2, 100, "log")

    def test_a_run_without_a_limit_counts_until_its_last_value(self):
        assert suggest_grid(recorded_runs(end=math.inf)).budgets[-1] == 30

    def test_runs_that_finished_do_not_end_it(self):
        finished = [pb.Trajectory("quick", k, [1, 5], [3.0, 0.0], end=5, finished=True) for k in range(40)]
        assert suggest_grid([*recorded_runs(), *finished]).budgets[-1] == 100
        assert suggest_grid(finished).budgets[-1] == 5

    def test_runs_that_go_on_after_it_are_counted(self):
        runs = [
            *recorded_runs(),
            *recorded_runs(end=700.0, names=("longer",)),
            *recorded_runs(end=math.inf, names=("done",)),
        ]
        assert later_runs(runs, suggest_grid(runs)) == (40, 700)
        assert later_runs(recorded_runs(), suggest_grid(recorded_runs())) == (0, 100)
        alone = [*recorded_runs(), *recorded_runs(end=700.0, names=("longer",))]
        assert later_runs(alone, suggest_grid(alone)) == (40, 100)  # with nothing to compare them with

    def test_a_short_range_is_linear_and_its_ends_can_be_passed(self):
        assert suggest_grid(recorded_runs(), start=20, stop=80, count=3).axis == "linear"

    def test_it_never_begins_before_anything_was_observed(self):
        """Half of the runs of `late` find their first value after the end of the grid."""
        late = [pb.Trajectory("late", k, [10 + 8 * k], [1.0], end=100) for k in range(12)]
        early = [pb.Trajectory("early", k, [2 + k], [1.0], end=40) for k in range(12)]
        grid = suggest_grid([*early, *late])
        assert (grid.budgets[0], grid.budgets[-1]) == (2, 40)
        single = [pb.Trajectory(name, k, [5], [1.0], end=5) for name in "ab" for k in range(3)]
        assert suggest_grid(single).budgets.tolist() == [5]

    def test_a_start_at_zero_is_moved_to_a_positive_budget(self):
        runs = [pb.Trajectory(name, 0, [0, 5], [2.0, 1.0], end=50) for name in "ab"]
        assert suggest_grid(runs).budgets[0] == 0.5
        solved = [
            pb.Trajectory("a", n, [0, (1 + n) / 64], [1.0, 0.0], end=(1 + n) / 64, finished=True) for n in range(62)
        ]
        assert suggest_grid([*runs, *solved]).budgets[0] == 4 / 64  # one in twenty

    @pytest.mark.parametrize(
        ("runs", "message"), [([], "got none"), ([pb.Trajectory("a", 0, [], [], end=3)], "none with a value")]
    )
    def test_without_values_there_is_no_grid(self, runs, message):
        with pytest.raises(ValueError, match=message):
            suggest_grid(runs)


class TestChosenGrid:
    @pytest.mark.parametrize(
        ("budgets", "count", "first", "last", "has_end"),
        [
            (None, 25, 2, 100, False),
            ("10..80:3", 3, 10, 80, True),
            ("10..80", 30, 10, 80, True),
            (" 1e1..8e1:3 ", 3, 10, 80, True),
            ("10..", 30, 10, 100, False),
            ("..50", 23, 2, 50, True),
            ("..50:4", 4, 2, 50, True),
            (":5", 5, 2, 100, False),
            ("2.5..50:4", 4, 2, 50, True),
            ("10,20,80", 3, 10, 80, True),
            ((10, 80), 30, 10, 80, True),
            ((None, 80), 25, 2, 80, True),
            ([10, 80], 2, 10, 80, True),
            (np.array([10.0, 20.0, 80.0]), 3, 10, 80, True),
            ((10, 20, 80), 3, 10, 80, True),
            (pb.Grid([10, 80], "log"), 2, 10, 80, True),
        ],
        ids=str,
    )
    def test_every_form(self, budgets, count, first, last, has_end):
        """Budgets of runs are whole numbers, so that a grid may have fewer budgets than asked for."""
        grid, ends = choose_grid(recorded_runs(), budgets)
        assert (len(grid), grid.budgets[0], grid.budgets[-1], ends) == (count, first, last, has_end)

    def test_a_grid_is_taken_as_it_is(self):
        given = pb.Grid([10, 15.5, 80], "log")
        assert choose_grid(recorded_runs(), given)[0] == given

    @pytest.mark.parametrize(
        ("budgets", "message"),
        [
            ("", "expected budgets such as 10..500, 10.., .*, got ''"),
            ("500", "expected budgets such as .*, got '500'; write one of these"),
            ("10-500", "expected budgets such as .*, got '10-500'"),
            ("a..b", "expected budgets such as .*, got 'a..b'"),
            ("10..500:x", "expected budgets such as .*, got '10..500:x'"),
            ("10..500:2.5", "expected budgets such as .*, got '10..500:2.5'"),
            ("10..80:0", "expected from 1 to 100,000 budgets, got 0"),
            ("10..80:100001", "expected from 1 to 100,000 budgets, got 100001"),
            ("10,x", "expected budgets as numbers such as 10,100,500, got '10,x'"),
            ("80,10", "(?i)increas"),
            ("80..10", "expected budgets from above 0 to a later one, got 80 to 10"),
            ("0..10", "expected budgets from above 0 to a later one, got 0 to 10"),
            ("nan..80", "expected budgets from above 0 to a later one, got nan to 80"),
            ("10..inf", "expected budgets from above 0 to a later one, got 10 to inf"),
            ("50..50", "got 50 for both; for the answer at one budget, select with budget=50"),
            ((50, 50), "got 50 for both"),
        ],
    )
    def test_what_are_no_budgets(self, budgets, message):
        with pytest.raises(ValueError, match=message):
            choose_grid(recorded_runs(), budgets)


class TestReplay:
    def test_it_computes_what_racing_would_have_saved(self):
        runs = recorded_runs(200)
        replayed = replay(runs, pb.log_grid(30, 100, 4), confidence=0.85, prior=pb.RandomWalk())
        assert replayed.result.kept == ("good",)
        assert (replayed.instances, replayed.left_out, replayed.recorded) == (200, 0, 40_000)
        assert replayed.spent == sum(replayed.result.cost.values()) < replayed.recorded
        assert replayed.saved_share == 1 - replayed.spent / replayed.recorded

    def test_incomplete_instances_are_left_out(self):
        runs = [run for run in recorded_runs(20) if run.instance != 3 or run.algorithm == "good"]
        runs = [run for run in runs if run.instance != 4]
        runs += [pb.Trajectory(name, 4, [2], [1.0], end=50) for name in ("good", "bad")]
        replayed = replay(runs, pb.log_grid(5, 100, 4), confidence=0.9, prior=pb.RandomWalk())
        assert (replayed.instances, replayed.left_out) == (18, 2)

    def test_the_race_has_the_clusters_of_the_runs(self):
        runs = [
            pb.Trajectory(run.algorithm, run.instance, run.budgets, run.values, run.end, cluster=run.instance % 3)
            for run in recorded_runs(24)
        ]
        labels = {"cluster_kind": "data set", "cluster_unit": "run"}
        replayed = replay(runs, pb.log_grid(30, 100, 4), confidence=0.9, prior=pb.RandomWalk(), **labels)
        clusters = replayed.result.state.observations.choices.rankings.clusters
        assert (clusters.kind, clusters.unit, set(clusters.labels)) == ("data set", "run", {0, 1, 2})
        assert len(clusters.labels) == replayed.result.instances
        plain = replay(recorded_runs(24), pb.log_grid(30, 100, 4), confidence=0.9, prior=pb.RandomWalk(), **labels)
        assert plain.result.state.observations.choices.rankings.clusters is None

    def test_a_race_that_replays_into_a_file_continues_with_its_clusters(self, tmp_path):
        runs = [
            pb.Trajectory(run.algorithm, run.instance, run.budgets, run.values, run.end, cluster=run.instance % 3)
            for run in recorded_runs(40)
        ]
        options = {"prior": pb.RandomWalk(), "confidence": 0.99, "batch": pb.FixedBatch(4)}
        with pb.Race(["good", "bad"], None, pb.log_grid(30, 100, 4), path=tmp_path / "r.race", **options) as race:
            race.drive(pb.ReplayExecutor(runs), max_instances=4, progress="none")
            assert race.state.observations.choices.rankings.clusters.codes.tolist() == [0, 1, 2, 0]
        with pb.Race.open(tmp_path / "r.race", algorithms=["good", "bad"]) as race:
            assert race.state.clusters.codes.tolist() == [0, 1, 2, 0]
            race.drive(pb.ReplayExecutor(runs), max_instances=8, progress="none")
            assert race.state.clusters.codes.tolist() == [0, 1, 2, 0, 1, 2, 0, 1]

    def test_without_complete_instances_there_is_no_race(self):
        with pytest.raises(ValueError, match="expected instances on which all of good, bad were run until 200"):
            replay(recorded_runs(), pb.log_grid(5, 200, 4))
