"""Clusters of replayed recordings: the race file stores them, so that a race with a file ends as one without."""

import signal
import subprocess
import sys

import numpy as np
import pytest

import polarbear as pb
from polarbear.analysis import replay
from polarbear.race.observations import ClusterLabel
from tests.driver.races import run_quietly

SETTINGS = {"grid": [5, 10], "prior": pb.BayesianBootstrap(), "seed": 1, "batch": pb.FixedBatch(6), "margin": 0.0}
LABELS = {"function": ("function", "instance"), "data set": ("data set", "run")}


def recordings(kind="function"):
    """Six clusters of four instances; what an algorithm reaches depends on the cluster."""
    rng, label = np.random.default_rng(0), LABELS[kind]
    return [
        pb.Trajectory(name, 6 * k + c, [1, 10], [5.0, value], end=10, cluster=ClusterLabel(("suite", c), *label))
        for k in range(4)
        for c in range(6)
        for name, value in {"a": rng.random() + c % 2, "b": rng.random() + 0.5}.items()
    ]


def race_of(path=None):
    return pb.Race(["a", "b"], None, path=path, **SETTINGS)


def replayed(kind="function", path=None):
    with race_of(path) as race:
        return run_quietly(race, pb.ReplayExecutor(recordings(kind)))


def assert_same(result, expected):
    assert result.state.clusters == expected.state.clusters
    assert result.posterior.scope == expected.posterior.scope
    assert result.rounds == expected.rounds
    np.testing.assert_array_equal(result.posterior.ratings, expected.posterior.ratings)


@pytest.mark.parametrize("kind", LABELS)
def test_a_race_with_a_file_has_the_clusters_and_the_posterior_of_one_without(tmp_path, kind):
    path = tmp_path / "my.race"
    expected = replayed(kind)
    clusters = expected.state.clusters
    assert (set(clusters.labels), clusters.kind, clusters.unit) == ({("suite", c) for c in range(6)}, *LABELS[kind])
    assert_same(replayed(kind, path), expected)
    with pb.Race.open(path) as race:
        assert_same(race.outcome, expected)
    code = "import sys, polarbear as pb; print(pb.Race.open(sys.argv[1]).outcome.state.clusters.labels)"
    other = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == str(clusters.labels)


def test_a_replay_stores_its_clusters(tmp_path):
    runs = [run.in_cluster(run.cluster.label) for run in recordings()]
    result = replay(runs, pb.Grid([5, 10]), path=tmp_path / "my.race", cluster_kind="function", confidence=0.99)
    with pb.Race.open(tmp_path / "my.race") as race:
        assert race.state.clusters == result.result.state.clusters
    assert race.state.clusters.kind == "function"


KILLED = """
import os, signal, sys
import polarbear as pb
from tests.driver.test_recorded_clusters import race_of, recordings, run_quietly

class Killed(pb.ReplayExecutor):
    left = int(sys.argv[2])

    def submit(self, *arguments):
        self.left -= 1
        if not self.left:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().submit(*arguments)

run_quietly(race_of(sys.argv[1]), Killed(recordings()))
"""


@pytest.mark.parametrize("number", [5, 17, 30])
def test_a_killed_replay_continues_with_its_clusters(tmp_path, number):
    path = tmp_path / "my.race"
    killed = subprocess.run([sys.executable, "-c", KILLED, path, str(number)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert_same(replayed(path=path), replayed())
    with pb.Race.open(path) as race:
        assert_same(race.outcome, replayed())


def test_a_rescued_race_keeps_its_clusters(tmp_path):
    path = tmp_path / "my.race"
    with race_of(path) as race:
        run_quietly(race, pb.ReplayExecutor(recordings()), max_instances=6)
        path.unlink()
        with pytest.raises(pb.RaceError, match="was deleted or renamed"):
            run_quietly(race, pb.ReplayExecutor(recordings()))
    assert_same(replayed(path=tmp_path / "my-saved.race"), replayed())


def test_a_label_that_a_file_cannot_hold_is_refused(tmp_path):
    runs = [run.in_cluster(frozenset({run.cluster.label})) for run in recordings()]
    message = r"tuples of these as the cluster of instance \d+, which a race file can store, got frozenset\("
    with race_of(tmp_path / "my.race") as race, pytest.raises(ValueError, match=message):
        run_quietly(race, pb.ReplayExecutor(runs))
