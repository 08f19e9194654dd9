"""What a selection by the strongest rival says, number by number, and how it refuses unsuitable criteria."""

import re

import numpy as np
import pytest

import polarbear as pb

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


def test_the_sentence_of_a_sure_choice(posterior):
    selection = pb.select(posterior, pb.At(1000), among=NAMES)
    best = selection.candidates[0]
    rates = pb.win_rates(posterior, "cma", "de")[:, 1]
    lowest = np.minimum(rates, pb.win_rates(posterior, "cma", "rs")[:, 1])
    low, high = np.quantile(lowest, [0.025, 0.975])
    expected = 100 * posterior.expected_win_rate(0, 1)[1]
    assert 100 * np.maximum(0.5 - lowest, 0).mean() < 0.1
    assert best.probability_best >= 0.8
    assert selection.sentence == (
        f"For a budget of 1,000, choose cma: {100 * best.probability_best:.0f} % sure that it is the best choice of 3. "
        f"It wins on {100 * lowest.mean():.0f} % of instances against its strongest rival "
        f"({100 * low:.0f} to {100 * high:.0f} %). Expected loss, by which the strongest rival wins more than half: less "
        "than 0.1 percentage points. Next comes de. Its strongest rival is de, which it is expected to beat on "
        f"{expected:.0f} % of new instances; it won 70 % of the 30 observed."
    )


def test_averaged_budgets_have_no_count(posterior):
    sentence = pb.select(posterior, pb.Uniform(), among=NAMES).sentence
    assert sentence.endswith(" % of new instances.")
    assert "on average over these budgets" in sentence
    assert "observed" not in sentence
    custom = pb.select(posterior, pb.Custom(lambda c: c.mean(axis=-1)), among=NAMES).sentence
    assert "Its value is" in custom
    assert "Its strongest rival is" not in custom


def test_a_choice_that_is_too_close_to_call():
    values = np.random.default_rng(0).normal(size=(12, 1, 3))
    posterior = pb.fit(pb.Choices.from_values(values, grid=[50], names=NAMES), draws=400)
    selection = pb.select(posterior, pb.At(50), among=NAMES)
    chances = " or ".join(f"{each.name} ({100 * each.probability_best:.0f} %)" for each in selection.candidates)
    chances = chances.replace(" or ", ", ", 1)
    loss = 100 * np.mean([max(0, 0.5 - value) for value in selection.values[:, 0]])
    assert f"by which the strongest rival wins more than half: {loss:.2g} percentage points." in selection.sentence
    assert selection.sentence.startswith(
        f"For a budget of 50, it is unclear: the best choice is {chances}. If you must choose, take "
        f"{selection.recommendation}. It wins on "
    )


def test_the_only_candidate_is_shown_with_its_strongest_dropped_rival(posterior):
    assert pb.pareto_set(posterior) == ("cma",)
    selection = pb.select(posterior, pb.At(100))
    (only,) = selection.candidates
    assert (only.expected, only.lower, only.upper, only.probability_best, only.loss) == (1, 1, 1, 1, 0)
    assert only.beats_all is None
    assert selection.is_sure
    assert (selection.values == 1).all()
    assert selection.sentence == (
        "For a budget of 100, choose cma, the only candidate. Among the other algorithms, its strongest rival is de, which "
        f"it is expected to beat on {100 * posterior.expected_win_rate(0, 1)[0]:.0f} % of new instances; it won 70 % of the "
        "30 observed."
    )
    custom = pb.select(posterior, pb.Custom(lambda c: 3 * c.min(axis=-1)))
    assert custom.candidates[0].expected == 3
    assert custom.sentence == "For the preference that you gave, choose cma, the only candidate."


def test_an_observed_share_is_counted_in_instances():
    """Also for clusters, whose effective number of observations is another one."""
    values = values_of()
    choices = pb.Choices.from_values(values, grid=[100, 1000], names=NAMES, clusters=np.arange(30) // 3)
    posterior = pb.fit(choices, draws=200)
    effective = posterior.beliefs.observed(0, 1)[1][0]
    assert effective != 30
    assert "it won 70 % of the 30 observed" in pb.select(posterior, pb.At(100), among=NAMES).sentence
    weighted = pb.Choices.from_values(values, grid=[100, 1000], names=NAMES, weights=np.linspace(0, 2, 30))
    assert " of the 29 observed" in pb.select(pb.fit(weighted, draws=200), pb.At(100), among=NAMES).sentence


def test_the_only_candidate_is_not_compared_with_algorithms_it_never_met():
    values = values_of()
    values[:, 1, 2] = np.nan
    values[15:, 0, 2] = np.nan
    posterior = pb.fit(pb.Choices.from_values(values, grid=[100, 1000], names=NAMES), draws=200)
    assert pb.select(posterior, pb.At(1000), among=["cma"]).sentence.count("rival is de") == 1
    without = values_of()
    without[:, 1, 1:] = np.nan
    without[:, 1, 2] = 3.0
    posterior = pb.fit(pb.Choices.from_values(without, grid=[100, 1000], names=NAMES), draws=200)
    assert "rival is rs" in pb.select(posterior, pb.At(1000), among=["cma"]).sentence
    assert "rival is de" in pb.select(posterior, pb.At(100), among=["cma"]).sentence


def test_tables_of_the_strongest_rival(posterior):
    selection = pb.select(posterior, pb.At(1000), pb.Quantile(0.1), among=NAMES)
    heads, rows = selection.shown_table()
    assert heads == [
        "choice",
        "beats its strongest rival",
        "10 % quantile",
        "95 % interval",
        "best choice",
        "loss",
    ]
    first = selection.candidates[0]
    assert rows[0][:3] == ["cma", f"{100 * first.expected:.0f} %", f"{100 * first.score:.0f} %"]
    assert "by the 10 % quantile of the value" in selection.sentence
    assert "by the probability" not in pb.select(posterior, pb.At(1000), pb.ProbabilityBest(), among=NAMES).sentence
    assert "by the expected value" in pb.select(posterior, pb.At(1000), pb.Expected(), among=NAMES).sentence


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
