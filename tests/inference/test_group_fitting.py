"""Groups of instances that borrow from each other within each pair."""

import numpy as np
import pytest
import scipy

import polarbear as pb
from polarbear.inference.group_fitting import GroupSize
from polarbear.posterior.beta_mixture import prior_about, update

FORWARD, BACKWARD = (2.0, 0.0, -2.0), (-2.0, 0.0, 2.0)  # utilities of A, B and C


def choices_of(*groups, seed=0, **options):
    """Return choices of groups of (number of instances, utilities), and the group of each instance."""
    rng = np.random.default_rng(seed)
    values = [-(np.array(utilities) + rng.gumbel(size=(number, 1, 3))) for number, utilities in groups]
    labels = [name for name, (number, _) in enumerate(groups) for _ in range(number)]
    repeated = np.repeat(np.concatenate(values), 4, axis=1)
    return pb.Choices.from_values(repeated, grid=[1, 2, 3, 4], **options), labels


def probability(posterior, first=0, second=2):
    return posterior.win_rate_above(first, second)[0]


def test_a_group_that_resembles_the_others_is_surer_than_one_that_differs():
    alike, unlike = (
        pb.fit_groups(*choices_of((10, FORWARD), (60, others)))[0].posterior for others in (FORWARD, BACKWARD)
    )
    assert alike.win_rates(0, 1)[0].std() < 0.8 * unlike.win_rates(0, 1)[0].std()
    assert probability(alike) > probability(unlike) > 0.9


def test_the_posterior_of_a_pair_is_the_conjugate_one():
    """Half of the prior lies about the win rate of the other groups, with half a win added on both sides."""
    won = np.array(8 * [True] + 4 * [False] + 30 * [True] + 10 * [False])
    values = np.where(won[:, None, None], [1.0, 2.0], [2.0, 1.0])
    posterior = pb.fit_groups(pb.Choices.from_values(values, grid=[1]), 12 * [0] + 40 * [1])[0].posterior
    prior = prior_about(np.array([30.5 / 41]), pb.BayesianBootstrap().near_equal)
    exact = update(prior, np.array([8.0]), np.array([4.0]), np.zeros(1))
    assert posterior.win_rate_above(0, 1, 0.6) == pytest.approx(exact.above(0.6))
    by_hand = exact.weights @ scipy.stats.beta.sf(0.6, exact.first[:, 0], exact.second[:, 0])
    assert posterior.win_rate_above(0, 1, 0.6)[0] == pytest.approx(by_hand)


def test_other_pairs_and_other_groups_of_the_same_outcomes_change_nothing():
    choices, labels = choices_of((10, FORWARD), (60, BACKWARD))
    values = choices.rankings.ranks[..., :2].astype(float)
    pair = pb.Choices.from_values(values, grid=choices.grid)
    whole, alone, divided = (
        pb.fit_groups(each, groups)[0].posterior.win_rates(0, 1)
        for each, groups in ((choices, labels), (pair, labels), (pair, [0] * 10 + [1] * 20 + [2] * 40))
    )
    np.testing.assert_array_equal(whole, alone)
    np.testing.assert_array_equal(alone, divided)


def test_a_few_instances_are_not_outvoted_by_many_that_contradict_them():
    choices, labels = choices_of((3, FORWARD), (300, BACKWARD))
    fitted = pb.fit_groups(choices, labels)
    assert probability(fitted[0].posterior) > 0.5
    assert probability(fitted[1].posterior) < 0.001
    assert pb.pareto_set(fitted[0].posterior) == ("A", "B", "C")
    assert probability(pb.fit(choices, draws=1000)) < 0.001  # every instance has the same weight


@pytest.mark.parametrize("utilities", [FORWARD, BACKWARD])
def test_a_single_instance_gets_a_cautious_answer(utilities):
    fitted = pb.fit_groups(*choices_of((1, utilities), (200, FORWARD)))
    posterior = fitted[0].posterior
    assert (posterior.instances, pb.pareto_set(posterior)) == (1, ("A", "B", "C"))
    assert 0.03 < probability(posterior) < 0.97


def test_one_group_alone_is_the_usual_posterior_and_instances_in_no_group_lend():
    choices, labels = choices_of((20, FORWARD), (20, FORWARD))
    [alone] = pb.fit_groups(choices, [0] * 40, seed=3).values()
    usual = pb.fit(choices, draws=1000, seed=3)
    np.testing.assert_array_equal(alone.posterior.win_rates(0, 1), usual.win_rates(0, 1))
    [lent] = pb.fit_groups(choices, [0 if label == 0 else None for label in labels]).values()
    both = pb.fit_groups(choices, labels)
    np.testing.assert_array_equal(lent.posterior.win_rates(0, 1), both[0].posterior.win_rates(0, 1))


@pytest.mark.parametrize(
    ("instances", "units", "size"),
    [
        (0, 0, "0 instances, too few for a choice of its own"),
        (7, 7, "7 instances, too few for a choice of its own"),
        (8, 8, "8 instances, tentative"),
        (29, 29, "29 instances, tentative"),
        (30, 30, "30 instances"),
        (60, 5, "60 instances in 5 clusters, too few for a choice of its own"),
    ],
)
def test_the_size_says_what_an_answer_is_worth(instances, units, size):
    assert GroupSize(instances, units).size == size


def test_clusters_count_as_one_instance_unless_the_answer_is_about_these():
    """In a fixed suite, instances of the same function are independent."""
    choices, labels = choices_of((12, FORWARD), (12, FORWARD), clusters=pb.Clusters(tuple(range(6)) * 4, "function"))
    for prior, units in (
        (pb.BayesianBootstrap(), 6),
        (pb.BayesianBootstrap(generalise_to="instances"), 12),
    ):
        group = pb.fit_groups(choices, labels, prior=prior)[0]
        assert (group.instances, group.units, group.is_too_small) == (12, units, units < 8)


def test_groups_given_by_name_may_lack_algorithms():
    whole, _ = choices_of((30, FORWARD))
    few = pb.Choices.from_values([[[1.0, 2.0]] * 4] * 5, grid=[1, 2, 3, 4], names=["A", "B"])
    fitted = pb.fit_groups({"whole": whole, "few": few})
    assert fitted["few"].unobserved == ("C",)
    assert fitted["few"].posterior.names == ("A", "B", "C")
    assert pb.select(fitted["few"].posterior, pb.At(2)).candidates[0].name == "A"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": [0]}, "expected one group for each of 4 instances, got 1"),
        ({"groups": None}, "expected the group of each instance, got none"),
        ({"groups": [None] * 4}, "expected at least one instance in a group"),
        ({"prior": pb.RandomWalk()}, "expected BayesianBootstrap for groups"),
        ({"choices": {}}, "expected choices with the rankings of each instance"),
    ],
)
def test_wrong_requests_say_what_was_expected(change, message):
    choices, _ = choices_of((4, FORWARD))
    with pytest.raises(ValueError, match=message):
        pb.fit_groups(**{"choices": choices, "groups": [0, 0, 1, 1], **change})
