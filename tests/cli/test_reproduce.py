import json
import sys

import pytest

from case_studies import runtime
from case_studies.page import Page


@pytest.fixture
def short_study(monkeypatch):
    """A study that takes no time, in the place of a real one."""

    def reproduce(folder, *, scale, workers):
        page = Page(folder, "short", "for a test")
        page.results |= {"scale": scale, "workers": workers}
        return page

    monkeypatch.setattr(runtime, "reproduce", reproduce)


def test_a_study_is_written_into_its_folder(polarbear, short_study, tmp_path):
    said = polarbear("reproduce", "runtime", "--scale", "paper", "--workers", 3, "--out", tmp_path / "here")
    assert said.code == 0
    assert said.out.strip() == str(tmp_path / "here" / "index.html")
    results = json.loads((tmp_path / "here" / "results.json").read_text())
    assert (results["scale"], results["workers"]) == ("paper", 3)
    assert results["made"]["command"] == "polarbear reproduce runtime --scale paper"


def test_an_unknown_study_names_the_known_ones(polarbear):
    said = polarbear("reproduce", "everything")
    assert said.code == 1
    assert "ma-bbob" in said.err


def test_what_a_study_needs_is_said_in_a_sentence(polarbear, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ioh", None)
    said = polarbear("reproduce", "gp-bbob", "--out", tmp_path)
    assert said.code == 1
    assert "pip install 'polarbear[bbob]'" in said.err
