"""Posterior files: a NumPy archive of plain arrays, with a description in JSON. Nothing is pickled.

A posterior of ratings stores its draws, exactly or, for deployment, in few bytes. Beliefs about pairs store the outcomes,
the keys of their instances and a seed, from which all draws are made again.
"""

from __future__ import annotations

import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from polarbear.observe import Clusters, Grid, Rankings
from polarbear.observe.losses import Losses
from polarbear.observe.rankings import RepeatedRuns
from polarbear.observe.scope import Scope
from polarbear.output_file import write_output
from polarbear.posterior.diagnostics import Diagnostics
from polarbear.posterior.pair_beliefs import PairBeliefs
from polarbear.posterior.sample import Sample
from polarbear.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from numpy.typing import NDArray

    from polarbear.arrays import Array
    from polarbear.literals import Axis


_FORMAT = "polarbear-posterior"
_VERSION = 3  # of the third edition; versions 1 and 2 are those of 0.1 and 0.2
_BELIEF_FIELDS = ("near_equal", "seed", "draws")


def write_fields(
    path: str | PathLike[str],
    fields: dict[str, Any],
    *,
    short: bool,
    force: bool = False,
    more: tuple[Mapping[str, Any], Mapping[str, NDArray[Any]]] = ({}, {}),
) -> None:
    """Write the fields of a posterior to a file; draws of ratings in few bytes if `short`.

    A file of another origin is replaced only by `force`. `more` is further content: JSON and arrays.
    """
    grid, beliefs = fields["grid"], fields["beliefs"]
    about = {
        "format": _FORMAT,
        "version": _VERSION,
        "polarbear": __version__,
        "axis": grid.axis,
        "diagnostics": asdict(fields["diagnostics"]),
        **{name: fields[name] for name in ("names", "joint", "prior", "instances")},
        "scope": None if fields["scope"] is None else asdict(fields["scope"]),
        **more[0],
    }
    arrays: dict[str, NDArray[Any]] = {"budgets": grid.budgets, **more[1]}
    if fields["comparisons"] is not None:
        arrays["comparisons"] = fields["comparisons"].astype(np.int64)
    if beliefs is None:
        arrays["ratings"] = _pack(fields["ratings"]) if short else fields["ratings"]
    else:
        about["beliefs"] = {name: getattr(beliefs, name) for name in _BELIEF_FIELDS}
        for part, sample in {"own": beliefs.sample, "others": beliefs.others}.items():
            if sample is not None:
                about[part], own = _describe_sample(sample)
                arrays |= {f"{part}_{name}": array for name, array in own.items()}
    text = np.frombuffer(json.dumps(about, allow_nan=True).encode(), dtype=np.uint8)
    write: Any = np.savez if short and beliefs is None else np.savez_compressed
    buffer = io.BytesIO()
    write(buffer, about=text, **arrays)  # `about` comes first: it is the mark of the file
    write_output(path, buffer.getvalue(), force=force)


