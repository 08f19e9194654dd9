"""Ends processes for good: all that a worker has started, also after its driver was killed.

Every worker carries a token in its environment, which its children inherit. Where there is /proc, this finds also those
that left the worker's process group. Each process that drives workers has one guardian: this file, run as a script with
nothing but the standard library, which waits for the end of a pipe. The kernel closes the pipe however the driver ends.
A thread in the worker could not do this: it would have to wait for a run that never releases Python's lock.
"""

import contextlib
import os
import signal
import sys

TOKEN = "POLARBEAR_WORKER"
_PROC = "/proc"


def bearers(token: str) -> list[int]:
    """Return the living processes that have the token in their environment; none where there is no /proc."""
    wanted, found = token.encode(), []
    try:
        entries = [name for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208
    except OSError:
        return []
    for entry in entries:
        try:
            file = os.open(f"{_PROC}/{entry}/environ", os.O_RDONLY)
        except OSError:  # gone, or another user's
            continue
        try:
            environment = b""
            while chunk := os.read(file, 1 << 17):
                environment += chunk
            if wanted in environment:
                found.append(int(entry))
        except OSError:
            pass
        finally:
            os.close(file)
    return found


def kill_group(group: int) -> None:
    """Kill a process group, if it still is there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # the latter is macOS's word for zombies
        os.killpg(group, signal.SIGKILL)


def kill_bearers(token: str) -> None:
    """Kill every process with the token, also those started meanwhile."""
    for _ in range(100):
        living = bearers(token)
        if not living:
            return
        for process in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def main() -> None:
    """Remember the groups that the driver names ("+group", "-group"); when it is gone, kill what it left."""
    token = sys.argv[1]
    os.chdir("/")
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for group in groups:
        kill_group(group)
    kill_bearers(token)


if __name__ == "__main__":
    main()
