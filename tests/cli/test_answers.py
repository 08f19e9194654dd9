"""`select` and `export` on the file of a race, and on a saved posterior."""

import csv
import io
import json

import numpy as np
import pytest

import polarbear as pb
from tests.cli.conftest import RACE


def test_select_agrees_with_the_library(polarbear, finished):
    with pb.Race.open(finished) as race:
        result = race.outcome
        expected = pb.select(result.posterior, pb.At(20), pb.Quantile(0.1), among=result.kept)
    outcome = polarbear("select", finished, "--at", 20, "--risk", "quantile", "--quantile", 0.1, "--json", "--map")
    assert outcome.code == 0
    assert outcome.data["choice"] == [expected.recommendation]
    assert outcome.data["candidates"][0]["score"] == pytest.approx(expected.candidates[0].score)
    assert [each["time"] for each in outcome.data["map"]] == result.posterior.grid.budgets.tolist()


@pytest.mark.parametrize(
    "options",
    [["--final"], ["--uniform"], ["--log-uniform"], ["--between", "10", "30"], ["--portfolio", "2"], ["--map"], []],
)
def test_every_preference(polarbear, saved, options):
    outcome = polarbear("select", saved, *options)
    assert outcome.code == 0
    assert outcome.out.startswith("For ")


@pytest.mark.parametrize(
    ("options", "criterion"),
    [
        (["--top", "2"], pb.TopK(2)),
        (["--mean-rank"], pb.MeanRank()),
        (["--against", "climber"], pb.WinRateAgainst("climber")),
        ([], pb.FirstPlace()),
    ],
)
def test_every_criterion(polarbear, saved, options, criterion):
    expected = pb.select(pb.Posterior.load(saved), pb.At(20), criterion=criterion)
    outcome = polarbear("select", saved, "--at", 20, "--json", *options)
    assert outcome.code == 0
    assert outcome.data["criterion"] == str(criterion)
    assert outcome.data["sentence"] == expected.sentence
    assert outcome.data["candidates"][0]["expected"] == pytest.approx(expected.candidates[0].expected)
    assert outcome.data["win_rate_against_best_single"] is None
    assert outcome.data["best_single"] is None


def test_a_portfolio_is_compared_with_the_best_single_algorithm(polarbear, saved):
    expected = pb.select(pb.Posterior.load(saved), pb.At(20), portfolio=2)
    outcome = polarbear("select", saved, "--at", 20, "--portfolio", 2, "--json")
    assert outcome.data["choice"] == list(expected.recommendation)
    assert outcome.data["best_single"] == expected.best_single
    assert outcome.data["win_rate_against_best_single"] == pytest.approx(expected.win_rate_against_best_single)
    assert 0.5 <= outcome.data["win_rate_against_best_single"] <= 1


def test_a_portfolio_without_copies(polarbear, saved):
    posterior = pb.Posterior.load(saved)
    size = len(posterior.names)
    expected = pb.select(posterior, pb.At(20), portfolio=size, copies=False)
    outcome = polarbear("select", saved, "--at", 20, "--portfolio", size, "--no-copies", "--all", "--json")
    assert sorted(outcome.data["choice"]) == sorted(posterior.names)
    assert outcome.data["sentence"] == expected.sentence


def test_budgets_from_a_file(polarbear, saved, tmp_path):
    (tmp_path / "budgets").write_text("10\n20\n 30 \n")
    assert polarbear("select", saved, "--samples", tmp_path / "budgets").code == 0
    for text in ("ten", ""):
        (tmp_path / "budgets").write_text(text)
        outcome = polarbear("select", saved, "--samples", tmp_path / "budgets")
        assert (outcome.code, "expected numbers in" in outcome.err) == (3, True)
    outcome = polarbear("select", saved, "--samples", tmp_path / "nothing")
    assert (outcome.code, outcome.err) == (3, f"polarbear: {tmp_path / 'nothing'}: No such file or directory\n")


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
        (["--risk", "quantile", "--quantile", "7"], "expected a level of Quantile between 0 and 1, got 7.0"),
        (["--quantile", "0.1"], "add --risk quantile, or leave --quantile out"),
        (["--portfolio", "1000000000"], "less than or equal to 1000"),
        (["--top", "2", "--mean-rank"], "expected one criterion, got --top and --mean-rank; leave all but one out"),
        (["--top", "100"], "expected TopK of at most"),
        (["--top", "0"], "greater than or equal to 1"),
        (["--against", "climbr"], "got 'climbr'; did you mean 'climber'?"),
        (["--mean-rank", "--portfolio", "2"], "expected FirstPlace() as the criterion of a portfolio"),
    ],
)
def test_wrong_options_of_select_are_reported(polarbear, saved, options, message):
    outcome = polarbear("select", saved, *options)
    assert outcome.code == 3
    assert message in outcome.err


def test_runs_and_posteriors_as_csv_and_parquet(polarbear, finished, saved, tmp_path):
    import pyarrow.parquet as pq

    files = {"runs": finished, "posterior": saved, "pairwise": saved, "selection": saved}
    for what, file in files.items():
        text = polarbear("export", file, what).out
        rows = list(csv.DictReader(io.StringIO(text)))
        path = tmp_path / f"{what}.parquet"
        assert polarbear("export", file, what, "-o", path).code == 0
        table = pq.read_table(path).to_pylist()
        assert len(rows) == len(table) > 0
        assert list(rows[0]) == list(table[0])


def test_draws_for_arviz(polarbear, finished, tmp_path):
    import xarray as xr

    path = tmp_path / "draws.nc"
    assert polarbear("export", finished, "posterior", "-o", path).code == 0
    with xr.open_datatree(path, engine="h5netcdf") as tree, pb.Race.open(finished) as race:
        np.testing.assert_array_equal(tree["posterior"]["ratings"][0], race.outcome.posterior.ratings)


