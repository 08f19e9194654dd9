"""Quality curves, gaps, instances won and curves of an instance, from races, imports and trajectories."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.magnitude.collection import collect_runs
from polarbear.magnitude.summary import how_much_better
from tests.magnitude.runs import three_algorithms

GRID = pb.log_grid(10, 1000, 7)
NAMES = ["quick", "steady", "poor"]


@pytest.fixture(scope="module")
def runs():
    return three_algorithms(25)


@pytest.fixture(scope="module")
def race(runs):
    """A race that decides every budget; `quick` and `steady` cross, so that later rounds need the middle budgets only."""
    race = pb.Race(NAMES, None, GRID, batch=pb.FixedBatch(5), draws=1000, confidence=0.995, until="every-budget")
    return race.drive(pb.ReplayExecutor(runs), max_instances=25, progress="none")


def test_quality_curves_are_quantiles_over_instances(runs):
    curves = pb.quality_curves(runs, grid=GRID)
    assert curves.names == tuple(NAMES)
    for column, name in enumerate(curves.names):
        values = np.array([run.at(GRID.budgets) for run in runs if run.algorithm == name])
        for share, found in ((0.25, curves.low_quartile), (0.5, curves.median), (0.75, curves.high_quartile)):
            expected = np.quantile(values, share, axis=0, method="averaged_inverted_cdf")
            np.testing.assert_allclose(found[:, column], expected)
    assert (curves.lower < curves.median).all()
    assert (curves.median < curves.upper).all()
    assert (curves.known == 25).all()
    assert curves.to_frame().shape == (21, 9)
    assert curves.sentence.startswith("Median value at 1,000, the best first: steady ")
    assert "steady" in curves._repr_html_()
    without = pb.quality_curves(runs, grid=GRID, intervals=False)
    np.testing.assert_array_equal(without.median, curves.median)
    assert np.isnan([without.lower, without.upper]).all()


def test_there_is_no_median_where_less_than_half_is_known():
    ends = {"half": [100] * 5 + [10] * 5, "less": [100] * 4 + [10] * 6, "finished": [10] * 10}
    runs = [
        pb.Trajectory(name, i, [1], [float(i)], end=end, finished=name == "finished")
        for name, untils in ends.items()
        for i, end in enumerate(untils)
    ]
    curves = pb.quality_curves(runs, grid=[5, 100])
    assert curves.median[0].tolist() == [4.5, 4.5, 4.5]
    assert curves.median[1, [0, 2]].tolist() == [2.0, 4.5]
    assert np.isnan(curves.median[1, 1])
    assert curves.known[1].tolist() == [5, 4, 10]


def test_in_a_race_runs_end_by_a_plan(race):
    last = np.array([[run.trajectory.known_to >= 1000] for run in race.runs if run.trajectory.algorithm == "quick"])
    assert 0 < last.mean() < 0.5  # later rounds did not need the last budget
    curves = pb.quality_curves(race)
    assert np.isfinite(curves.median).all()
    assert curves.known[-1, 0] == last.sum()


def test_without_a_solution_on_most_instances_the_median_is_infinite():
    runs = [pb.Trajectory(name, i, [1 + i], [2.0], end=100) for name in "ab" for i in range(9)]
    curves = pb.quality_curves(runs, grid=[3, 50])
    assert curves.median[:, 0].tolist() == [np.inf, 2.0]
    assert "no algorithm has a median value" in pb.quality_curves(runs, grid=[1, 3]).sentence


def test_the_share_of_gaps_above_a_tolerance(runs):
    found = pb.gap_exceeds(runs, "steady", "poor", 0.5, grid=GRID, at=500)
    place = int(np.flatnonzero(found.grid.budgets == 500)[0])
    values = {name: np.array([run.at([500])[0] for run in runs if run.algorithm == name]) for name in NAMES}
    assert found.better[place] == pytest.approx(np.mean(values["poor"] - values["steady"] > 0.5))
    assert found.worse[place] == 0
    assert (found.worse_lower[place], found.worse_upper[place] > 0.05) == (0, True)
    assert found.better_lower[place] < found.better[place] < found.better_upper[place]
    assert "steady is better than poor by more than 0.5 on" in found.sentence
    twice = pb.gap_exceeds(runs, "steady", "poor", 0.5, relative=True, grid=GRID, at=500)
    assert twice.better[place] == pytest.approx(np.mean(values["steady"] < 0.5 * values["poor"]))
    assert "by more than 50 % on" in twice.sentence


def test_without_a_tolerance_every_difference_counts(runs):
    found = pb.gap_exceeds(runs, "quick", "steady", grid=GRID, at=150)
    won = pb.instances_won(runs, "quick", "steady", grid=GRID, at=150)
    place = int(np.flatnonzero(found.grid.budgets == 150)[0])
    assert found.better[place] == pytest.approx(len(won.won_by("quick")) / 25)
    assert found.worse[place] == pytest.approx(len(won.won_by("steady")) / 25)
    assert found.sentence.startswith("At 150 quick is better than steady by any amount on ")
    assert "and worse on " in found.sentence
    table = pb.gap_exceeds(runs, "quick", "steady", 0.5, relative=True, grid=GRID).to_table()
    assert (set(table["tolerance"].tolist()), set(table["relative"].tolist())) == ({0.5}, {True})
    with pytest.raises(ValueError, match="expected two different algorithms, got 'quick' twice"):
        pb.gap_exceeds(runs, "quick", "quick")


def test_the_interval_of_a_share_counts_clusters_once_and_unknown_instances_never():
    """Twelve instances in four clusters: draws of the weights are added up one by one, as the definition says."""
    runs = [
        pb.Trajectory(name, i, [1], [float(i % 3 == 0 and name == "b")], end=9 if i < 10 else 2, cluster=i // 3)
        for name in "ab"
        for i in range(12)
    ]
    collection = collect_runs(runs, grid=[1, 9])
    found, weights = pb.gap_exceeds(collection, "a", "b", 0.5), collection.weights
    for budget, known in enumerate((range(12), range(10))):
        inside = sum(weights.draws[i] for i in known if i % 3 == 0)
        rest = sum(weights.draws[i] for i in known if i % 3)
        drawn = np.sort((inside + weights.above) / (inside + rest + weights.above + weights.below))
        np.testing.assert_allclose(found.better_lower[budget], drawn[24], rtol=1e-5)  # of 1000: 0.025 * 999 = 24.975
        np.testing.assert_allclose(found.better_upper[budget], drawn[975], rtol=1e-5)
    np.testing.assert_allclose(found.better, [1 / 3, (3 + 1) / 10])


def test_the_interval_of_a_share_is_that_of_jeffreys():
    from scipy.stats import beta

    runs = [pb.Trajectory(name, i, [1], [float(i >= 6 and name == "b")], end=9) for name in "ab" for i in range(20)]
    found = pb.gap_exceeds(runs, "a", "b", 0.5, grid=[9], draws=4000)
    expected = beta(14.5, 6.5).interval(0.95)
    # Quantiles of 4,000 draws in the tail: standard errors are below 0.01.
    np.testing.assert_allclose([found.better_lower[0], found.better_upper[0]], expected, atol=0.03)


def test_gaps_without_solutions_and_of_higher_values():
    none = {"budgets": [], "values": [], "end": 9, "maximise": True}
    runs = [pb.Trajectory("a", i, [1], [3.0], end=9, maximise=True) for i in range(2)]
    runs += [pb.Trajectory("b", 0, **none), pb.Trajectory("b", 1, [1], [2.0], end=9, maximise=True)]
    runs += [pb.Trajectory("a", 2, **none), pb.Trajectory("b", 2, **none)]
    assert pb.gap_exceeds(runs, "a", "b", 1.5, grid=[9]).better[0] == pytest.approx(1 / 3)
    assert pb.gap_exceeds(runs, "a", "b", 0.2, relative=True, grid=[9]).better[0] == pytest.approx(2 / 3)
    won = pb.instances_won(runs, "a", "b", grid=[9])
    assert won.winners == ("a", "a", "tie")
    assert won.gaps.tolist() == [np.inf, 1.0, 0.0]
    with pytest.raises(ValueError, match="expected a finite tolerance, not negative, got -1"):
        pb.gap_exceeds(runs, "a", "b", -1)


def test_the_instances_won_by_each(runs):
    won = pb.instances_won(runs, "quick", "steady", grid=GRID, at=150)
    assert (np.diff(won.gaps) <= 0).all()
    assert len(won.instances) == 25
    for instance, first, second, gap, winner in zip(
        won.instances, won.first_values, won.second_values, won.gaps, won.winners, strict=True
    ):
        curves = {run.algorithm: run for run in pb.instance_curves(runs, instance, grid=GRID).runs}
        assert (curves["quick"].at([150])[0], curves["steady"].at([150])[0]) == (first, second)
        assert gap == second - first
        assert winner == ("quick" if gap > 0 else "steady")
    quick, steady = won.won_by("quick"), won.won_by("steady")
    assert quick[0] == won.instances[0]
    assert steady[0] == won.instances[-1]
    assert won.sentence == f"At 150 quick wins on {len(quick)} of 25 instances, steady on {len(steady)}."
    assert list(won.to_frame().columns) == [
        *("instance", "algorithm_name", "against", "value", "value_against", "gap", "winner")
    ]
    with pytest.raises(ValueError, match="expected 'quick', 'steady' or 'tie', got 'poor'"):
        won.won_by("poor")
    with pytest.raises(ValueError, match="expected one of 25 instances, such as 0, 1, 2, got 99"):
        pb.instance_curves(runs, 99)


def test_notebooks_name_algorithms_without_a_value_on_an_instance():
    runs = [pb.Trajectory("a", 0, [1.0], [2.0], end=9), pb.Trajectory("<b>", 0, [], [], end=0, failed=True)]
    html = pb.instance_curves(runs, 0, grid=[1, 9])._repr_html_()
    assert html.startswith("<p>Improvements on instance 0</p>")
    assert html.endswith("<p>No value for &lt;b&gt;.</p>")
    complete = [runs[0], replace(runs[0], algorithm="<b>")]
    assert "No value" not in pb.instance_curves(complete, 0, grid=[1, 9])._repr_html_()


def test_ties_follow_the_tolerance_of_the_ranking():
    runs = [pb.Trajectory(name, 0, [1], [value], end=9) for name, value in (("a", 1.0), ("b", 1.05))]
    assert pb.instances_won(runs, "a", "b", grid=[9]).winners == ("a",)
    assert pb.instances_won(runs, "a", "b", grid=[9], absolute_tolerance=0.1).winners == ("tie",)


def test_a_race_brings_its_grid_unit_and_weights(race):
    collection = collect_runs(race, posterior=race.posterior)
    assert collection.grid == race.posterior.grid  # whole numbers of evaluations
    assert collection.unit == "evaluations"
    sample = race.posterior.beliefs.sample
    weights = race.posterior.beliefs.unit_weights()[sample.unit]
    np.testing.assert_array_equal(collection.weights.draws, weights)
    ranks = pb.rank_values(collection.table.values)
    np.testing.assert_array_equal(ranks, sample.rankings.ranks)  # rows and weights belong together
    own = pb.speed_up(race, "quick", "poor", at=100)
    theirs = pb.speed_up(collection, "quick", "poor", at=100)
    assert (own.ratio.tolist(), own.lower.tolist()) == (theirs.ratio.tolist(), theirs.lower.tolist())
    assert "B's" not in own.sentence
    assert "evaluations for the same quality" in own.sentence


def test_the_weights_of_a_posterior_with_another_grid_and_gaps():
    runs = three_algorithms(10)[:-1]  # the last algorithm is missing on one instance
    runs.append(pb.Trajectory("quick", 99, [10], [1.0], end=1000))  # compares nothing
    posterior = pb.fit(pb.Choices.from_trajectories(runs, grid=GRID, per_instance=True), draws=300)
    collection = collect_runs(runs, posterior=posterior, grid=[20, 200])
    assert collection.weights.draws.shape == (11, 300)
    assert collection.weights.expected[-1] == 0
    assert (collection.weights.expected[:-1] > 0).all()
    with pytest.raises(ValueError, match="expected the posterior of these runs"):
        collect_runs(three_algorithms(9), posterior=posterior)


def test_a_posterior_without_weights_leaves_them_to_the_runs(race):
    bare = replace(race.posterior, beliefs=None)  # as under the Plackett-Luce priors
    assert collect_runs(race, posterior=bare).weights.expected.tolist() == [1.0] * race.instances


def test_imported_runs_bring_their_tolerance(tmp_path):
    rows = [f"{name},{i},{t},{v + i}" for name, v in (("a", 1.0), ("b", 1.001)) for i in range(3) for t in (1, 10)]
    path = tmp_path / "runs.csv"
    path.write_text("algorithm_name,instance,evaluations,raw_y\n" + "\n".join(rows))
    imported = pb.read_runs(path)
    won = pb.instances_won(imported, "a", "b", grid=[1, 10])
    assert won.winners == ("a",) * 3
    assert won.to_table()["instance"] == [f"instance {i}, run 1" for i in range(3)]
    assert pb.instances_won(imported, "a", "b", grid=[1, 10], relative_tolerance=0.1).winners == ("tie",) * 3


def test_how_much_better_the_leader_is(race):
    (speed,) = how_much_better(race, race.posterior, at=1000)
    assert speed.startswith("For the quality that others have at 1,000 evaluations, steady needs 0.")
    assert " of the budget of quick (0." in speed
    assert how_much_better(race, race.posterior, among=["quick"]) == ()
