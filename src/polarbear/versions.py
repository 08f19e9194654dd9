"""`compare`: check that a new version of an algorithm is nowhere worse than the old one, for continuous integration.

The rule is in `polarbear.race.version_comparison`. This module makes the runs, look by look, or takes recorded ones.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence, Sized
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from polarbear.analysis import suggest_grid
from polarbear.driver.dispatch import RaceError, RunContext, make_runs
from polarbear.driver.resume import label_run
from polarbear.execution import Limits, LocalExecutor, pack
from polarbear.observe import Choices, Trajectory
from polarbear.problems import Repeated
from polarbear.race.observations import Observations, add_runs
from polarbear.race.sampling import job
from polarbear.race.settings import Settings
from polarbear.race.version_comparison import judge, planned_looks

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from numpy.typing import ArrayLike

    from polarbear.observe import Grid
    from polarbear.race.jobs import Job, Run
    from polarbear.race.version_comparison import VersionComparison

MOST_INSTANCES = 500
_JUDGING = ("confidence", "margin", "draws", "seed")
_RUNNING = ("clock", "maximise", "common_random_numbers")
_SETTINGS = (
    "clock",
    "maximise",
    "seed",
    "draws",
    "failure",
    "absolute_tolerance",
    "relative_tolerance",
    "common_random_numbers",
)


def compare(
    old: Any,
    new: Any,
    instances: Any = None,
    grid: Grid | ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    margin: float = 0.05,
    names: tuple[str, str] = ("OLD", "NEW"),
    max_instances: int | None = None,
    max_seconds: float | None = None,
    executor: Executor | None = None,
    time_limit: float | None = None,
    retries: int = 1,
    after_look: Callable[[VersionComparison], None] = lambda result: None,
    **settings: Any,
) -> VersionComparison:
    """Decide whether a new version of an algorithm is nowhere worse than the old one by more than the margin.

    Live versions run on the same instances with the same seeds, in batches, until the answer is certain enough or a limit
    is reached. Recorded runs are compared as they are.

    Parameters
    ----------
    old, new
        The two versions: algorithms as in `Race`, or recorded runs (a list of `Trajectory`, or what `read_runs` returns).
    instances, grid
        The instances and the budgets at which the versions are compared, as in `Race`. Recorded runs need no instances,
        and get a suitable grid by default.
    confidence
        The probability that a verdict needs. It allows for repeated looks at the data.
    margin
        How far below one half the win rate of the new version may lie without counting as worse.
    names
        What the sentence calls the two.
    max_instances, max_seconds
        Stop after this many instances, 500 by default, or seconds. The verdict is then "undecided".
    executor, time_limit, retries
        As in `Race.run`.
    after_look
        Called with the comparison so far after each look at the data.
    **settings
        clock, maximise, seed, draws, failure, absolute_tolerance and relative_tolerance, as in `Settings`. Both versions get
        the same seeds unless you set common_random_numbers to False.

    Returns
    -------
    VersionComparison
        Its `answer` is "no worse", "worse" or "undecided", with `sentence` and `exit_code`.

    Examples
    --------
    >>> import numpy as np
    >>> import polarbear as pb
    >>> rng = np.random.default_rng(0)
    >>> old = [pb.Trajectory("a", i, [1, 10], [5.0, rng.random()], end=100) for i in range(100)]
    >>> new = [pb.Trajectory("a", i, [1, 10], [5.0, rng.random() - 0.3], end=100) for i in range(100)]
    >>> print(pb.compare(old, new, grid=[10, 100]).sentence)
    NEW is nowhere worse than OLD by more than the margin: over 99 % sure that it wins on at least 45 % of instances ...
    """
    if unknown := sorted(set(settings).difference(_SETTINGS)):
        raise TypeError(f"a comparison has no setting {unknown[0]!r}; choose from {', '.join(_SETTINGS)}")
    recorded = [_recorded_runs(each) for each in (old, new)]
    if all(runs is not None for runs in recorded):
        if instances is not None:
            raise ValueError("expected no instances with recorded runs, got some; leave them out")
        named = [run.under_name(name) for name, runs in zip(names, recorded, strict=True) for run in runs or ()]
        ranking = getattr(new, "ranking", {})  # of an import: its tolerances, and what its clusters are
        return _compare_recorded(
            named, names, grid, **{"confidence": confidence, "margin": margin, **ranking, **settings}
        )
    if any(runs is not None for runs in recorded):
        raise ValueError("expected two algorithms or two recordings, got one of each; record runs of both, or run both")
    if instances is None or grid is None:
        raise ValueError("expected instances and a grid for algorithms that are run, got none; pass both as in pb.Race")
    chosen = Settings(
        **{"grid": grid, "common_random_numbers": True, "confidence": confidence, "margin": margin, **settings}
    )
    payloads = {
        name: pack(algorithm, instances, chosen.clock, chosen.maximise)
        for name, algorithm in zip(names, (old, new), strict=True)
    }
    available = len(instances) if isinstance(instances, Sized) and not callable(instances) else math.inf
    looks = planned_looks(int(min(MOST_INSTANCES if max_instances is None else max_instances, available)))
    if looks[-1] < 1:
        raise ValueError(f"expected at least one instance, got {looks[-1]}; raise max_instances or add instances")
    deadline = math.inf if max_seconds is None else time.monotonic() + max_seconds
    with ExitStack() as stack:
        if executor is None:
            executor = LocalExecutor()
            stack.callback(executor.shutdown, cancel_futures=True)
        context = RunContext(executor, payloads, Limits(seconds=time_limit, retries=retries), deadline)
        clusters = instances.clusters if isinstance(instances, Repeated) else None
        return _compare_live(context, names, looks, chosen, after_look, clusters)


def _compare_live(
    context: RunContext,
    names: tuple[str, str],
    looks: Sequence[int],
    settings: Settings,
    after_look: Callable[[VersionComparison], None],
    clusters: tuple[int, ...] | None,
) -> VersionComparison:
    """Run both versions up to each look, until the comparison is decided, or the looks or the time run out.

    `clusters` has the problem of each instance, if instances are repeated.
    """
    observations, used = Observations(), 0
    result: VersionComparison | None = None
    for number in looks:
        runs, complete = _run_batch(context, names, range(used, number), settings)
        if runs:
            labelled = [label_run(run, clusters) for run in runs]
            observations, used = add_runs(observations, labelled, names, settings), number
            assert observations.choices is not None
            result = judge(
                observations.choices,
                *names,
                confidence=settings.confidence,
                margin=settings.margin,
                looks=len(looks),
                draws=settings.draws,
                seed=settings.seed,
                unit=settings.clock,
            )
            after_look(result)
        if not complete or (result is not None and result.answer != "undecided"):
            break
    if result is None:
        raise RaceError("no instance was completed within the time limit; allow more seconds, or shorten the grid")
    return result


def _run_batch(
    context: RunContext, names: tuple[str, str], instances: range, settings: Settings
) -> tuple[list[Run], bool]:
    """Return the runs of both versions on the instances that were completed in time, and whether all were."""
    end = float(settings.grid.budgets[-1])
    jobs = [job(settings, name, instance, end) for instance in instances for name in names]
    done: dict[tuple[str, int], Run] = {}

    def keep(made: Job, run: Run) -> None:
        done[made.algorithm, made.instance] = run

    complete = make_runs(jobs, context, keep) is not None
    for name in names:
        own = [run for (algorithm, _), run in done.items() if algorithm == name]
        failures = [run.failure for run in own if run.failure is not None]
        if own and len(failures) == len(own):
            raise RaceError(
                f"all {len(own)} runs of {name} failed, so there is nothing to compare; on instance "
                f"{own[0].trajectory.instance} with: {failures[0].text()}"
            )
    pairs = [[done.get((name, instance)) for name in names] for instance in instances]
    return [run for pair in pairs if None not in pair for run in pair if run is not None], complete


def _compare_recorded(
    runs: Sequence[Trajectory], names: tuple[str, str], grid: Grid | ArrayLike | None, **settings: Any
) -> VersionComparison:
    judging = {key: settings[key] for key in _JUDGING if key in settings}
    ranking = {key: value for key, value in settings.items() if key not in (*_JUDGING, *_RUNNING)}
    both = set.intersection(*({run.instance for run in runs if run.algorithm == name} for name in names))
    if not both:
        raise ValueError(
            "expected runs of both versions on the same instances, got no instance that has both; give both recordings the "
            "same names of instances"
        )
    paired = [run for run in runs if run.instance in both]
    budgets = suggest_grid(paired) if grid is None else grid
    choices = Choices.from_trajectories(paired, grid=budgets, names=names, **ranking)
    return judge(choices, *names, unit=settings.get("clock", "evaluations"), **judging)


def _recorded_runs(version: Any) -> Sequence[Trajectory] | None:
    """Return the runs of a recorded version; None for an algorithm."""
    runs = getattr(version, "runs", version)
    if isinstance(runs, Sequence) and not isinstance(runs, str) and all(isinstance(run, Trajectory) for run in runs):
        algorithms = sorted({run.algorithm for run in runs})
        if len(algorithms) != 1:
            raise ValueError(
                f"expected runs of one algorithm as a version, got {', '.join(algorithms) or 'none'}; choose one of them"
            )
        return runs
    return None