def test_the_course_of_a_race_as_json(polarbear, finished):
    race = json.loads(polarbear("export", finished, "answer", "--format", "json").out)["race"]
    assert race["finished"]
    with pb.Race.open(finished) as opened:
        assert len(race["rounds"]) == len(opened.outcome.rounds)
    assert race["settings"]["confidence"] == 0.9


def test_the_answer_is_the_same_in_every_form(polarbear, finished, saved):
    data = json.loads(polarbear("export", finished, "answer", "--format", "json").out)
    assert {**data, "aocc": None} == polarbear("show", finished, "--json").data
    markdown = polarbear("export", finished, "answer").out
    tex = polarbear("export", finished, "answer", "--format", "tex").out
    names = {name for each in data["ranges"] for name in each["names"]} | set(data["dropped"])
    assert names
    for name in names:
        assert name in markdown
        assert name in tex
    assert "Best algorithm by budget" in polarbear("export", saved, "answer").out


def test_tables_for_papers(polarbear, saved, tmp_path):
    path = tmp_path / "pairs.tex"
    assert polarbear("export", saved, "pairwise", "-o", path).code == 0
    assert path.read_text().count(r"\\") == 7
    outcome = polarbear("export", saved, "selection", "--format", "tex", "--at", 20)
    assert r"\caption{For a budget of 20" in outcome.out


def test_the_configuration_comes_out_as_it_went_in(polarbear, finished):
    assert polarbear("export", finished, "configuration").out == RACE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["runs", "-o", "x.xls"], "expected csv or parquet for runs, got 'xls'"),
        (["posterior", "--format", "nc"], "expected a file for the binary format nc, got none"),
        (["answer", "-o", "x.csv"], "expected md or tex or json for answer, got 'csv'"),
    ],
)
def test_wrong_formats_are_reported(polarbear, finished, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = polarbear("export", finished, *arguments)
    assert outcome.code == 3
    assert message in outcome.err


def test_a_saved_posterior_has_no_runs(polarbear, saved, tmp_path):
    assert polarbear("export", saved, "pairwise").code == 0
    for what, message in (
        ("runs", "expected a result with runs, got one of a saved posterior"),
        ("configuration", "expected a race file, got another file in"),
    ):
        outcome = polarbear("export", saved, what)
        assert (outcome.code, message in outcome.err) == (3, True)
    path = tmp_path / "other.npz"
    path.write_text("something else")
    for command in ("select", "plot"):
        outcome = polarbear(command, path)
        assert (outcome.code, "expected a race file or a saved posterior" in outcome.err) == (3, True)
    for command in ("show", "report"):
        outcome = polarbear(command, path)
        assert (outcome.code, "is not a posterior file" in outcome.err) == (3, True)


def test_a_selection_by_another_criterion_is_exported(polarbear, saved):
    posterior = pb.Posterior.load(saved)
    for options, criterion in (
        (("--mean-rank",), pb.MeanRank()),
        (("--top", "2"), pb.TopK(2)),
        (("--against", posterior.names[0]), pb.WinRateAgainst(posterior.names[0])),
    ):
        data = json.loads(polarbear("export", saved, "selection", "--at", 20, "--format", "json", *options).out)
        expected = pb.select(posterior, pb.At(20), criterion=criterion).to_table()
        assert [row["choice"] for row in data] == expected["choice"]
        assert [row["score"] for row in data] == pytest.approx(expected["score"])
    outcome = polarbear("export", saved, "selection", "--top", "2", "--mean-rank")
    assert outcome.code == 3
    assert "expected one criterion, got --top and --mean-rank" in outcome.err


def test_how_much_better_is_exported_as_tables(polarbear, finished, saved):
    """Values and instances of a race; a saved posterior holds no values."""
    quality = polarbear("export", finished, "quality").out.splitlines()
    assert quality[0] == "algorithm_name,time,median,lower,upper,low_quartile,high_quartile,level,instances"
    assert len(quality) > 10
    pair = ("--pair", "climber", "random")
    speed = polarbear("export", finished, "speed-up", *pair).out.splitlines()
    assert speed[0].startswith("algorithm_name,against,time,ratio,lower,upper,")
    assert {line.split(",")[0] for line in speed[1:]} == {"climber"}
    gaps = polarbear("export", finished, "gap", *pair, "--tolerance", "25%", "--format", "json").data
    with pb.Race.open(finished) as race:
        expected = pb.gap_exceeds(race.outcome, "climber", "random", 0.25, relative=True)
        at_all = pb.gap_exceeds(race.outcome, "climber", "random")
    assert {(row["tolerance"], row["relative"]) for row in gaps} == {(0.25, True)}
    assert [row["better"] for row in gaps] == pytest.approx(expected.better.tolist())
    assert [row["worse_upper"] for row in gaps] == pytest.approx(expected.worse_upper.tolist())
    caption = polarbear("export", finished, "gap", *pair, "--format", "tex").out
    assert at_all.sentence.replace("%", r"\%") in " ".join(caption.split())
    instances = polarbear("export", finished, "instances", *pair, "--at", 20).out.splitlines()
    assert instances[0] == "instance,algorithm_name,against,value,value_against,gap,winner"
    assert {line.split(",")[-1] for line in instances[1:]} <= {"climber", "random", "tie"}
    outcome = polarbear("export", finished, "instances")
    assert (outcome.code, "expected two algorithms for instances, got none; add --pair" in outcome.err) == (3, True)
    assert polarbear("export", saved, "quality").code == 3
