"""The guardian process: kills everything that workers have started, even after their driver was killed.

Every worker carries a token in its environment, which its children inherit. Where /proc exists, the token also finds
children that have left the worker's process group. Each process that drives workers has one guardian: this file, run as a
script with the standard library alone. It waits for the end of a pipe, which the kernel closes however the driver ends.
A thread in the worker could not do this: a run that never releases the global interpreter lock would block it.
"""

import contextlib
import os
import signal
import sys

TOKEN = "POLARBEAR_WORKER"
_PROC = "/proc"


def processes_with_token(token: str) -> list[int]:
    """Return the live processes with the token in their environment; an empty list where /proc does not exist."""
    wanted, processes = token.encode(), []
    try:
        entries = [name for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208
    except OSError:
        return []
    for entry in entries:
        try:
            file = os.open(f"{_PROC}/{entry}/environ", os.O_RDONLY)
        except OSError:  # ended, or owned by another user
            continue
        try:
            environment = b""
            while chunk := os.read(file, 1 << 17):
                environment += chunk
            if wanted in environment:
                processes.append(int(entry))
        except OSError:
            pass
        finally:
            os.close(file)
    return processes


def kill_group(group: int) -> None:
    """Kill a process group if it still exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS raises the latter for zombies
        os.killpg(group, signal.SIGKILL)


def kill_processes_with_token(token: str) -> None:
    """Kill every process with the token, including those that start in the meantime."""
    for _ in range(100):
        living = processes_with_token(token)
        if not living:
            return
        for process in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def main() -> None:
    """Track the process groups that the driver reports ("+group", "-group"), and kill what is left when it ends."""
    token = sys.argv[1]
    os.chdir("/")
    groups: set[int] = set()
    for line in sys.stdin:
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    for group in groups:
        kill_group(group)
    kill_processes_with_token(token)


if __name__ == "__main__":
    main()
