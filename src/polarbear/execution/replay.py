"""An executor that replays recorded runs as if they were live."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

from polarbear.findings import RunFailure
from polarbear.observe import Trajectory
from polarbear.race.jobs import Job, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable


class ReplayExecutor(Executor):
    """An executor that answers every job at once from recorded runs, truncated at the job's budget.

    Parameters
    ----------
    runs
        The recorded runs, one per algorithm and instance. Instances are numbered in the order of their first appearance.
        If a job's recording is missing or ends too early, its future raises a `ValueError`.

    Examples
    --------
    >>> from polarbear.execution import run_supervised
    >>> recorded = Trajectory("cma", 0, budgets=[10, 20, 30], values=[5.0, 4.0, 2.0], end=40)
    >>> job = Job("cma", instance=0, budget=25, seed=1, instance_seed=1)
    >>> ReplayExecutor([recorded]).submit(run_supervised, None, job).result().trajectory
    Trajectory('cma' on 0: 2 improvements until 25)
    """

    def __init__(self, runs: Iterable[Trajectory]) -> None:
        self._runs: dict[tuple[str, Hashable], Trajectory] = {}
        for run in runs:
            if not isinstance(run, Trajectory):
                raise ValueError(f"expected recordings as pb.Trajectory, got {run!r}")
            if (run.algorithm, run.instance) in self._runs:
                raise ValueError(
                    f"expected one recording of {run.algorithm!r} on instance {run.instance!r}, got two; "
                    "number repeated runs as instances of their own"
                )
            self._runs[run.algorithm, run.instance] = run
        self._numbered = tuple(dict.fromkeys(instance for _, instance in self._runs))

    @property
    def instances(self) -> int:
        """The number of recorded instances."""
        return len(self._numbered)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return a future with the run of the job among the arguments; `function` is not called."""
        future: Future[Run] = Future()
        try:
            jobs = [argument for argument in (*args, *kwargs.values()) if isinstance(argument, Job)]
            if len(jobs) != 1:
                raise ValueError(
                    f"expected submit(run_supervised, payload, job, limits), got {len(jobs)} jobs in {args!r}"
                )
            future.set_result(self._answer(jobs[0]))
        except ValueError as error:
            future.set_exception(error)
        return future

    def _answer(self, job: Job) -> Run:
        name = f"{job.algorithm!r} on instance {job.instance!r}"
        recorded = None
        if job.instance < len(self._numbered):
            recorded = self._runs.get((job.algorithm, self._numbered[job.instance]))
        if recorded is None:
            raise ValueError(
                f"expected a recording of {name}, got none among {len(self._runs)}; "
                "add it, or race only the algorithms and instances that were recorded"
            )
        failed = recorded.failed and recorded.end <= job.budget
        if recorded.known_to < job.budget and not failed:
            raise ValueError(
                f"expected a recording of {name} until {job.budget:g}, got one until {recorded.end:g}; "
                "end the grid there, or give finished=True if the run had ended by itself"
            )
        reached = min(recorded.end, job.budget)
        budget = reached if failed else job.budget  # a run that finished before keeps its value
        kept = recorded.budgets <= reached
        cut = Trajectory(
            job.algorithm,
            job.instance,
            recorded.budgets[kept],
            recorded.values[kept],
            end=budget,
            failed=failed,
            maximise=recorded.maximise,
            cluster=recorded.cluster,
        )
        if failed:
            return Run(cut, reached, "error", RunFailure(f"the recorded run of {name} failed at {reached:g}"))
        return Run(cut, reached)
