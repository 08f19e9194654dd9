import csv
import io
import json

import numpy as np
import pytest

import polarbear as pb
from polarbear import exports
from polarbear.findings import RunFailure
from polarbear.latex import escape
from polarbear.race.jobs import Run
from polarbear.race.tables import runs_table
from polarbear.table import as_frame
from polarbear.wording import format_error_bound
from tests.plots.posteriors import specialist_posterior


@pytest.fixture(scope="module")
def posterior(crossing_choices):
    return pb.fit(crossing_choices, prior=pb.RandomWalk(), draws=400)


def test_runs_are_improvements_and_the_end_of_each_run():
    runs = [
        Run(pb.Trajectory("a", 3, [1, 5], [3.0, 2.0], end=9), reached=9),
        Run(pb.Trajectory("b", 3, [], [], end=4, failed=True), 4, "error", RunFailure("no licence")),
        Run(pb.Trajectory("b", 8, [0.5], [-1.0], maximise=True), reached=0.5),
    ]
    table = runs_table(runs, clock="seconds")
    ids = ["data_id", "algorithm_name", "function_name", "instance", "run_id", "maximization"]
    assert list(table) == [*ids, "time", "raw_y", "failed"]
    rows = list(zip(*table.values(), strict=True))
    assert rows == [
        (1, "a", 1, 3, 1, False, 1.0, 3.0, False),
        (1, "a", 1, 3, 1, False, 5.0, 2.0, False),
        (1, "a", 1, 3, 1, False, 9.0, 2.0, False),
        (2, "b", 1, 3, 1, False, 4.0, np.inf, True),
        (3, "b", 1, 8, 2, True, 0.5, -1.0, False),
    ]
    assert "evaluations" in runs_table(runs, clock="evaluations")


def test_evaluations_are_whole_numbers_where_they_can_be():
    runs = [Run(pb.Trajectory("a", 0, [1, 5], [3.0, 2.0], end=9), reached=9)]
    assert (
        exports.as_text(runs_table(runs, clock="evaluations"), "csv").splitlines()[-1] == "1,a,1,0,1,False,9,2.0,False"
    )
    parts = [Run(pb.Trajectory("a", 0, [0.5], [3.0], end=9), reached=9)]
    assert runs_table(parts, clock="evaluations")["evaluations"].tolist() == [0.5, 9.0]


def test_exported_runs_of_a_race_that_maximises_are_read_as_such():
    runs = [Run(pb.Trajectory("a", 0, [1, 5], [2.0, 3.0], maximise=True), reached=5)]
    (run,) = pb.read_runs(as_frame(runs_table(runs, clock="evaluations"))).runs
    assert run.maximise
    assert run.values.tolist() == [2.0, 3.0]


def test_a_posterior_has_one_row_for_each_budget_and_algorithm(posterior):
    table = posterior.to_table(0.9)
    assert {len(column) for column in table.values()} == {15}
    assert table["rating"][:3].sum() == pytest.approx(1)
    assert (table["lower"] <= table["rating"]).all()
    assert table["probability_best"][:3].sum() == pytest.approx(1)


def test_pairs_are_those_of_the_relations(posterior):
    table = exports.pairwise_table(posterior)
    assert len(table["against"]) == 6
    place = list(zip(table["algorithm_name"], table["against"], strict=True)).index(("A", "B"))
    assert table["beats_everywhere"][place] == pb.anytime_dominance(posterior)[0, 1]
    assert table["beats_at_end"][place] == pb.dominance(posterior)[-1, 0, 1]


def row_of(table, first, second):
    place = list(zip(table["algorithm_name"], table["against"], strict=True)).index((first, second))
    return {name: column[place] for name, column in table.items()}


def test_win_rates_of_pairs_under_plackett_luce_follow_from_ratings(posterior):
    row, (a, b) = row_of(exports.pairwise_table(posterior), "A", "B"), np.moveaxis(posterior.ratings, -1, 0)[:2]
    rates = (a / (a + b)).mean(axis=0)
    assert row["win_rate"] == pytest.approx(rates.mean())
    assert row["win_rate_at_start"] == pytest.approx(rates[0])
    assert row["win_rate_at_end"] == pytest.approx(rates[-1])


