"""Queries as people type them, for Python and the command line."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.selection.query import as_criterion, as_preference, as_risk


@pytest.mark.parametrize(
    ("budget", "preference"),
    [
        (None, None),
        (500, pb.At(500)),
        (0.5, pb.At(0.5)),
        (np.int64(500), pb.At(500)),
        (np.float32(0.5), pb.At(0.5)),
        ("500", pb.At(500)),
        ("1e3", pb.At(1000)),
        ((100, 1000), pb.Between(100, 1000)),
        ([100, 1000], pb.Between(100, 1000)),
        ("100..1000", pb.Between(100, 1000)),
        ("0.5..1e3", pb.Between(0.5, 1000)),
        ("uniform", pb.Uniform()),
        ("log-uniform", pb.LogUniform()),
        ("final", pb.Final()),
        (pb.LogUniform(), pb.LogUniform()),
    ],
    ids=str,
)
def test_every_form_of_budgets(budget, preference):
    assert as_preference(budget) == preference


def test_a_file_has_one_budget_per_line(tmp_path):
    (tmp_path / "budgets.txt").write_text("100\n200\n\n1e3\n")
    preference = as_preference(str(tmp_path / "budgets.txt"))
    grid = pb.Grid([100, 200, 1000])
    assert isinstance(preference, pb.BudgetDistribution)
    np.testing.assert_allclose(preference.weights(grid), pb.BudgetDistribution([100, 200, 1000]).weights(grid))


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ("unifrm", r"expected a budget such as 500, .* or a file of budgets, got 'unifrm'; did you mean 'uniform'\?$"),
        ("final ", r"got 'final '; did you mean 'final'\?$"),
        ("nonsense", r"got 'nonsense'; write one of these$"),
        ("", r"got ''; write one of these$"),
        ("10..", r"got '10\.\.'; write one of these$"),
        ("1..2..3", r"got '1\.\.2\.\.3'; write one range$"),
        ((1, 2, 3), r"expected a range as two budgets, got \(1, 2, 3\); give the first and the last$"),
        ([5], r"expected a range as two budgets, got \[5\]"),
    ],
)
def test_what_is_no_budget(budget, message):
    with pytest.raises(ValueError, match=message):
        as_preference(budget)


@pytest.mark.parametrize(("text", "message"), [("10\nmany\n", "expected numbers in .*: .*many"), ("\n", "got none$")])
def test_what_is_no_file_of_budgets(tmp_path, text, message):
    (tmp_path / "budgets.txt").write_text(text)
    with pytest.raises(ValueError, match=message):
        as_preference(str(tmp_path / "budgets.txt"))


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        (None, None),
        ("best", pb.ProbabilityBest()),
        ("expected", pb.Expected()),
        ("loss", pb.ExpectedLoss()),
        ("quantile", pb.Quantile(0.05)),
        ("quantile:0.2", pb.Quantile(0.2)),
        (pb.Quantile(0.3), pb.Quantile(0.3)),
    ],
    ids=str,
)
def test_every_form_of_a_risk_attitude(text, risk):
    assert as_risk(text) == risk


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "bset",
            r"expected best, expected, loss or quantile:0.1 as the risk attitude, got 'bset'; did you mean 'best'\?$",
        ),
        ("quantil:0.1", r"got 'quantil:0.1'; did you mean 'quantile'\?$"),
        ("regret", r"got 'regret'; choose one of these$"),
        ("best:3", r"got 'best:3'"),
        ("quantile:low", r"expected a number after the colon, such as quantile:0.1, got 'quantile:low'$"),
        ("quantile:2", r"got 2"),
    ],
)
def test_what_is_no_risk_attitude(text, message):
    with pytest.raises(ValueError, match=message):
        as_risk(text)


@pytest.mark.parametrize(
    ("text", "criterion"),
    [
        (None, None),
        ("rival", pb.StrongestRival()),
        ("first", pb.FirstPlace()),
        ("mean-rank", pb.MeanRank()),
        ("top:3", pb.TopK(3)),
        ("against:a:b", pb.WinRateAgainst("a:b")),
        (pb.TopK(2), pb.TopK(2)),
    ],
    ids=str,
)
def test_every_form_of_a_criterion(text, criterion):
    assert as_criterion(text) == criterion


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "frist",
            r"expected rival, first, mean-rank, top:3 or against:NAME as the criterion, got 'frist'; .* 'first'\?$",
        ),
        ("tpo:3", r"got 'tpo:3'; did you mean 'top'\?$"),
        ("elo", r"got 'elo'; choose one of these$"),
        ("top", r"got 'top'"),
        ("top:", r"got 'top:'"),
        ("against:", r"got 'against:'"),
        ("top:many", r"expected a whole number above zero after the colon, such as top:3, got 'top:many'$"),
        ("top:2.5", r"expected a whole number above zero after the colon, such as top:3, got 'top:2.5'$"),
        ("top:inf", r"expected a whole number above zero after the colon, such as top:3, got 'top:inf'$"),
        ("top:nan", r"expected a whole number above zero after the colon, such as top:3, got 'top:nan'$"),
    ],
)
def test_what_is_no_criterion(text, message):
    with pytest.raises(ValueError, match=message):
        as_criterion(text)


def test_results_and_posteriors_take_text():
    runs = [
        pb.Trajectory(name, i, [1], [value], end=100) for i in range(20) for name, value in (("a", 1.0), ("b", 2.0))
    ]
    result = pb.analyse(runs, budgets="10..100:3", draws=100)
    for select in (result.select, lambda *budget, **query: pb.select(result.posterior, *budget, **query)):
        choice = select("final", risk="quantile:0.2", criterion="against:b")
        assert (choice.preference, choice.risk, choice.criterion) == (
            pb.Final(),
            pb.Quantile(0.2),
            pb.WinRateAgainst("b"),
        )
    with pytest.raises(ValueError, match=r"expected .* the criterion against, got 'bb'; did you mean 'b'"):
        result.select(criterion="against:bb")
