import numpy as np
import pytest

import polarbear as pb
from polarbear.calibration.resembling import spread_of
from tests.race.raced import GRID, four, instance


def test_a_setting_is_simulated_and_outcomes_are_kept(polarbear, tmp_path):
    asked = ["calibrate", "--races", 2, "--algorithms", 2, "--times", 3, "--instances", 16, "--prior", "RandomWalk"]
    asked += ["--confidence", 0.9, "--draws", 200, "--results", tmp_path / "outcomes.jsonl", "-q"]
    said = polarbear(*asked, "--json")
    assert said.code == 0, said.err
    assert said.data["posterior"]["data_sets"] == 2
    assert said.data["race"]["races"] == 2
    assert 0 <= said.data["posterior"]["coverage"] <= 1
    kept = (tmp_path / "outcomes.jsonl").read_text()
    again = polarbear(*asked)
    assert again.code == 0
    assert (tmp_path / "outcomes.jsonl").read_text() == kept
    assert "of the 95 % intervals hold the truth (2 data sets)" in again.out
    assert "a true member of the Pareto set was eliminated" in again.out


def test_a_prior_without_time_has_races_alone(polarbear):
    said = polarbear(
        "calibrate", "--races", 1, "--algorithms", 2, "--times", 3, "--instances", 16, "--draws", 200,
        "--prior", "Dirichlet", "--elimination", "pointwise", "--confidence", 0.9, "--json", "-q",
    )  # fmt: skip
    assert said.code == 0, said.err
    assert "posterior" not in said.data


def test_what_does_not_go_together_is_refused(polarbear):
    said = polarbear("calibrate", "--prior", "Dirichlet", "-q")
    assert said.code == 1
    assert "treats each time alone" in said.err
    assert polarbear("calibrate", "--prior", "Spline", "-q").code == 1


def test_outcomes_go_into_a_file_of_their_own(polarbear, tmp_path):
    notes = tmp_path / "notes.txt"
    notes.write_text("dear diary")
    said = polarbear("calibrate", "--races", 1, "--results", notes, "-q")
    assert said.code == 1
    assert "notes.txt, line 1, is no outcome of a study; give the file that a study wrote, or another name" in said.err
    assert notes.read_text() == "dear diary"


def test_the_setting_of_a_race_is_taken_from_its_file(polarbear, finished):
    said = polarbear("calibrate", finished, "--races", 1, "--instances", 16, "--draws", 200, "--json")
    assert said.code == 0, said.err
    assert "runs like those of" in said.err
    told = said.data["simulated"]
    assert (told["algorithms"], told["times"], told["prior"]) == (3, 5, "RandomWalk")
    assert (told["confidence"], told["rope"]) == (0.9, 0.15)
    assert 0 <= told["autocorrelation"] <= 1
    assert said.data["posterior"]["instances"] == 16
    assert told["most_instances"] == 16
    assert told["batch"] == [8, 8, 128]


@pytest.mark.parametrize(("batch", "sizes"), [(pb.FixedBatch(5), [5, 5, 5]), (pb.AdaptiveBatch(4, 16, 8), [8, 4, 16])])
def test_a_race_looks_as_often_as_the_one_that_it_resembles(polarbear, tmp_path, batch, sizes):
    with pb.Race(four(), instance, GRID, path=tmp_path / "my.race", batch=batch, draws=200) as race:
        race.run(max_instances=8, progress="none")
    said = polarbear("calibrate", tmp_path / "my.race", "--races", 1, "--draws", 200, "--json", "-q")
    assert said.data["simulated"]["batch"] == sizes
    assert said.data["simulated"]["most_instances"] == 200


def test_truths_lie_as_far_apart_as_the_race_found_whatever_its_prior_expected(polarbear, tmp_path):
    close = pb.BSpline(amplitude=pb.LogNormal(-1.0, 0.3))
    with pb.Race(four(), instance, GRID, path=tmp_path / "my.race", prior=close, draws=200) as race:
        posterior = race.run(max_instances=8, progress="none").posterior
    said = polarbear("calibrate", tmp_path / "my.race", "--races", 1, "--draws", 200, "--json", "-q")
    usual, its_own = (spread_of(posterior, prior, rng=np.random.default_rng(0)) for prior in (pb.BSpline(), close))
    assert said.data["simulated"]["spread"] == pytest.approx(usual, abs=1e-3)  # simulated truths are the usual prior's
    assert its_own > 1.5 * usual


def test_a_posterior_has_as_many_instances_as_the_race_that_it_resembles(polarbear, finished):
    seen = polarbear("status", finished, "--json").data["instances"]
    said = polarbear("calibrate", finished, "--races", 1, "--draws", 200, "--json", "-q")
    assert said.data["posterior"]["instances"] == seen


def test_noise_without_true_ratings_has_races_alone(polarbear):
    said = polarbear(
        "calibrate", "--races", 1, "--algorithms", 2, "--times", 3, "--instances", 16, "--draws", 200,
        "--noise", "gaussian", "--confidence", 0.9, "--solved", 0.2, "-q",
    )  # fmt: skip
    assert said.code == 0, said.err
    assert "gaussian noise (copula, autocorrelation 0.9), 20% of runs at the optimum in the end" in said.out
    assert "intervals hold the truth" not in said.out
