"""The wrapper for external programs, whose output is read while they run."""

from __future__ import annotations

import json
import os
import reprlib
import selectors
import shlex
import shutil
import signal
import string
import subprocess
import tempfile
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from polarbear.algorithms.exit_status import describe_exit
from polarbear.algorithms.record_run import Wrapped
from polarbear.algorithms.recorder import BudgetReached
from polarbear.algorithms.signature import check_callable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike

    from polarbear.algorithms.recorder import Recorder

_PLACEHOLDERS = {"instance", "seed", "budget", "output"}
_TAIL = 8_000  # bytes of a program's error output that are kept for messages
_LONGEST_LINE = 1 << 20
_LEAST_MEMORY = 1 << 20  # with less, no program starts; a user who writes 512 means megabytes
_SLICE_SECONDS = 0.1
_FILE_SECONDS = 0.02  # between reads of an output file, since no event signals that it has grown

# A shell sets the limit and then becomes the program. Unlike code between fork and exec, it cannot hang. Where the system
# does not support the limit, the program runs without one.
_SET_LIMIT = 'ulimit -v "$1" 2>/dev/null; shift; exec "$@"'


def command(
    template: str | Sequence[str],
    *,
    parse: Callable[[str], Any] | None = None,
    memory: int | None = None,
    folder: str | PathLike[str] | None = None,
) -> Command:
    """Make an algorithm from an external program.

    Parameters
    ----------
    template
        The program and its arguments, as a list, or as a string that is split by the rules of a shell; no shell is used.
        `{instance}` stands for the problem as text, `{seed}` for the seed, `{budget}` for the budget at which to stop.
        `{output}` stands for the name of a new file: lines are read from this file as the program appends them, and what
        the program prints is kept for error messages only.
    parse
        Parses one line of the program's output. Returns (budget, value), or a value alone if seconds are counted, or None
        to ignore the line. By default a line holds `budget value`, or `value`, or JSON with "budget" and "value"; empty
        lines and those that begin with # are ignored.
    memory
        Bytes of address space that the program and each of its children may use, where the system supports such a limit.
    folder
        The working directory of the program; by default the directory of the worker.

    Returns
    -------
    Command
        An algorithm. The program is killed, with its whole process group, when its budget is spent. An exit status other
        than zero before that is an error. The end of the program's error output is written to standard error.

    Examples
    --------
    >>> solver = command(["sh", "-c", "echo 10 5.5; echo 20 4.5; echo 900 1.5", "{instance}", "{seed}"])
    >>> solver("problem.cnf", seed=1, budget=100)
    [(10.0, 5.5), (20.0, 4.5)]
    """
    try:
        parts = tuple(shlex.split(template) if isinstance(template, str) else template)
    except (TypeError, ValueError) as error:
        raise ValueError(f"expected a command as a list or a string, got {template!r}: {error}") from None
    if not parts or not all(isinstance(part, str) for part in parts):
        raise ValueError(f"expected a command of one or more strings, got {template!r}")
    for part in parts:
        try:
            placeholders = _placeholders(part)
        except ValueError as error:
            raise ValueError(f"expected a command with placeholders such as {{seed}}, got {part!r}: {error}") from None
        for placeholder in placeholders:
            if placeholder not in _PLACEHOLDERS:
                raise ValueError(
                    f"expected {{instance}}, {{seed}}, {{budget}} or {{output}} as placeholders, got {{{placeholder}}} in "
                    f"{part!r}; write {{{{ and }}}} for literal braces"
                )
    if parse is not None:
        check_callable(parse, ("line",), wrapper="command")
    limit: object = memory
    if limit is not None and not (isinstance(limit, int) and limit >= _LEAST_MEMORY):
        raise ValueError(f"expected memory as a number of bytes, at least {_LEAST_MEMORY:,}, got {memory!r}")
    return Command(parts, parse, memory, None if folder is None else str(folder))


