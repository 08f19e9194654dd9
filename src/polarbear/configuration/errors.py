"""Errors in a configuration: every fault with its key, all reported at once."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

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
        number = f"{len(self.faults)} faults" if len(self.faults) > 1 else "one fault"
        lines = "\n".join(f"  {fault}".replace("\n", "\n    ") for fault in self.faults)
        super().__init__(f"{path} has {number}:\n{lines}")


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


def suggest(word: str, known: Iterable[str]) -> str:
    """Suggest the known word that is closest to a mistyped one, or list all known words.

    Examples
    --------
    >>> suggest("confidense", ["confidence", "rope"])
    "did you mean 'confidence'?"
    >>> suggest("x", ["confidence", "rope"])
    'there is confidence, rope'
    """
    words = list(known)
    close = get_close_matches(word, words, n=1)
    return f"did you mean {close[0]!r}?" if close else f"there is {', '.join(words)}"
