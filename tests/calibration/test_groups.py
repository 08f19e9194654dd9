"""The study of groups of which one is odd."""

from polarbear.calibration.groups import GroupCell, simulate_groups, summarise


def test_other_groups_that_are_alike_narrow_the_interval_of_a_small_group():
    cell = GroupCell(odd=0.8, others=0.8, instances=3, budgets=2)
    outcomes = [simulate_groups(cell, replicate) for replicate in range(8)]
    assert outcomes[0] == simulate_groups(cell, 0)
    summary = summarise(cell, outcomes)
    assert summary["data_sets"] == 8
    assert summary["groups"]["width"] < 0.95 * summary["alone"]["width"]
    assert summary["groups"]["covered"][0] > 0.8


def test_an_odd_group_with_enough_instances_is_not_outvoted():
    cell = GroupCell(odd=0.2, others=0.8, instances=30, budgets=2)
    summary = summarise(cell, [simulate_groups(cell, replicate) for replicate in range(8)])
    assert summary["groups"]["claims"] > 4
    assert summary["groups"]["came_true"][0] == 1
