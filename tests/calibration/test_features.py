"""The study of `explain` on simulated instances of two kinds."""

import pytest

from polarbear.calibration.features import FeatureCell, simulate_explanation, summarise


def test_a_data_set_with_an_informative_feature_has_a_known_gain(monkeypatch):
    monkeypatch.setattr("polarbear.features.held_out._FEWEST_DRAWS", 20)
    monkeypatch.setattr("polarbear.features.held_out._MOST_DRAWS", 20)
    cell = FeatureCell(instances=80, features=4, budgets=4)
    outcome = simulate_explanation(cell, 0)
    assert outcome == simulate_explanation(cell, 0)
    assert outcome["right"]
    assert 0.05 < outcome["true_gain"] < 0.6
    assert outcome["lower"] < outcome["gain"] < outcome["upper"]
    assert all(probability >= 0.95 for probability, _ in outcome["claims"])
    assert sum(true for _, true in outcome["claims"]) > 0


def test_outcomes_are_summarised():
    found = {"found": True, "right": True, "true_gain": 0.2, "gain": 0.3, "lower": 0.1, "upper": 0.5, "splits": 1}
    found |= {"claims": [(0.96, True), (0.98, False)]}
    outcomes = [found, found | {"lower": 0.25}, {"found": False}, {"found": False}]
    summary = summarise(FeatureCell(), outcomes)
    assert summary["data_sets"] == 4
    assert summary["found"][0] == summary["covered"][0] == 0.5
    assert summary["true_gain"] == pytest.approx(0.2)
    assert (summary["claims"], summary["promised"], summary["came_true"][0]) == (4, 0.97, 0.5)
    assert "gain" not in summarise(FeatureCell(informative=False), outcomes)
