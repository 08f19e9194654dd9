"""The sentences of the page."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.race.rounds import Eliminated
from polarbear.reporting.sentences import elimination_detail, prior_sentences
from tests.plots.posteriors import specialist_posterior
from tests.selection.posteriors import posterior_of, random_posterior


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
    assert "20 to 50\N{NO-BREAK SPACE}% of each win rate" in prior_sentences(posterior)[1]


def test_the_share_of_plackett_luce_in_ratings_is_stated_where_it_is_another():
    choices = pb.Choices.from_values(np.random.default_rng(0).gumbel(size=(9, 1, 3)), grid=[1])
    posterior = pb.fit(choices, draws=200)
    share = np.mean(posterior.outcomes.model_weights_in_ratings / (10 + posterior.outcomes.model_weights_in_ratings))
    expected = f"In ratings the weight is uncertain; on average {100 * share:.0f}\N{NO-BREAK SPACE}% of each rating"
    assert expected in prior_sentences(posterior)[1]
    one_draw = posterior.thin(1)
    differs = one_draw.outcomes.model_weights_in_ratings[0] != one_draw.outcomes.model_weight
    assert ("In ratings" in prior_sentences(one_draw)[1]) == differs


def test_plackett_luce_over_time_is_called_overconfident():
    ratings = random_posterior(50, 4, 3).ratings
    model, caution = prior_sentences(posterior_of(ratings))
    assert "Plackett-Luce" in model
    assert "rankings of a run at different times as independent" in caution
    assert "overconfident" in caution
    assert len(prior_sentences(posterior_of(ratings, joint=False))) == 1  # each time alone combines nothing


def test_the_detail_of_an_elimination_has_three_digits():
    elimination = Eliminated("slow", "fast", 0.97, round=3, instances=24, cost=84549.0, error_bound=0.021)
    detail = "Eliminated in round 3, after 24 instances and 84,500 evaluations."
    assert elimination_detail(elimination, "evaluations") == detail
    assert elimination_detail(replace(elimination, instances=1), "s").endswith("after 1 instance and 84,500 s.")
