"""The progress of a long study on standard error: a bar in a terminal, a line in 30 seconds elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TextIO

from polarbear.wording import format_duration

_SECONDS = 30.0  # between two lines, as for a race


@contextmanager
def show_progress(name: str, total: int, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Yield a function that takes how many of how many parts are done, and shows this."""
    if quiet or not sys.stderr.isatty():
        yield _ignore if quiet else ProgressLines(name, sys.stderr).update
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(name, total=total)
        yield lambda done, of: bar.update(task, completed=done, total=of)


def _ignore(done: int, of: int) -> None: ...


@dataclass
class ProgressLines:
    """Lines such as "races: 40 of 210, 2 min left", at most one in 30 seconds, and one at the end."""

    name: str
    stream: TextIO
    clock: Callable[[], float] = time.monotonic
    _began: float = field(init=False)
    _printed: float = field(init=False)
    _before: int | None = None  # parts that were done when this began

    def __post_init__(self) -> None:
        self._began = self._printed = self.clock()

    def update(self, done: int, of: int) -> None:
        """Report that `done` of `of` parts are done."""
        now = self.clock()
        if self._before is None:
            self._before = done
        if now - self._printed < _SECONDS and done < of:
            return
        new = done - self._before
        left = f", {format_duration((of - done) * (now - self._began) / new)} left" if new and done < of else ""
        print(f"{self.name}: {done:,} of {of:,}{left}", file=self.stream, flush=True)
        self._printed = now
