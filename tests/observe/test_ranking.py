"""Single rankings written as names, and their collection by instance and budget."""

import pickle

import numpy as np
import pytest

from polarbear.observe import ABSENT, UNRANKED, Choices, Ranking
from polarbear.observe.ranking import collect_rankings


def test_rankings_are_compared_hashed_and_pickled_by_value():
    ranking = Ranking(10, ["cma", ["de", "rs"]], others=["pso"], weight=2, instance=(1, 2))
    assert ranking == Ranking(10.0, ("cma", ("de", "rs")), others=("pso",), weight=2.0, instance=(1, 2))
    assert len({ranking, pickle.loads(pickle.dumps(ranking))}) == 1
    assert ranking.mentioned == ("cma", "de", "rs", "pso")


def test_rankings_are_collected_by_instance_and_budget():
    rankings = collect_rankings(
        [
            Ranking(10, ["b", "a"], instance="x"),
            Ranking(20, [("a", "b"), "c"], instance="x", weight=3),
            Ranking(10, ["c"], others=["a", "b"]),
            Ranking(10, ["c", "a"]),
        ],
        names=["a", "b", "c"],
    )
    all_absent = [ABSENT] * 3
    assert rankings.grid.budgets.tolist() == [10, 20]
    assert rankings.ranks.tolist() == [
        [[1, 0, ABSENT], [0, 0, 1]],
        [[UNRANKED, UNRANKED, 0], all_absent],
        [[1, ABSENT, 0], all_absent],
    ]
    assert rankings.weights.tolist() == [[1, 3], [1, 0], [1, 0]]


def test_names_and_budgets_may_be_given_or_taken_from_the_rankings():
    collected = collect_rankings([Ranking(20, ["b", "a"]), Ranking(10, ["c", "a"])])
    assert collected.names == ("b", "a", "c")
    assert collected.grid.budgets.tolist() == [10, 20]
    given = collect_rankings([Ranking(20.0 * (1 + 1e-12), ["b", "a"])], grid=[10, 20, 30], names=["a", "b", "c"])
    assert given.ranks[0].tolist() == [[-1, -1, -1], [1, 0, -1], [-1, -1, -1]]


@pytest.mark.parametrize("weights", [[2.0, 0.5], [[2.0], [0.5]]])
def test_given_weights_replace_the_rankings_own(weights):
    orders = [Ranking(1, ["a", "b"], weight=7), Ranking(1, ["b", "a"])]
    assert Choices.from_rankings(orders, weights=weights).wins.tolist() == [[2.0, 0.5]]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ranking(1, "ab"), "sequences of names"),
        (lambda: Ranking(1, ["ab"], others="c"), "sequences of names"),
        (lambda: Ranking(1, []), "at least one algorithm"),
        (lambda: Ranking(1, ["a", ()]), "no empty tie"),
        (lambda: Ranking(1, ["a", ("b", "a")]), "got a more than once"),
        (lambda: Ranking(1, ["a"], others=["a"]), "got a more than once"),
        (lambda: collect_rankings([]), "at least one ranking"),
        (lambda: collect_rankings([["a", "b"]]), "expected Ranking"),
        (lambda: collect_rankings([Ranking(1, ["a", "b"])], grid=[2, 3]), "a budget of the grid, got 1"),
        (lambda: collect_rankings([Ranking(1, ["a", "z"])], names=["a", "b"]), "among a, b, got 'z'"),
        (lambda: collect_rankings([Ranking(1, ["a"])]), "at least two algorithms"),
        (lambda: collect_rankings([Ranking(1, ["a", "b"], weight=-1)]), "not negative, got -1"),
        (lambda: collect_rankings([Ranking(1, ["a", "b"], weight=0)]), "only zeros"),
        (lambda: collect_rankings([Ranking(np.nan, ["a", "b"])]), "finite budgets"),
        (lambda: collect_rankings([Ranking(1, ["a", "b"], instance=5)] * 2), "two for instance 5 at budget 1"),
    ],
)
def test_errors_say_what_was_expected(make, message):
    with pytest.raises(ValueError, match=message):
        make()
