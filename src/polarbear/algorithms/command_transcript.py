"""The transcript of an external program for `polarbear check`: its command, its last lines, and what was recognised.

The run is made in a worker, which may be killed at any time. Therefore the transcript lies in a file that is replaced while
the program runs.
"""

from __future__ import annotations

import json
import shlex
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from polarbear.algorithms.command import Command, parse_line
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from polarbear.algorithms.recorder import Recorder

_LINES = 5  # last lines of output in a transcript
_LONGEST = 500  # characters of a line in a transcript
_SAVE_SECONDS = 0.2


@dataclass
class Transcript:
    """What a program printed and what was recognised in it.

    Attributes
    ----------
    command
        The command with its arguments, quoted as for a shell.
    lines, recognised
        The number of lines that are not empty, and how many of them were recognised as an event.
    first, last
        The first and the last event, as (budget, value).
    output
        The last lines.
    fault
        Why a line could not be parsed; empty if every line was recognised or ignored.
    """

    command: str = ""
    lines: int = 0
    recognised: int = 0
    first: tuple[float, float] | None = None
    last: tuple[float, float] | None = None
    output: list[str] = field(default_factory=list)
    fault: str = ""

    @classmethod
    def load(cls, path: Path) -> Transcript | None:
        """Return the transcript in a file; None if the program did not start."""
        if not path.exists():
            return None
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def sentence(self, unit: str) -> str:
        """Return what was recognised, or why nothing was.

        Examples
        --------
        >>> Transcript(lines=3, recognised=2, first=(0.1, 7.0), last=(2.5, 3.25)).sentence("seconds")
        '2 of 3 lines as (seconds, value), first (0.1, 7), last (2.5, 3.25); 1 ignored'
        """
        if self.fault:
            return (
                f"{self.recognised:,} of {with_noun(self.lines, 'line')}; the last one could not be read: {self.fault}"
            )
        if not self.lines:
            return "nothing: the program printed no line; does it write to standard output, and flush it?"
        if self.first is None or self.last is None:
            return (
                f"nothing: all {self.lines:,} lines were ignored, because they begin with # or `parse` returned None"
                if self.lines > 1
                else "nothing: the only line was ignored, because it begins with # or `parse` returned None"
            )
        events = [f"({when:.3g}, {value:.6g})" for when, value in (self.first, self.last)]
        ignored = self.lines - self.recognised
        end = f"; {ignored:,} ignored" if ignored else ""
        counted = f"{self.recognised:,} of {with_noun(self.lines, 'line')} as ({unit}, value)"
        return f"{counted}, first {events[0]}, last {events[1]}{end}"


@dataclass(frozen=True)
class TranscribedCommand(Command):
    """An external program whose transcript is saved in a file."""

    path: str = ""

    @classmethod
    def of(cls, command: Command, path: Path) -> TranscribedCommand:
        """Return a command that saves its transcript at `path`."""
        return cls(command.template, command.parse, command.memory, command.folder, str(path))

    def _run(self, arguments: list[str], file: IO[bytes] | None, recorder: Recorder) -> bool:
        transcript, output = Transcript(shlex.join(arguments)), deque[str](maxlen=_LINES)
        parse, saved = self.parse or parse_line, 0.0

        def save() -> None:
            transcript.output = list(output)
            unfinished = Path(f"{self.path}.new")
            unfinished.write_text(json.dumps(transcript.__dict__), encoding="utf-8")
            unfinished.replace(self.path)

        def transcribe(text: str) -> Any:
            nonlocal saved
            if text:
                transcript.lines += 1
                output.append(text[:_LONGEST])
            try:
                event = parse(text)
                if event is not None:
                    transcript.last = _as_pair(event, recorder)
                    transcript.first = transcript.first or transcript.last
                    transcript.recognised += 1
            except Exception as error:
                transcript.fault = f"{type(error).__name__}: {error}"
                raise
            if time.monotonic() > saved + _SAVE_SECONDS:
                save()
                saved = time.monotonic()
            return event

        save()
        try:
            return Command(self.template, transcribe, self.memory, self.folder)._run(arguments, file, recorder)
        finally:
            save()


def _as_pair(event: Any, recorder: Recorder) -> tuple[float, float] | None:
    """Return an event as (budget, value), with the present budget if it is a value alone."""
    try:
        when, value = event
    except (TypeError, ValueError):
        when, value = recorder.now(), event
    try:
        return float(when), float(value)
    except (TypeError, ValueError):
        return None  # the recorder reports it
