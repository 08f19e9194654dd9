"""The strongest rival of a selection, number by number, and how unsuitable criteria are refused."""

import re

import numpy as np
import pytest

import polarbear as pb
from polarbear.selection.recommendation import Rival

NAMES = ["cma", "de", "rs"]


def values_of(instances=30):
    """cma beats de on 20 of 30 instances and ties on 2; rs comes last on all but one."""
    values = np.tile([1.0, 2.0, 3.0], (instances, 2, 1))
    values[:8, :, 0] = 2.5
    values[8:10, :, 0] = 2.0
    values[-1, :, 2] = 0.5
    return values


@pytest.fixture(scope="module")
def posterior():
    choices = pb.Choices.from_values(values_of(), grid=[100, 1000], names=NAMES)
    return pb.fit(choices, draws=400, seed=0)


def test_a_sure_choice_and_its_rival(posterior):
    selection = pb.select(posterior, pb.At(1000), among=NAMES)
    best = selection.candidates[0]
    rates = pb.win_rates(posterior, "cma", "de")[:, 1]
    lowest = np.minimum(rates, pb.win_rates(posterior, "cma", "rs")[:, 1])
    assert (selection.is_sure, selection.name, selection.runner_up) == (True, "cma", "de")
    assert (best.expected, best.lower, best.upper) == pytest.approx(
        (lowest.mean(), *np.quantile(lowest, [0.025, 0.975])), abs=1e-6
    )
    assert best.loss == pytest.approx(np.maximum(0.5 - lowest, 0).mean(), abs=1e-6)
    expected = posterior.expected_win_rate(0, 1)[1]
    assert selection.rival == Rival("de", pytest.approx(expected), pytest.approx(0.7), 30)


def test_averaged_budgets_have_no_count(posterior):
    rival = pb.select(posterior, pb.Uniform(), among=NAMES).rival
    expected = posterior.expected_win_rate(0, 1) @ pb.Uniform().weights(posterior.grid)
    assert rival == Rival("de", pytest.approx(expected), None, None)
    custom = pb.select(posterior, pb.Custom(lambda c: c.mean(axis=-1)), among=NAMES)
    assert custom.rival is None


def test_the_only_candidate_is_shown_with_its_strongest_dropped_rival(posterior):
    assert pb.pareto_set(posterior) == ("cma",)
    selection = pb.select(posterior, pb.At(100))
    (only,) = selection.candidates
    assert (only.expected, only.lower, only.upper, only.probability_best, only.loss) == (1, 1, 1, 1, 0)
    assert only.beats_all is None
    assert selection.is_sure
    assert (selection.values == 1).all()
    expected = posterior.expected_win_rate(0, 1)[0]
    assert selection.rival == Rival("de", pytest.approx(expected), pytest.approx(0.7), 30, is_dropped=True)
    custom = pb.select(posterior, pb.Custom(lambda c: 3 * c.min(axis=-1)))
    assert custom.candidates[0].expected == 3
    assert (custom.rival, custom.runner_up) == (None, "")


def test_an_observed_share_is_counted_in_instances():
    """Also for clusters, whose effective number of observations is another one."""
    values = values_of()
    choices = pb.Choices.from_values(values, grid=[100, 1000], names=NAMES, clusters=np.arange(30) // 3)
    posterior = pb.fit(choices, draws=200)
    effective = posterior.beliefs.observed(0, 1)[1][0]
    assert effective != 30
    rival = pb.select(posterior, pb.At(100), among=NAMES).rival
    assert (rival.observed, rival.instances) == (pytest.approx(0.7), 30)
    weighted = pb.Choices.from_values(values, grid=[100, 1000], names=NAMES, weights=np.linspace(0, 2, 30))
    assert pb.select(pb.fit(weighted, draws=200), pb.At(100), among=NAMES).rival.instances == 29


def test_the_only_candidate_is_not_compared_with_algorithms_it_never_met():
    values = values_of()
    values[:, 1, 2] = np.nan
    values[15:, 0, 2] = np.nan
    posterior = pb.fit(pb.Choices.from_values(values, grid=[100, 1000], names=NAMES), draws=200)
    assert pb.select(posterior, pb.At(1000), among=["cma"]).rival.name == "de"
    without = values_of()
    without[:, 1, 1:] = np.nan
    without[:, 1, 2] = 3.0
    posterior = pb.fit(pb.Choices.from_values(without, grid=[100, 1000], names=NAMES), draws=200)
    assert pb.select(posterior, pb.At(1000), among=["cma"]).rival.name == "rs"
    assert pb.select(posterior, pb.At(100), among=["cma"]).rival.name == "de"


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (pb.WinRateAgainst("cmaes"), "expected one of cma, de, rs, got 'cmaes'; did you mean 'cma'?"),
        (pb.WinRateAgainst("X"), "expected one of cma, de, rs, got 'X'"),
        (
            pb.TopK(4),
            "expected TopK of at most 3, the number of candidates, got 4; all are among the first 3",
        ),
    ],
)
def test_unsuitable_criteria_are_refused_in_one_sentence(posterior, criterion, message):
    for preference in (pb.At(100), pb.Uniform()):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            pb.select(posterior, preference, criterion=criterion, among=NAMES)


def test_the_top_counts_the_candidates(posterior):
    with pytest.raises(ValueError, match="expected TopK of at most 2, the number of candidates, got 3"):
        pb.select(posterior, criterion=pb.TopK(3), among=["cma", "de"])
    both = pb.select(posterior, criterion=pb.TopK(2), among=["cma", "de"]).candidates
    assert [each.expected for each in both] == [1, 1]


def test_a_win_rate_may_be_against_an_algorithm_that_is_no_candidate(posterior):
    selection = pb.select(posterior, pb.At(100), criterion=pb.WinRateAgainst("rs"))
    assert [each.name for each in selection.candidates] == ["cma"]
    assert selection.candidates[0].expected == pytest.approx(
        pb.win_rates(posterior, "cma", "rs")[:, 0].mean(), abs=1e-6
    )
    itself = pb.select(posterior, pb.At(100), criterion=pb.WinRateAgainst("cma"))
    assert itself.candidates[0].expected == 0.5
