"""`polarbear plot` on the file of a real race, and on a saved posterior."""

import pytest

pytest.importorskip("matplotlib", reason="figures need Matplotlib: pip install 'polarbear[plots]'")

OF_A_POSTERIOR = {"ratings", "decision-map", "values", "dominance"}
OF_A_RACE = {"evolution", "allocation", "rounds", "forecast"}
BEGINNING = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}


def test_all_figures_of_a_race_go_into_a_folder(polarbear, finished, tmp_path):
    said = polarbear("plot", finished, "-o", tmp_path / "figures", "--format", "png", "--pair", "climber", "poor")
    assert said.code == 0
    written = {path.stem: path for path in (tmp_path / "figures").iterdir()}
    assert set(written) == OF_A_POSTERIOR | OF_A_RACE | {"pair"}
    assert (sorted(said.out.split()), said.err) == (sorted(map(str, written.values())), "")
    assert all(path.read_bytes().startswith(BEGINNING["png"]) for path in written.values())


@pytest.mark.parametrize(
    ("ending", "options"), [("pdf", ["--linear"]), ("svg", ["--log", "--width", 4, "--among", "poor"])]
)
def test_one_figure_goes_into_a_file(polarbear, finished, tmp_path, ending, options):
    path = tmp_path / f"ratings.{ending}"
    said = polarbear("plot", finished, "--figure", "ratings", "-o", path, *options)
    assert (said.code, said.out.strip(), said.err) == (0, str(path), "")
    assert path.read_bytes().startswith(BEGINNING[ending])


def test_a_saved_posterior_has_no_rounds(polarbear, finished, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    polarbear("export", finished, "posterior", "-o", "belief.npz")
    said = polarbear("plot", "belief.npz")
    assert (said.code, said.err) == (0, "")
    assert {path.stem for path in (tmp_path / "belief-figures").iterdir()} == OF_A_POSTERIOR
    said = polarbear("plot", "belief.npz", "--figure", "rounds")
    assert said.code == 1
    assert "rounds is a figure of a race, and belief.npz holds a posterior alone" in said.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--figure", "pair"], "say which two: --pair random climber"),
        (
            ["--figure", "pair", "--pair", "climber", "nobody"],
            "expected different candidates among random, climber, poor",
        ),
        (["--figure", "ratings", "-o", "x.gif"], "expected a file that ends in .pdf, .svg or .png"),
        (["-o", "x.pdf"], "all figures go into a folder; say which one with --figure"),
        (["--figure", "ratings", "--width", 1], "expected a width of 2.5 inches or more"),
        (["--figure", "values", "--at", 1e9], "the budget"),
    ],
)
def test_wrong_wishes_are_answered_by_a_sentence(polarbear, finished, tmp_path, monkeypatch, options, message):
    monkeypatch.chdir(tmp_path)
    said = polarbear("plot", finished, *options)
    assert (said.code, message in said.err) == (1, True)
    assert list(tmp_path.iterdir()) == []


def test_a_race_without_rounds_cannot_be_drawn(polarbear, race_toml, monkeypatch):
    monkeypatch.chdir(race_toml.parent)
    polarbear("race", race_toml, "--max-seconds", 1e-9, "--quiet")
    said = polarbear("plot", "my.race")
    assert (said.code, "nothing has been decided in my.race yet" in said.err) == (1, True)
