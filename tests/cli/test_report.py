"""`report`, and `--report` of the other commands."""

import pytest

import polarbear as pb
from polarbear.reporting import report_file as writing

REFRESH = 'http-equiv="refresh"'


@pytest.fixture
def pages(monkeypatch):
    """Every page that is written, in order."""
    texts, replace = [], writing._replace
    monkeypatch.setattr(writing, "_replace", lambda place, text: (texts.append(text), replace(place, text)))
    return texts


def test_a_race_is_reported_beside_its_file(polarbear, finished, tmp_path):
    file = tmp_path / "copy.race"
    file.write_bytes(finished.read_bytes())
    said = polarbear("report", file)
    page = tmp_path / "copy.html"
    assert (said.code, said.out) == (0, f"{page}\n")
    assert "<h1>copy</h1>" in page.read_text()
    assert REFRESH not in page.read_text()
    assert polarbear("report", file, "-o", tmp_path / "other.html", "--title", "Mine").code == 0
    assert "<h1>Mine</h1>" in (tmp_path / "other.html").read_text()


def test_a_saved_posterior_is_reported_too(polarbear, finished, tmp_path):
    with pb.Race.open(finished) as race:
        race.result.posterior.save(tmp_path / "belief.npz", draws=200)
    assert polarbear("report", tmp_path / "belief.npz", "--confidence", 0.9).code == 0
    assert "<h1>belief</h1>" in (tmp_path / "belief.html").read_text()
    said = polarbear("report", tmp_path / "belief.npz", "--live")
    assert (said.code, "leave --live out" in said.err) == (1, True)
    said = polarbear("report", finished, "--confidence", 0.9)
    assert (said.code, "a race has its own confidence" in said.err) == (1, True)


def test_the_page_is_opened_where_that_is_asked_for(polarbear, finished, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr("webbrowser.open", asked.append)
    polarbear("report", finished, "-o", tmp_path / "page.html", "--open")
    assert asked == [(tmp_path / "page.html").as_uri()]


def test_what_cannot_be_reported_is_answered_by_a_sentence(polarbear, race_toml, tmp_path):
    assert "there is no file" in polarbear("report", tmp_path / "none.race").err
    assert "is a folder" in polarbear("report", tmp_path).err
    file = tmp_path / "empty.race"
    pb.Race(["a", "b"], None, [1, 2, 4], path=file).close()
    said = polarbear("report", file)
    assert (said.code, "nothing has been decided" in said.err) == (1, True)


def test_a_race_writes_its_page_after_each_round(polarbear, race_toml, tmp_path, pages):
    said = polarbear("race", race_toml, "--report", tmp_path / "page.html", "--json", "--max-instances", 16)
    assert said.data["rounds"] == len(pages) - 1
    assert all(REFRESH in text for text in pages[:-1])
    assert REFRESH not in pages[-1]  # the race has stopped, finished or not
    assert (tmp_path / "page.html").read_text() == pages[-1]


def test_another_process_keeps_the_page_of_a_race_up_to_date(polarbear, race_toml, tmp_path, pages, monkeypatch):
    polarbear("race", race_toml, "--max-instances", 8, "--quiet")
    monkeypatch.setattr("polarbear.cli.report.time.sleep", lambda _: polarbear("resume", tmp_path / "my.race", "-q"))
    said = polarbear("report", tmp_path / "my.race", "--live")
    assert said.code == 0
    assert "after each round" in said.err
    assert [REFRESH in text for text in pages] == [True, False]


def test_recorded_runs_are_reported(polarbear, finished, tmp_path):
    page = tmp_path / "page.html"
    polarbear("analyse", finished, "--report", page, "--prior", "RandomWalk", "--count", 5)
    assert page.exists()
    assert "evaluations" in page.read_text()
