"""Posterior files: a NumPy archive of draws and times, with a description in JSON. Nothing is pickled.

`write_fields` stores the fields of a `Posterior`, exactly or, for deployment, in few bytes. `read_fields` reads both, and
the files of older versions.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from polarbear.observe import Grid
from polarbear.observe.rankings import RepeatedRuns
from polarbear.posterior.diagnostics import Diagnostics
from polarbear.posterior.outcome_draws import OutcomeDraws
from polarbear.version import __version__

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from polarbear.arrays import Array
    from polarbear.literals import Axis


_FORMAT = "polarbear-posterior"
# In version 1 win rates follow from the ratings. Version 2 adds the weighted instances that win rates are computed from.
# Both may hold the number of comparisons, and version 2 repeated runs and the weights of the model in ratings. Older readers
# ignore these, and blend the probabilities of the first k by `model_weight`.
_VERSION = 2
_OUTCOME_FIELDS = ("ranks", "weights", "sizes", "scale", "utilities", "model_weights_in_ratings", "spread")
_REPEATED_FIELDS = ("repeated_ranks", "repeated_problem", "repeated_row")


def write_fields(path: str | PathLike[str], fields: dict[str, Any], *, short: bool) -> None:
    """Write the fields of a posterior to a file, in few bytes if `short`."""
    grid, outcomes = fields["grid"], fields["outcomes"]
    about = {
        "format": _FORMAT,
        "version": 1 if outcomes is None else _VERSION,
        "polarbear": __version__,
        "axis": grid.axis,
        "diagnostics": asdict(fields["diagnostics"]),
        **{name: fields[name] for name in ("names", "joint", "prior", "instances", "scope")},
    }
    arrays: dict[str, NDArray[Any]] = {}
    if fields["comparisons"] is not None:
        arrays["comparisons"] = fields["comparisons"].astype(np.int64)
    if outcomes is not None:
        about["model_weight"], about["observed"] = outcomes.model_weight, outcomes.observed
        arrays |= _outcome_arrays(outcomes, short=short)
    text = np.frombuffer(json.dumps(about, allow_nan=True).encode(), dtype=np.uint8)
    write: Any = np.savez if short else np.savez_compressed
    ratings = _pack(fields["ratings"]) if short else fields["ratings"]
    with Path(path).open("wb") as file:
        write(file, ratings=ratings, times=grid.times, about=text, **arrays)


def read_fields(path: str | PathLike[str]) -> dict[str, Any]:
    """Read the fields of a posterior from a file; a file that is none raises a ValueError that says why."""
    if Path(path).is_dir():
        raise ValueError(f"{path} is not a posterior file but a folder")
    with Path(path).open("rb") as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                about = json.loads(archive["about"].tobytes())
                ratings, times = archive["ratings"], archive["times"]
                wanted = (*_OUTCOME_FIELDS, *_REPEATED_FIELDS, "comparisons")
                arrays = {name: archive[name] for name in wanted if name in archive.files}
        except Exception as error:  # foreign and damaged files make the readers raise errors of many types
            raise ValueError(f"{path} is not a posterior file that Posterior.save wrote, or it is damaged") from error
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise ValueError(f"{path} is not a posterior file that Posterior.save wrote")
    if about.get("version") not in range(1, _VERSION + 1):
        raise ValueError(
            f"{path} has format version {about.get('version')}, this PolarBear reads versions up to {_VERSION}; "
            "use the PolarBear that wrote it, or a newer one"
        )
    try:
        shape = -1, len(times), len(about["names"])
        return {
            "ratings": ratings if ratings.dtype == np.float64 else _unpack(ratings).reshape(shape),
            "names": tuple(about["names"]),
            "grid": Grid(times, cast("Axis", about["axis"])),
            "joint": bool(about["joint"]),
            "diagnostics": _read_diagnostics(about["diagnostics"]),
            "prior": str(about["prior"]),
            "instances": int(about["instances"]),
            "outcomes": _read_outcomes(arrays, about, shape[1:]),
            "scope": str(about.get("scope", "")),
            "comparisons": arrays["comparisons"].astype(np.intp) if "comparisons" in arrays else None,
        }
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is a damaged posterior file: {error}") from error


def _read_diagnostics(stored: dict[str, Any]) -> Diagnostics:
    fields = {
        **stored,
        "hyperparameters": tuple((name, mean, spread) for name, mean, spread in stored["hyperparameters"]),
        "elbo": tuple(stored.get("elbo", ())),
    }
    fields.pop("effective_times", None)  # in files of older versions, from a correction that no longer exists
    return Diagnostics(**fields)


def _outcome_arrays(outcomes: OutcomeDraws, *, short: bool) -> dict[str, NDArray[Any]]:
    """Return the arrays of the weighted instances by name.

    If `short`, weights and utilities are stored in half precision, where a relative error of a thousandth is acceptable.
    """
    arrays = {name: getattr(outcomes, name) for name in _OUTCOME_FIELDS if getattr(outcomes, name) is not None}
    if outcomes.repeated is not None:
        repeated = outcomes.repeated
        row = np.arange(len(repeated.ranks)) if repeated.row is None else repeated.row
        arrays |= dict(zip(_REPEATED_FIELDS, (repeated.ranks, repeated.problem, row), strict=True))
    if short:
        # Relative to the largest weight of each draw, half precision is accurate to a thousandth.
        arrays["weights"] = (outcomes.weights / outcomes.weights.max(axis=0)).astype(np.float16)
        if outcomes.utilities is not None:
            arrays["utilities"] = outcomes.utilities.astype(np.float16)
    return arrays


def _read_outcomes(
    arrays: dict[str, NDArray[Any]], about: dict[str, Any], shape: tuple[int, int]
) -> OutcomeDraws | None:
    if "weights" not in arrays:
        return None
    if arrays["ranks"].shape[1:] != shape or arrays["weights"].shape[0] != len(arrays["ranks"]):
        raise ValueError(f"ranks of shape {arrays['ranks'].shape} and weights of shape {arrays['weights'].shape}")
    weights = arrays["weights"].astype(np.float32)
    utilities = arrays.get("utilities")
    return OutcomeDraws(
        ranks=arrays["ranks"].astype(np.int16),
        weights=weights / weights.sum(axis=0),
        sizes=arrays["sizes"].astype(np.float64),
        observed=int(about["observed"]),
        scale=arrays.get("scale"),
        utilities=None if utilities is None else utilities.astype(np.float32),
        model_weight=float(about["model_weight"]),
        model_weights_in_ratings=_read_model_weights(arrays, about, weights.shape[1]),
        spread=arrays.get("spread"),
        repeated=_read_repeated(arrays, int(about["observed"]), shape),
    )


def _read_model_weights(arrays: dict[str, NDArray[Any]], about: dict[str, Any], draws: int) -> Array | None:
    if "utilities" not in arrays:
        return None
    weights = arrays.get("model_weights_in_ratings")
    if weights is None:  # in files of older versions, one weight served for everything
        return np.full(draws, float(about["model_weight"]))
    if weights.shape != (draws,) or weights.dtype.kind != "f" or not np.all(weights >= 0):
        raise ValueError(f"weights of the model of shape {weights.shape} for {draws} draws")
    return weights.astype(np.float64)


def _read_repeated(arrays: dict[str, NDArray[Any]], observed: int, shape: tuple[int, int]) -> RepeatedRuns | None:
    if any(name not in arrays for name in _REPEATED_FIELDS):
        return None
    ranks, problem, row = (arrays[name] for name in _REPEATED_FIELDS)
    whole = all(each.shape == ranks.shape[:1] and each.dtype.kind == "i" for each in (problem, row))
    if ranks.shape[1:] != shape or not whole or not np.array_equal(np.sort(row[row >= 0]), np.arange(observed)):
        raise ValueError(f"repeated runs of shape {ranks.shape} on {problem.shape} instances in {observed} rows")
    return RepeatedRuns(ranks.astype(np.int16), problem.astype(np.intp), row.astype(np.intp))


def _pack(ratings: Array) -> NDArray[np.uint8]:
    """Return the upper three bytes of ratings in single precision, rounded.

    The lowest byte does not compress and carries no information.
    """
    bits = np.ascontiguousarray(ratings, dtype="<f4").view("<u4") + np.uint32(0x80)
    return bits.view(np.uint8).reshape(-1, 4)[:, 1:]


def _unpack(packed: NDArray[np.uint8]) -> Array:
    """Return ratings from the bytes of `_pack`, as one axis."""
    if packed.dtype != np.uint8 or packed.ndim != 2 or packed.shape[1] != 3:
        raise ValueError(f"ratings of type {packed.dtype} and shape {packed.shape}")
    whole = np.zeros((len(packed), 4), dtype=np.uint8)
    whole[:, 1:] = packed
    return whole.view("<f4").astype(np.float64)
