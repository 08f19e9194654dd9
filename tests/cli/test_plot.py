"""`polarbear plot` on the file of a real race, and on a saved posterior."""

import pytest

from polarbear.plots.figures import draw_figure
from polarbear.plots.registry import FIGURES

pytest.importorskip("matplotlib", reason="figures need Matplotlib: pip install 'polarbear-anytime[plots]'")

OF_A_PAIR = {name for name, entry in FIGURES.items() if entry.pair}
OF_A_POSTERIOR = {name for name, entry in FIGURES.items() if entry.needs == "posterior"} - OF_A_PAIR
OF_A_RACE = {name for name, entry in FIGURES.items() if entry.needs in ("race", "runs")} - OF_A_PAIR
BEGINNING = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}


def test_all_figures_of_a_race_go_into_a_folder(polarbear, finished, tmp_path):
    outcome = polarbear("plot", finished, "-o", tmp_path / "figures", "--format", "png")
    assert outcome.code == 0
    written = {path.stem: path for path in (tmp_path / "figures").iterdir()}
    assert set(written) == OF_A_POSTERIOR | OF_A_RACE
    assert (sorted(outcome.out.split()), outcome.err) == (sorted(map(str, written.values())), "")
    assert all(path.read_bytes().startswith(BEGINNING["png"]) for path in written.values())


@pytest.mark.parametrize("figure", sorted(OF_A_PAIR))
def test_a_figure_of_a_pair_names_two_algorithms(polarbear, finished, tmp_path, monkeypatch, figure):
    monkeypatch.chdir(tmp_path)
    outcome = polarbear("plot", finished, figure, "climber", "poor", "--format", "png")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"my-{figure}.png\n", "")
    assert (tmp_path / f"my-{figure}.png").read_bytes().startswith(BEGINNING["png"])


def test_figures_have_the_draws_of_the_terminal(polarbear, finished, tmp_path, monkeypatch):
    """The decision map states at which budgets the leader changes, as the terminal does."""
    drawn = {}

    def draw(name, posterior, *data, **style):
        drawn[name] = len(posterior.ratings)
        return draw_figure(name, posterior, *data, **style)

    monkeypatch.setattr("polarbear.plots.draw_figure", draw)
    for figure in ("decision-map", "ratings"):
        assert polarbear("plot", finished, figure, "-o", tmp_path / "figure.svg").code == 0
    assert drawn == {"decision-map": 4000, "ratings": 4000}


@pytest.mark.parametrize(
    ("ending", "options"), [("pdf", ["--linear"]), ("svg", ["--log", "--width", 4, "--only", "poor"])]
)
def test_one_figure_goes_into_a_file(polarbear, finished, tmp_path, ending, options):
    path = tmp_path / f"ratings.{ending}"
    outcome = polarbear("plot", finished, "ratings", "-o", path, *options)
    assert (outcome.code, outcome.out.strip(), outcome.err) == (0, str(path), "")
    assert path.read_bytes().startswith(BEGINNING[ending])


def test_a_posterior_alone_has_no_figures_of_rounds(polarbear, posterior, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("polarbear.plots.save", lambda figure, path, **_: path.touch())
    monkeypatch.setattr("matplotlib.layout_engine.ConstrainedLayoutEngine.execute", lambda *_: None)  # needs no layout
    outcome = polarbear("plot", posterior)
    assert (outcome.code, outcome.err) == (0, "")
    assert {path.stem for path in (tmp_path / "posterior-figures").iterdir()} == OF_A_POSTERIOR
    outcome = polarbear("plot", posterior, "rounds")
    assert outcome.code == 3
    assert f"expected a race file for the figure rounds, got {posterior}" in outcome.err
    outcome = polarbear("plot", posterior, "quality")
    assert outcome.code == 3
    assert f"expected runs for the figure quality, got {posterior}, which holds none" in " ".join(outcome.err.split())


@pytest.mark.parametrize(
    ("figure", "options"),
    [
        ("quality", []),
        ("speed-up", ["a", "b"]),
        ("gap", ["a", "b", "--tolerance", "0.5"]),
        ("gap", ["a", "b", "--tolerance", "10%"]),
    ],
)
def test_values_of_recorded_runs_can_be_drawn(polarbear, tmp_path, figure, options):
    rows = [f"{name},{i},{t},{v / t + i}" for name, v in (("a", 1), ("b", 3)) for i in range(9) for t in (1, 10, 100)]
    table = tmp_path / "runs.csv"
    table.write_text("\n".join(["algorithm_name,instance,evaluations,raw_y", *rows]))
    path = tmp_path / f"{figure}.png"
    outcome = polarbear("plot", table, figure, "-o", path, *options)
    assert (outcome.code, outcome.out.strip()) == (0, str(path))
    assert path.read_bytes().startswith(BEGINNING["png"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["pair"], "expected two algorithms for the figure pair, got none; add random climber"),
        (["tree"], "expected a table of features for the figure tree, got none; add --features FILE"),
        (
            ["pair", "climber", "unknown"],
            "got 'unknown'; choose among random, climber, poor",
        ),
        (["gap"], "expected two algorithms for the figure gap, got none; add random climber"),
        (["pair", "climber"], "expected two algorithms of a figure of a pair, got 1; name two"),
        (["ratings", "climber", "poor"], "expected no pair for the figure ratings, got climber poor; leave it out"),
        (["raitngs"], "ratings"),
        (["values", "--budget", "fnal"], "did you mean 'final'?"),
        (
            ["gap", "--tolerance", "much"],
            "expected --tolerance with numbers such as 0.5 or 10%, got 'much'",
        ),
        (
            ["gap", "climber", "poor", "--tolerance=-1"],
            "expected a finite tolerance, not negative, got -1.0",
        ),
        (["ratings", "-o", "x.gif"], "expected a file that ends in .pdf, .svg or .png"),
        (["-o", "x.pdf"], "expected a folder for all figures, got the file x.pdf; name one figure"),
        (["ratings", "--width", 1], "expected a width of 2.5 inches or more"),
        (["values", "--budget", 1e9], "the budget"),
    ],
)
def test_wrong_options_are_reported_and_nothing_is_written(
    polarbear, finished, tmp_path, monkeypatch, options, message
):
    monkeypatch.chdir(tmp_path)
    outcome = polarbear("plot", finished, *options)
    assert (outcome.code, message in outcome.err) == (3, True)
    assert list(tmp_path.iterdir()) == []


def test_a_race_without_rounds_cannot_be_drawn(polarbear, race_toml, monkeypatch):
    monkeypatch.chdir(race_toml.parent)
    polarbear("race", race_toml, "--max-seconds", 1e-9, "--progress", "none")
    outcome = polarbear("plot", "my.race")
    assert outcome.code == 3
    assert outcome.err.endswith("one in which no round has ended; continue it with: polarbear race my.race\n")
