"""Groups of instances that borrow from each other."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.bootstrap.group_weights import GroupRows
from polarbear.inference.bootstrap.instance_weights import weighted_rows

FORWARD, BACKWARD = (2.0, 0.0, -2.0), (-2.0, 0.0, 2.0)  # utilities of A, B and C


def choices_of(*groups, seed=0, **options):
    """Return choices of groups of (number of instances, utilities), and the group of each instance."""
    rng = np.random.default_rng(seed)
    values = [-(np.array(utilities) + rng.gumbel(size=(number, 1, 3))) for number, utilities in groups]
    labels = [name for name, (number, _) in enumerate(groups) for _ in range(number)]
    repeated = np.repeat(np.concatenate(values), 4, axis=1)
    return pb.Choices.from_values(repeated, grid=[1, 2, 3, 4], **options), labels


def probability(posterior, first=0, second=2):
    return (posterior.win_rates(first, second)[0] > 0.5).mean()


def test_equal_groups_borrow_much_and_different_groups_little():
    fitted = pb.fit_groups(*choices_of((10, FORWARD), (60, FORWARD)))
    assert fitted[0].borrowed > 10
    unlike = pb.fit_groups(*choices_of((10, FORWARD), (60, BACKWARD)))
    assert unlike[0].borrowed < 1
    widths = [each[0].posterior.win_rates(0, 1)[0].std() for each in (fitted, unlike)]
    assert widths[0] < 0.8 * widths[1]
    assert "10 instances; borrows as much as" in fitted[0].sentence
    assert fitted[0].posterior.scope.endswith("instances from the other groups")


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
    assert fitted[0].borrowed > 0
    assert 0.03 < probability(posterior) < 0.97


def test_one_group_alone_is_the_usual_posterior_and_instances_in_no_group_lend():
    choices, labels = choices_of((20, FORWARD), (20, FORWARD))
    [alone] = pb.fit_groups(choices, [0] * 40, seed=3).values()
    usual = pb.fit(choices, draws=4000)
    for moment in (np.mean, np.std):
        ours, theirs = (moment(each.win_rates(0, 1)[0]) for each in (alone.posterior, usual))
        assert ours == pytest.approx(theirs, rel=0.08)  # 1000 draws: a standard error of 2 %
    assert alone.borrowed == 0
    [lent] = pb.fit_groups(choices, [0 if label == 0 else None for label in labels]).values()
    assert lent.borrowed > 1


def test_weights_are_those_of_the_group_alone_or_of_all_instances_at_the_ends_of_the_lattice():
    """Functions 1 and 2 have members in both groups, function 3 only in the other one."""
    clusters = pb.Clusters((1, 2, 2, 1, 1, 2, 3, 3), kind="function")
    choices, _ = choices_of((8, FORWARD), clusters=clusters)
    prior, own = pb.BayesianBootstrap(), np.arange(8) < 3
    rows = weighted_rows(choices.rankings, prior)
    group = GroupRows(rows, own)
    np.testing.assert_allclose(group.expected(1.0), rows.sizes[:8])
    np.testing.assert_allclose(group.expected(0.0), [1, 0.5, 0.5, 0, 0, 0, 0, 0])
    half = group.expected(0.5)
    np.testing.assert_allclose([half[[0, 3, 4]].sum(), half[[1, 2, 5]].sum(), half[6:].sum()], [1, 1, 0.5])
    drawn = group.draw(0.5, 4000, rng=np.random.default_rng(1))
    np.testing.assert_allclose(drawn.sum(axis=0), 1, rtol=1e-5)
    assert (
        np.corrcoef(drawn[0] / drawn[1], drawn[3] / drawn[5])[0, 1] > 0.999
    )  # a shared function has one gamma variable
    expected = group.with_sizes(half).sizes
    np.testing.assert_allclose(drawn.mean(axis=1), expected / expected.sum(), atol=0.02)


def test_groups_given_by_name_may_lack_algorithms():
    whole, _ = choices_of((30, FORWARD))
    few = pb.Choices.from_values([[[1.0, 2.0]] * 4] * 5, grid=[1, 2, 3, 4], names=["A", "B"])
    fitted = pb.fit_groups({"whole": whole, "few": few})
    assert fitted["few"].unobserved == ("C",)
    assert fitted["few"].posterior.names == ("A", "B", "C")
    assert (fitted["few"].posterior.comparisons[:, 2] > 0).all()  # borrowed, so that there is an answer
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
