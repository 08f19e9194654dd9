"""The study of groups that borrow from each other."""

from polarbear.calibration.groups import GroupCell, simulate_groups, summarise


def test_equal_groups_gain_by_borrowing_and_an_unlike_one_is_not_outvoted():
    equal = summarise(GroupCell(), [simulate_groups(GroupCell("equal", (5, 40), times=2), k) for k in range(3)])
    assert equal["pooled"]["loss"] < equal["alone"]["loss"]
    cell = GroupCell("equal but for one", (5, 60), times=2)
    outcomes = [simulate_groups(cell, replicate) for replicate in range(3)]
    assert outcomes[0] == simulate_groups(cell, 0)
    unlike = summarise(cell, outcomes)
    assert unlike["data_sets"] == 3
    assert len(outcomes[0]["pooled"]) == 1  # only the group that differs is measured
    assert unlike["pooled"]["covered"][0] > unlike["all"]["covered"][0] + 0.2
