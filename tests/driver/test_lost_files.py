"""A race file that disappears or changes under a running race: the race stops, and nothing that was measured is lost."""

import os
import shutil
from concurrent.futures import Future

import pytest

import polarbear as pb
from tests.driver.races import journal, race_of, run_quietly, stored_runs
from tests.race.live_algorithms import four


@pytest.fixture(scope="module")
def recorded(finished):
    """The runs of a finished race, to be replayed."""
    return [run.trajectory for run in finished[1].runs]


class Disturbed(pb.ReplayExecutor):
    """Replays runs, and does something to the file before the nth run."""

    def __init__(self, recorded, number, disturb):
        super().__init__(recorded)
        self.left, self.disturb = number, disturb

    def submit(self, *arguments, **more) -> Future:
        self.left -= 1
        if self.left == 0:
            self.disturb()
        return super().submit(*arguments, **more)


def replace(path):
    other = path.with_name("other.race")
    other.write_bytes(b"something else")
    other.replace(path)


def overwrite(path):
    shutil.copyfile(path.parent.parent / "finished.race", path)  # in place, as `cp` does


@pytest.mark.parametrize(
    ("disturb", "words"),
    [
        (lambda path: path.unlink(), "was deleted or renamed"),
        (lambda path: path.rename(path.with_name("renamed.race")), "was deleted or renamed"),
        (replace, "was replaced by another file"),
        (overwrite, "was overwritten by another program"),
        (lambda path: path.write_bytes(bytes(1_000_000)), "was overwritten by another program"),
        (lambda path: os.truncate(path, 0), r"was truncated from [\d,]+ to 0 bytes"),
        (lambda path: shutil.rmtree(path.parent), "was deleted or renamed"),
    ],
    ids=["deleted", "renamed", "replaced", "overwritten", "zeros", "truncated", "folder deleted"],
)
def test_the_race_stops_and_saves_a_copy_from_which_it_continues(
    tmp_path, monkeypatch, recorded, finished, disturb, words
):
    (tmp_path / "races").mkdir()
    shutil.copyfile(finished[0], tmp_path / "finished.race")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "races" / "my.race"
    with race_of(list(four()), None, path=path) as race:
        run_quietly(race, pb.ReplayExecutor(recorded), max_instances=4)
    with race_of(list(four()), None, path=path) as race:
        executor = Disturbed(recorded, 6, lambda: disturb(path))
        with pytest.raises(pb.RaceError, match=rf"my.race {words} .*saved in .*my-saved.race: give it") as caught:
            run_quietly(race, executor)
        with pytest.raises(pb.RaceError, match=r"my-saved.race:"):  # and no second copy
            run_quietly(race, pb.ReplayExecutor(recorded))
        assert len(race.outcome.rounds) < len(finished[1].rounds)
    (saved,) = tmp_path.rglob("my-saved*.race")
    assert str(saved) in str(caught.value)
    made = stored_runs(saved)
    assert len(made) > 16  # also those of the round in which it happened
    with race_of(list(four()), None, path=saved) as race:
        result = run_quietly(race, pb.ReplayExecutor(recorded))
    assert result.rounds == finished[1].rounds
    assert journal(saved) == journal(finished[0])
    assert made.items() <= stored_runs(saved).items()


def test_an_older_copy_of_the_race_in_its_place_is_noticed(tmp_path, recorded, finished):
    """It has the same origin, and here the same size; it lacks the last rounds."""
    path, older = tmp_path / "my.race", tmp_path / "older.race"
    with race_of(list(four()), None, path=path) as race:
        run_quietly(race, pb.ReplayExecutor(recorded), max_instances=4)
    shutil.copyfile(path, older)
    with race_of(list(four()), None, path=path) as race:
        run_quietly(race, pb.ReplayExecutor(recorded), max_instances=8)

    def restore():
        content = older.read_bytes()
        with path.open("r+b") as file:
            file.write(content + bytes(path.stat().st_size - len(content)))

    with race_of(list(four()), None, path=path) as race:
        executor = Disturbed(recorded, 6, restore)
        words = r"my.race was overwritten by an older copy of its race .*saved in .*my-saved.race"
        with pytest.raises(pb.RaceError, match=words):
            run_quietly(race, executor)
    with race_of(list(four()), None, path=tmp_path / "my-saved.race") as race:
        assert run_quietly(race, pb.ReplayExecutor(recorded)).rounds == finished[1].rounds
