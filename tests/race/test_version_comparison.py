"""The verdict on two versions, its sentence, and the looks at growing data."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.observe import Clusters
from polarbear.race.version_comparison import correct_for_looks, judge, planned_looks


def choices_of(wins, losses, ties=0, *, grid=(10, 1000)):
    """Outcomes of NEW against OLD, the same at all budgets."""
    rows = [[1.0, 0.0]] * wins + [[0.0, 1.0]] * losses + [[0.0, 0.0]] * ties
    values = np.repeat(np.array(rows)[:, None], len(grid), axis=1)
    return pb.Choices.from_values(values, grid=grid, names=["OLD", "NEW"])


def test_no_worse():
    result = judge(choices_of(70, 30), "OLD", "NEW")
    assert (result.answer, result.exit_code) == ("no worse", 0)
    assert result.sentence == (
        "NEW is nowhere worse than OLD by more than the margin: over 99 % sure that it wins on at least 45 % of "
        "instances at every budget from 10 to 1,000 evaluations (at worst 70 %, at 10)."
    )


def test_a_version_that_loses_slightly_more_often_is_not_called_as_good():
    """Only a loss by more than the margin is excluded: here the new version wins on less than half of the instances."""
    sentence = judge(choices_of(1900, 2100), "OLD", "NEW").sentence
    assert sentence.startswith("NEW is nowhere worse than OLD by more than the margin: over 99 % sure")
    assert "as good as" not in sentence
    assert sentence.endswith(("(at worst 48 %, at 10).", "(at worst 47 %, at 10)."))


def test_the_margin_is_not_rounded_to_whole_per_cents():
    result = judge(choices_of(70, 30, grid=[120]), "OLD", "NEW", margin=0.025)
    assert "that it wins on at least 47.5 % of instances at 120 evaluations (at worst 70 %, at 120)." in result.sentence


def test_worse():
    result = judge(choices_of(30, 70, grid=[120]), "OLD", "NEW", unit="seconds")
    assert (result.answer, result.exit_code) == ("worse", 1)
    assert result.sentence.startswith("NEW is worse than OLD: at 120 seconds it wins on 30 % of instances (2")
    assert result.sentence.endswith("sure that it wins on less than 45 % at some budget).")


@pytest.mark.parametrize(("instances", "answer"), [(3, "undecided"), (4, "undecided"), (5, "worse"), (8, "worse")])
def test_as_many_losses_as_equal_versions_often_have_decide_nothing(instances, answer):
    """Equal versions lose on all of 4 instances with probability 1/16, on all of 5 with 1/32."""
    result = judge(choices_of(0, instances), "OLD", "NEW")
    assert result.answer == answer
    assert result.instances_needed >= 5


def test_undecided_says_how_many_instances_would_decide():
    result = judge(choices_of(25, 25), "OLD", "NEW")
    assert (result.answer, result.exit_code) == ("undecided", 2)
    assert result.instances_needed > 100
    assert result.sentence.startswith(
        "Undecided after 50 instances: at 10 evaluations NEW wins on 50 % of instances (3"
    )
    assert "and 45 % or more count as no worse; a verdict demands certainty at every budget: expect" in result.sentence
    assert "worse; repeated looks at all budgets demand more certainty: " in replace(result, looks=3).sentence
    rounded = result.sentence.removesuffix(" more instances.").rsplit(" ", 1)[1].replace(",", "")
    assert float(rounded) == pytest.approx(result.instances_needed - 50, rel=0.34)  # rounded to one digit


def test_repetitions_of_one_instance_are_called_so():
    values = np.random.default_rng(0).normal(size=(20, 1, 2))
    clusters = Clusters(range(20), kind="run on this instance", unit="run")
    choices = pb.Choices.from_values(values, grid=[1], names=["OLD", "NEW"], clusters=clusters)
    sentence = judge(choices, "OLD", "NEW").sentence
    assert sentence.startswith("Undecided after 20 repetitions: at 1 evaluation NEW wins on ")
    assert " of repetitions (" in sentence


def test_identical_versions_are_no_worse_after_few_instances():
    assert judge(choices_of(0, 0, 48), "OLD", "NEW", looks=6).answer == "no worse"


@pytest.mark.parametrize(("wins", "losses"), [(56, 44), (38, 62)])
def test_more_looks_need_more_certainty(wins, losses):
    once = judge(choices_of(wins, losses), "OLD", "NEW")
    often = judge(choices_of(wins, losses), "OLD", "NEW", looks=10)
    assert often.probability == pytest.approx(1 - 10 * (1 - once.probability))
    assert judge(choices_of(wins, losses), "OLD", "NEW", looks=1000).answer == "undecided"


def test_the_data_hold_what_the_sentence_says():
    result = judge(choices_of(70, 30), "OLD", "NEW")
    data = result.to_data()
    assert (data["answer"], data["exit_code"], data["sentence"]) == ("no worse", 0, result.sentence)
    assert data["budgets"] == [10, 1000]
    assert len(data["win_rate"]) == len(data["lower"]) == len(data["upper"]) == 2
    assert data["probability"] == data["probability_no_worse"] > data["probability_worse"]


def test_the_data_of_an_undecided_comparison_hold_the_probabilities_of_the_posterior():
    """Corrected for looks, both would be 0: that neither is certain, not that neither is probable."""
    data = judge(choices_of(25, 25), "OLD", "NEW", looks=6).to_data()
    assert data["answer"] == "undecided"
    assert data["probability"] == 0
    both = data["probability_no_worse"] + data["probability_worse"]
    assert both == pytest.approx(1, abs=0.05)  # since both budgets have the same outcomes
    assert data["probability_no_worse"] > 0.6
    assert data["probability_needed"] == pytest.approx(1 - 0.05 / 6)
    assert correct_for_looks(data["probability_needed"], 6) == pytest.approx(0.95)


def test_looks_double_up_to_the_limit():
    assert planned_looks(500) == (24, 48, 96, 192, 384, 500)
    assert planned_looks(100) == (24, 48, 100)
    assert planned_looks(24) == (24,)
    assert planned_looks(1) == (1,)


def test_a_probability_is_corrected_for_looks():
    assert correct_for_looks(0.99, 1) == pytest.approx(0.99)
    assert correct_for_looks(0.99, 4) == pytest.approx(0.96)
    assert correct_for_looks(0.5, 4) == 0


def test_an_impossible_confidence_is_refused():
    with pytest.raises(ValueError, match=r"expected confidence between 0.5 and 1, got 1.5"):
        judge(choices_of(5, 5), "OLD", "NEW", confidence=1.5)