def test_pairs_of_weighted_instances_are_shares_of_instances():
    """A comes first most often, and is beaten on 60 % of the instances."""
    table = exports.pairwise_table(specialist_posterior())
    for name in ("win_rate", "win_rate_at_start", "win_rate_at_end"):
        assert row_of(table, "A", "B")[name] == pytest.approx(0.4, abs=0.02)
        assert row_of(table, "B", "A")[name] == pytest.approx(0.6, abs=0.02)
    assert row_of(table, "B", "A")["beats_everywhere"] > 0.95
    firsts = specialist_posterior().to_table()
    assert firsts["algorithm_name"][int(np.argmax(firsts["rating"]))] == "A"


@pytest.mark.parametrize("kind", ["paper", "bootstrap"])
def test_arviz_gets_win_rates_beside_ratings(posterior, kind):
    belief = posterior if kind == "paper" else specialist_posterior(draws=200)
    group = belief.to_xarray()
    rates = group["win_rates"]
    assert rates.dims == ("chain", "draw", "budget", "algorithm", "other")
    np.testing.assert_allclose(rates.sel(algorithm="B", other="A")[0], pb.win_rates(belief, "B", "A"), atol=1e-6)
    np.testing.assert_allclose(rates.sel(algorithm="C", other="C"), 0.5)
    assert group.attrs["scope"] == str(belief.scope)


def test_arviz_gets_no_win_rates_that_are_too_large():
    shape = 2000, 50, 50
    ratings = np.broadcast_to(np.full(50, 0.02), shape)
    diagnostics = pb.Diagnostics("laplace", True, "All is well.", 1000.0)
    large = pb.Posterior(
        ratings, [f"a{k}" for k in range(50)], pb.log_grid(1, 100, 50), True, diagnostics, "BSpline(...)", 10
    )
    group = large.to_xarray()
    assert set(group.data_vars) == {"ratings"}
    assert "win_rates" in large.thin(100).to_xarray()


def test_pairs_of_a_posterior_that_treats_each_budget_alone(crossing_choices):
    alone = pb.fit(crossing_choices, prior=pb.Dirichlet(), draws=400)
    assert "beats_at_each_budget" in exports.pairwise_table(alone)


def test_the_same_table_in_every_format(posterior, tmp_path):
    table = pb.select(posterior, pb.Final()).to_table()
    rows = list(csv.DictReader(io.StringIO(exports.as_text(table, "csv"))))
    records = json.loads(exports.as_text(table, "json"))
    assert [row["choice"] for row in rows] == [row["choice"] for row in records] == table["choice"]
    assert float(rows[0]["expected"]) == records[0]["expected"] == table["expected"][0]
    path = tmp_path / "table.parquet"
    exports.write_table(table, path, "parquet")
    import pyarrow.parquet as pq

    assert pq.read_table(path).to_pydict() == table
    assert exports.as_text(table, "tex").count(r"\\") == 4
    with pytest.raises(ValueError, match="expected the format csv, json or tex, got 'xls'"):
        exports.as_text(table, "xls")


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        (0.0, "0.1 %"),
        (1e-300, "0.1 %"),
        (0.001, "0.1 %"),
        (0.0011, "0.2 %"),
        (0.05, "5.0 %"),
        (0.07, "7.0 %"),
        (0.0999, "10 %"),
        (0.201, "21 %"),
        (0.499, "50 %"),
        (0.5, "not proven"),
        (None, "unknown"),
    ],
)
def test_a_bound_is_rounded_up(bound, words):
    assert format_error_bound(bound) == words


def test_names_are_escaped_in_latex():
    text = exports.latex({"a": [r"\input{x}", "50 % & more_"], "n": [1, 2]}, caption="100 % $x$")
    assert r"\textbackslash{}input\{x\}" in text
    assert r"50 \% \& more\_ & 2 \\" in text
    assert r"\caption{100 \% \$x\$}" in text
    assert escape("a\n\nb") == "a b"


NAMES = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "＝x", "'=1", "''-2", "'quoted'", "a=b", '=HYPERLINK("evil")']


def test_csv_has_no_formulas_and_is_read_with_the_same_names(tmp_path):
    runs = [Run(pb.Trajectory(name, 0, [1, 5], [3.0, -2.5]), reached=5) for name in NAMES]
    exports.write_table(runs_table(runs, clock="evaluations"), tmp_path / "runs.csv", "csv")
    with (tmp_path / "runs.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert not any(row["algorithm_name"].startswith(("=", "+", "-", "@", "\t", "\r", "＝")) for row in rows)
    assert {row["algorithm_name"] for row in rows} >= {"'=1+1", "''=1", "'quoted'", "a=b"}
    assert {row["raw_y"] for row in rows} == {"3.0", "-2.5"}  # numbers stay numbers
    assert list(pb.read_runs(tmp_path / "runs.csv").algorithms) == NAMES
