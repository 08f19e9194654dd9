"""Files of results: a posterior file that also holds the runs behind the posterior, and how they were read and compared.

A result that is loaded answers every question as it did before it was saved. Nothing is pickled: numbers are NumPy arrays,
everything else is JSON.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from polarbear.findings import Code, Finding, Remedy
from polarbear.importers.imported import About, Block, Imported
from polarbear.observe.archive import Archive
from polarbear.observe.trajectory import Trajectory
from polarbear.posterior.posterior_file import read_arrays
from polarbear.race.observations import ClusterLabel
from polarbear.race.serialisation import from_plain, to_plain

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from polarbear.literals import Dominance

_KEY = "result"
_PREFIX = "runs_"
_KNOWN: dict[str, Any] = {
    **{kind.__name__: kind for kind in (About, Block, ClusterLabel, Finding, *get_args(Remedy))},
    "Mapping": lambda items: dict(items),
}


@dataclass(frozen=True)
class SavedRuns:
    """The runs behind a posterior, how they were read and compared, and what was dropped.

    See `polarbear.result.Result` for the fields; `dropped` has the fields of each drop.
    """

    runs: tuple[Trajectory, ...]
    imported: Imported | None
    noticed: tuple[Finding, ...] = ()
    rules: Mapping[str, Any] = field(default_factory=dict)
    clock: str = ""
    margin: float = 0.05
    confidence: float = 0.95
    dominance: Dominance = "pointwise"
    features: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    dropped: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    raced: bool = False
    origin: str = ""


def encode_runs(saved: SavedRuns) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what a file holds of these runs: a description in JSON types, and arrays."""
    runs, imported = saved.runs, saved.imported
    labels, places = _number([label for run in runs for label in (run.algorithm, run.instance, run.cluster)])
    about: dict[str, Any] = {
        "labels": list(map(_label_to_plain, labels)),
        "maximise": bool(runs) and runs[0].maximise,
        "noticed": [to_plain(each, _KNOWN) for each in saved.noticed],
        **{name: to_plain(getattr(saved, name), _KNOWN) for name in ("rules", "clock", "features", "dropped")},
        **{name: getattr(saved, name) for name in ("margin", "confidence", "dominance", "raced", "origin")},
        "kept": list(saved.kept),
    }
    if imported is not None:
        about["imported"] = {
            **{name: getattr(imported, name) for name in _OF_IMPORT},
            "about": asdict(imported.about) | {"notes": ()},
            "columns": list(imported.columns),
            "cells": {name: [sorted(each, key=str) for each in cells] for name, cells in imported.cells.items()},
        }
    arrays: dict[str, NDArray[Any]] = {
        "labels": np.array(places, dtype=np.int64).reshape(-1, 3),
        "lengths": np.array([run.budgets.size for run in runs], dtype=np.int64),
        "budgets": _joined([run.budgets for run in runs]),
        "values": _joined([run.values for run in runs]),
        "end": np.array([run.end for run in runs], dtype=np.float64),
        "ended": np.array([run.failed + 2 * run.finished for run in runs], dtype=np.uint8),
    }
    archives = [run.archive for run in runs]
    if any(archive is not None for archive in archives):
        arrays |= _encode_archives(archives)
    return {_KEY: about}, {f"{_PREFIX}{name}": array for name, array in arrays.items()}


def read_runs_of_result(path: str | PathLike[str]) -> SavedRuns | None:
    """Return the runs that a file of a result holds; None for the file of a posterior alone."""
    whole, arrays = read_arrays(path)
    about = whole.get(_KEY)
    if about is None:
        return None
    try:
        own = {name.removeprefix(_PREFIX): each for name, each in arrays.items() if name.startswith(_PREFIX)}
        runs = _decode_runs(about, own)
        return SavedRuns(
            runs=runs,
            imported=_decode_import(about["imported"], runs) if "imported" in about else None,
            noticed=tuple(_decode_finding(each) for each in about["noticed"]),
            rules=dict(from_plain(about["rules"], _KNOWN)),
            clock=str(about["clock"]),
            margin=float(about["margin"]),
            confidence=float(about["confidence"]),
            dominance=about["dominance"],
            features=dict(from_plain(about["features"], _KNOWN)),
            kept=tuple(map(str, about["kept"])),
            dropped=dict(from_plain(about["dropped"], _KNOWN)),
            raced=bool(about["raced"]),
            origin=str(about["origin"]),
        )
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ValueError(f"{path} is a damaged file of a result: {error}") from error


