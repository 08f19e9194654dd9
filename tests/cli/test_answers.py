import csv
import io
import json

import numpy as np
import pytest

import polarbear as pb
from tests.cli.conftest import RACE


def test_select_answers_as_the_library_does(polarbear, finished):
    with pb.Race.open(finished) as race:
        result = race.result
        expected = pb.select(result.posterior, pb.At(20), pb.Quantile(0.1), among=result.pareto_set)
    said = polarbear("select", finished, "--at", 20, "--risk", "quantile", "--quantile", 0.1, "--json", "--map")
    assert said.code == 0
    assert said.data["choice"] == [expected.choice]
    assert said.data["candidates"][0]["score"] == pytest.approx(expected.candidates[0].score)
    assert [each["time"] for each in said.data["map"]] == result.posterior.grid.times.tolist()


@pytest.mark.parametrize(
    "options",
    [["--final"], ["--uniform"], ["--log-uniform"], ["--between", "10", "30"], ["--portfolio", "2"], ["--map"], []],
)
def test_every_preference(polarbear, finished, options):
    said = polarbear("select", finished, "--all", *options)
    assert said.code == 0
    assert said.out.startswith("For ")


@pytest.mark.parametrize(
    ("options", "criterion"),
    [
        (["--top", "2"], pb.TopK(2)),
        (["--mean-rank"], pb.MeanRank()),
        (["--against", "climber"], pb.WinRateAgainst("climber")),
        ([], pb.FirstPlace()),
    ],
)
def test_every_criterion(polarbear, finished, options, criterion):
    with pb.Race.open(finished) as race:
        expected = pb.select(race.result.posterior, pb.At(20), criterion=criterion)
    said = polarbear("select", finished, "--all", "--at", 20, "--json", *options)
    assert said.code == 0
    assert said.data["criterion"] == str(criterion)
    assert said.data["sentence"] == expected.sentence
    assert said.data["candidates"][0]["expected"] == pytest.approx(expected.candidates[0].expected)
    assert said.data["win_rate_against_best_single"] is None
    assert said.data["best_single"] is None


def test_a_portfolio_is_compared_with_the_best_single_algorithm(polarbear, finished):
    with pb.Race.open(finished) as race:
        expected = pb.select(race.result.posterior, pb.At(20), portfolio=2)
    said = polarbear("select", finished, "--all", "--at", 20, "--portfolio", 2, "--json")
    assert said.data["choice"] == list(expected.choice)
    assert said.data["best_single"] == expected.best_single
    assert said.data["win_rate_against_best_single"] == pytest.approx(expected.win_rate_against_best_single)
    assert 0.5 <= said.data["win_rate_against_best_single"] <= 1


def test_budgets_from_a_file(polarbear, finished, tmp_path):
    (tmp_path / "budgets").write_text("10\n20\n 30 \n")
    assert polarbear("select", finished, "--samples", tmp_path / "budgets").code == 0
    for text in ("ten", ""):
        (tmp_path / "budgets").write_text(text)
        said = polarbear("select", finished, "--samples", tmp_path / "budgets")
        assert (said.code, "expected numbers in" in said.err) == (1, True)
    said = polarbear("select", finished, "--samples", tmp_path / "nothing")
    assert (said.code, said.err) == (1, f"polarbear: {tmp_path / 'nothing'}: No such file or directory\n")