def read_arrays(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the description and the arrays of a posterior file; another file raises a ValueError that says why."""
    if Path(path).is_dir():
        raise ValueError(f"{path} is not a posterior file but a folder")
    with Path(path).open("rb") as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                about = json.loads(archive["about"].tobytes())
                arrays = {name: archive[name] for name in archive.files if name != "about"}
        except Exception as error:  # foreign and damaged files make the readers raise errors of many types
            raise ValueError(f"{path} is not a posterior file that Posterior.save wrote, or it is damaged") from error
    if not isinstance(about, dict) or about.get("format") != _FORMAT:
        raise ValueError(f"{path} is not a posterior file that Posterior.save wrote")
    if about.get("version") != _VERSION:
        raise ValueError(
            f"{path} has format version {about.get('version')}, this PolarBear reads version {_VERSION}; infer the "
            "posterior again from its runs, or use the PolarBear that wrote it"
        )
    return about, arrays


def read_fields(path: str | PathLike[str]) -> dict[str, Any]:
    """Read the fields of a posterior from a file."""
    about, arrays = read_arrays(path)
    try:
        grid, names = Grid(arrays["budgets"], cast("Axis", about["axis"])), tuple(about["names"])
        ratings = arrays.get("ratings")
        if ratings is not None and ratings.dtype != np.float64:
            ratings = _unpack(ratings).reshape(-1, len(grid), len(names))
        return {
            "ratings": ratings,
            "names": names,
            "grid": grid,
            "joint": bool(about["joint"]),
            "diagnostics": _read_diagnostics(about["diagnostics"]),
            "prior": str(about["prior"]),
            "instances": int(about["instances"]),
            "beliefs": _read_beliefs(about, arrays, names, grid) if "beliefs" in about else None,
            "scope": None if about["scope"] is None else Scope(**about["scope"]),
            "comparisons": arrays["comparisons"].astype(np.intp) if "comparisons" in arrays else None,
        }
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ValueError(f"{path} is a damaged posterior file: {error}") from error


def _read_diagnostics(stored: dict[str, Any]) -> Diagnostics:
    hyperparameters = tuple((name, mean, spread) for name, mean, spread in stored["hyperparameters"])
    return Diagnostics(**{**stored, "hyperparameters": hyperparameters, "elbo": tuple(stored["elbo"])})


def _describe_sample(sample: Sample) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the words and numbers of a sample, and its arrays."""
    rankings, about = sample.rankings, dict[str, Any]()
    arrays: dict[str, NDArray[Any]] = {
        "ranks": rankings.ranks,
        "weights": rankings.weights,
        "keys": _as_bytes(sample.keys),
        "unit_keys": _as_bytes(sample.unit_keys),
    }
    if rankings.losses is not None:
        about["tolerances"] = rankings.losses.absolute, rankings.losses.relative
        arrays["losses"] = rankings.losses.values
    if rankings.clusters is not None:
        about["clusters"] = rankings.clusters.kind, rankings.clusters.unit
        arrays["clusters"] = rankings.clusters.codes
    if rankings.repeated is not None:
        arrays |= {"repeated": rankings.repeated.ranks, "problem": rankings.repeated.problem}
    return about, arrays


def _read_beliefs(
    about: dict[str, Any], arrays: dict[str, NDArray[Any]], names: tuple[str, ...], grid: Grid
) -> PairBeliefs:
    samples = {}
    for part in ("own", "others"):
        if part in about:
            own = {name.removeprefix(f"{part}_"): each for name, each in arrays.items() if name.startswith(f"{part}_")}
            samples[part] = _read_sample(about[part], own, names, grid)
    near_equal, seed, draws = (about["beliefs"][name] for name in _BELIEF_FIELDS)
    if draws < 1:
        raise ValueError(f"{draws} draws")
    return PairBeliefs(samples["own"], float(near_equal), int(seed), int(draws), samples.get("others"))


def _read_sample(about: dict[str, Any], arrays: dict[str, NDArray[Any]], names: tuple[str, ...], grid: Grid) -> Sample:
    ranks, instances = arrays["ranks"], len(arrays["ranks"])
    losses = clusters = repeated = None
    if "tolerances" in about:
        absolute, relative = about["tolerances"]
        values = arrays["losses"].astype(np.float64)
        if values.shape != (len(names), instances, len(grid)):
            raise ValueError(f"losses of shape {values.shape}")
        losses = Losses(values, float(absolute), float(relative))
    if "clusters" in about:
        kind, unit = about["clusters"]
        clusters = Clusters(tuple(arrays["clusters"].tolist()), str(kind), str(unit))
    if "repeated" in arrays:
        again, problem = arrays["repeated"], arrays["problem"]
        if again.shape != ranks.shape or problem.shape != (instances,):
            raise ValueError(f"repeated runs of shape {again.shape} on {problem.shape} instances")
        repeated = RepeatedRuns(again.astype(np.int16), problem.astype(np.intp))
    rankings = Rankings(ranks, names, grid, arrays["weights"], clusters, repeated, losses=losses)
    keys, unit_keys = (_from_bytes(arrays[name]) for name in ("keys", "unit_keys"))
    if len(keys) != instances or len(unit_keys) != instances:
        raise ValueError(f"{len(keys)} and {len(unit_keys)} keys of {instances} instances")
    return Sample(rankings, keys, unit_keys)


def _as_bytes(keys: tuple[bytes, ...]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), -1)


def _from_bytes(keys: NDArray[Any]) -> tuple[bytes, ...]:
    if keys.dtype != np.uint8 or keys.ndim != 2:
        raise ValueError(f"keys of type {keys.dtype} and shape {keys.shape}")
    return tuple(key.tobytes() for key in keys)


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