_OF_IMPORT = ("cluster_kind", "cluster_unit", "relative_tolerance", "optimum_known", "cluster")


def _decode_runs(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> tuple[Trajectory, ...]:
    labels = [from_plain(label, _KNOWN) for label in about["labels"]]
    stops = np.cumsum(arrays["lengths"]).tolist()
    if len(stops) != len(arrays["labels"]) or stops[-1] != arrays["budgets"].size:
        raise ValueError("it has runs of unknown length")
    archives = _decode_archives(arrays, len(stops))
    runs, start = [], 0
    for place, stop in enumerate(stops):
        algorithm, instance, cluster = (labels[number] for number in arrays["labels"][place])
        runs.append(
            Trajectory(
                algorithm,
                instance,
                arrays["budgets"][start:stop],
                arrays["values"][start:stop],
                end=float(arrays["end"][place]),
                failed=bool(arrays["ended"][place] & 1),
                finished=bool(arrays["ended"][place] & 2),
                maximise=about["maximise"],
                cluster=cluster,
                archive=archives[place],
            )
        )
        start = stop
    return tuple(runs)


def _decode_import(stored: Mapping[str, Any], runs: tuple[Trajectory, ...]) -> Imported:
    about: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each for name, each in stored["about"].items()
    }
    cells = {name: tuple(map(frozenset, each)) for name, each in stored["cells"].items()}
    own: dict[str, Any] = {name: tuple(each) if isinstance(each := stored[name], list) else each for name in _OF_IMPORT}
    return Imported(runs, (), About(**about), columns=tuple(stored["columns"]), cells=cells, **own)


def _decode_finding(stored: Any) -> Finding:
    finding = from_plain(stored, _KNOWN)
    return Finding(Code(finding.code), finding.severity, finding.subject, finding.numbers, finding.remedy)


def _encode_archives(archives: Sequence[Archive | None]) -> dict[str, NDArray[Any]]:
    known = [archive for archive in archives if archive is not None]
    unknown = np.full(known[0].points.shape[1], np.nan)  # the reference point of a run that has none yet
    references = [unknown if archive.reference is None else archive.reference for archive in known]
    return {
        "archive_lengths": np.array([-1 if each is None else each.budgets.size for each in archives], dtype=np.int64),
        "archive_budgets": _joined([archive.budgets for archive in known]),
        "archive_points": np.concatenate([archive.points for archive in known]),
        "archive_references": np.stack(references),
    }


def _decode_archives(arrays: Mapping[str, NDArray[Any]], runs: int) -> list[Archive | None]:
    if "archive_lengths" not in arrays:
        return [None] * runs
    archives: list[Archive | None] = []
    start = known = 0
    for length in arrays["archive_lengths"].tolist():
        if length < 0:
            archives.append(None)
            continue
        part = slice(start, start + length)
        reference = arrays["archive_references"][known]
        own = None if np.isnan(reference).any() else reference
        archives.append(Archive(arrays["archive_budgets"][part], arrays["archive_points"][part], own))
        start, known = start + length, known + 1
    return archives


def _label_to_plain(label: Hashable) -> Any:
    try:
        return to_plain(label, _KNOWN)
    except ValueError:
        raise ValueError(
            f"expected algorithms, instances and clusters that are text, numbers or tuples of them, got {label!r}, which "
            "no file of a result can hold; label the runs otherwise, or save result.posterior"
        ) from None


def _number(labels: Sequence[Hashable]) -> tuple[list[Hashable], list[int]]:
    """Return the distinct labels, and the place of each label among them; labels of different types are different."""
    places: dict[tuple[type, Hashable], int] = {}
    numbers = [places.setdefault((type(label), label), len(places)) for label in labels]
    return [label for _, label in places], numbers


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0)
