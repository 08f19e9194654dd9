"""First places and top places count the instances that all candidates share, and refuse too few of them."""

import re

import numpy as np
import pytest

import polarbear as pb

PLACES = [pb.FirstPlace(), pb.TopK(1), pb.TopK(2)]
NAMES = ["a", "b", "c"]


def values_with(sparse, *, instances=20, budgets=1):
    """`c` is the best, and ran on the first `sparse` instances only."""
    values = np.tile([2.0, 3.0, 1.0], (instances, budgets, 1)) + 1e-3 * np.arange(instances)[:, None, None]
    values[::3, :, 0] += 5
    values[sparse:, :, 2] = np.nan
    return values


def fit(values, **options):
    grid = np.arange(1, values.shape[1] + 1)
    return pb.fit(pb.Choices.from_values(values, grid=grid, names=NAMES, **options), draws=200)


@pytest.mark.parametrize("criterion", PLACES, ids=str)
def test_places_are_counted_on_the_shared_instances(criterion):
    posterior, alone = fit(values_with(12)), fit(values_with(12)[:12])
    here, there = (pb.select(each, pb.At(1), criterion=criterion, among=NAMES) for each in (posterior, alone))
    for one in here.candidates:
        (other,) = (each for each in there.candidates if each.name == one.name)
        assert one.expected == pytest.approx(other.expected, abs=1e-6)


@pytest.mark.parametrize("criterion", PLACES, ids=str)
def test_below_half_they_are_refused(criterion):
    assert pb.select(fit(values_with(10)), criterion=criterion, among=NAMES).criterion == criterion
    what = pb.TopK(2) if criterion == pb.TopK(2) else pb.FirstPlace()  # the first place is the top one
    message = re.escape(
        f"expected candidates that share at least half of the instances, for {what}, got 9 shared of 20; c ran on 9: "
        "leave it out, or choose a single algorithm by StrongestRival()"
    )
    with pytest.raises(ValueError, match=f"^{message}$"):
        pb.select(fit(values_with(9)), criterion=criterion, among=NAMES)
    without = pb.select(fit(values_with(9)), criterion=pb.FirstPlace(), among=["a", "b"])
    assert without.recommendation == "a"


def test_the_other_criteria_take_each_pair_on_its_own_instances():
    posterior = fit(values_with(3))
    for criterion in (None, pb.StrongestRival(), pb.MeanRank(), pb.WinRateAgainst("a")):
        assert len(pb.select(posterior, criterion=criterion, among=NAMES).candidates) == 3


def test_the_worst_budget_is_named():
    values = values_with(20, budgets=3)
    values[15:, 1, 2] = np.nan
    values[4:, 2, 2] = np.nan
    posterior = fit(values)
    for preference in (pb.At(1), pb.At(2), pb.Between(1, 2)):
        pb.select(posterior, preference, criterion=pb.FirstPlace(), among=NAMES)
    with pytest.raises(ValueError, match="got 4 shared of 20; c ran on 4: leave it out"):
        pb.select(posterior, pb.Uniform(), criterion=pb.FirstPlace(), among=NAMES)


@pytest.mark.parametrize("criterion", PLACES, ids=str)
def test_a_candidate_without_runs_at_budgets_of_little_weight_is_left_out_there(criterion):
    """`c` ends before the last budget, which has 4 % of the weight."""
    values = values_with(20, budgets=3)
    values[:, 2, 2] = np.nan
    posterior = fit(values)
    weights = [0.5, 0.46, 0.04]
    curves = criterion.curves(posterior, np.arange(3))
    assert (curves[:, 2, 2] == 0).all()
    places = getattr(criterion, "k", 1)
    np.testing.assert_allclose(curves.sum(axis=2), places, atol=1e-5)
    selection = pb.select(posterior, pb.Weighted(weights), criterion=criterion, among=NAMES)
    expected = {name: float(np.array(weights) @ curves[..., k].mean(axis=0)) for k, name in enumerate(NAMES)}
    assert {each.name: each.expected for each in selection.candidates} == pytest.approx(expected, abs=1e-6)


def test_a_candidate_that_misses_others_everywhere_is_no_reason_to_answer():
    """`a` and `b` never meet; each meets `c`."""
    values = values_with(20)
    values[:10, :, 0] = np.nan
    values[10:, :, 1] = np.nan
    with pytest.raises(ValueError, match=r"got 0 shared of 20; [ab] ran on 10: leave it out"):
        pb.select(fit(values), criterion=pb.FirstPlace(), among=NAMES)
    assert pb.select(fit(values)).recommendation == "c"


def test_under_the_papers_priors_ratings_need_no_shared_instances():
    choices = pb.Choices.from_values(values_with(3), grid=[1], names=NAMES)
    posterior = pb.fit(choices, prior=pb.Dirichlet(1), draws=200)
    assert pb.select(posterior, pb.At(1)).recommendation == "c"
