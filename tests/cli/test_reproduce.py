"""`reproduce`: repeats a case study."""

import json
import sys

import pytest

from case_studies import runtime
from case_studies.page import Page


@pytest.fixture
def short_study(monkeypatch):
    """A study that takes no time, instead of a real one."""

    def reproduce(folder, *, scale, workers):
        page = Page(folder, "short", "for a test")
        page.results |= {"scale": scale, "workers": workers}
        return page

    monkeypatch.setattr(runtime, "reproduce", reproduce)


def test_a_study_is_written_into_its_folder(polarbear, short_study, tmp_path):
    outcome = polarbear("reproduce", "runtime", "--scale", "paper", "--workers", 3, "--out", tmp_path / "here")
    assert outcome.code == 0
    assert outcome.out.strip() == str(tmp_path / "here" / "index.html")
    results = json.loads((tmp_path / "here" / "results.json").read_text())
    assert (results["scale"], results["workers"]) == ("paper", 3)
    assert results["made"]["command"] == "polarbear reproduce runtime --scale paper"


def test_an_unknown_study_names_the_known_ones(polarbear):
    outcome = polarbear("reproduce", "everything")
    assert outcome.code == 1
    assert "ma-bbob" in outcome.err


def test_a_missing_package_is_named(polarbear, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ioh", None)
    outcome = polarbear("reproduce", "gp-bbob", "--scale", "paper", "--out", tmp_path)
    assert outcome.code == 1
    assert "pip install 'polarbear-anytime[bbob]'" in outcome.err
