"""`Race`: run a race of algorithms on sampled instances, and return its `Result`."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from polarbear.driver import race as driver
from polarbear.result import Result, result_of_race

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor

    from polarbear.driver.race import RunOptions


class Race(driver.Race):
    """A race of algorithms on sampled instances (the paper's Algorithm 1).

    See `polarbear.driver.race.Race` for its parameters.

    Examples
    --------
    >>> import numpy as np, polarbear as pb
    >>> rng = np.random.default_rng(0)
    >>> recorded = [
    ...     pb.Trajectory(name, i, [1, 10], [5.0, rate + noise], end=10)
    ...     for i, noises in enumerate(rng.random((40, 3)))
    ...     for (name, rate), noise in zip({"fast": 0.0, "slow": 0.5, "slower": 0.9}.items(), noises)
    ... ]
    >>> race = Race(["fast", "slow", "slower"], None, [5, 10])
    >>> race.run(pb.ReplayExecutor(recorded), progress="none").kept
    ('fast',)
    """

    @property
    def result(self) -> Result:
        """The result so far; valid at any time."""
        path = self._record.file
        return result_of_race(self.outcome, path="" if path is None else shlex.quote(str(path.path)))

    def run(
        self,
        executor: Executor | None = None,
        *,
        stop: Callable[[Result], bool] | None = None,
        only: Iterable[str] | None = None,
        decide: tuple[str, str] | None = None,
        **options: Unpack[RunOptions],
    ) -> Result:
        """Run the race until every pair is decided, no further drop is likely, or a limit is reached.

        Parameters
        ----------
        executor
            Makes the runs; see `polarbear.driver.race.Race.drive`, also for further options: max_instances,
            max_evaluations, max_seconds, rerun_failed, accept_failures, time_limit, retries and progress.
        stop
            Called with the result after each round; a true return value stops the race.
        only
            Candidates, two or more: nothing else runs, until every pair among them is decided.
        decide
            One pair: nothing else runs, until it is decided.
        """
        if only is not None and decide is not None:
            raise ValueError("expected either only= or decide=, got both; leave one of them out")
        chosen = tuple(decide or only or ())
        halt = None if stop is None else lambda outcome: stop(result_of_race(outcome))
        self.drive(executor, stop=halt, only=chosen or None, **options)
        return replace(self.result, only=chosen)
