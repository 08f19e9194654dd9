"""`select` and `export` on the file of a race, and on a saved posterior."""

import csv
import io
import json

import numpy as np
import pytest

import polarbear as pb
from tests.cli.conftest import RACE


def shown(choice):
    """What `select` prints for a choice."""
    return f"{choice}\n"


def test_select_agrees_with_the_library(polarbear, finished):
    with pb.Race.open(finished) as race:
        result = race.outcome
        expected = pb.select(result.posterior, pb.At(20), pb.Quantile(0.1), among=result.kept)
    outcome = polarbear("select", finished, "--budget", 20, "--risk", "quantile:0.1", "--json")
    assert outcome.code == 0
    assert outcome.data["choice"] == [expected.recommendation]
    assert outcome.data["risk"] == str(pb.Quantile(0.1))
    assert outcome.data["candidates"][0]["score"] == pytest.approx(expected.candidates[0].score)
    text = polarbear("select", finished, "--budget", 20, "--risk", "quantile:0.1").out
    assert text == shown(expected)
    assert text.startswith(f"{expected.name}, but unclear: best with ")
    (runner_up,) = [line for line in text.splitlines() if line.startswith("Runner-up: ")]
    assert runner_up == text.splitlines()[-1]


@pytest.mark.parametrize(
    ("text", "preference"),
    [
        ("20", pb.At(20)),
        ("final", pb.Final()),
        ("uniform", pb.Uniform()),
        ("log-uniform", pb.LogUniform()),
        ("10..30", pb.Between(10, 30)),
        (None, None),
    ],
)
def test_every_form_of_a_budget(polarbear, saved, text, preference):
    options = [] if text is None else ["--budget", text]
    data = polarbear("select", saved, *options, "--json").data
    result = pb.load(saved)
    expected = pb.select(result.posterior, preference, among=result.kept)
    assert data["preference"] == str(preference or pb.Uniform())
    assert data["candidates"][0]["expected"] == pytest.approx(expected.candidates[0].expected)
    assert [each["members"] for each in data["candidates"]] == [list(each.members) for each in expected.candidates]


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        ("best", pb.ProbabilityBest()),
        ("expected", pb.Expected()),
        ("loss", pb.ExpectedLoss()),
        ("quantile", pb.Quantile(0.05)),
        ("quantile:0.1", pb.Quantile(0.1)),
    ],
)
def test_every_form_of_a_risk_attitude(polarbear, saved, text, risk):
    result = pb.load(saved)
    expected = pb.select(result.posterior, pb.At(20), risk, among=result.kept)
    data = polarbear("select", saved, "--budget", 20, "--risk", text, "--json").data
    assert data["risk"] == str(risk)
    assert data["candidates"][0]["score"] == pytest.approx(expected.candidates[0].score)


@pytest.mark.parametrize(
    ("options", "criterion"),
    [
        (["--criterion", "top:2"], pb.TopK(2)),
        (["--criterion", "mean-rank"], pb.MeanRank()),
        (["--criterion", "against:climber"], pb.WinRateAgainst("climber")),
        (["--criterion", "first"], pb.FirstPlace()),
        (["--criterion", "rival"], pb.StrongestRival()),
        ([], pb.FirstPlace()),
    ],
)
def test_every_criterion(polarbear, posterior, options, criterion):
    kept = pb.load(posterior).kept
    expected = pb.select(pb.Posterior.load(posterior), pb.At(20), criterion=criterion, among=kept)
    outcome = polarbear("select", posterior, "--budget", 20, "--json", *options)
    assert outcome.code == 0
    assert outcome.data["criterion"] == str(criterion)
    assert polarbear("select", posterior, "--budget", 20, *options).out == shown(expected)
    assert outcome.data["candidates"][0]["expected"] == pytest.approx(expected.candidates[0].expected)
    assert outcome.data["win_rate_against_best_single"] is None
    assert outcome.data["best_single"] is None


def test_a_portfolio_is_compared_with_the_best_single_algorithm(polarbear, posterior):
    expected = pb.select(pb.Posterior.load(posterior), pb.At(20), portfolio=2)
    outcome = polarbear("select", posterior, "--budget", 20, "--machines", 2, "--json")
    assert outcome.data["choice"] == list(expected.recommendation)
    assert outcome.data["best_single"] == expected.best_single
    assert outcome.data["win_rate_against_best_single"] == pytest.approx(expected.win_rate_against_best_single)
    assert 0.5 <= outcome.data["win_rate_against_best_single"] <= 1


def test_a_portfolio_without_copies(polarbear, posterior):
    whole = pb.Posterior.load(posterior)
    size = len(whole.names)
    expected = pb.select(whole, pb.At(20), portfolio=size, copies=False)
    query = ["--budget", 20, "--machines", size, "--distinct"]
    outcome = polarbear("select", posterior, *query, "--json")
    assert sorted(outcome.data["choice"]) == sorted(whole.names)
    assert polarbear("select", posterior, *query).out == shown(expected)


