"""How often the recommendation is the best choice, by the probability that is said."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.calibration.races import RaceCell, simulate
from polarbear.calibration.truths import true_win_rates

pytestmark = pytest.mark.calibration

DATA_SETS, BUDGETS, ALGORITHMS = 100, 10, 5
BINS = [(0.8, 0.9), (0.9, 0.95), (0.95, 1.01)]


def claims(truth, instances):
    """Return P(best) of the leader at each budget, and whether its lowest true win rate is the highest."""
    said, true = [], []
    for replicate in range(DATA_SETS):
        cell = RaceCell(truth=truth, algorithms=ALGORITHMS, budgets=BUDGETS, most_instances=instances)
        values, drawn = simulate(cell, replicate)
        rates = true_win_rates(drawn)
        lowest = np.where(np.eye(ALGORITHMS, dtype=bool), np.inf, rates).min(axis=2)
        posterior = pb.fit(pb.Choices.from_values(values, grid=np.arange(1, BUDGETS + 1)), draws=2000, seed=replicate)
        overview = pb.decision_map(posterior, among=posterior.names)
        for budget, name in enumerate(overview.best):
            said.append(overview.probability_best[budget, posterior.names.index(name)])
            true.append(lowest[budget].argmax() == posterior.names.index(name))
    return np.array(said), np.array(true)


@pytest.mark.parametrize("truth", ["smooth", "two kinds", "crossing", "near-equal"])
@pytest.mark.parametrize("instances", [8, 30, 100])
def test_the_best_choice_is_the_best_as_often_as_is_said(truth, instances):
    said, true = claims(truth, instances)
    cells = []
    for low, high in BINS:
        inside = (said >= low) & (said < high)
        number, share = int(inside.sum()), true[inside].mean() if inside.any() else float("nan")
        cells.append(f"{low:g}: {share:.3f} of {number}")
        if truth != "near-equal" and number >= 50:  # near-equal algorithms: a pair cannot know that its field is tight
            error = np.sqrt(0.1 / number) * np.sqrt(BUDGETS / 2)  # budgets of a data set depend on each other
            assert share >= low - 2 * error
    print(f"\n{truth}, {instances} instances:", "; ".join(cells))
