"""`report`, and the option `--report` of other commands."""

import pytest

import polarbear as pb
from polarbear.reporting import report_file

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


def test_a_saved_posterior_is_reported_too(polarbear, finished, saved, tmp_path):
    page = tmp_path / "page.html"
    assert polarbear("report", saved, "-o", page, "--confidence", 0.9).code == 0
    assert f"<h1>{saved.parent.name}</h1>" in page.read_text()  # posterior.npz says nothing about its contents
    outcome = polarbear("report", saved, "-o", page, "--live")
    assert (outcome.code, "leave --live out" in outcome.err) == (3, True)
    outcome = polarbear("report", finished, "-o", page, "--confidence", 0.9)
    assert outcome.code == 3
    assert f"change the confidence of the race with: polarbear race {finished} --confidence 0.9" in outcome.err


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
    assert (outcome.code, "nothing has been decided" in outcome.err) == (3, True)


def test_a_race_writes_its_page_after_each_round(polarbear, race_toml, tmp_path, pages):
    outcome = polarbear("race", race_toml, "--report", tmp_path / "page.html", "--json", "--max-instances", 16)
    assert len(outcome.data["race"]["rounds"]) == len(pages) - 1
    assert all(REFRESH in text for text in pages[:-1])
    assert REFRESH not in pages[-1]  # the race has stopped, finished or not
    assert (tmp_path / "page.html").read_text() == pages[-1]


def test_another_process_keeps_the_page_of_a_race_up_to_date(polarbear, race_toml, tmp_path, pages, monkeypatch):
    polarbear("race", race_toml, "--max-instances", 8, "--progress", "none")
    monkeypatch.setattr("polarbear.cli.report.time.sleep", lambda _: polarbear("race", tmp_path / "my.race", "--progress", "none"))
    outcome = polarbear("report", tmp_path / "my.race", "--live")
    assert outcome.code == 0
    assert "after each round" in outcome.err
    assert [REFRESH in text for text in pages] == [True, False]


def test_an_analysis_writes_a_page(polarbear, finished, tmp_path):
    page = tmp_path / "page.html"
    polarbear("report", finished, "-o", page, "--budgets", ":5")
    assert page.exists()
    assert "evaluations" in page.read_text()


def test_the_optimum_of_a_race_adds_aocc_to_its_page(polarbear, finished, saved, tmp_path):
    page = tmp_path / "page.html"
    assert polarbear("report", finished, "-o", page, "--optimum", 0).code == 0
    assert '"aocc":' in page.read_text()
    assert polarbear("report", finished, "-o", page).code == 0
    assert '"aocc":' not in page.read_text()
    outcome = polarbear("report", saved, "-o", page, "--optimum", 0)
    assert (outcome.code, "expected a race for optimum=0, got a posterior" in outcome.err) == (3, True)