def test_candidates_may_be_named(polarbear, finished):
    """Also an algorithm that the race has dropped."""
    kept = {name for each in polarbear("select", finished, "--json").data["candidates"] for name in each["members"]}
    assert "poor" not in kept
    named = polarbear("select", finished, "--only", "poor", "--only", "climber", "--json").data
    assert {name for each in named["candidates"] for name in each["members"]} == {"poor", "climber"}


def test_details_list_all_candidates_and_the_meaning(polarbear, saved):
    brief = polarbear("select", saved).out
    whole = polarbear("select", saved, "--details").out
    assert whole.startswith(brief)
    for heading in ("Candidates", "Meaning"):
        assert f"\n{heading}" in whole
        assert heading not in brief


def test_budgets_from_a_file(polarbear, saved, tmp_path):
    (tmp_path / "budgets").write_text("10\n20\n 30 \n")
    outcome = polarbear("select", saved, "--budget", tmp_path / "budgets", "--json")
    assert outcome.data["preference"] == str(pb.BudgetDistribution([10, 20, 30]))
    for text in ("ten", ""):
        (tmp_path / "budgets").write_text(text)
        outcome = polarbear("select", saved, "--budget", tmp_path / "budgets")
        assert (outcome.code, "expected numbers in" in outcome.err) == (3, True)
    outcome = polarbear("select", saved, "--budget", tmp_path / "nothing")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith(
        "polarbear: expected a budget such as 500, a range such as 100..1000, uniform, log-uniform, final, or a file of"
    )
    assert str(tmp_path / "nothing") in outcome.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--budget", "2000"], "the budget"),
        (["--budget", "unifrom"], "got 'unifrom'; did you mean 'uniform'?"),
        (["--budget", "fnal"], "got 'fnal'; did you mean 'final'?"),
        (["--budget", "30..10"], "expected a range from a lower to a higher budget, got 30.0 to 10.0"),
        (["--budget", "1..2..3"], "got '1..2..3'; write one range"),
        (["--only", "nobody"], "nobody"),
        (["--only", "climbr"], "got 'climbr'; did you mean 'climber'?"),
        (["--risk", "quantile:7"], "expected the level of a quantile between 0 and 1, got 7.0"),
        (["--risk", "quantile:low"], "expected a number after the colon, such as quantile:0.1, got 'quantile:low'"),
        (["--risk", "expcted"], "got 'expcted'; did you mean 'expected'?"),
        (["--risk", "quantlie:0.1"], "got 'quantlie:0.1'; did you mean 'quantile'?"),
        (["--machines", "1000000000"], "less than or equal to 1000"),
        (["--criterion", "mean-rnk"], "got 'mean-rnk'; did you mean 'mean-rank'?"),
        (["--criterion", "agianst:climber"], "got 'agianst:climber'; did you mean 'against'?"),
        (["--criterion", "top"], "top:3 or against:NAME as the criterion, got 'top'"),
        (["--criterion", "top:100"], "expected TopK of at most"),
        (["--criterion", "top:0"], "expected a whole number above zero after the colon, such as top:3, got 'top:0'"),
        (
            ["--criterion", "top:2.5"],
            "expected a whole number above zero after the colon, such as top:3, got 'top:2.5'",
        ),
        (
            ["--criterion", "top:many"],
            "expected a whole number above zero after the colon, such as top:3, got 'top:many'",
        ),
        (["--criterion", "against:climbr"], "got 'climbr'; did you mean 'climber'?"),
        (["--criterion", "mean-rank", "--machines", "2"], "expected FirstPlace() as the criterion of a portfolio"),
        (["-o", "x.txt"], "expected a file ending in .csv, .tex, .parquet or .json, got x.txt"),
    ],
)
def test_wrong_options_of_select_are_reported(polarbear, saved, options, message):
    outcome = polarbear("select", saved, *options)
    assert (outcome.code, outcome.out) == (3, "")
    assert message in outcome.err
    assert outcome.err.startswith(("polarbear: ", "Usage: "))
    assert outcome.err.startswith("Usage: ") or outcome.err.count("\n") == 1


def test_runs_and_posteriors_as_csv_and_parquet(polarbear, finished, saved, tmp_path):
    import pyarrow.parquet as pq

    files = {"runs": finished, "posterior": saved, "pairwise": saved}
    for what, file in files.items():
        text = polarbear("export", file, what).out
        rows = list(csv.DictReader(io.StringIO(text)))
        path = tmp_path / f"{what}.parquet"
        assert polarbear("export", file, what, "-o", path).code == 0
        table = pq.read_table(path).to_pylist()
        assert len(rows) == len(table) > 0
        assert list(rows[0]) == list(table[0])


