"""Archives and indices that expand to far more than their size."""

from __future__ import annotations

import io
import json
import resource
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

from torture.counts import Counts
from torture.processes import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_MEMORY = 500  # megabytes
_SECONDS = 60  # of processor time
_HEADER = b"algorithm_name,evaluations,raw_y\n"

READ = """
import resource, sys
import polarbear as pb
try:
    imported = pb.read_runs(sys.argv[1])
    print("reported" if imported.skipped else "read")
except ValueError as error:
    print("refused")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def bombs_are_refused(folder: Path) -> Counts:
    """A file that would expand to far more than its size is refused or reported, within 500 MB and a minute.

    The files are: a zip archive of 100 MB of line breaks, one of a thousand members, one of a thousand archives that are
    each below the limits (60 GB in all), one whose thousand members share their data (10 GB), three compressed tar archives
    of 100 MB, one that declares a terabyte, an index that names the same data 20,000 times, JSON nested a million deep, and
    a JSON value and a CSV line of 100 MB. The minute is one of processor time.
    """
    counts = Counts()
    for number, (name, content) in enumerate(_bombs()):
        path = folder / f"{number}" / name
        path.parent.mkdir()
        path.write_bytes(content)
        try:
            answer = subprocess.run(
                [sys.executable, "-c", READ, path],
                env=environment("bomb"),
                capture_output=True,
                text=True,
                timeout=10 * _SECONDS,  # other processes may slow it down
                check=True,
                preexec_fn=_limit,
            ).stdout.split()
        except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
            counts.broke(f"{name}, {len(content):,} bytes: {type(error).__name__}")
            continue
        if answer[0] == "read" or int(answer[1]) > _MEMORY:
            counts.broke(f"{name}, {len(content):,} bytes: {answer[0]}, with {answer[1]} MB")
        else:
            counts.kept(answer[0])
    return counts


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))  # the machine must survive


def _bombs() -> Iterator[tuple[str, bytes]]:
    blank = _HEADER + b"\n" * 10**8
    yield "zeros.zip", _zip([("a.csv", blank)])
    yield "many.zip", _zip([(f"{number}.csv", b"\n" * 10**6) for number in range(1000)])
    inner = _zip([("a.csv", _HEADER + b"\n" * 6 * 10**7)])
    yield "nested.zip", _zip([(f"{number}.zip", inner) for number in range(1000)])
    yield "shared.zip", _shared(1000)
    for mode in ("gz", "xz", "bz2"):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode=f"w:{mode}") as file:  # type: ignore[call-overload]
            member = tarfile.TarInfo("a.csv")
            member.size = len(blank)
            file.addfile(member, io.BytesIO(blank))
        yield f"zeros.tar.{mode}", out.getvalue()
    huge = tarfile.TarInfo("a.csv")
    huge.size = 2**40
    yield "declared.tar", huge.tobuf() + b"\0" * 2000
    scenarios = [{"dimension": 2, "path": "a.dat", "runs": [{"instance": 1}]}] * 20_000
    index = json.dumps({"function_id": 1, "algorithm": "a", "scenarios": scenarios}).encode()
    yield "again.zip", _zip([("index.json", index), ("a.dat", b"evaluations raw_y\n" + b"1 5.0\n" * 2 * 10**5)])
    start = b'{"function_id": 1, "algorithm": "a", "scenarios": '
    yield "deep.json", start + b"[" * 10**6
    yield "endless.json", start + b'"' + b"x" * 10**8
    yield "line.csv", _HEADER + b"1" * 10**8


def _zip(members: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return out.getvalue()


def _shared(number: int) -> bytes:
    """Return a zip archive whose directory names the data of one member many times."""
    one = _zip([("a.csv", _HEADER + b"\n" * 10**7)])
    place = one.rindex(b"PK\x01\x02")
    end = one.rindex(b"PK\x05\x06")
    entry = one[place:end]
    directory = b"".join(entry.replace(b"a.csv", b"%05d" % each) for each in range(number))
    tail = bytearray(one[end:])
    tail[8:12] = number.to_bytes(2, "little") * 2
    tail[12:16] = len(directory).to_bytes(4, "little")
    return one[:place] + directory + bytes(tail)
