"""Choices: the sufficient statistics (W, C) of rankings over time.

`Choices.from_values`, `from_trajectories` and `from_rankings` rank the algorithms on each instance at each budget and count
wins W and choice sets C. Every prior and every inference method reads the result.

The module is one class. It is long because its three constructors document all their options.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial, reduce
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.defaults import RELATIVE_TOLERANCE
from polarbear.observe.grid import Grid, as_grid
from polarbear.observe.names import check_names
from polarbear.observe.rank_instances import rank_instances
from polarbear.observe.ranking import Ranking, collect_rankings
from polarbear.observe.rankings import ABSENT, Rankings, check_shape, join_rankings, were_compared
from polarbear.observe.read_only import as_read_only
from polarbear.observe.repeated_runs import rank_repeated_runs
from polarbear.observe.run_table import tabulate_runs
from polarbear.observe.tally import Tally, merge, tally, tally_by_instance
from polarbear.observe.values import real_array

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import Failure
    from polarbear.observe.clusters import Clusters
    from polarbear.observe.trajectory import Trajectory


@dataclass(frozen=True, eq=False, repr=False)
class Choices:
    """How often each algorithm was chosen, and from which sets, at each budget.

    At a budget with utilities mu the log-likelihood of all weighted rankings is
    sum_i W_i mu_i - sum_S C_S log sum_{j in S} exp(mu_j), so that (W, C) are sufficient statistics. Their size depends
    on the number of distinct choice sets, not of instances. The sum of two `Choices` describes the data of both.

    Parameters
    ----------
    grid
        The budgets.
    names
        The algorithms' names.
    wins
        W, shape (budget, algorithm): how often each algorithm was chosen from a set of two or more.
    members
        Shape (budget, set, algorithm): the distinct choice sets of each budget, sorted, then padding sets that contain
        every algorithm.
    counts
        C, shape (budget, set): how often each set occurred; 0 for padding. At each budget the counts sum to the wins.
    instances
        The number of instances in the counts.
    rankings
        The rankings behind the counts, with the weights and clusters of the instances; None with `per_instance=False`.
    comparisons
        Shape (budget, algorithm): the number of instances on which each algorithm was observed together with another one;
        None if unknown.

    Examples
    --------
    >>> values = [[[1.0, 2.0, 3.0]], [[2.0, 1.0, np.nan]]]  # two instances, one budget, three algorithms
    >>> choices = Choices.from_values(values, grid=[100], names=["cma", "de", "rs"])
    >>> choices
    Choices(3 algorithms, 1 budgets, 2 instances, at most 3 sets per budget)
    >>> choices.wins.tolist(), choices.members[0].astype(int).tolist(), choices.counts.tolist()
    ([[1.0, 2.0, 0.0]], [[0, 1, 1], [1, 1, 0], [1, 1, 1]], [[1.0, 1.0, 1.0]])
    """

    grid: Grid
    names: tuple[str, ...]
    wins: Array
    members: Mask
    counts: Array
    instances: int
    rankings: Rankings | None = None
    comparisons: Indices | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", as_grid(self.grid))
        object.__setattr__(self, "names", check_names(self.names, len(self.names)))
        for field, dtype in (("wins", np.float64), ("members", np.bool_), ("counts", np.float64)):
            object.__setattr__(self, field, as_read_only(getattr(self, field), dtype))
        if self.comparisons is not None:
            object.__setattr__(self, "comparisons", as_read_only(self.comparisons, np.intp))
        budgets, algorithms = len(self.grid), len(self.names)
        sets = self.members.shape[1] if self.members.ndim == 3 else 0
        shapes = (self.wins.shape, self.members.shape, self.counts.shape)
        if not sets or shapes != ((budgets, algorithms), (budgets, sets, algorithms), (budgets, sets)):
            raise ValueError(
                f"expected wins (budget, algorithm), members (budget, set, algorithm) and counts (budget, set) for "
                f"{budgets} budgets and {algorithms} algorithms, got shapes {shapes}; Choices.from_values makes them"
            )

    def __repr__(self) -> str:
        budgets, sets, algorithms = self.members.shape
        return (
            f"Choices({algorithms} algorithms, {budgets} budgets, {self.instances} instances, "
            f"at most {sets} sets per budget)"
        )

    @classmethod
    def from_values(
        cls,
        values: ArrayLike,
        *,
        grid: Grid | ArrayLike,
        names: Iterable[str] | None = None,
        weights: ArrayLike | None = None,
        clusters: Clusters | Iterable[Hashable] | None = None,
        repetition_of: Iterable[Hashable] | None = None,
        instances: Iterable[Hashable] | None = None,
        absolute_tolerance: float = 0.0,
        relative_tolerance: float = RELATIVE_TOLERANCE,
        maximise: bool = False,
        per_instance: bool = True,
    ) -> Choices:
        """Rank values at each budget and count the choices.

        Parameters
        ----------
        values
            Shape (instance, budget, algorithm): the best value found by each budget. Lower is better, NaN means not
            observed, +inf means no solution yet. Only the order matters.
        grid
            The budgets of the second axis.
        names
            The algorithms of the third axis; None gives "A", "B", ...
        weights
            Shape (instance,) or (instance, budget); 1 by default.
        clusters
            The cluster of each instance, as labels or `Clusters`: repetitions of one instance, or instances of one
            function. By default all instances are independent.
        repetition_of
            The problem of each instance, as labels: instances of one problem are repetitions, whose values can be
            compared. `select` uses them for copies in a portfolio. By default clusters, if their unit is "run".
        instances
            The label of each instance, which identifies it whatever the order of instances; by default its position.
        absolute_tolerance, relative_tolerance
            Two values this close to each other are tied; see `rank_values` for rankings of all algorithms.
        maximise
            Whether higher values are better.
        per_instance
            Whether to keep the rankings of each instance, which `BayesianBootstrap` and the model check need. Without
            them the size does not depend on the number of instances.
        """
        array, budgets = real_array(values), as_grid(grid)
        if instances is not None:
            instances = tuple(instances)
            if len(set(instances)) < len(instances):
                twice = next(each for each in instances if instances.count(each) > 1)
                raise ValueError(
                    f"expected different labels of instances, got {twice!r} twice; label repetitions with their number, "
                    f"such as ({twice!r}, 1), and give them a cluster"
                )
        algorithms = check_names(names, check_shape(array.shape, budgets))
        rules: dict[str, Any] = {
            "absolute_tolerance": absolute_tolerance,
            "relative_tolerance": relative_tolerance,
            "maximise": maximise,
        }
        rankings = rank_instances(
            array, algorithms, budgets, weights=weights, clusters=clusters, instances=instances, **rules
        )
        if repetition_of is None and rankings.clusters is not None and rankings.clusters.unit == "run":
            repetition_of = rankings.clusters.labels
        if repetition_of is not None and per_instance:
            rankings = replace(rankings, repeated=rank_repeated_runs(array, repetition_of, **rules))
        observed = (rankings.ranks != ABSENT).any(axis=(0, 1))
        if not observed.all():
            missing = ", ".join(algorithms[index] for index in np.flatnonzero(~observed))
            raise ValueError(
                f"expected at least one value of every algorithm, got only NaN for {missing}; leave it out, or check the "
                "grid: a run is not observed after its end"
            )
        return cls.from_rankings(rankings, per_instance=per_instance)

    @classmethod
    def from_trajectories(
        cls,
        runs: Iterable[Trajectory],
        *,
        grid: Grid | ArrayLike,
        names: Iterable[str] | None = None,
        failure: Failure = "last",
        weights: ArrayLike | Mapping[Hashable, float] | None = None,
        cluster_kind: str = "cluster",
        cluster_unit: str = "instance",
        absolute_tolerance: float = 0.0,
        relative_tolerance: float = RELATIVE_TOLERANCE,
        per_instance: bool = True,
    ) -> Choices:
        """Rank runs of the same instance at each budget and count the choices.

        Parameters
        ----------
        runs
            At most one run per algorithm and instance. Their `maximise` states whether higher values are better.
        grid
            The budgets at which runs are compared; a run is ranked up to its `until`.
        names
            The algorithms; by default in the order in which they first appear.
        failure
            The treatment of a failed run from the budget of its failure on: "last" ranks it last, tied with other
            failures; "missing" leaves it unobserved. "raise" raises an error if a run failed.
        weights
            The weight of each instance: a mapping from the runs' `instance`, or an array in order of first appearance.
        cluster_kind, cluster_unit
            What the runs' `cluster` labels stand for; see `Clusters`. Repetitions are runs with one
            `instance.repetition_of`, as of imports, or else of one cluster with the unit "run".
        absolute_tolerance, relative_tolerance, per_instance
            As in `from_values`.

        Examples
        --------
        >>> from polarbear.observe import Trajectory
        >>> runs = [Trajectory("cma", 1, [10, 50], [3.0, 1.0], end=100), Trajectory("de", 1, [20], [2.0], end=100)]
        >>> Choices.from_trajectories(runs, grid=[10, 30, 60]).wins.tolist()
        [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
        """
        budgets, runs = as_grid(grid), list(runs)
        table = tabulate_runs(runs, budgets, names=names, failure=failure)
        tolerances: dict[str, Any] = {
            "absolute_tolerance": absolute_tolerance,
            "relative_tolerance": relative_tolerance,
        }
        choices = cls.from_values(
            table.values,
            grid=budgets,
            names=table.names,
            weights=table.weights(weights),
            clusters=table.clusters(cluster_kind, cluster_unit),
            repetition_of=table.problems,
            instances=table.instances,
            maximise=table.maximise,
            per_instance=per_instance,
            **tolerances,
        )
        if choices.rankings is None or choices.comparisons is None:
            return choices
        again = partial(_rank_runs, runs, failure=failure, known=choices.rankings, **tolerances)
        return cls._count_later(replace(choices.rankings, ranked_at=again), choices.comparisons)

    @classmethod
    def from_rankings(
        cls,
        rankings: Rankings | Iterable[Ranking],
        *,
        grid: Grid | ArrayLike | None = None,
        names: Iterable[str] | None = None,
        weights: ArrayLike | None = None,
        per_instance: bool = True,
    ) -> Choices:
        """Count the choices of explicit rankings; an algorithm may be missing from all of them.

        Parameters
        ----------
        rankings
            `Rankings`, or single `Ranking` objects.
        grid, names
            The budgets and the algorithms; by default all that occur in the rankings.
        weights
            Shape (instance,) or (instance, budget); replaces the rankings' own weights.
        per_instance
            As in `from_values`.

        Examples
        --------
        At budget 10 "cma" beats two tied others; at budget 20 only the winner of three is known.

        >>> rankings = [Ranking(10, ["cma", ("de", "rs")]), Ranking(20, ["de"], others=["cma", "rs"])]
        >>> Choices.from_rankings(rankings).wins.tolist()
        [[1.0, 0.5, 0.5], [0.0, 1.0, 0.0]]
        """
        if not isinstance(rankings, Rankings):
            rankings = collect_rankings(rankings, grid=grid, names=names)
        elif (names is not None and tuple(names) != rankings.names) or (
            grid is not None and as_grid(grid) != rankings.grid
        ):
            raise ValueError(f"expected the names and the grid of the rankings, {rankings.names} and {rankings.grid}")
        if weights is not None:
            rankings = replace(rankings, weights=as_read_only(weights, np.float64))
        comparisons = np.count_nonzero(were_compared(rankings), axis=0)
        if per_instance:
            return cls._count_later(rankings, comparisons)
        counts = tally(rankings.ranks, rankings.weight_of_each)
        return _from_tally(counts, rankings.grid, rankings.names, len(rankings.ranks), None, comparisons)

    @classmethod
    def _count_later(cls, rankings: Rankings, comparisons: Indices, parts: tuple[Choices, ...] = ()) -> Choices:
        """Return choices whose wins, members and counts are computed when they are first read.

        `BayesianBootstrap` reads only the rankings, and the choice sets of large ties take much time and memory. The counts
        of a sum are the counts of its parts, added in order, so that they do not depend on when they are read.
        """
        choices = object.__new__(cls)
        later = {
            "grid": rankings.grid,
            "names": rankings.names,
            "instances": len(rankings.ranks),
            "rankings": rankings,
            "comparisons": as_read_only(comparisons, np.intp),
            "_parts": parts,
        }
        for field, value in later.items():
            object.__setattr__(choices, field, value)
        return choices

    if not TYPE_CHECKING:  # for type checkers, an unknown attribute remains an error

        def __getattr__(self, name: str) -> object:
            """Count the wins and choice sets of `_count_later` when one of them is first read."""
            rankings = self.__dict__.get("rankings")
            if name not in Tally._fields or rankings is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            parts = self.__dict__.pop("_parts", ())
            counted = (
                reduce(merge, (each._tally for each in parts))
                if parts
                else tally(rankings.ranks, rankings.weight_of_each)
            )
            for field, array in counted._asdict().items():
                array.flags.writeable = False
                object.__setattr__(self, field, array)
            return self.__dict__[name]

    def at_budgets(self, chosen: Mask | Indices) -> Choices:
        """Return the choices at some of the budgets, given as a mask or as increasing indices, without the rankings."""
        return replace(
            self,
            grid=Grid(self.grid.budgets[chosen], self.grid.axis),
            wins=self.wins[chosen],
            members=self.members[chosen],
            counts=self.counts[chosen],
            rankings=None,
            comparisons=None if self.comparisons is None else self.comparisons[chosen],
        )

    def by_instance(self) -> list[Choices]:
        """Return the weighted choices of each instance separately; their sum equals the whole.

        Examples
        --------
        >>> choices = Choices.from_values([[[1, 2]], [[4, 3]]], grid=[1], per_instance=True)
        >>> [one.wins.tolist() for one in choices.by_instance()]
        [[[1.0, 0.0]], [[0.0, 1.0]]]
        """
        if self.rankings is None:
            raise ValueError("expected choices that keep their rankings; make them with per_instance=True")
        each = tally_by_instance(self.rankings.ranks, self.rankings.weight_of_each)
        compared = were_compared(self.rankings).astype(np.intp)
        return [_from_tally(one, self.grid, self.names, 1, None, own) for one, own in zip(each, compared, strict=True)]

    __array_ufunc__ = None  # makes NumPy scalars defer to __rmul__

    def __add__(self, other: Choices) -> Choices:
        if not isinstance(other, Choices):
            return NotImplemented
        if self.names != other.names or self.grid != other.grid:
            raise ValueError(
                f"expected choices of the same algorithms and grid, got {', '.join(self.names)} on {self.grid} and "
                f"{', '.join(other.names)} on {other.grid}; make both with the same names and grid"
            )
        rankings = None
        if self.rankings is not None and other.rankings is not None:
            rankings = join_rankings(self.rankings, other.rankings)
        comparisons = None
        if self.comparisons is not None and other.comparisons is not None:
            comparisons = self.comparisons + other.comparisons
        if rankings is not None and comparisons is not None:
            return self._count_later(rankings, comparisons, (*(self.__dict__.get("_parts") or (self,)), other))
        sums = merge(self._tally, other._tally)
        return _from_tally(sums, self.grid, self.names, self.instances + other.instances, rankings, comparisons)

    def __radd__(self, other: object) -> Choices:
        # sum() starts at 0.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __mul__(self, factor: float) -> Choices:
        if not isinstance(factor, Real):
            return NotImplemented
        if not (math.isfinite(factor) and factor >= 0):
            raise ValueError(f"expected a finite factor, not negative, got {factor}")
        scaled = Tally(self.wins * float(factor), self.members, self.counts * float(factor))
        rankings = self.rankings
        if rankings is not None:
            rankings = replace(rankings, weights=rankings.weights * float(factor)) if factor else None
        comparisons = self.comparisons if factor or self.comparisons is None else np.zeros_like(self.comparisons)
        sums = scaled if factor else merge(scaled)
        return _from_tally(sums, self.grid, self.names, self.instances, rankings, comparisons)

    __rmul__ = __mul__

    @property
    def _tally(self) -> Tally:
        return Tally(self.wins, self.members, self.counts)


def _rank_runs(
    runs: list[Trajectory], grid: Grid, *, failure: Failure, known: Rankings, **tolerances: float
) -> Rankings:
    """Return the rankings of runs on another grid, with the weights and the clusters of the known ones."""
    table = tabulate_runs(runs, grid, names=known.names, failure=failure)
    rules: dict[str, Any] = {"maximise": table.maximise, **tolerances}
    rankings = rank_instances(
        table.values,
        known.names,
        grid,
        weights=None if known.weights.ndim > 1 else known.weights,
        clusters=known.clusters,
        instances=known.instances,
        **rules,
    )
    if known.repeated is None:
        return rankings
    return replace(rankings, repeated=rank_repeated_runs(table.values, known.repeated.problem.tolist(), **rules))


def _from_tally(
    counts: Tally,
    grid: Grid,
    names: tuple[str, ...],
    instances: int,
    rankings: Rankings | None,
    comparisons: Indices | None,
) -> Choices:
    for array in counts:
        array.flags.writeable = False
    return Choices(grid, names, *counts, instances, rankings, comparisons)
