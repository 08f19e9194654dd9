"""Files that were damaged: flipped bits, lost ends, blank pages."""

from __future__ import annotations

import io
import json
import random
import tarfile
import warnings
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

import polarbear as pb
from torture.counts import Counts
from torture.small_race import InlineExecutor, content, run_race

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_FLIPS, _CUTS, _BLANKS = 400, 60, 60


def damaged_race_files(folder: Path) -> Counts:
    """A damaged race file is refused with a message that names it, or opens with exactly the stored data.

    A race file gets a flipped bit at 400 random places, loses its end at 60, and has 512 bytes overwritten at up to 60. It
    is then opened as a race. Its runs and decisions must be those of the intact file, or the error must be a `ValueError` or
    `OSError` that names the file. Much of a small file is unused space, where damage changes nothing.
    """
    intact = folder / "intact.race"
    run_race(intact, InlineExecutor())
    expected = content(intact)

    def read(path: Path) -> Any:
        with pb.Race.open(path) as race:
            assert race.outcome.rounds
        return content(path)

    return _damage(intact, folder / "damaged.race", read, expected, random.Random(1))


def damaged_posterior_files(folder: Path) -> Counts:
    """A damaged posterior file is refused with a message that names it, or loads as exactly the saved posterior.

    A posterior is saved, and its file is damaged in the same ways as the race files.
    """
    rng = np.random.default_rng(0)
    choices = pb.Choices.from_values(rng.normal(size=(20, 4, 3)), grid=pb.linear_grid(1, 4, 4))
    path = folder / "posterior.npz"
    pb.fit(choices, prior=pb.Dirichlet(), draws=100).save(path)

    def read(path: Path) -> Any:
        posterior = pb.Posterior.load(path)
        table = posterior.to_table()
        return {name: np.asarray(column).tolist() for name, column in table.items()}, posterior.names

    return _damage(path, folder / "damaged.npz", read, read(path), random.Random(2))


def damaged_archives(folder: Path) -> Counts:
    """A damaged archive of recorded runs is refused, or read with a report of what is missing; no value is ever wrong.

    A zip archive and a compressed tar archive of a table and of IOHprofiler data are damaged in the same ways. Runs that
    are read must be among the runs of the intact archive; if some are missing, the import must say so.
    """
    counts = Counts()
    for name, write in (("runs.zip", _zip), ("runs.tgz", _tar)):
        path = folder / name
        path.write_bytes(write(_members()))
        whole = set(_runs(pb.read_runs(path)))

        def read(path: Path, whole: set[Any] = whole) -> Any:
            imported = pb.read_runs(path)
            wrong = [run for run in _runs(imported) if run not in whole]
            silent = len(imported.runs) < len(whole) and not imported.skipped
            return wrong, silent

        counts = _damage(path, folder / f"damaged-{name}", read, ([], False), random.Random(3), counts)
    return counts


def damaged_recordings(folder: Path) -> Counts:
    """Damaged files of recorded runs are read, or refused in a sentence, and the import never fails in another way.

    An IOHprofiler folder, CSV and Parquet tables are damaged in the same ways. Text has no checksums: a digit that changes
    is another value. So this promise is about errors, and not about values.
    """
    counts, seed = Counts(), random.Random(4)
    for name, text in _members().items():
        (folder / "ioh").mkdir(exist_ok=True)
        (folder / "ioh" / name).write_bytes(text)
    table = io.BytesIO()
    _write_parquet(table)
    (folder / "runs.parquet").write_bytes(table.getvalue())
    for path in [*(folder / "ioh").iterdir(), folder / "runs.parquet"]:
        whole = path.read_bytes()
        for damaged in _damaged(whole, seed, 100, 30, 20):
            path.write_bytes(damaged)
            try:
                pb.read_runs(path.parent if path.suffix != ".parquet" else path)
                counts.kept("read")
            except ValueError:
                counts.kept("refused")
            except BaseException as error:
                counts.broke(f"{path.name}: {type(error).__name__}: {error}")
        path.write_bytes(whole)
    return counts


def _runs(imported: pb.importers.Imported) -> list[pb.Trajectory]:
    """Return runs without their clusters, which depend on the other runs."""
    return [run.in_cluster(None) for run in imported.runs]


def _damage(
    intact: Path,
    target: Path,
    read: Callable[[Path], Any],
    expected: Any,
    seed: random.Random,
    counts: Counts | None = None,
) -> Counts:
    """Read damaged copies of a file, and count what happens."""
    counts = counts or Counts()
    for number, damaged in enumerate(_damaged(intact.read_bytes(), seed, _FLIPS, _CUTS, _BLANKS)):
        for left in target.parent.glob(f"{target.name}*"):
            left.unlink()
        target.write_bytes(damaged)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = read(target)
        except (ValueError, OSError) as error:
            if target.name in str(error):
                counts.kept("refused")
            else:
                counts.broke(f"damage {number}: the message does not name the file: {error}")
        except BaseException as error:
            counts.broke(f"damage {number}: {type(error).__name__}: {error}")
        else:
            if found == expected:
                counts.kept("right data")
            else:
                counts.broke(f"damage {number}: opens with other data")
    return counts


def _damaged(whole: bytes, seed: random.Random, flips: int, cuts: int, blanks: int) -> Iterator[bytes]:
    """Yield damaged versions of a file."""
    for _ in range(flips):
        place = seed.randrange(len(whole))
        yield whole[:place] + bytes([whole[place] ^ 1 << seed.randrange(8)]) + whole[place + 1 :]
    for _ in range(cuts):
        yield whole[: seed.randrange(len(whole))]
    for _ in range(blanks):
        place, byte = seed.randrange(len(whole)), bytes([seed.choice([0, 0, 255])])
        length = min(512, len(whole) - place)
        changed = whole[:place] + byte * length + whole[place + length :]
        if changed != whole:
            yield changed


def _members() -> dict[str, bytes]:
    """Return an IOHprofiler index, its data and a table, large enough for damage that shows only at the end of a file."""
    seed = random.Random(6)
    runs = [{"instance": number, "evals": 1000, "best": {"evals": 1000, "y": 1.0}} for number in range(5)]
    scenario = {"dimension": 5, "path": "f1.dat", "runs": runs}
    index = {"suite": "s", "function_id": 1, "algorithm": {"name": "a"}, "scenarios": [scenario]}
    data = "".join(
        "evaluations raw_y\n" + "".join(f"{budget} {1e6 / budget + seed.random():.8f}\n" for budget in range(1, 1001))
        for _ in range(5)
    )
    rows = "".join(f"b,{each},{budget},{seed.random() / budget}\n" for each in range(5) for budget in range(1, 1001))
    return {
        "index.json": json.dumps(index).encode(),
        "f1.dat": data.encode(),
        "runs.csv": f"algorithm_name,instance,evaluations,raw_y\n{rows}".encode(),
    }


def _zip(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members.items():
            file.writestr(name, text)
    return out.getvalue()


def _tar(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as file:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            file.addfile(member, io.BytesIO(text))
    return out.getvalue()


def _write_parquet(target: io.BytesIO) -> None:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    columns = {"algorithm_name": ["a"] * 40, "evaluations": range(1, 41), "raw_y": np.linspace(5, 1, 40)}
    pq.write_table(pa.table({name: list(column) for name, column in columns.items()}), target)
