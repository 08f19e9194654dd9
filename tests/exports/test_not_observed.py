"""Tables show the number of comparisons, and leave out what was not observed."""

import json
from dataclasses import replace

import numpy as np
import pytest

from polarbear import exports
from tests.selection.short_runs import short_posterior


@pytest.fixture(scope="module")
def posterior():
    return short_posterior("long", "last")


def test_a_posterior_has_comparisons_and_gaps(posterior):
    table = posterior.to_table()
    assert table["comparisons"].reshape(4, 3).T.tolist() == [[20, 20, 0, 0], [20] * 4, [20] * 4]
    for name in ("rating", "lower", "upper", "probability_best"):
        assert np.isnan(table[name].reshape(4, 3)[:, 0]).tolist() == [False, False, True, True]
        assert np.isfinite(table[name].reshape(4, 3)[:, 1:]).all()
    assert "comparisons" not in replace(posterior, comparisons=None).to_table()


def test_pairs_have_values_of_observed_budgets_only(posterior):
    table = exports.pairwise_table(posterior)
    pairs = list(zip(table["algorithm_name"], table["against"], strict=True))
    gap, whole = pairs.index(("short", "long")), pairs.index(("long", "last"))
    assert np.isnan([table[name][gap] for name in ("beats_everywhere", "beats_at_end", "win_rate_at_end")]).all()
    assert table["beats_at_start"][gap] > 0.9
    assert table["win_rate"][gap] > 0.8  # the mean over the first two budgets; the others are about one half
    assert all(np.isfinite(column[whole]) for column in list(table.values())[2:])
    rows = json.loads(exports.as_text(table, "json"))
    assert rows[gap]["beats_at_end"] is None


def test_comparisons_by_name(posterior):
    assert exports.comparisons_by_name(posterior)["short"] == [20, 20, 0, 0]
    assert exports.comparisons_by_name(replace(posterior, comparisons=None)) is None
