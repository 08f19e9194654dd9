"""What a promise returns: how often it was put to the test, and when it was broken."""

from __future__ import annotations

from dataclasses import dataclass, field

_SHOWN = 200  # characters of a description


@dataclass
class Counts:
    """The trials of one promise.

    Attributes
    ----------
    trials
        The number of trials.
    outcomes
        How often each kind of outcome that keeps the promise occurred, such as "refused".
    broken
        One description for each trial in which the promise was broken.
    """

    trials: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def kept(self, outcome: str) -> None:
        """Count a trial that kept the promise."""
        self.trials += 1
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1

    def broke(self, description: str) -> None:
        """Count a trial that broke the promise."""
        self.trials += 1
        self.broken.append(" ".join(description.split())[:_SHOWN])
