"""Portfolios as algorithms of their own, built from stored runs of their members.

Use them for parallel runs whose results combine to more than the best of them, and to rate copies of one algorithm, built
from repeated runs, like any other algorithm.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe import Trajectory
from polarbear.observe.archive import merge_archives
from polarbear.observe.hypervolume import measure_run
from polarbear.selection.candidates import portfolio_name

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array


def virtual_portfolio(
    runs: Iterable[Trajectory],
    members: Sequence[str],
    *,
    name: str | None = None,
    combine: Callable[[Hashable, Array, Array], ArrayLike] | None = None,
    repetition_of: Callable[[Trajectory], Hashable] | None = None,
) -> list[Trajectory]:
    """Return runs of a portfolio of parallel members, one for each instance on which all members were run.

    Add them to the other runs and fit again: the portfolio then has a rating of its own. If the best result counts, the
    rating of a portfolio of different algorithms is the sum of their ratings, and `select` values copies by repeated runs.
    This function is for sets of solutions that combine to more than the best, as under hypervolume.

    Runs with an `archive` (see `read_runs` with an indicator, and `run_once`) are merged: the value of the portfolio is the
    hypervolume of the union of the members' points. Ratings and `select` count only the best member, and so understate
    portfolios with several objectives.

    Copies need repeated runs, stored as separate instances that belong together. By default, runs with equal `cluster` are
    repetitions of one instance. On repetition r of m, copy j of an algorithm is its run on repetition (r + j) mod m. Every
    run is therefore used equally often, and no portfolio uses a run twice.

    Parameters
    ----------
    runs
        Stored runs of all algorithms.
    members
        Two or more algorithms; an algorithm on two machines is named twice.
    name
        The name of the portfolio; "a + b" or "2 x a" by default.
    combine
        Maps (instance, budgets, values of shape (member, budget)) to the quality at these budgets, at which some member
        improved; the best value by default, or the hypervolume of the merged archives.
    repetition_of
        Maps a run to the instance that it repeats, for copies; its `cluster` by default. For imported runs with other
        clusters use `lambda run: run.instance[:4]`.

    Returns
    -------
    list of Trajectory
        Known until the first member ends. If a member fails, the portfolio keeps its best value and continues with the
        others. The portfolio fails if all members fail.

    Examples
    --------
    >>> runs = [Trajectory("a", 0, [1, 5], [9.0, 3.0], end=10), Trajectory("b", 0, [2], [4.0], end=8)]
    >>> (both,) = virtual_portfolio(runs, ["a", "b"])
    >>> both.algorithm, both.values.tolist(), both.end
    ('a + b', [9.0, 4.0, 3.0], 8.0)
    >>> repeated = [Trajectory("a", ("sphere", r), [1], [float(r)], cluster="sphere") for r in range(3)]
    >>> [run.values.tolist() for run in virtual_portfolio(repeated, ["a", "a"])]
    [[0.0], [1.0], [0.0]]
    """
    copies_of = Counter((members,) if isinstance(members, str) else members)
    if copies_of.total() < 2:
        raise ValueError(
            f"expected two or more members, got {', '.join(map(repr, copies_of)) or 'none'}; name another one"
        )
    by_instance: dict[Hashable, dict[str, Trajectory]] = {}
    for run in runs:
        own = by_instance.setdefault(run.instance, {})
        if run.algorithm in copies_of and run.algorithm in own:
            raise ValueError(
                f"expected one run of each member on an instance, got two of {run.algorithm!r} on {run.instance!r}; "
                "give repeated runs instances of their own, with the instance that they repeat as their cluster"
            )
        own[run.algorithm] = run
    complete = [
        {name: own[name] for name in copies_of} for own in by_instance.values() if own.keys() >= copies_of.keys()
    ]
    if not complete:
        raise ValueError(
            f"expected instances on which all of {', '.join(copies_of)} were run, got none; check the names"
        )
    copies = max(copies_of.values())
    groups = [[own] for own in complete] if copies == 1 else _repetitions(complete, copies, repetition_of)
    label = name or portfolio_name(copies_of.elements())
    return [
        _combine_runs(
            [group[(r + copy) % len(group)][each] for each, count in copies_of.items() for copy in range(count)],
            group[r][next(iter(copies_of))],
            label,
            combine,
        )
        for group in groups
        for r in range(len(group))
    ]


def _repetitions(
    complete: list[dict[str, Trajectory]], copies: int, repetition_of: Callable[[Trajectory], Hashable] | None
) -> list[list[dict[str, Trajectory]]]:
    """Return the runs of the members on each repetition, grouped by the repeated instance."""
    groups: dict[Hashable, list[dict[str, Trajectory]]] = {}
    for own in complete:
        run = next(iter(own.values()))
        repeated = run.cluster if repetition_of is None else repetition_of(run)
        if repeated is None:
            raise ValueError(
                f"expected the instance that each run repeats, for {copies} copies of one algorithm, got none for "
                f"{run.algorithm!r} on {run.instance!r}; give repeated runs the same cluster, or pass repetition_of"
            )
        groups.setdefault(repeated, []).append(own)
    for repeated, group in groups.items():
        if len(group) < copies:
            raise ValueError(
                f"expected at least {copies} repetitions of every instance for {copies} copies of one algorithm, got "
                f"{len(group)} of {repeated!r}; run it more often, leave it out, or use fewer copies"
            )
        problems = list(dict.fromkeys(problem for own in group if (problem := _imported_problem(own)) is not None))
        if repetition_of is None and len(problems) > 1:
            raise ValueError(
                f"expected clusters that hold repetitions of one instance, got {problems[0]!r} and {problems[1]!r} in the "
                f"cluster {repeated!r}; pass repetition_of=lambda run: run.instance[:4]"
            )
    return list(groups.values())


def _imported_problem(own: dict[str, Trajectory]) -> tuple[Hashable, ...] | None:
    """Return the instance of imported runs without the number of the repetition; None for other kinds of instances."""
    instance = next(iter(own.values())).instance
    fields = getattr(instance, "_fields", ())
    return tuple(instance[:-1]) if isinstance(instance, tuple) and fields[-1:] == ("run",) else None


def _combine_runs(
    runs: list[Trajectory], own: Trajectory, name: str, combine: Callable[[Hashable, Array, Array], ArrayLike] | None
) -> Trajectory:
    """Return one run of the portfolio, on the instance of the run `own`."""
    maximise, instance = own.maximise, own.instance
    if any(run.maximise != maximise for run in runs):
        raise ValueError(f"expected members that all minimise or all maximise, got both on instance {instance!r}")
    failed = all(run.failed for run in runs)
    end, finished = _end_of_portfolio(runs)
    archives = [run.archive for run in runs if run.archive is not None]
    if archives and combine is None:
        if len(archives) < len(runs):
            raise ValueError(
                f"expected archives of all members or of none, got {len(archives)} of {len(runs)} on instance {instance!r}; "
                "read or run all of them with their objectives, or pass combine"
            )
        merged = merge_archives(archives, end)
        empty = Trajectory(
            name, instance, [], [], end, failed=failed, maximise=True, cluster=own.cluster, finished=finished
        )
        return measure_run(empty, merged)
    budgets = np.unique(np.concatenate([run.budgets for run in runs]))
    budgets = budgets[budgets <= end]
    worst = -math.inf if maximise else math.inf
    steps = [np.concatenate([[worst], run.values]) for run in runs]
    values = np.array(
        [each[np.searchsorted(run.budgets, budgets, side="right")] for each, run in zip(steps, runs, strict=True)]
    )
    if combine is None:
        quality = values.max(axis=0) if maximise else values.min(axis=0)
    else:
        quality = np.asarray(combine(instance, budgets, values), dtype=np.float64)
        if quality.shape != budgets.shape:
            raise ValueError(
                f"expected one value of combine for each of {len(budgets)} budgets, got shape {quality.shape}"
            )
    return Trajectory(
        name,
        instance,
        budgets,
        quality,
        end=end,
        failed=failed,
        maximise=maximise,
        cluster=own.cluster,
        finished=finished,
    )


def _end_of_portfolio(runs: list[Trajectory]) -> tuple[float, bool]:
    """Return when the portfolio of these runs ended, and whether it finished.

    It is known as long as all members that have not failed are known. It finishes with the last of them, and fails only if
    all members fail.
    """
    alive = [run for run in runs if not run.failed] or runs
    known = min(run.known_to for run in alive)
    finished = math.isinf(known) and not alive[0].failed
    return (max(run.end for run in alive) if finished or alive[0].failed else known), finished
