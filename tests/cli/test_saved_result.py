"""A saved result answers as the runs did from which it was made, and its options of reading are not asked again."""

import csv
import io
import re

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import ReadWith
from tests.cli.conftest import run_command
from tests.reporting.pages import read_data


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Recorded runs of three algorithms on two functions, in a format that needs no options."""
    rng = np.random.default_rng(8)
    rows = [
        f"{name},{function},{instance},{budget},{shift * (1 if function == 1 else -1) - budget / 50 + rng.normal()}"
        for function in (1, 2)
        for instance in range(15)
        for name, shift in (("cma", 0.0), ("de", 1.5), ("random search", 4.0))
        for budget in (1, 10, 100)
    ]
    path = tmp_path_factory.mktemp("table") / "runs.csv"
    path.write_text("\n".join(["algorithm_name,function_id,instance,evaluations,raw_y", *rows]) + "\n")
    return path


@pytest.fixture(scope="module")
def study(table, tmp_path_factory):
    """The result of the runs, saved."""
    path = tmp_path_factory.mktemp("study") / "runs.npz"
    assert run_command("show", table, "--save", path).code == 0
    return path


def assert_alike(first, second):
    """Data are the same but for rounding."""
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        for name in first:
            assert_alike(first[name], second[name])
    elif isinstance(first, list):
        assert len(first) == len(second)
        for each, other in zip(first, second, strict=True):
            assert_alike(each, other)
    elif isinstance(first, float) and isinstance(second, float):
        assert first == pytest.approx(second, rel=1e-5, abs=1e-6)
    else:
        assert first == second


def printed(outcome, *files):
    """What a command printed, without the names of its files and of its source."""
    assert outcome.code in (0, 1, 2), outcome.err
    text = outcome.out
    for each in files:
        text = text.replace(str(each), "FILE")
    return " ".join(text.split())


@pytest.mark.parametrize(
    "command",
    [
        "show FILE",
        "show FILE --details",
        "show FILE --by function",
        "show FILE --as-race",
        "select FILE",
        "select FILE --budget 50 --details",
        "select FILE --budget 37 --json",
        "select FILE --budget 3..70 --risk quantile:0.1 --json",
        "select FILE --machines 2 --json",
        "select FILE --criterion against:de --json",
        "select FILE --by function --json",
        "select FILE --given function=2 --json",
        "explain FILE --json",
        "explain FILE --only cma --only de",
        "export FILE answer",
        "export FILE runs",
        "export FILE pairwise --format tex",
        "export FILE quality",
        "export FILE gap cma de --tolerance 10%",
        "export FILE speed-up cma de",
        "export FILE instances cma de --budget 20",
        "compare cma de --runs FILE --json",
    ],
)
def test_it_answers_as_the_runs_did(table, study, command):
    first, second = (
        printed(run_command(*[str(path) if word == "FILE" else word for word in command.split()]), path)
        for path in (table, study)
    )
    assert first == second.replace(str(table), "FILE")  # remedies of reading name the runs
    assert first


def test_its_json_is_that_of_the_runs(polarbear, table, study):
    assert_alike(polarbear("show", table, "--json").data, polarbear("show", study, "--json").data)


def test_its_posterior_is_that_of_the_runs(polarbear, table, study):
    first, second = (
        list(csv.reader(io.StringIO(polarbear("export", path, "posterior").out))) for path in (table, study)
    )
    assert first[0] == second[0]
    for row, other in zip(first[1:], second[1:], strict=True):
        assert row[0] == other[0]
        assert [*map(float, row[1:])] == pytest.approx([*map(float, other[1:])], abs=1e-6)


def test_its_figures_are_those_of_the_runs(polarbear, table, study, tmp_path):
    for path in (table, study):
        outcome = polarbear("plot", path, "-o", tmp_path / path.suffix[1:], "--format", "png")
        assert (outcome.code, outcome.err) == (0, "")
    first, second = ({each.name: each.read_bytes() for each in (tmp_path / kind).iterdir()} for kind in ("csv", "npz"))
    assert first == second
    assert {"quality.png", "tree.png", "decision-map.png"} <= first.keys()


def test_its_page_is_that_of_the_runs(polarbear, table, study, tmp_path):
    pages = [tmp_path / "csv.html", tmp_path / "npz.html"]
    for path, page in zip((table, study), pages, strict=True):
        assert polarbear("report", path, "-o", page, "--by", "function", "--title", "Runs").code == 0
    first, second = map(read_data, pages)
    for page in (first, second):
        page.pop("written", None)
        page["sections"]["settings"].pop("environment")  # has the date
    assert_alike(first, second)


def test_options_of_reading_are_kept(polarbear, table, tmp_path):
    """Every option that changes the data or the rule of the result, and none of them is typed again."""
    saved = tmp_path / "study.npz"
    options = [
        "--where", "function=1", "--without", "random search", "--budgets", "5..80:6", "--tolerance", "0.01",
        "--confidence", "0.8", "--dominance", "joint", "--cluster", "none", "--prior", "RandomWalk",
    ]  # fmt: skip
    shown = polarbear("show", table, *options, "--save", saved, "--json").data
    again = polarbear("show", saved, "--json").data
    assert_alike(shown, again)
    result = pb.load(saved)
    assert result.candidates == ("cma", "de")
    assert (result.confidence, result.dominance, result.rules["absolute_tolerance"]) == (0.8, "joint", 0.01)
    assert len(result.posterior.grid) == 6
    assert result.posterior.prior.startswith("RandomWalk(")
    rows = list(csv.DictReader(io.StringIO(polarbear("export", saved, "runs").out)))
    assert {row["algorithm_name"] for row in rows} == {"cma", "de"}


def test_a_saved_race_answers_as_the_race_did(polarbear, finished, saved):
    for command in (["select", "FILE", "--budget", 20, "--json"], ["export", "FILE", "quality"]):
        first, second = (
            polarbear(*[path if word == "FILE" else word for word in command]) for path in (finished, saved)
        )
        assert (first.code, first.out) == (0, second.out)
    race, study = (polarbear("show", path, "--json").data for path in (finished, saved))
    assert study["race"] is None
    same = ("kept", "ranges", "probability_best", "single", "pairs", "how_much_better", "budgets", "instances", "clock")
    assert_alike({name: study[name] for name in same}, {name: race[name] for name in same})
    assert study["dropped"].keys() == race["dropped"].keys()


def test_what_is_printed_continues_the_race_itself(polarbear, finished, tmp_path):
    """Not the saved result, which no command can continue."""
    path = tmp_path / "study.npz"
    assert polarbear("show", finished, "--save", path).out == polarbear("show", finished).out
    assert "polarbear race" not in polarbear("show", path, "--details").out


@pytest.mark.parametrize(
    ("option", "name"),
    [
        (["--where", "function=1"], "where"),
        (["--column", "raw_y=loss"], "column"),
        (["--cluster", "none"], "cluster"),
        (["--objective", "raw_y"], "objective"),
        (["--maximise"], "maximise"),
        (["--minimise"], "minimise"),
        (["--only", "cma"], "only"),
        (["--without", "cma"], "without"),
        (["--budgets", "..50"], "budgets"),
        (["--tolerance", "1"], "tolerance"),
        (["--prior", "RandomWalk"], "prior"),
        (["--dominance", "joint"], "dominance"),
        (["--confidence", "0.9"], "confidence"),
    ],
)
def test_options_of_reading_are_refused_in_one_sentence(polarbear, study, tmp_path, option, name):
    before = study.read_bytes()
    outcome = polarbear("show", study, *option, "--save", tmp_path / "other.npz")
    assert (outcome.code, outcome.out) == (3, "")
    assert re.fullmatch(
        rf"polarbear: expected recorded runs or a race file for --{name}, got the saved result {re.escape(str(study))}; "
        r"give the file of its runs\n",
        outcome.err,
    )
    assert list(tmp_path.iterdir()) == []
    assert study.read_bytes() == before


@pytest.mark.parametrize("command", ["select", "explain", "report", "plot", "compare"])
def test_other_commands_have_no_options_of_reading(polarbear, table, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    files = [table, table] if command == "compare" else [table]
    outcome = polarbear(command, *files, "--where", "function=1")
    assert (outcome.code, outcome.out) == (3, "")
    assert "--where" in outcome.err
    assert "Traceback" not in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_a_saved_result_that_is_damaged_is_refused(polarbear, study, tmp_path):
    path = tmp_path / "damaged.npz"
    path.write_bytes(study.read_bytes()[:-200])
    for command in ("show", "select", "report"):
        outcome = polarbear(command, path)
        assert (outcome.code, outcome.out, outcome.err.count("\n")) == (3, "", 1)
        assert "damaged" in outcome.err


def test_remedies_of_reading_name_the_runs_behind_a_saved_result(tmp_path):
    lines = ["solver,instance,evaluations,raw_y"]
    lines += [f"{name},{i},{t},{(i % 7) + 5 / t}" for name in "ab" for i in range(12) for t in (1, 10, 100)]
    lines += [f"a,{i},1000,0" for i in range(12)] + [f"b,{i},900,1" for i in range(12)]
    (tmp_path / "runs.csv").write_text("\n".join(lines) + "\n")
    reading = ["--column", "algorithm_name=solver", "--budgets", "1..100"]
    run_command("show", tmp_path / "runs.csv", *reading, "--save", tmp_path / "study.npz")
    result = pb.load(tmp_path / "study.npz")
    command = result.voice(shell=True).say(ReadWith("cluster", "none"))
    assert command == f"polarbear show {tmp_path / 'runs.csv'} {' '.join(reading)} --cluster none"
    assert f"polarbear report {tmp_path / 'study.npz'}" in str(result.words(shell=True))
