"""The public `Race`: it joins the pure loop with an executor and the race file."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence, Sized
from concurrent.futures import CancelledError, as_completed
from contextlib import ExitStack, contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Self, cast

from polarbear import progress as views
from polarbear.execution import Limits, LocalExecutor, Payload, ReplayExecutor, pack, run_supervised
from polarbear.journal import made, replayed
from polarbear.race import loop
from polarbear.race.result import RaceResult, Stopped
from polarbear.race.settings import Settings
from polarbear.race.written import write
from polarbear.storage import RaceFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Executor, Future
    from os import PathLike
    from types import TracebackType

    from numpy.typing import ArrayLike

    from polarbear.observe import Grid
    from polarbear.race.jobs import Job, Run
    from polarbear.race.sampling import Plan
    from polarbear.race.state import State

Algorithm = Any  # see polarbear.algorithms: a callable run(problem, seed, until), or one of the wrappers
Instances = Any  # a callable instance(index, seed), or a sequence of problems


class RaceError(RuntimeError):
    """The race could not go on; all that was run before is kept."""


class Race:
    """A race of algorithms on sampled instances (the paper's Algorithm 1).

    Parameters
    ----------
    algorithms
        What to race, by name: callables `run(problem, seed, until)` that give (time, value) pairs, or what `counted`,
        `ask_tell`, `command` and `family` make. For a `ReplayExecutor` names alone will do.
    instances
        A callable `instance(index, seed)` that makes a problem, or a sequence of problems.
    grid
        The times at which algorithms are compared.
    path
        The race file, made here; without it the race lives in memory only. `Race.open` continues it.
    about
        More to store in the race file, JSON values by key, such as where its algorithms are to be found.
    **settings
        See `Settings`: prior, elimination, resolution, confidence, rope, batch, seed, clock, maximise and more.

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
        chosen = Settings(grid=grid, **settings)  # type: ignore[arg-type]  # Settings makes a Grid of it
        self._algorithms: dict[str, Algorithm] = _by_name(algorithms)
        self._instances = instances
        self._state = loop.start(chosen, self._algorithms)
        self._file: RaceFile | None = None
        self._prepare(chosen)
        if path is not None:
            known = {"settings": write(chosen), "algorithms": list(self._algorithms), "made": made()}
            self._file = RaceFile.create(path, {**(about or {}), **known})

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        algorithms: Mapping[str, Algorithm] | None = None,
        instances: Instances = None,
        **changes: Any,
    ) -> Self:
        """Continue a race from its file: after it was stopped or killed, or with a larger wish.

        Parameters
        ----------
        path
            The race file.
        algorithms, instances
            As when the race was made, since a file holds no code. Without them the race can be looked at, not run.
        **changes
            Settings that are to be different from now on, such as a stricter `confidence` or a finer `grid`. Nothing that
            is stored is run again; all decisions are made anew.
        """
        _check_settings(changes)
        file = RaceFile.open(path, write=algorithms is not None or bool(changes))
        try:
            race = cls.__new__(cls)
            race._algorithms = {} if algorithms is None else _by_name(algorithms)
            race._instances = instances
            race._file = file
            race._state, race._known = replayed(file)
            race._check_names()
            race._prepare(race._state.settings)
            if changes:
                race._reconsider(replace(race._state.settings, **changes))
        except BaseException:
            file.close()
            raise
        return race

    def _check_names(self) -> None:
        unknown = [name for name in self._algorithms if name not in self._state.names]
        if unknown:
            raise ValueError(
                f"the race knows {', '.join(self._state.names)}, got {', '.join(unknown)} besides; "
                "let newcomers in with race.add(name, algorithm)"
            )

    def _prepare(self, settings: Settings) -> None:
        self._known: dict[tuple[str, int], Run] = getattr(self, "_known", {})
        self._payloads: dict[str, Payload] = {
            name: pack(algorithm, self._instances, settings.clock, settings.maximise)
            for name, algorithm in self._algorithms.items()
            if algorithm is not None
        }
        self._stopped: Stopped = "paused"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the race file."""
        if self._file is not None:
            self._file.close()

    @property
    def state(self) -> State:
        """Where the race stands."""
        return self._state

    @property
    def result(self) -> RaceResult:
        """What the race has found so far; valid at any time."""
        return RaceResult(self._state, "resolved" if loop.ask(self._state) is None else self._stopped)

    def add(self, name: str, algorithm: Algorithm) -> None:
        """Let another algorithm in; it first runs on the instances that the race knows already."""
        payload = None if algorithm is None else self._packed(algorithm)
        state = loop.add(self._state, name)
        self._log("added", name)
        self._algorithms[name], self._state = algorithm, state
        if payload is not None:
            self._payloads[name] = payload

    def note(self, key: str, value: Any) -> None:
        """Store one more JSON value in the race file, beside what the race itself stores there."""
        if key in ("settings", "algorithms", "made"):
            raise ValueError(f"{key!r} is the race's own; choose another key")
        if self._file is not None:
            self._file.set_about(key, value)

    def remove(self, name: str) -> None:
        """Take a candidate out by hand; what is known of it stays."""
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
        progress: views.Shown = "auto",
    ) -> RaceResult:
        """Race until every pair is decided, or until a limit.

        Parameters
        ----------
        executor
            Where runs happen: anything with `submit` that gives futures, such as `LocalExecutor(workers=2)`,
            `dask_executor(address)` or `ReplayExecutor(recorded)`; local processes by default.
        max_instances, max_evaluations, max_seconds
            Stop when the race has used so many instances in all, when its runs have cost so much in all (in evaluations,
            or seconds where that is the clock), or when this call has taken so long.
        stop
            Asked after each round; a true answer stops the race.
        time_limit
            Seconds on the wall clock after which a single run is killed.
        retries
            How often a run whose process died is tried again.
        progress
            "auto", "live", "lines" or "none".

        Returns
        -------
        RaceResult
            Also when it was stopped, by Ctrl-C too; `run` again, or `Race.open`, continues.
        """
        deadline = math.inf if max_seconds is None else time.monotonic() + max_seconds
        limits = Limits(seconds=time_limit, retries=retries)
        try:
            with ExitStack() as stack:
                if executor is None:
                    executor = LocalExecutor()
                    stack.callback(executor.shutdown, cancel_futures=True)  # whatever still runs is not waited for
                view = views.progress(progress)
                stack.callback(view.close)
                self._stopped = self._race(executor, limits, view, deadline, max_instances, max_evaluations, stop)
        except KeyboardInterrupt:
            self._recall()
            self._stopped = "interrupted"
        return self.result

    def _recall(self) -> None:
        """Believe the file: an interrupt may have come between storing something and remembering it."""
        if self._file is not None:
            self._state, self._known = replayed(self._file)

    def _race(
        self,
        executor: Executor,
        limits: Limits,
        view: views.Progress,
        deadline: float,
        max_instances: int | None,
        max_evaluations: float | None,
        stop: Callable[[RaceResult], bool] | None,
    ) -> Stopped:
        while True:
            if time.monotonic() >= deadline:
                return "max_seconds"
            plan = loop.ask(self._state)
            if plan is None:
                return "resolved"
            room, reason = self._room(plan, executor, max_instances, max_evaluations)
            if room < len(plan.instances):
                if room <= 0:
                    return reason
                plan = loop.ask(self._state, most_instances=room)
                assert plan is not None
            runs = self._gather(plan, executor, limits, view, deadline)
            if runs is None:
                return "max_seconds"
            if not self._state.rounds and all(run.status != "done" for run in runs):
                raise RaceError(
                    f"all {len(runs)} runs of the first round failed; {runs[0].trajectory.algorithm!r} on instance "
                    f"{runs[0].trajectory.instance} with: {runs[0].message.strip()}\nMend that and run on."
                )
            view.inferring()
            state = loop.tell(self._state, plan, runs)
            self._log("round", write(state.rounds[-1]))
            self._state = state
            view.decided(self._state)
            if stop is not None and stop(RaceResult(self._state, "callback")):
                return "callback"

    def _room(
        self, plan: Plan, executor: Executor, max_instances: int | None, max_evaluations: float | None
    ) -> tuple[int, Stopped]:
        """How many instances the next round may take, and what keeps it from taking more."""
        if plan.kind == "review":
            return 0, "paused"
        room: list[tuple[float, Stopped]] = [(math.inf, "paused")]
        if plan.kind == "fresh":
            used = len(self._state.evidence.instances)
            if isinstance(executor, ReplayExecutor):
                room.append((executor.instances - self._state.next_instance, "instances ran out"))
            elif isinstance(self._instances, Sized) and not callable(self._instances):
                room.append((len(self._instances) - self._state.next_instance, "instances ran out"))
            if max_instances is not None:
                room.append((max_instances - used, "max_instances"))
        if max_evaluations is not None:
            an_instance = sum(until for _, until in plan.until)
            room.append(((max_evaluations - self._state.cost) // an_instance, "max_evaluations"))
        smallest, reason = min(room)
        return int(min(smallest, len(plan.instances))), reason

    def _gather(
        self, plan: Plan, executor: Executor, limits: Limits, view: views.Progress, deadline: float
    ) -> list[Run] | None:
        """All runs of a plan, from memory or newly made; None if time ran out."""
        done = {job: run for job in plan.jobs if (run := self._stored(job)) is not None}
        waiting = [job for job in plan.jobs if job not in done]
        view.planned(self._state, plan, len(waiting))
        self._check_known(waiting, executor)
        futures: dict[Future[Run], Job] = {}
        try:
            for job in waiting:
                payload = cast("Payload", self._payloads.get(job.algorithm))  # None only if recorded runs are replayed
                with _executor_at_work():
                    futures[executor.submit(run_supervised, payload, job, limits)] = job
            ended = as_completed(futures, None if math.isinf(deadline) else max(0.0, deadline - time.monotonic()))
            for _ in waiting:
                try:
                    future = next(ended)
                except TimeoutError:
                    return None
                with _executor_at_work():
                    run = future.result()
                job = futures[future]
                if run.status == "setup":
                    raise RaceError(
                        f"{job.algorithm!r} could not be run on instance {job.instance}: {run.message.strip()}\n"
                        "Every run that had ended is kept; mend it and run on."
                    )
                self._keep(job, run)
                done[job] = run
                view.ran(run)
        finally:
            self._break_off(futures, done)
        return [done[job] for job in plan.jobs]

    def _break_off(self, futures: Mapping[Future[Run], Job], done: Mapping[Job, Run]) -> None:
        """Cancel what has not begun, and keep what had ended but was not looked at."""
        for future, job in futures.items():
            if future.cancel() or job in done or not future.done() or future.exception() is not None:
                continue
            if (run := future.result()).status != "setup":
                self._keep(job, run)

    def _stored(self, job: Job) -> Run | None:
        """A run of the job that is already there, from a round that was broken off."""
        run = self._known.get((job.algorithm, job.instance))
        if run is None:
            return None
        if run.status != "done":  # whoever was stopped by failures wants them made again once they are mended
            return None if self._state.settings.failure == "raise" or not self._state.rounds else run
        return run if run.trajectory.until >= job.until else None

    def _keep(self, job: Job, run: Run) -> None:
        if self._file is not None:  # first, so that what is remembered is also stored, even if the disk is full
            self._file.add_run(run, job)
        self._known[job.algorithm, job.instance] = run

    def _check_known(self, jobs: list[Job], executor: Executor) -> None:
        missing = sorted({job.algorithm for job in jobs}.difference(self._payloads))
        if missing and not isinstance(executor, ReplayExecutor):
            raise ValueError(
                f"the race needs runs of {', '.join(missing)}, but not the algorithms themselves; "
                "a race file holds no code: give them to Race.open(path, algorithms={...}, instances=...)"
            )

    def _packed(self, algorithm: Algorithm) -> Payload:
        return pack(algorithm, self._instances, self._state.settings.clock, self._state.settings.maximise)

    def _reconsider(self, settings: Settings) -> None:
        state = loop.reconsider(self._state, settings)
        self._log("settings", write(settings))
        self._state = state

    def _log(self, kind: str, data: Any) -> None:
        if self._file is not None:
            self._file.append(kind, data)


@contextmanager
def _executor_at_work() -> Iterator[None]:
    """Tell what an executor raises from what the race itself raises; a ValueError says itself what to do."""
    try:
        yield
    except ValueError:
        raise
    except (CancelledError, Exception) as error:
        raise RaceError(
            f"the executor failed ({type(error).__name__}: {error}); every run that had ended is kept, and run() "
            "goes on from there, with another executor if need be"
        ) from error


def _by_name(algorithms: Mapping[str, Algorithm] | Iterable[str]) -> dict[str, Algorithm]:
    return dict(algorithms) if isinstance(algorithms, Mapping) else dict.fromkeys(algorithms)


def _check_settings(given: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(Settings)]
    for name in given:
        if name not in known:
            raise TypeError(f"a race has no setting {name!r}; it knows {', '.join(known)}")
