"""No command replaces a race file, an input, a configuration, or a file that PolarBear did not write."""

import json
import subprocess
import sys

import numpy as np
import pytest

import polarbear as pb
from tests.cli.conftest import RACE, write_race

RUNS = "algorithm_name,instance,evaluations,raw_y\n" + "".join(
    f"{name},{instance},{budget},{value + instance % 3 - budget / 100}\n"
    for instance in range(12)
    for budget in (1, 10, 50)
    for name, value in (("good", 1), ("bad", 5))
)


@pytest.fixture
def folder(finished, posterior, tmp_path, monkeypatch):
    """A folder with two race files, the configuration, a posterior, recorded runs and files of the user."""
    write_race(tmp_path, RACE + "# edited since the race\n")
    for name in ("w.race", "v.race"):
        (tmp_path / name).write_bytes(finished.read_bytes())
    (tmp_path / "p.npz").write_bytes(posterior.read_bytes())
    (tmp_path / "plain.csv").write_text(RUNS)
    (tmp_path / "kinds.csv").write_text("instance,kind\n" + "".join(f"{k},{k % 2}\n" for k in range(12)))
    (tmp_path / "budgets.txt").write_text("10\n20\n")
    (tmp_path / "mine.csv").write_text("my,own,table\n1,2,3\n")
    (tmp_path / "mine.json").write_text('{"my": "own"}')
    (tmp_path / "mine.tex").write_text("% my own table\n")
    (tmp_path / "mine.html").write_text("<!doctype html><title>My own page</title>")
    (tmp_path / "mine.pdf").write_bytes(b"%PDF-1.4 my own figure")
    (tmp_path / "mine.npz").write_bytes(b"PK my own numbers")
    (tmp_path / "mine.nc").write_bytes(b"\x89HDF my own numbers")
    (tmp_path / "mine.parquet").write_bytes(b"PAR1 my own rows PAR1")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


NEVER = [
    "report w.race -o w.race",
    "report w.race -o v.race",
    "report p.npz -o v.race",
    "report w.race -o race.toml",
    "report plain.csv -o plain.csv",
    "report plain.csv --features kinds.csv -o kinds.csv",
    "export w.race runs -o w.race --format csv",
    "export w.race runs -o v.race --format csv",
    "export w.race runs -o v.race --format parquet",
    "export w.race answer -o v.race --format json",
    "export w.race posterior -o v.race --format nc",
    "export w.race posterior -o v.race --format npz",
    "export w.race pairwise -o race.toml --format csv",
    "export w.race configuration -o v.race --format toml",
    "export p.npz posterior -o p.npz",
    "select w.race -o w.race",
    "select p.npz -o v.race",
    "select w.race -o race.toml",
    "select plain.csv -o plain.csv",
    "select plain.csv --features kinds.csv --by kind -o kinds.csv",
    "show w.race --save w.race",
    "show w.race --save v.race",
    "show w.race --save race.toml",
    "show plain.csv --features kinds.csv --by kind --save kinds.csv",
    "plot w.race ratings -o w.race",
    "plot w.race ratings -o v.race",
    "plot w.race ratings -o race.toml",
    "show plain.csv --save plain.csv",
    "show plain.csv --save w.race",
    "show . --save plain.csv",
    "report w.race --live -o v.race",
    "race race.toml -o race.toml",
]

ONLY_BY_FORCE = [
    "report w.race -o mine.html",
    "export w.race runs -o mine.csv",
    "export w.race runs -o mine.parquet",
    "export w.race pairwise -o mine.tex",
    "export w.race answer -o mine.json",
    "export w.race posterior -o mine.npz",
    "export w.race posterior -o mine.nc",
    "export w.race configuration -o race.toml",
    "select w.race -o mine.csv",
    "select w.race -o mine.tex",
    "select w.race -o mine.json",
    "select w.race -o mine.parquet",
    "show w.race --save mine.npz",
    "show plain.csv --save mine.npz",
    "show plain.csv --save mine.csv",
    "report plain.csv -o mine.html",
    "plot w.race ratings -o mine.pdf",
    "plot w.race pair climber random -o mine.pdf",
]


@pytest.mark.parametrize("command", NEVER)
def test_race_files_inputs_and_configurations_are_never_replaced(polarbear, folder, command):
    before = content_of(folder)
    for force in ([], ["--force"]):
        outcome = polarbear(*command.split(), *force)
        assert (outcome.code, outcome.out) == (3, "")
        assert outcome.err.count("\n") == 1, outcome.err
        assert "choose another file" in outcome.err
        assert content_of(folder) == before