@dataclass(frozen=True)
class Command(Wrapped):
    """An external program; see `command`."""

    template: tuple[str, ...]
    parse: Callable[[str], Any] | None = None
    memory: int | None = None
    folder: str | None = None

    def record(self, problem: Any, seed: int, recorder: Recorder) -> bool:
        with ExitStack() as stack:
            file, output = None, ""
            if any(_placeholders(part) & {"output"} for part in self.template):
                path = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="polarbear-"))) / "output"
                path.touch()
                file, output = stack.enter_context(path.open("rb")), str(path)
            arguments = {"instance": problem, "seed": seed, "budget": recorder.budget, "output": output}
            return self._run([part.format(**arguments) for part in self.template], file, recorder)

    def _run(self, arguments: list[str], file: IO[bytes] | None, recorder: Recorder) -> bool:
        try:
            process = subprocess.Popen(
                self._limit_memory(arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                cwd=self.folder,
            )
        except OSError as error:
            raise ValueError(
                f"expected a program that can be started, got {shlex.join(arguments)}: {error}; give its full path"
            ) from error
        errors = bytearray()
        with process:
            try:
                self._follow(process, file, recorder, errors)
            finally:
                # Kill before waiting: afterwards the process id could belong to another process.
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                with suppress(OSError):
                    os.write(2, errors)  # to our own stderr, which the supervisor keeps with the run
        if process.returncode:
            raise ValueError(
                f"expected {shlex.join(arguments)} to run until {recorder.budget:g} {recorder.clock} or to end with exit "
                f"status 0, but it {describe_exit(process.returncode)}"
            )
        return not recorder.exhausted

    def _limit_memory(self, arguments: list[str]) -> list[str]:
        """Return the arguments; with a memory limit, prepend a shell that sets the limit and becomes the program."""
        if self.memory is None:
            return arguments
        program = Path(self.folder or "", arguments[0]) if os.sep in arguments[0] else arguments[0]
        if shutil.which(program) is None:  # the shell would report it by its exit status only
            raise FileNotFoundError(f"there is no program {arguments[0]}")
        return ["/bin/sh", "-c", _SET_LIMIT, "sh", str(self.memory // 1024), *arguments]

    def _follow(
        self, process: subprocess.Popen[bytes], file: IO[bytes] | None, recorder: Recorder, errors: bytearray
    ) -> None:
        """Read the program's output until it ends or its budget is spent."""
        line = bytearray()
        slice_seconds = _SLICE_SECONDS if file is None else _FILE_SECONDS
        with selectors.DefaultSelector() as selector:
            for pipe in (process.stdout, process.stderr):
                selector.register(pipe, selectors.EVENT_READ)  # type: ignore[arg-type]
            while True:
                ready = selector.select(slice_seconds if selector.get_map() else slice_seconds / 10)
                if recorder.clock == "seconds" and recorder.now() > recorder.budget:
                    raise BudgetReached
                # Check for the end before the last read of the file, so that no line is missed.
                ended = not ready and _has_exited(process)
                # Error output first: a line may end the run, and what was written before it is kept.
                for key, _ in sorted(ready, key=lambda event: event[0].fileobj is process.stdout):
                    chunk = os.read(key.fd, 1 << 16)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    elif file is not None or key.fileobj is process.stderr:
                        errors += chunk
                        del errors[:-_TAIL]
                    else:
                        line = self._take_lines(line + chunk, recorder)
                while file is not None and (chunk := file.read(1 << 16)):
                    line = self._take_lines(line + chunk, recorder)
                # The pipes do not show the end: children may keep them open, and the program may close them earlier.
                if ended:
                    break
        self._take(line, recorder)

    def _take_lines(self, data: bytearray, recorder: Recorder) -> bytearray:
        """Record the complete lines, and return the beginning of the next one."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._take(line, recorder)
        if len(rest) > _LONGEST_LINE:
            raise ValueError(f"expected lines from the program, got {len(rest)} bytes without an end of line")
        return rest

    def _take(self, line: bytearray, recorder: Recorder) -> None:
        text = line.decode(errors="replace").strip()
        event = parse_line(text) if self.parse is None else self.parse(text)
        if event is not None:
            recorder.take(event)


def _placeholders(part: str) -> set[str]:
    """Return the names in braces, each up to its first dot."""
    return {name.split(".")[0] for _, name, _, _ in string.Formatter().parse(part) if name is not None}


def _has_exited(process: subprocess.Popen[bytes]) -> bool:
    """Return whether a process has ended, without releasing its process id."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def parse_line(text: str) -> Any:
    """Return the event on a line in the default format: `budget value`, `value` or JSON; None if the line is ignored."""
    if not text or text.startswith("#"):
        return None
    try:
        if text.startswith("{"):
            event = json.loads(text)
            return (event["budget"], event["value"]) if "budget" in event else event["value"]
        numbers = tuple(map(float, text.split()))
        if len(numbers) in (1, 2):
            return numbers if len(numbers) == 2 else numbers[0]
    except (KeyError, TypeError, ValueError):
        pass
    raise ValueError(
        f"expected `budget value`, `value` or JSON with them on each line that the program prints, got "
        f"{reprlib.repr(text)}; print other text to stderr or on lines that begin with #, "
        "or give pb.command a `parse` function"
    )
