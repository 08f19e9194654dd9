"""Settings and rounds as plain JSON values, and back."""

import dataclasses
import json

import numpy as np
import pytest

import polarbear as pb
from polarbear.posterior.elimination import Drop
from polarbear.race.rounds import Round
from polarbear.race.serialisation import from_plain, to_plain
from tests.conftest import PRIORS, VARIANTS, prior_id


def write_and_read(value):
    return from_plain(json.loads(json.dumps(to_plain(value))))


@pytest.mark.parametrize(
    "prior",
    [*PRIORS, *VARIANTS, pb.BayesianBootstrap(), pb.BayesianBootstrap(near_equal=0.3, generalise_to="instances")],
    ids=prior_id,
)
def test_settings_with_every_prior_are_read_back(prior):
    joint = pb.models.is_joint(prior)
    settings = pb.Settings(
        grid=pb.log_grid(1, 1e6, 7),
        prior=prior,
        dominance="joint" if joint else "pointwise",
        batch=pb.AdaptiveBatch(3, 50, start=7),
        seed=2**62,
        confidence=0.95,
        relative_tolerance=1e-9,
        maximise=True,
    )
    assert write_and_read(settings) == settings
    assert repr(write_and_read(settings)) == repr(settings)


@pytest.mark.parametrize("grid", [pb.log_grid(1, 1e5, 30), pb.linear_grid(0, 1, 11), pb.Grid([1 / 3, 2 / 3, 1e9])])
def test_grids_keep_every_bit_and_their_axis(grid):
    again = write_and_read(grid)
    assert again.budgets.tobytes() == grid.budgets.tobytes()
    assert again.axis == grid.axis


def test_rounds_are_read_back():
    round_ = Round(
        number=3,
        kind="catch-up",
        instances=(0, 1, 5),
        budgets=(("a", 10.0), ("größe \N{BEAR FACE}", 1 / 3)),
        cost=123.456,
        reliable=False,
        message='it said "no"\n',
        dropped=(Drop("b", "a", 0.1 + 0.2, 3, 6, 99.0),),
        threat=(("a", 0.0), ("b", 1.0)),
        open=(("a", "c", (0, 2)),),
        decided_share=2 / 3,
        next_size=16,
        left=(("a", "c", (2,)),),
        returned=("d", "größe \N{BEAR FACE}"),
    )
    assert write_and_read(round_) == round_
    older = {key: value for key, value in to_plain(round_).items() if key not in ("left", "returned")}
    assert from_plain(older) == dataclasses.replace(round_, left=(), returned=())
    assert write_and_read(dataclasses.replace(round_, dropped=(), open=(), instances=())).dropped == ()


def test_numpy_numbers_are_written_as_numbers():
    """A seed or a batch size can come from an array."""
    settings = pb.Settings(
        grid=[1, 2],
        seed=np.int64(3),
        confidence=np.float64(0.95),
        margin=np.float32(0.25),
        batch=pb.FixedBatch(np.int32(4)),
        maximise=np.True_,
    )
    again = write_and_read(settings)
    assert (again.seed, again.confidence, again.margin, again.batch.size, again.maximise) == (3, 0.95, 0.25, 4, True)


@dataclasses.dataclass(frozen=True)
class MyPrior:
    width: float = 1.0


@dataclasses.dataclass(frozen=True)
class RandomWalk(pb.RandomWalk):
    """A class with the same name as a known one."""


@pytest.mark.parametrize("value", [MyPrior(), RandomWalk()])
def test_priors_of_others_are_refused(value):
    with pytest.raises(
        ValueError, match="cannot be written into a race file, which supports only PolarBear's own priors"
    ):
        to_plain(value)


@pytest.mark.parametrize("value", [object(), {1: 2}, {3}, b"bytes", pb.FixedBatch])
def test_values_without_a_json_form_are_refused(value):
    with pytest.raises(ValueError, match="cannot be written into a race file"):
        to_plain(value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"is": "Oracle", "size": 3}, "'Oracle' is not a known part of a race; a newer PolarBear may have written it"),
        ({"size": 3}, "None is not a known part of a race"),
        ({"is": "FixedBatch"}, "FixedBatch does not have the expected fields"),
        ({"is": "FixedBatch", "size": 3, "colour": "red"}, "FixedBatch does not have the expected fields"),
        ({"is": "FixedBatch", "size": -3}, "whole number of at least 1.*, got -3"),
        ({"is": "Grid", "budgets": [1.0, 2.0], "colour": "red"}, "Grid does not have the expected fields"),
        ({"is": ["FixedBatch"], "size": 3}, "is not a known part of a race"),
    ],
)
def test_unknown_classes_and_fields_are_refused(data, words):
    with pytest.raises(ValueError, match=words):
        from_plain(data)


def test_text_is_not_evaluated_when_it_is_read():
    assert from_plain("__import__('os').system('true')") == "__import__('os').system('true')"
    with pytest.raises(ValueError, match="not a known part"):
        from_plain({"is": "os.system", "command": "true"})


@pytest.mark.parametrize("value", [pb.Settings(grid=[1, 2]), pb.FixedBatch(8), pb.RandomWalk()])
def test_no_key_is_ignored(value):
    with pytest.raises(ValueError, match="does not have the expected fields"):
        from_plain({**to_plain(value), "calibration": "auto"})
