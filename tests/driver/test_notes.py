"""Values that users store in a race file, next to those of the race itself."""

import pytest

import polarbear as pb
from polarbear.storage import RaceFile

OWN = [
    "settings",
    "algorithms",
    "features",
    "clusters",
    "stopped",
    "accepted_failures",
    "values",
    "design",
    "candidates",
]


def race_at(path, **options):
    return pb.Race(["a", "b"], None, [1, 10], path=path, **options)


@pytest.mark.parametrize("key", OWN)
def test_keys_of_the_race_itself_are_refused_and_the_race_continues(tmp_path, key):
    path = tmp_path / "my.race"
    with pytest.raises(ValueError, match=f"expected another key than '{key}', under which the race stores its own"):
        race_at(path, about={key: {"my": "value"}})
    assert not path.exists()
    with race_at(path) as race, pytest.raises(ValueError, match=f"expected another key than '{key}'"):
        race.note(key, {"my": "value"})
    with race_at(path) as race:
        assert race.state.names == ("a", "b")


def test_other_keys_are_stored(tmp_path):
    with race_at(tmp_path / "my.race", about={"origin": 1}) as race:
        race.note("mine", [2])
    with RaceFile.open(tmp_path / "my.race", write=False) as file:
        assert (file.about["origin"], file.about["mine"]) == (1, [2])


def test_a_race_in_memory_refuses_the_same_keys():
    with pytest.raises(ValueError, match="expected another key than 'design'"):
        race_at(None, about={"design": 1})
