"""Errors in a configuration: every fault with its key, all reported at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """One fault: its dotted key (empty for the whole file), and a message that says what to do about it."""

    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


class ConfigurationError(ValueError):
    """Error for a configuration that cannot be used, with all of its faults."""

    def __init__(self, path: Path, faults: Iterable[Fault]) -> None:
        self.path, self.faults = path, tuple(faults)
        lines = "\n".join(f"  {fault}".replace("\n", "\n    ") for fault in self.faults)
        super().__init__(f"{path} has {with_noun(len(self.faults), 'fault')}:\n{lines}")


def message_of(error: Exception) -> str:
    """Return the message of an error; for an error about a file, its name and the reason, without the error number.

    Examples
    --------
    >>> message_of(FileNotFoundError(2, "No such file or directory", "budgets.txt"))
    'budgets.txt: No such file or directory'
    """
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)