def test_a_saved_posterior_answers_too(polarbear, finished, tmp_path):
    path = tmp_path / "choice.npz"
    first = polarbear("select", finished, "--final", "--all", "--save", path, "--json")
    second = polarbear("select", path, "--final", "--json")
    assert first.data["choice"] == second.data["choice"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--at", "20", "--final"], "expected one preference, got --at and --final"),
        (["--at", "2000"], "the budget"),
        (["--among", "nobody"], "nobody"),
        (["--among", "climbr"], "got 'climbr'; did you mean 'climber'?"),
        (["--between", "30", "10"], "start <= stop"),
        (["--risk", "quantile", "--quantile", "7"], "must lie between 0 and 1"),
        (["--quantile", "0.1"], "say that too, or leave it out"),
        (["--portfolio", "1000000000"], "less than or equal to 1000"),
        (["--top", "2", "--mean-rank"], "expected one criterion, got --top and --mean-rank; leave one out"),
        (["--top", "100"], "expected TopK of at most"),
        (["--top", "0"], "greater than or equal to 1"),
        (["--against", "climbr"], "got 'climbr'; did you mean 'climber'?"),
        (["--mean-rank", "--portfolio", "2"], "expected FirstPlace() as the criterion of a portfolio"),
    ],
)
def test_bad_wishes(polarbear, finished, options, message):
    said = polarbear("select", finished, *options)
    assert said.code == 1
    assert message in said.err


def test_runs_and_posteriors_as_csv_and_parquet(polarbear, finished, tmp_path):
    import pyarrow.parquet as pq

    for what in ("runs", "posterior", "pairwise", "selection"):
        text = polarbear("export", finished, what).out
        rows = list(csv.DictReader(io.StringIO(text)))
        path = tmp_path / f"{what}.parquet"
        assert polarbear("export", finished, what, "-o", path).code == 0
        table = pq.read_table(path).to_pylist()
        assert len(rows) == len(table) > 0
        assert list(rows[0]) == list(table[0])


def test_draws_for_arviz(polarbear, finished, tmp_path):
    import xarray as xr

    path = tmp_path / "draws.nc"
    assert polarbear("export", finished, "posterior", "-o", path).code == 0
    with xr.open_datatree(path, engine="h5netcdf") as tree, pb.Race.open(finished) as race:
        np.testing.assert_array_equal(tree["posterior"]["ratings"][0], race.result.posterior.ratings)


def test_decisions_as_json(polarbear, finished, tmp_path):
    said = polarbear("export", finished, "decisions")
    told = json.loads(said.out)
    assert told["finished"]
    assert len(told["history"]) == told["rounds"]
    assert told["settings"]["confidence"] == 0.9


def test_tables_for_papers(polarbear, finished, tmp_path):
    path = tmp_path / "pairs.tex"
    assert polarbear("export", finished, "pairwise", "-o", path).code == 0
    assert path.read_text().count(r"\\") == 7
    said = polarbear("export", finished, "selection", "--format", "tex", "--at", 20)
    assert r"\caption{For a budget of 20" in said.out


def test_the_configuration_comes_out_as_it_went_in(polarbear, finished):
    assert polarbear("export", finished, "configuration").out == RACE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runs", "-o", "x.xls"], "runs can be written as csv, parquet, not as 'xls'"),
        (["posterior", "--format", "nc"], "nc is not text; say where to"),
        (["decisions", "-o", "x.csv"], "decisions can be written as json, not as 'csv'"),
    ],
)
def test_bad_exports(polarbear, finished, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = polarbear("export", finished, *arguments)
    assert said.code == 1
    assert message in said.err


def test_a_saved_posterior_has_no_runs(polarbear, finished, tmp_path):
    path = tmp_path / "belief.npz"
    polarbear("export", finished, "posterior", "-o", path)
    assert polarbear("export", path, "pairwise").code == 0
    said = polarbear("export", path, "runs")
    assert (said.code, "is not a race file" in said.err) == (1, True)
    said = polarbear("export", path, "configuration")
    assert (said.code, "is not a race file" in said.err) == (1, True)
    path.write_text("something else")
    for command in (["select"], ["plot"], ["report"]):
        said = polarbear(*command, path)
        assert (said.code, "expected a race file, or a posterior that was saved" in said.err) == (1, True)


def test_what_is_really_damaged_is_told(polarbear, finished, monkeypatch):
    def damaged(path):
        raise ValueError(f"{path} is damaged: half an event")

    monkeypatch.setattr(pb.Race, "open", damaged)
    said = polarbear("status", finished)
    assert (said.code, "half an event" in said.err) == (1, True)
