"""The sentences of the page."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.reporting.sentences import leader_sentence, pareto_sentence, prior_sentences, scope_sentence
from tests.plots.posteriors import specialist_posterior
from tests.selection.posteriors import posterior_of, random_posterior

KEPT = "lead at some budget or are not ruled out"


def test_the_scope_is_a_sentence():
    posterior = specialist_posterior(draws=200)
    assert scope_sentence(posterior) == "The answer generalises to new instances, based on 200."
    functions = replace(posterior, scope="to new functions, based on 24")
    assert scope_sentence(functions) == "The answer generalises to new functions, based on 24."
    assert scope_sentence(replace(posterior, scope="")) == ""


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (0, "are outcomes alone, without a Plackett-Luce model"),
        (np.inf, "come from a Plackett-Luce fit under these weights"),
        (201, "weight equals 201 instances: 50\N{NO-BREAK SPACE}% of each win rate"),  # with one pseudo-instance
    ],
)
def test_the_share_of_plackett_luce_in_a_bootstrap_is_stated(weight, words):
    bootstrap, share = prior_sentences(specialist_posterior(draws=200, plackett_luce=weight))
    assert bootstrap.startswith("Prior: the Bayesian bootstrap. ")
    assert words in share


def test_missing_runs_give_a_range_of_shares():
    values = np.array([[[0.0, 1.0, 2.0]]] * 19 + [[[1.0, 0.0, np.nan]]] * 60)
    choices = pb.Choices.from_values(values, grid=[1], per_instance=True)
    posterior = pb.fit(choices, prior=pb.BayesianBootstrap(plackett_luce=20), draws=200)
    assert "20\N{NO-BREAK SPACE}% to 50\N{NO-BREAK SPACE}% of each win rate" in prior_sentences(posterior)[1]


def test_plackett_luce_over_time_is_called_overconfident():
    ratings = random_posterior(50, 4, 3).ratings
    model, caution = prior_sentences(posterior_of(ratings))
    assert "Plackett-Luce" in model
    assert "rankings of a run at different times as independent" in caution
    assert "overconfident" in caution
    assert len(prior_sentences(posterior_of(ratings, joint=False))) == 1  # each time alone combines nothing


@pytest.mark.parametrize(
    ("candidates", "total", "settled", "sentence"),
    [
        (1, 3, True, "Of 3 algorithms one is enough: a0. Each of the others is beaten at every budget."),
        (
            2,
            3,
            True,
            f"2 of 3 algorithms {KEPT}: a0 and a1. The other one is beaten at every budget.",
        ),
        (
            3,
            3,
            True,
            f"All 3 algorithms {KEPT}: none is beaten at every budget by another.",
        ),
        (
            28,
            30,
            True,
            f"28 of 30 algorithms {KEPT}. The other 2 are beaten at every budget.",
        ),
        (2, 3, False, "2 of 3 algorithms are still in the race: a0 and a1. The other one is beaten at every budget."),
    ],
)
def test_the_headline_counts_and_names_the_candidates(candidates, total, settled, sentence):
    names = [f"a{k}" for k in range(total)]
    assert pareto_sentence(names[:candidates], names, settled=settled) == sentence


def test_the_best_choice_follows_the_leaders():
    ratings = np.zeros((10, 4, 2))
    ratings[:, :2, 0] = ratings[:, 2:, 1] = 0.9
    ratings[:, :2, 1] = ratings[:, 2:, 0] = 0.1
    bands = pb.plots.DecisionBands.of(posterior_of(ratings, pb.log_grid(1, 1000, 4)))
    assert leader_sentence(bands, "seconds") == "Up to about 32 seconds choose A, beyond that B."
    alone = pb.plots.DecisionBands.of(posterior_of(ratings[:, :2]))
    assert leader_sentence(alone, "s") == "At every budget the best choice is A."
