import json

import numpy as np
import pytest

from case_studies.synthetic import recovery
from case_studies.synthetic.examples import EXAMPLES
from case_studies.synthetic.ground_truth import GroundTruth
from case_studies.synthetic.racing import race_truth


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.is_kind.__name__)
def test_the_stored_seed_is_the_first_of_its_kind(example):
    assert example.search() == example.seed


def test_rankings_follow_the_ratings():
    truth = GroundTruth.draw(1, algorithms=4, budgets=6)
    runs = truth.runs(2_000, seed=2)
    values = np.array([run.at(truth.grid.budgets) for run in runs]).reshape(2_000, 4, 6)
    best = np.stack([(values.argmin(axis=1) == column).mean(axis=0) for column in range(4)], axis=-1)
    # The share of first places is the rating (Luce); four standard errors of 2,000 draws.
    np.testing.assert_allclose(best, truth.ratings, atol=4 * np.sqrt(0.25 / 2_000))


def test_the_pareto_set_agrees_with_plain_loops():
    for seed in range(20):
        truth = GroundTruth.draw(seed, algorithms=5, budgets=10)
        for column, name in enumerate(truth.names):
            by = [
                other
                for row, other in enumerate(truth.names)
                if all(truth.ratings[t, row] > truth.ratings[t, column] for t in range(10))
            ]
            assert truth.dominated[name] == tuple(by)
        assert set(truth.clearly_dominated(0.05)).isdisjoint(truth.pareto_set)
        assert truth.ratings.mean(axis=0).tolist() == sorted(truth.ratings.mean(axis=0), reverse=True)


@pytest.mark.calibration
def test_the_crossing_example_is_recovered_from_few_instances():
    example = EXAMPLES[0]
    result = race_truth(example.truth, example.prior)
    assert result.stopped == "finished"
    assert result.kept == example.truth.pareto_set == ("A", "B")
    assert {each.by for each in result.drops} == {"A"}
    assert result.drops[-1].name == "C"  # which comes close to A


def test_an_interrupted_recovery_continues_from_its_file(tmp_path):
    path = tmp_path / "recovery.jsonl"
    fields = {
        "wrong": 0,
        "kept": 0,
        "near": 1,
        "members": 2,
        "instances": 40,
        "decided": True,
        "saved": 0.5,
        "promised": 0.01,
    }
    lines = [json.dumps({"seed": seed, **fields}) for seed in (0, 1, 2)]
    path.write_text("\n".join(lines) + '\n{"seed": 3, "wro')  # killed while writing
    recoveries = recovery.recover_all(None, 3, path)  # no race is left, so no pool is needed
    assert [each.seed for each in recoveries] == [0, 1, 2]
    table = dict(recovery.recovery_table(recoveries).rows)
    assert table["exactly the true Pareto set"] == "0 of 3"
    assert table["drops"] == 6


def test_a_race_on_a_random_truth_is_compared_with_it():
    recovered = recovery.recover(12)
    truth = GroundTruth.draw(12, algorithms=recovery.ALGORITHMS, budgets=recovery.BUDGETS)
    assert recovered.members == len(truth.pareto_set) == 2
    assert (recovered.wrong, recovered.kept, recovered.near) == (0, 0, 0)  # exactly the truth
    assert recovered.decided
    assert 0 < recovered.promised < 0.03  # three eliminations, each at least 99 % sure
