"""Processes that a trial starts, found by a mark in their environment."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_MARK = "POLARBEAR_TORTURE"


def environment(mark: str) -> dict[str, str]:
    """Return an environment in which `torture` can be imported and whose processes `marked_processes` finds."""
    paths = (
        [str(ROOT), str(ROOT / "src")] if not os.environ.get("PYTHONPATH") else [str(ROOT), os.environ["PYTHONPATH"]]
    )
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), _MARK: mark, "OMP_NUM_THREADS": "1"}


def marked_processes(mark: str) -> list[int]:
    """Return the running processes with a mark; zombies do not count."""
    wanted, found = f"{_MARK}={mark}".encode(), []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):  # it ended, or belongs to another user
                if wanted in (folder / "environ").read_bytes().split(b"\0") and is_running(int(folder.name)):
                    found.append(int(folder.name))
    return found


def is_running(process: int) -> bool:
    """Return whether a process exists and is no zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
