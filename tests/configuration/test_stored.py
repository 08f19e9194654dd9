"""The configuration that a race file stores."""

import pytest

import polarbear as pb
from polarbear.configuration import load_stored, prepare, to_store
from polarbear.storage import RaceFile
from tests.configuration.conftest import RACE


def stored(path, **about):
    pb.Race(["random", "climber"], None, [5, 40], path=path, about=about).close()
    return path


def test_a_race_file_stores_its_configuration(write, tmp_path):
    prepared = prepare(write(), {"race.confidence": 0.8})
    known = load_stored(stored(tmp_path / "a.race", **to_store(prepared)))
    assert (known.path, known.text, known.overrides) == (prepared.path, RACE, {"race.confidence": 0.8})
    again = known.prepare(None, {"race.margin": 0.2})
    assert (again.settings.confidence, again.settings.margin) == (0.8, 0.2)


def test_values_of_the_race_itself_are_not_overwritten(tmp_path):
    path = stored(tmp_path / "a.race", other=3)
    with pb.Race.open(path, algorithms={}) as race:
        assert race.state.settings.confidence == 0.95
        race.note("other", 4)
        with pytest.raises(ValueError, match="expected another key than 'settings'"):
            race.note("settings", {})
    with RaceFile.open(path, write=False) as file:
        assert file.about["other"] == 4


@pytest.mark.parametrize("value", [3, [], {}, {"path": "x", "text": "", "overrides": [], "instances": None}])
def test_a_damaged_configuration_is_reported(tmp_path, value):
    with pytest.raises(ValueError, match=r"damaged|was made by a Python program"):
        load_stored(stored(tmp_path / "a.race", configuration=value))