def test_the_candidates_of_a_choice_are_written_as_a_table(polarbear, saved, tmp_path):
    import pyarrow.parquet as pq

    expected = polarbear("select", saved, "--json").data
    paths = {kind: tmp_path / f"choice.{kind}" for kind in ("csv", "parquet", "json", "tex")}
    for path in paths.values():
        outcome = polarbear("select", saved, "-o", path, "--json")
        assert (outcome.code, outcome.data) == (0, expected)
    names = [" + ".join(each["members"]) for each in expected["candidates"]]
    assert [row["choice"] for row in csv.DictReader(io.StringIO(paths["csv"].read_text()))] == names
    assert [row["choice"] for row in json.loads(paths["json"].read_text())] == names
    assert [row["choice"] for row in pq.read_table(paths["parquet"]).to_pylist()] == names
    assert r"\caption{" in paths["tex"].read_text()


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
    path = tmp_path / "choice.tex"
    assert polarbear("select", saved, "--budget", 20, "-o", path).code == 0
    caption = " ".join(path.read_text().split("caption{")[1].split("}")[0].split())
    text = " ".join(polarbear("select", saved, "--budget", 20).out.split())
    assert caption == text.replace("%", r"\%")


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


def test_a_posterior_alone_has_no_runs(polarbear, posterior, tmp_path):
    assert polarbear("export", posterior, "pairwise").code == 0
    for what, message in (
        ("runs", "expected a result with runs, got one of a saved posterior"),
        ("quality", f"expected runs for quality, got {posterior}, which holds none; give the file of the runs"),
        ("configuration", "expected a race file, got another file in"),
        ("irace", "expected a race file, got another file in"),
    ):
        outcome = polarbear("export", posterior, what)
        assert (outcome.code, outcome.out, message in outcome.err) == (3, "", True)


@pytest.mark.parametrize("command", ["select", "plot", "show", "report", "explain"])
def test_a_file_that_is_no_result_is_refused(polarbear, tmp_path, command):
    path = tmp_path / "other.npz"
    path.write_text("something else")
    outcome = polarbear(command, path)
    assert (outcome.code, outcome.out) == (3, "")
    assert "is not a posterior file" in outcome.err


def test_a_choice_by_another_criterion_is_written(polarbear, posterior, tmp_path):
    whole, kept, path = pb.Posterior.load(posterior), pb.load(posterior).kept, tmp_path / "choice.json"
    for text, criterion in (
        ("mean-rank", pb.MeanRank()),
        ("top:2", pb.TopK(2)),
        (f"against:{whole.names[0]}", pb.WinRateAgainst(whole.names[0])),
    ):
        query = ["--budget", 20, "--criterion", text, "-o", path]
        assert polarbear("select", posterior, *query).code == 0
        data = json.loads(path.read_text())
        expected = pb.select(whole, pb.At(20), criterion=criterion, among=kept).to_table()
        assert [row["choice"] for row in data] == expected["choice"]
        assert [row["score"] for row in data] == pytest.approx(expected["score"])


def test_how_much_better_is_exported_as_tables(polarbear, finished, posterior):
    """Values and instances of a race; a posterior alone holds no values."""
    quality = polarbear("export", finished, "quality").out.splitlines()
    assert quality[0] == "algorithm_name,budget,median,lower,upper,low_quartile,high_quartile,level,instances"
    assert len(quality) > 10
    pair = ("climber", "random")
    speed = polarbear("export", finished, "speed-up", *pair).out.splitlines()
    assert speed[0].startswith("algorithm_name,against,budget,ratio,lower,upper,")
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
    instances = polarbear("export", finished, "instances", *pair, "--budget", 20).out.splitlines()
    assert instances[0] == "instance,algorithm_name,against,value,value_against,gap,winner"
    assert {line.split(",")[-1] for line in instances[1:]} <= {"climber", "random", "tie"}
    outcome = polarbear("export", finished, "instances")
    assert "expected two algorithms for instances, got 0; add random climber" in outcome.err
    assert outcome.code == 3
    assert polarbear("export", posterior, "quality").code == 3


@pytest.mark.parametrize("what", ["runs", "quality", "pairwise", "posterior", "configuration", "irace", "answer"])
def test_a_pair_is_refused_where_there_is_none(polarbear, finished, what):
    outcome = polarbear("export", finished, what, "climber", "random")
    assert (outcome.code, outcome.out) == (3, "")
    assert f"expected no pair for {what}, got climber random; leave it out" in outcome.err


def test_an_unknown_algorithm_of_a_pair_is_refused(polarbear, finished):
    outcome = polarbear("export", finished, "gap", "climbr", "random")
    assert (outcome.code, "did you mean 'climber'?" in outcome.err) == (3, True)
