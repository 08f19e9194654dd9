"""The number of instances per round (the paper's "Batch Size")."""

from __future__ import annotations

from dataclasses import dataclass

from polarbear.models.validation import require_count

# The paper halves the batch "when many (e.g., > 20 %) resolve".
_MANY = 0.2


@dataclass(frozen=True)
class AdaptiveBatch:
    """A batch size within limits that doubles if a round decides nothing and halves if it decides more than a fifth.

    Parameters
    ----------
    smallest, largest
        The limits of the batch size.
    start
        The size of the first round; the smallest by default.

    Examples
    --------
    >>> batch = AdaptiveBatch(8, 64)
    >>> batch.first, batch.after(8, 0.0), batch.after(16, 0.1), batch.after(16, 0.3), batch.after(64, 0.0)
    (8, 16, 16, 8, 64)
    """

    smallest: int = 8
    largest: int = 128
    start: int | None = None

    def __post_init__(self) -> None:
        require_count("the smallest batch", self.smallest, least=1)
        require_count("the largest batch", self.largest, least=self.smallest)
        if self.start is not None:
            require_count("the first batch", self.start, least=self.smallest)
            if self.start > self.largest:
                raise ValueError(
                    f"expected the first batch to be at most the largest, {self.largest}, got {self.start}; lower start"
                )

    @property
    def first(self) -> int:
        """The size of the first round."""
        return self.smallest if self.start is None else self.start

    def after(self, size: int, decided_share: float) -> int:
        """Return the size of the next round, after one of this size that decided this share of the undecided pairs."""
        if decided_share == 0:
            size *= 2
        elif decided_share > _MANY:
            size //= 2
        return min(max(size, self.smallest), self.largest)


@dataclass(frozen=True)
class FixedBatch:
    """A batch size that is the same in every round.

    Examples
    --------
    >>> FixedBatch(10).after(10, 0.0)
    10
    """

    size: int

    def __post_init__(self) -> None:
        require_count("the batch", self.size, least=1)

    @property
    def first(self) -> int:
        """The size of the first round."""
        return self.size

    def after(self, size: int, decided_share: float) -> int:
        """Return the size of the next round."""
        del size, decided_share
        return self.size


Batch = AdaptiveBatch | FixedBatch
