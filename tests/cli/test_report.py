"""`report` of races, of recorded runs and of saved results."""

from types import SimpleNamespace

import pytest

import polarbear as pb
from polarbear.reporting import report_file
from tests.reporting.pages import read_data

REFRESH = 'http-equiv="refresh"'


@pytest.fixture
def pages(monkeypatch):
    """Every page that is written, in order."""
    texts, write = [], report_file.write_output

    def keep(place, text, **options):
        texts.append(text)
        write(place, text, **options)

    monkeypatch.setattr(report_file, "write_output", keep)
    return texts


def test_a_race_is_reported_beside_its_file(polarbear, finished, tmp_path):
    file = tmp_path / "copy.race"
    file.write_bytes(finished.read_bytes())
    outcome = polarbear("report", file)
    page = tmp_path / "copy.html"
    assert (outcome.code, outcome.out) == (0, f"{page}\n")
    assert "<h1>copy</h1>" in page.read_text()
    assert REFRESH not in page.read_text()
    assert polarbear("report", file, "-o", tmp_path / "other.html", "--title", "Mine").code == 0
    assert "<h1>Mine</h1>" in (tmp_path / "other.html").read_text()


def test_a_saved_result_is_reported_too(polarbear, finished, posterior, tmp_path):
    page, saved = tmp_path / "page.html", tmp_path / "mine.npz"
    assert polarbear("show", finished, "--confidence", 0.8, "--save", saved).code == 0
    assert polarbear("report", saved, "-o", page).code == 0
    assert "<h1>mine</h1>" in page.read_text()
    assert pb.load(saved).confidence == 0.8
    assert polarbear("report", posterior, "-o", page).code == 0
    assert f"<h1>{posterior.parent.name}</h1>" in page.read_text()  # posterior.npz says nothing about its contents
    outcome = polarbear("report", saved, "-o", page, "--live")
    assert (outcome.code, "leave --live out" in outcome.err) == (3, True)


def test_the_page_is_opened_on_request(polarbear, finished, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    polarbear("report", finished, "-o", tmp_path / "page.html", "--open")
    assert opened == [(tmp_path / "page.html").as_uri()]


def test_files_without_decisions_are_not_reported(polarbear, tmp_path):
    assert "there is no file" in polarbear("report", tmp_path / "none.race").err
    assert "expected recorded runs in" in polarbear("report", tmp_path).err
    file = tmp_path / "empty.race"
    pb.Race(["a", "b"], None, [1, 2, 4], path=file).close()
    outcome = polarbear("report", file)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.endswith("one in which no round has ended; continue it with: race.run()\n")


def test_another_process_keeps_the_page_of_a_race_up_to_date(polarbear, race_toml, tmp_path, pages, monkeypatch):
    polarbear("race", race_toml, "--max-instances", 8, "--progress", "none")
    race = lambda _: polarbear("race", tmp_path / "my.race", "--progress", "none")  # noqa: E731
    monkeypatch.setattr("polarbear.cli.report.time", SimpleNamespace(sleep=race))
    outcome = polarbear("report", tmp_path / "my.race", "--live")
    assert outcome.code == 0
    assert "after each round" in outcome.err
    assert [REFRESH in text for text in pages] == [True, False]


def test_a_live_page_has_every_round_of_a_race_that_begins_later(polarbear, race_toml, tmp_path, pages, monkeypatch):
    """It waits for the first round, is written again after each step of the race, and at last without a refresh."""
    file, limits = tmp_path / "my.race", iter((8, 16, 400))
    polarbear("race", race_toml, "--max-seconds", 1e-9, "--progress", "none")
    race = lambda _: polarbear("race", file, "--max-instances", next(limits), "--progress", "none")  # noqa: E731
    monkeypatch.setattr("polarbear.cli.report.time", SimpleNamespace(sleep=race))
    outcome = polarbear("report", file, "--live")
    assert (outcome.code, outcome.out) == (0, f"{tmp_path / 'my.html'}\n")
    assert pages
    assert all(REFRESH in text for text in pages[:-1])
    assert REFRESH not in pages[-1]
    assert (tmp_path / "my.html").read_text() == pages[-1]


def test_recorded_runs_get_a_page(polarbear, finished, tmp_path):
    page, saved = tmp_path / "page.html", tmp_path / "five.npz"
    polarbear("show", finished, "--budgets", "10..50:3", "--save", saved)
    assert polarbear("report", saved, "-o", page).code == 0
    data = read_data(page)
    assert data["grid"]["budgets"] == pb.load(saved).posterior.grid.budgets.tolist()
    assert len(data["grid"]["budgets"]) == 3
    assert "evaluations" in page.read_text()


def test_the_optimum_of_a_race_adds_aocc_to_its_page(polarbear, finished, posterior, tmp_path):
    page = tmp_path / "page.html"
    assert polarbear("report", finished, "-o", page, "--optimum", 0).code == 0
    assert '"aocc":' in page.read_text()
    assert polarbear("report", finished, "-o", page).code == 0
    assert '"aocc":' not in page.read_text()
    outcome = polarbear("report", posterior, "-o", page, "--optimum", 0)
    assert (outcome.code, "expected a race for optimum=0, got a posterior" in outcome.err) == (3, True)
