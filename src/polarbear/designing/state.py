"""What a proposer sees of a design, and the type of proposers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import RaceOutcome

Algorithm = Any  # see polarbear.driver.race


@dataclass(frozen=True, eq=False)
class DesignState:
    """The state of a design at the start of an iteration.

    Attributes
    ----------
    iteration
        The number of the iteration, from 1.
    result
        The result of the race so far.
    algorithms
        All algorithms so far by name, including dropped algorithms.
    seed
        The seed of the design.
    rng
        A generator that depends only on the seed and the iteration. A proposer that takes its randomness from it, and
        everything else from this state, proposes the same again when a design is continued.
    """

    iteration: int
    result: RaceOutcome
    algorithms: Mapping[str, Algorithm] = field(repr=False)
    seed: int = 0

    @property
    def kept(self) -> tuple[str, ...]:
        """The algorithms that have not been dropped."""
        return self.result.kept

    @property
    def names(self) -> tuple[str, ...]:
        """All names so far, in order of arrival; a proposer must not use them again."""
        return self.result.state.names

    @property
    def posterior(self) -> Posterior:
        """The posterior of all algorithms that have run, computed when it is first used."""
        return self.result.posterior

    @property
    def rng(self) -> np.random.Generator:
        """A new generator, the same for the same seed and iteration."""
        return np.random.default_rng([self.seed, self.iteration])


Proposer = Callable[[DesignState], Mapping[str, Algorithm]]
