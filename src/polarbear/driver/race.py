"""The public `Race`, which connects the pure loop of `polarbear.race` with an executor and a race file.

In each round, `loop.ask` plans the jobs, `dispatch.make_runs` makes their runs, and `loop.tell` infers and decides. Runs and
decisions are written to the race file before the state in memory changes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence, Sized
from contextlib import ExitStack
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Self

from polarbear.driver import progress as views
from polarbear.driver.dispatch import RaceError, RunContext, make_runs
from polarbear.driver.resume import environment, rebuild_state
from polarbear.execution import Limits, LocalExecutor, Payload, ReplayExecutor, pack
from polarbear.race import loop
from polarbear.race.result import RaceResult, Stopped
from polarbear.race.serialisation import to_plain
from polarbear.race.settings import Settings
from polarbear.race.stopping import StoppingLimits
from polarbear.storage import RaceFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor
    from os import PathLike
    from types import TracebackType

    from numpy.typing import ArrayLike

    from polarbear.observe import Grid
    from polarbear.race.jobs import Job, Run
    from polarbear.race.sampling import Plan
    from polarbear.race.state import State

Algorithm = Any  # a callable run(problem, seed, until), or the result of a wrapper; see polarbear.algorithms
Instances = Any  # a callable instance(index, seed), or a sequence of problems


class Race:
    """A race of algorithms on sampled instances (the paper's Algorithm 1).

    Parameters
    ----------
    algorithms
        The algorithms by name: callables `run(problem, seed, until)` that return or yield pairs (time, value), or
        algorithms made by `counted`, `ask_tell`, `command` or `family`. With a `ReplayExecutor`, names suffice.
    instances
        A callable `instance(index, seed)` that returns a problem, or a sequence of problems.
    grid
        The times at which algorithms are compared.
    path
        The race file to create, which `Race.open` can continue. Without it, the race is kept in memory only.
    about
        Additional JSON values by key to store in the race file, such as where its algorithms are defined.
    **settings
        Fields of `Settings`: prior, elimination, resolution, confidence, rope, batch, seed, clock, maximise and more.

    Examples
    --------
    >>> import numpy as np
    >>> import polarbear as pb
    >>> recorded = [
    ...     pb.Trajectory(name, instance, [1, 10], [5.0, rate + noise], until=10)
    ...     for instance, noises in enumerate(np.random.default_rng(0).random((40, 3)))
    ...     for (name, rate), noise in zip({"fast": 0.0, "slow": 0.5, "slower": 0.9}.items(), noises)
    ... ]
    >>> race = pb.Race(["fast", "slow", "slower"], None, [5, 10], prior=pb.RandomWalk(), confidence=0.95)
    >>> race.run(pb.ReplayExecutor(recorded), progress="none").instances <= 40
    True
    """

    _file: RaceFile | None

    def __init__(
        self,
        algorithms: Mapping[str, Algorithm] | Sequence[str],
        instances: Instances,
        grid: Grid | ArrayLike,
        *,
        path: str | PathLike[str] | None = None,
        about: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        _check_settings(settings)
        by_name = _by_name(algorithms)
        chosen = Settings(grid=grid, **settings)  # type: ignore[arg-type]  # Settings converts it to a Grid
        self._begin(by_name, instances, loop.start(chosen, algorithms), {})
        if path is not None:
            known = {"settings": to_plain(chosen), "algorithms": list(self._state.names), "made": environment()}
            self._file = RaceFile.create(path, {**(about or {}), **known})

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        algorithms: Mapping[str, Algorithm] | Sequence[str] | None = None,
        instances: Instances = None,
        **changes: Any,
    ) -> Self:
        """Continue a race from its file, after it was stopped or killed, or with different settings.

        Parameters
        ----------
        path
            The race file.
        algorithms, instances
            As at creation, since a race file holds no code. Without them the race can be inspected but not run.
        **changes
            Settings to change from now on, such as a stricter `confidence` or a finer `grid`. Stored runs are reused; all
            decisions are made again.
        """
        _check_settings(changes)
        file = RaceFile.open(path, write=algorithms is not None or bool(changes))
        try:
            race = cls.__new__(cls)
            race._begin({} if algorithms is None else _by_name(algorithms), instances, *rebuild_state(file))
            race._file = file
            if changes:
                race._reconsider(replace(race._state.settings, **changes))
        except BaseException:
            file.close()
            raise
        return race

    def _begin(
        self,
        algorithms: Mapping[str, Algorithm],
        instances: Instances,
        state: State,
        known: dict[tuple[str, int], Run],
    ) -> None:
        unknown = [name for name in algorithms if name not in state.names]
        if unknown:
            raise ValueError(
                f"the race knows {', '.join(state.names)}, got {', '.join(unknown)} besides; "
                "let newcomers in with race.add(name, algorithm)"
            )
        self._instances = instances
        self._state = state
        self._known = known  # includes the runs of an interrupted round
        self._file = None
        self._stopped: Stopped = "paused"
        self._payloads = {name: self._packed(name, each) for name, each in algorithms.items() if each is not None}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the race file."""
        if self._file is not None:
            self._file.close()

    @property
    def state(self) -> State:
        """The current state of the race."""
        return self._state

    @property
    def result(self) -> RaceResult:
        """The result so far; valid at any time."""
        return RaceResult(self._state, "resolved" if loop.ask(self._state) is None else self._stopped)

    @property
    def about(self) -> dict[str, Any]:
        """What the race file holds besides runs and decisions, such as where it was created; empty without a file."""
        return {} if self._file is None else self._file.about

    def add(self, name: str, algorithm: Algorithm) -> None:
        """Add an algorithm, which first runs on the instances that the race has already used."""
        payload = None if algorithm is None else self._packed(name, algorithm)
        state = loop.add(self._state, name)
        self._log("added", name)
        self._state = state
        if payload is not None:
            self._payloads[name] = payload

    def note(self, key: str, value: Any) -> None:
        """Store an additional JSON value in the race file, next to those of the race itself."""
        if key in ("settings", "algorithms", "made"):
            raise ValueError(f"{key!r} is the race's own; choose another key")
        if self._file is not None:
            self._file.set_about(key, value)

    def remove(self, name: str) -> None:
        """Remove a candidate by hand; its data are kept."""
        state = loop.remove(self._state, name)
        self._log("removed", name)
        self._state = state

    def run(
        self,
        executor: Executor | None = None,
        *,
        max_instances: int | None = None,
        max_evaluations: float | None = None,
        max_seconds: float | None = None,
        stop: Callable[[RaceResult], bool] | None = None,
        time_limit: float | None = None,
        retries: int = 1,
        progress: views.View = "auto",
    ) -> RaceResult:
        """Run the race until every pair is decided or a limit is reached.

        Parameters
        ----------
        executor
            Makes the runs: any object with a `submit` method that returns futures, such as `LocalExecutor(workers=2)`,
            `dask_executor(address)` or `ReplayExecutor(recorded)`. By default, runs are made in local processes.
        max_instances, max_evaluations, max_seconds
            Stop when the race has used this many instances in total, when its runs have cost this much in total (in
            evaluations, or in seconds if that is the clock), or when this call has taken this many seconds.
        stop
            Called with the result after each round; a true return value stops the race.
        time_limit
            Wall-clock seconds after which a single run is killed.
        retries
            How often a run whose process died is repeated.
        progress
            The view of the race while it runs: "auto", "live", "lines" or "none".

        Returns
        -------
        RaceResult
            The result so far, also if the race was stopped or interrupted by Ctrl-C. To continue, call `run` again or
            use `Race.open`.
        """
        limits = {"max_instances": max_instances, "max_evaluations": max_evaluations, "max_seconds": max_seconds}
        for name, limit in limits.items():
            if limit is not None and not limit >= 0:
                raise ValueError(f"{name} must not be negative, got {limit!r}; without a limit it is None")
        deadline = math.inf if max_seconds is None else time.monotonic() + max_seconds
        try:
            with ExitStack() as stack:
                if executor is None:
                    executor = LocalExecutor()
                    stack.callback(executor.shutdown, cancel_futures=True)  # kills runs in progress
                view = views.make_view(progress)
                stack.callback(view.close)
                crew = RunContext(executor, self._payloads, Limits(seconds=time_limit, retries=retries), deadline)
                allowance = StoppingLimits(max_instances, max_evaluations, self._available(executor))
                self._stopped = self._race(crew, allowance, view, stop)
        except KeyboardInterrupt:
            self._recall()
            self._stopped = "interrupted"
        return self.result

    def _race(
        self,
        crew: RunContext,
        allowance: StoppingLimits,
        view: views.Progress,
        stop: Callable[[RaceResult], bool] | None,
    ) -> Stopped:
        while time.monotonic() < crew.deadline:
            plan = loop.ask(self._state)
            if plan is None:
                return "resolved"
            room, reason = allowance.room(self._state, plan)
            if room < len(plan.instances):
                if room <= 0:
                    return reason
                plan = loop.ask(self._state, most_instances=room)
                assert plan is not None
            runs = self._gather(plan, crew, view)
            if runs is None:
                break
            view.inferring()
            state = loop.tell(self._state, plan, runs)
            self._log("round", to_plain(state.rounds[-1]))
            self._state = state
            view.decided(self._state)
            if stop is not None and stop(RaceResult(self._state, "callback")):
                return "callback"
        return "max_seconds"

    def _gather(self, plan: Plan, crew: RunContext, view: views.Progress) -> list[Run] | None:
        """Return all runs of a plan, known or newly made, or None if the deadline passes first."""
        stored = {job: run for job in plan.jobs if (run := self._stored(job)) is not None}
        waiting = [job for job in plan.jobs if job not in stored]
        view.planned(self._state, plan, len(waiting))

        def keep(job: Job, run: Run) -> None:
            if self._file is not None:  # first, so that memory never holds a run that a full disk has refused
                self._file.add_run(run, job)
            self._known[job.algorithm, job.instance] = run
            view.ran(run)

        made_now = make_runs(waiting, crew, keep)
        if made_now is None:
            return None
        runs = [{**stored, **made_now}[job] for job in plan.jobs]
        if runs and not self._state.rounds and all(run.status != "done" for run in runs):
            raise RaceError(
                f"all {len(runs)} runs of the first round failed; {runs[0].trajectory.algorithm!r} on instance "
                f"{runs[0].trajectory.instance} with: {runs[0].message.strip()}\nMend that and run on."
            )
        return runs

    def _stored(self, job: Job) -> Run | None:
        """Return a known run of the job, such as one from an interrupted round, or None."""
        run = self._known.get((job.algorithm, job.instance))
        if run is None:
            return None
        if run.status != "done":  # failures that stopped the race are repeated: their cause may be fixed
            return None if self._state.settings.failure == "raise" or not self._state.rounds else run
        return run if run.trajectory.until >= job.until else None

    def _available(self, executor: Executor) -> float:
        if isinstance(executor, ReplayExecutor):
            return executor.instances
        return (
            len(self._instances) if isinstance(self._instances, Sized) and not callable(self._instances) else math.inf
        )

    def _recall(self) -> None:
        """Reload the state from the file: an interrupt may come between storing a result and updating memory."""
        if self._file is not None:
            self._state, self._known = rebuild_state(self._file)

    def _packed(self, name: str, algorithm: Algorithm) -> Payload:
        settings = self._state.settings
        try:
            return pack(algorithm, self._instances, settings.clock, settings.maximise)
        except ValueError as error:
            raise ValueError(f"{name!r} cannot race: {error}") from error

    def _reconsider(self, settings: Settings) -> None:
        state = loop.reconsider(self._state, settings)
        self._log("settings", to_plain(settings))
        self._state = state

    def _log(self, kind: str, data: Any) -> None:
        if self._file is not None:
            self._file.append(kind, data)


def _by_name(algorithms: Mapping[str, Algorithm] | Sequence[str]) -> dict[str, Algorithm]:
    if isinstance(algorithms, str):
        raise ValueError(f"expected algorithms by name, got {algorithms!r}; give {{name: algorithm}}")
    return dict(algorithms) if isinstance(algorithms, Mapping) else dict.fromkeys(algorithms)


def _check_settings(given: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(Settings)]
    for name in given:
        if name not in known:
            raise TypeError(f"a race has no setting {name!r}; it knows {', '.join(known)}")
