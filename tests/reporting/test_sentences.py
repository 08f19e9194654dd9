"""The sentences of the page."""

from dataclasses import replace

from polarbear.posterior.elimination import Drop
from polarbear.reporting.sentences import drop_detail, prior_sentences
from tests.plots.posteriors import specialist_posterior
from tests.selection.posteriors import posterior_of, random_posterior


def test_the_default_prior_is_stated_with_what_follows_from_it():
    (sentences,) = prior_sentences(specialist_posterior(draws=200))
    assert sentences.startswith("Prior: the Bayesian bootstrap. ")
    assert "does not depend on which others take part" in sentences
    assert "Plackett-Luce" not in sentences


def test_plackett_luce_over_time_is_called_overconfident():
    ratings = random_posterior(50, 4, 3).ratings
    model, caution = prior_sentences(posterior_of(ratings))
    assert "Plackett-Luce" in model
    assert "rankings of a run at different budgets as independent" in caution
    assert "overconfident" in caution
    assert len(prior_sentences(posterior_of(ratings, joint=False))) == 1  # each budget alone combines nothing


def test_the_detail_of_an_elimination_has_three_digits():
    drop = Drop("slow", "fast", 0.97, round=3, instances=24, cost=84549.0, error_bound=0.021)
    detail = "Dropped in round 3, after 24 instances and 84,500 evaluations."
    assert drop_detail(drop, "evaluations") == detail
    assert drop_detail(replace(drop, instances=1), "s").endswith("after 1 instance and 84,500 s.")