@pytest.mark.parametrize("command", ONLY_BY_FORCE)
def test_files_of_another_origin_are_replaced_only_by_force_and_then_again(polarbear, folder, command):
    words = command.split()
    before, target = content_of(folder), folder / words[-1]
    outcome = polarbear(*words)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"got the existing file {target.name}; choose another file, or replace it with --force" in outcome.err
    assert content_of(folder) == before
    outcome = polarbear(*words, "--force")
    assert outcome.code == 0, outcome.err
    written = target.read_bytes()
    assert written != before[target.name]
    if target.name != "race.toml":  # the user may have edited it
        assert polarbear(*words).code == 0
        assert len(target.read_bytes()) > 0
    assert content_of(folder).keys() == before.keys() | {"w.race.lock"} & content_of(folder).keys()


def test_all_figures_replace_those_that_polarbear_drew(polarbear, folder):
    (folder / "w-figures").mkdir()
    (folder / "w-figures" / "ratings.svg").write_text("<?xml my own drawing")
    outcome = polarbear("plot", "p.npz", "--format", "svg", "-o", "w-figures")
    assert outcome.code == 3
    assert "got the existing file w-figures/ratings.svg" in outcome.err
    assert (folder / "w-figures" / "ratings.svg").read_text() == "<?xml my own drawing"
    for force in (["--force"], []):
        assert polarbear("plot", "p.npz", "--format", "svg", "-o", "w-figures", *force).code == 0


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_a_figure_replaces_an_earlier_one(polarbear, folder, kind):
    for figure in ("ratings", "values"):
        assert polarbear("plot", "p.npz", figure, "-o", f"figure.{kind}").code == 0


def test_the_example_replaces_files_by_force(polarbear, folder):
    (folder / "race.toml").write_text("[mine]\n")
    assert polarbear("init", ".").code == 3
    assert (folder / "race.toml").read_text() == "[mine]\n"
    assert polarbear("init", ".", "--force").code == 0
    assert "[race]" in (folder / "race.toml").read_text()


def test_the_functions_of_the_package_protect_the_same_files(folder):
    posterior = pb.Posterior.load("p.npz")
    figure = pb.plots.ratings(posterior)
    before = content_of(folder)
    for name in ("v.race", "race.toml", "mine.csv"):
        for write in (posterior.save, lambda path: pb.report(posterior, path)):
            with pytest.raises(ValueError, match=f"{name}(;| is a)"):
                write(name)
    (folder / "figure.pdf").symlink_to("v.race")
    with pytest.raises(ValueError, match=r"figure.pdf is a race file"):
        pb.plots.save(figure, "figure.pdf")
    (folder / "figure.pdf").unlink()
    assert content_of(folder) == before
    for options in ({"force": True}, {}):
        posterior.save("mine.npz", **options)
        pb.report(posterior, "mine.html", **options)
        pb.plots.save(figure, "mine.pdf", **options)


LIMITED = """
import resource, sys
from polarbear.cli.main import run

resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
sys.argv = ["polarbear", *sys.argv[1:]]
run()
"""


@pytest.mark.parametrize(
    "command",
    [
        "export p.npz posterior -o p.nc",
        "export p.npz posterior -o q.npz",
        "export p.npz posterior -o q.parquet",
        "export w.race runs -o runs.csv",
        "export w.race answer -o answer.json",
        "report p.npz -o page.html",
        "select p.npz -o q.parquet",
        "show w.race --save q.npz",
        "plot p.npz ratings -o ratings.pdf",
        "plot p.npz ratings -o ratings.png",
    ],
)
def test_an_output_beyond_a_limit_leaves_no_stump_and_is_named(folder, command):
    before = content_of(folder)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *command.split()], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    name = command.split()[-1]
    assert f"polarbear: could not write {name}: it is larger than this process may write (ulimit -f)" in done.stderr
    assert "[Errno" not in done.stderr
    assert content_of(folder) == before


def test_an_output_beyond_a_limit_keeps_the_earlier_one(polarbear, folder):
    assert polarbear("export", "w.race", "runs", "-o", "runs.csv").code == 0
    before = content_of(folder)
    arguments = [sys.executable, "-c", LIMITED, "export", "w.race", "runs", "-o", "runs.csv"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 3
    assert content_of(folder) == before


def test_draws_for_arviz_carry_the_name_of_the_library(polarbear, folder):
    import xarray as xr

    assert polarbear("export", "p.npz", "posterior", "-o", "p.nc").code == 0
    with xr.open_datatree("p.nc", engine="h5netcdf") as tree:
        assert tree["posterior"].attrs["inference_library"] == "PolarBear"
        assert np.array_equal(tree["posterior"]["algorithm"], pb.Posterior.load("p.npz").names)


def test_an_answer_replaces_that_of_another_race(polarbear, folder):
    for race in ("w.race", "v.race"):
        assert polarbear("export", race, "answer", "-o", "answer.json").code == 0
    assert json.loads((folder / "answer.json").read_text())["race"]["finished"]
