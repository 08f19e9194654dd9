"""`Race` connects the pure loop of `polarbear.race` with an executor and a race file.

`polarbear.result` adds what users ask: its public `Race` returns a `Result`.

`record` holds its state and its race file, and `round_loop` runs it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence, Sized
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, get_args

from polarbear.driver import agreement
from polarbear.driver import progress as views
from polarbear.driver.dispatch import RunContext
from polarbear.driver.environment import environment
from polarbear.driver.record import RaceRecord, load_record
from polarbear.driver.resume import describe_runs, dropped_event, explain_damage, states_before_adding
from polarbear.driver.round_loop import run_rounds
from polarbear.driver.selected import check_selected
from polarbear.driver.source_code import digest_codes, warn_of_edits
from polarbear.execution import Limits, LocalExecutor, Payload, ReplayExecutor, pack
from polarbear.problems import Repeated
from polarbear.race import loop
from polarbear.race.failing import find_failing
from polarbear.race.group_drops import check_groups
from polarbear.race.instance_features import check_features, features_by_index
from polarbear.race.outcome import RaceOutcome, Stopped
from polarbear.race.serialisation import to_plain
from polarbear.race.settings import Settings
from polarbear.race.stopping import StoppingLimits
from polarbear.storage import RaceFile
from polarbear.wording import DROPPED_BY_USER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Executor
    from os import PathLike

    from numpy.typing import ArrayLike

    from polarbear.literals import View
    from polarbear.observe import Grid
    from polarbear.race.state import State

Algorithm = Any  # a callable run(problem, seed, budget), or the result of a wrapper; see polarbear.algorithms
Instances = Any  # a callable instance(index, seed), or a sequence of problems

# The keys under which a race file stores the algorithms that were proposed, so that a program can repeat them.
ProposalKey = Literal["design", "candidates"]
_OWN_KEYS = frozenset(
    {"settings", "algorithms", "identities", "instances", "clusters", "features", "stopped", "made"}
    | {"code", "edited", "accepted_failures", "values", "clock", *get_args(ProposalKey)}
)


class RunOptions(TypedDict, total=False):
    """The options of `Race.drive` other than what runs and when to stop."""

    max_instances: int | None
    max_evaluations: float | None
    max_seconds: float | None
    rerun_failed: bool
    accept_failures: bool
    time_limit: float | None
    retries: int
    progress: View


class Race:
    """A race of algorithms on sampled instances (the paper's Algorithm 1).

    Parameters
    ----------
    algorithms
        The algorithms by name: callables `run(problem, seed, budget)` that return or yield pairs (budget, value), or
        algorithms made by `counted`, `ask_tell`, `command` or `family`. With a `ReplayExecutor`, names suffice.
    instances
        A callable `instance(index, seed)` that returns a problem, or a sequence of problems; with
        `polarbear.problems.Repeated(problems, 5)` each of them comes five times.
    grid
        The budgets at which algorithms are compared.
    path
        The race file. If it does not exist, it is created; otherwise its race is continued, provided that algorithms and
        settings agree. So a script that is run again continues its race, and a finished race is not run again. Without
        a path, the race is kept in memory only.
    about
        Additional JSON values by key to store in a new race file, such as where its algorithms are defined.
    features
        Features of the instances: one mapping from names to values per instance, in their order, or by index. Instances
        with an attribute `features` need none. The race file stores them.
    **settings
        Fields of `Settings`: prior, dominance, until, confidence, margin, batch, seed, clock, maximise and more.

    Examples
    --------
    >>> import numpy as np
    >>> import polarbear as pb
    >>> recorded = [
    ...     pb.Trajectory(name, instance, [1, 10], [5.0, rate + noise], end=10)
    ...     for instance, noises in enumerate(np.random.default_rng(0).random((40, 3)))
    ...     for (name, rate), noise in zip({"fast": 0.0, "slow": 0.5, "slower": 0.9}.items(), noises)
    ... ]
    >>> from polarbear.driver.race import Race
    >>> race = Race(["fast", "slow", "slower"], None, [5, 10], prior=pb.RandomWalk(), confidence=0.95)
    >>> race.drive(pb.ReplayExecutor(recorded), progress="none").instances <= 40
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
        features: Mapping[int, Any] | Sequence[Any] | None = None,
        **settings: Any,
    ) -> None:
        _check_settings(settings)
        _check_keys(about or ())
        features = check_features(features, instances)
        by_name = _by_name(algorithms)
        checked = Settings(grid=grid, **settings)  # type: ignore[arg-type]  # Settings converts it to a Grid
        state = loop.start(checked, algorithms)
        clusters = instances.clusters if isinstance(instances, Repeated) else None
        if path is not None and Path(path).exists():
            self._continue(path, by_name, instances, checked)
            self._record.store_features(features)
            return
        if features:
            given = features_by_index(features)
            check_groups(checked.groups, given, given)
        self._begin(by_name, instances, RaceRecord(state, clusters=clusters))
        if path is not None:
            own = {
                **describe_runs(checked),
                "settings": to_plain(checked),
                "algorithms": list(self.state.names),
                "identities": agreement.describe_algorithms(by_name),
                "instances": agreement.describe_instances(instances),
                "code": digest_codes(by_name),
                "made": environment(),
            }
            if clusters is not None:
                own["clusters"] = list(clusters)
            self._record.file = RaceFile.create(path, {**(about or {}), **own})
        self._record.store_features(features)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        algorithms: Mapping[str, Algorithm] | Sequence[str] | None = None,
        instances: Instances = None,
        features: Mapping[int, Any] | Sequence[Any] | None = None,
        **changes: Any,
    ) -> Self:
        """Continue a race from its file, after it was stopped or killed, or with different settings.

        Parameters
        ----------
        path
            The race file.
        algorithms, instances
            As at creation, since a race file holds no code. Without them the race can be inspected but not run.
        features
            Features of the instances, added to those that the file stores; see `Race`.
        **changes
            Settings to change from now on, such as a stricter `confidence` or a finer `grid`. Stored runs are reused;
            all decisions are made again.
        """
        _check_settings(changes)
        features = check_features(features, instances)
        file = RaceFile.open(path, write=algorithms is not None or bool(changes))
        try:
            race = cls.__new__(cls)
            record = load_record(file, instances)
            race._begin({} if algorithms is None else _by_name(algorithms), instances, record)
            if changes:
                settings = replace(record.state.settings, **changes)
                known = {**record.state.features, **features_by_index(features or {})}
                check_groups(settings.groups, known, record.state.observations.instances)
                record.update(loop.reconsider(record.state, settings), "settings", to_plain(settings))
                race._stopped = "paused"
            record.store_clusters()
            record.store_features(features)
            race._warn_of_edits()
        except BaseException:
            file.close()
            raise
        return race

    def _continue(
        self, path: str | PathLike[str], algorithms: Mapping[str, Algorithm], instances: Instances, settings: Settings
    ) -> None:
        """Continue the race of an existing file; raise an error that lists what differs, if anything does."""
        file = RaceFile.open(path, write=True)
        try:
            record = load_record(file, instances)
            added = [event.data for event in file.events() if event.kind == "added"]
            with explain_damage(file.path):
                known = agreement.stored_identities(file.about, added, given=algorithms)
            lines = agreement.differences(record.state.settings, known, settings, algorithms)
            if lines := lines + agreement.instance_differences(file.about.get("instances"), instances):
                raise agreement.difference_error(file.path, lines)
            present = {name: each for name, each in algorithms.items() if name in record.state.names}
            self._begin(present, instances, record)
            record.store_clusters()
            self._warn_of_edits()
        except BaseException:
            file.close()
            raise

    def _warn_of_edits(self) -> None:
        """Log a warning if the code of an algorithm was edited since the file was last opened with it."""
        file = self._record.file
        if file is not None and file.writable:
            ran = sorted({name for (name, _), run in self._record.runs.items() if run.status == "done"})
            self._record.edited = warn_of_edits(file, self.algorithms, ran=ran)

    def _begin(self, algorithms: Mapping[str, Algorithm], instances: Instances, record: RaceRecord) -> None:
        unknown = [name for name in algorithms if name not in record.state.names]
        if unknown:
            raise ValueError(
                f"expected algorithms of this race, {', '.join(record.state.names)}, got also {', '.join(unknown)}; "
                "add new ones with race.add(name, algorithm)"
            )
        self._instances = instances
        self._available = self._available_instances(None)
        self._record = record
        self._stopped: Stopped = record.stopped
        self.algorithms = {name: each for name, each in algorithms.items() if each is not None}
        self._payloads = {name: self._pack(name, each) for name, each in self.algorithms.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the race file."""
        self._record.close()

    @property
    def state(self) -> State:
        """The current state of the race."""
        return self._record.state

    @property
    def outcome(self) -> RaceOutcome:
        """What has come of the race so far; valid at any time."""
        state = self.state
        end = loop.end(state)
        # Of pairs that are left undecided, `only` may have asked for one, which a limit stopped.
        stopped = end if end is not None and (end == "finished" or self._stopped == "paused") else self._stopped
        failing = find_failing(state, self._record.runs.values()) if stopped == "algorithm failed" else ()
        return RaceOutcome(
            state,
            stopped,
            failing,
            available=self._available,
            accepted_failures=self._record.accepted_failures,
            edited=self._record.edited,
        )

    @property
    def about(self) -> dict[str, Any]:
        """What the race file holds besides runs and decisions, such as where it was created; empty without a file."""
        return {} if self._record.file is None else self._record.file.about

    def add(self, name: str, algorithm: Algorithm) -> None:
        """Add an algorithm, which first runs on the instances that the race has already used.

        An algorithm that the race file has, but that this process was not given, is supplied again.
        """
        payload = None if algorithm is None else self._pack(name, algorithm)
        if name in self.state.names and name not in self._payloads and payload is not None:
            agreement.check_identity(name, self.about.get("identities", {}).get(name), algorithm)
            self.algorithms[name], self._payloads[name] = algorithm, payload
            return
        self._record.update(loop.add(self.state, name), "added", name)
        self._record.forget_failures(frozenset({name}))  # those from before it was dropped; their cause may be fixed
        self._stopped = "paused"
        if payload is not None:
            self.algorithms[name], self._payloads[name] = algorithm, payload
            if self._record.file is not None:
                identities = {**self.about.get("identities", {}), name: agreement.describe_algorithm(algorithm)}
                self._record.file.set_about("identities", identities)

    def states_before_adding(self) -> dict[str, State]:
        """Return the state in which each algorithm was added after the start; needs a race file, else it is empty."""
        file = self._record.file
        return {} if file is None else states_before_adding(file, self._record.clusters)

    def note(self, key: str, value: Any) -> None:
        """Store an additional JSON value in the race file, next to the values of the race itself."""
        _check_keys([key])
        if self._record.file is not None:
            self._record.file.set_about(key, value)

    def note_proposals(self, key: ProposalKey, value: Any) -> None:
        """Store the algorithms that `design` or `evaluate_candidate` proposes, for a program that continues the race."""
        if self._record.file is not None:
            self._record.file.set_about(key, value)

    def drop(self, name: str, reason: str = DROPPED_BY_USER) -> None:
        """Drop a candidate without judging it, and store the reason, which answers show; its data are kept."""
        self._record.update(loop.drop(self.state, name, reason), "dropped", dropped_event(name, reason))
        self._stopped = "paused"

    def restore(self, name: str) -> None:
        """Make a dropped algorithm a candidate again, which first runs on the instances that it missed.

        Its earlier runs still count, so the next round may drop it again.
        """
        self._record.update(loop.restore(self.state, name), "restored", name)
        self._stopped = "paused"

    def drive(
        self,
        executor: Executor | None = None,
        *,
        max_instances: int | None = None,
        max_evaluations: float | None = None,
        max_seconds: float | None = None,
        stop: Callable[[RaceOutcome], bool] | None = None,
        only: Iterable[str] | None = None,
        rerun_failed: bool = False,
        accept_failures: bool = False,
        time_limit: float | None = None,
        retries: int = 1,
        progress: View = "auto",
    ) -> RaceOutcome:
        """Run the race until every pair is decided, no further drop is likely, or a limit is reached.

        Only a race with until="set", the default, stops because no further drop is likely. A finished
        race returns its result at once. An algorithm that fails in every run of its first round pauses the race before it
        is judged, with `stopped="algorithm failed"`; the result's `message` shows the end of its output.

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
        only
            Candidates, two or more: nothing else runs, until every pair among them is decided. The others keep their
            data and are missing from the new instances. Every round still decides about all candidates.
        rerun_failed
            Whether to make the failed runs of candidates again, with the same seeds, and replace them. Decisions stay
            recorded; pairs with these algorithms become undecided, and the next round decides with the new outcomes.
        accept_failures
            Whether to judge an algorithm that fails in every run of its first round, instead of pausing the race, and to
            trust decisions although algorithms fail. The race remembers which algorithms have failed by the end of this
            call. Recorded runs are always judged.
        time_limit
            The wall-clock seconds that a single run may take before it is killed.
        retries
            How often a run whose process died is repeated.
        progress
            The view of the race while it runs: "live" for a terminal, "lines" for one line per round, "none", or "auto":
            live in a terminal, elsewhere at most one line in 30 seconds.

        Returns
        -------
        RaceOutcome
            The result so far, even if the race was stopped or interrupted by Ctrl-C. To continue, call `run` again or
            use `Race.open`.
        """
        limits = {"max_instances": max_instances, "max_evaluations": max_evaluations, "max_seconds": max_seconds}
        for name, limit in limits.items():
            if limit is not None and not limit >= 0:
                raise ValueError(f"expected {name} of at least 0, got {limit!r}; use None for no limit")
        deadline = math.inf if max_seconds is None else time.monotonic() + max_seconds
        before = self._stopped, len(self.state.rounds), len(self._record.runs)
        selected = None if only is None else check_selected(only, self.state)
        try:
            if rerun_failed:
                repeated = frozenset(self.state.candidates if selected is None else selected)
                self._record.accept_failures(self._record.accepted_failures - repeated)
                self._rerun_failed(repeated)
            if accept_failures:
                self._record.accept_present_failures()
            if (end := loop.end(self.state)) is not None and loop.ask(self.state, only=selected) is None:
                self._stopped = end
                return self.outcome
            self._record.note_stop(None)
            with ExitStack() as stack:
                if executor is None:
                    executor = LocalExecutor()
                    stack.callback(executor.shutdown, cancel_futures=True)  # kills runs in progress
                self._available = self._available_instances(executor)
                stopping = StoppingLimits(max_instances, max_evaluations, self._available)
                view = views.make_view(progress, horizon=views.Horizon(stopping, deadline))
                stack.callback(view.close)
                accept = accept_failures or isinstance(executor, ReplayExecutor)
                of_runs = Limits(seconds=time_limit, retries=retries)
                context = RunContext(executor, self._payloads, of_runs, deadline, accept)
                self._stopped = "paused"
                self._stopped = run_rounds(self._record, context, stopping, view, stop, only=selected)
        except KeyboardInterrupt:
            self._record.reload()
            self._stopped = "interrupted"
        if accept_failures:
            self._record.accept_present_failures()
        nothing_ran = before[1:] == (len(self.state.rounds), len(self._record.runs))
        # A call that selects decided pairs says nothing about why the race as a whole stopped.
        self._record.note_stop(
            before[0] if nothing_ran and self._stopped == "selected pairs decided" else self._stopped
        )
        return self.outcome

    def _rerun_failed(self, names: frozenset[str]) -> None:
        """Ask for the failed runs of these algorithms again."""
        self._record.forget_failures(names)
        runs = self.state.observations.runs
        failed = sorted(key for key, run in runs.items() if run.status != "done" and key[0] in names)
        if failed:
            self._record.update(loop.rerun(self.state, failed), "rerun", [list(key) for key in failed])

    def _available_instances(self, executor: Executor | None) -> float:
        """Return the number of instances that exist; infinite if they are generated on demand."""
        if isinstance(executor, ReplayExecutor):
            return executor.instances
        if isinstance(self._instances, Sized) and not callable(self._instances):
            return len(self._instances)
        return math.inf

    def _pack(self, name: str, algorithm: Algorithm) -> Payload:
        settings = self.state.settings
        try:
            return pack(algorithm, self._instances, settings.clock, settings.maximise)
        except ValueError as error:
            raise ValueError(f"{name!r} cannot race: {error}") from error


def _by_name(algorithms: Mapping[str, Algorithm] | Sequence[str]) -> dict[str, Algorithm]:
    if isinstance(algorithms, str):
        raise ValueError(f"expected algorithms by name, got {algorithms!r}; pass {{name: algorithm}}")
    return dict(algorithms) if isinstance(algorithms, Mapping) else dict.fromkeys(algorithms)


def _check_keys(given: Iterable[str]) -> None:
    for key in given:
        if key in _OWN_KEYS:
            raise ValueError(
                f"expected another key than {key!r}, under which the race stores its own values; choose another name"
            )


def _check_settings(given: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(Settings)]
    for name in given:
        if name not in known:
            raise TypeError(f"a race has no setting {name!r}; choose from {', '.join(known)}")
