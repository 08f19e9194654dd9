"""The posterior: joint draws of ratings and win rates over time, with names, grid and diagnostics."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.observe import Grid
from polarbear.observe.rankings import were_compared
from polarbear.posterior.draw_quantiles import draw_quantiles
from polarbear.posterior.first_places import draw_ratings
from polarbear.posterior.posterior_file import read_fields, write_fields
from polarbear.posterior.probability_best import probability_best
from polarbear.table import as_frame, as_html
from polarbear.wording import format_number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike

    from numpy.typing import DTypeLike, NDArray

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import FrameLibrary
    from polarbear.observe.scope import Scope
    from polarbear.posterior.diagnostics import Diagnostics
    from polarbear.posterior.pair_beliefs import PairBeliefs
    from polarbear.table import Table


# Utilities below −640 are compressed into (−700, −640): e⁻⁷⁰⁰ is representable in double precision, e⁻⁷⁵⁰ is not.
_DEEPEST, _SQUEEZED = -640.0, 60.0

_OF_BUDGETS = ("ratings", "grid", "beliefs", "comparisons")

_LARGEST_BYTES = 400_000_000  # of the win rates of all pairs, for xarray


@dataclass(frozen=True, eq=False)
class Summary:
    """Posterior mean and credible interval of each rating, arrays of shape (budget, algorithm)."""

    mean: Array
    lower: Array
    upper: Array
    level: float


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """Equally weighted draws of ratings and win rates.

    The rating θ_a is the probability that a comes first among all algorithms on a new instance. The win rate of a over b is
    the probability that a beats b on it. Under Plackett-Luce win rates follow from ratings, θ_a / (θ_a + θ_b). Under
    `BayesianBootstrap` each pair has a belief of its own, and ratings are weighted shares of first places. All other
    quantities derive from ratings and win rates.

    Attributes
    ----------
    ratings
        Draws of shape (draw, budget, algorithm) that sum to one over algorithms. With `beliefs`, pass None: they are
        computed when they are first read.
    names
        The names of the algorithms.
    grid
        The budgets.
    joint
        Whether each draw is joint over all budgets. Priors that treat budgets independently give the posterior of each
        budget alone; queries about several budgets at once then raise an error.
    diagnostics
        How the draws were computed and whether they are reliable.
    prior
        A description of the prior.
    instances
        The number of instances that the posterior is based on.
    beliefs
        The beliefs about pairs; None under the Plackett-Luce priors.
    scope
        What the answer generalises to, such as "to new functions, based on 24 functions with 360 instances".
    comparisons
        Number of instances on which each algorithm was observed together with another one, shape (budget, algorithm). Where
        it is zero, draws come from the prior, and nothing is claimed about the algorithm. None if unknown, as in files of
        older versions; then every algorithm counts as observed at every budget.
    """

    ratings: Array
    names: tuple[str, ...]
    grid: Grid
    joint: bool
    diagnostics: Diagnostics
    prior: str
    instances: int
    beliefs: PairBeliefs | None = None
    scope: Scope | None = None
    comparisons: Indices | None = None

    def __post_init__(self) -> None:
        expected = (len(self.grid), len(self.names))
        if self.comparisons is not None and np.shape(self.comparisons) != expected:
            raise ValueError(
                f"expected comparisons of shape ({expected[0]} budgets, {expected[1]} algorithms), got "
                f"{np.shape(self.comparisons)}"
            )
        if self.ratings is None and self.beliefs is not None:
            object.__delattr__(self, "ratings")  # until they are read
            return
        ratings = np.asarray(self.ratings, dtype=np.float64)
        if ratings.ndim != 3 or ratings.shape[1:] != expected or len(ratings) == 0:
            raise ValueError(
                f"expected ratings of shape (draw, {expected[0]} budgets, {expected[1]} algorithms), got {ratings.shape}"
            )
        if ratings.flags.writeable:
            ratings = ratings.copy()
            ratings.flags.writeable = False
        object.__setattr__(self, "ratings", ratings)

    if not TYPE_CHECKING:  # for type checkers, an unknown attribute remains an error

        def __getattr__(self, name: str) -> object:
            """Compute the ratings when they are first read: pairs do not need them."""
            beliefs = self.__dict__.get("beliefs")
            if name != "ratings" or beliefs is None:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            object.__setattr__(self, "ratings", draw_ratings(beliefs, self.observed))
            return self.ratings

    def __repr__(self) -> str:
        trust = "reliable" if self.diagnostics.reliable else "NOT reliable"
        return (
            f"Posterior({len(self.names)} algorithms, {len(self.grid)} budgets, {self.instances} instances, "
            f"{self.draws} draws, {self.prior}, {trust})"
        )

    @property
    def draws(self) -> int:
        """The number of draws."""
        return len(self.ratings) if self.beliefs is None else self.beliefs.draws

    @property
    def observed(self) -> Mask:
        """Whether each algorithm was observed together with another one at each budget, shape (budget, algorithm)."""
        if self.comparisons is None:
            return np.ones((len(self.grid), len(self.names)), dtype=np.bool_)
        return np.asarray(self.comparisons > 0)

    @cached_property
    def observed_pairs(self) -> Mask:
        """Whether each pair was compared at each budget, shape (budget, algorithm, algorithm); true on the diagonal.

        Under `BayesianBootstrap` a pair is compared on a common instance; otherwise, each of the two with any algorithm.
        """
        if self.beliefs is None:
            return np.asarray(self.observed[:, :, None] & self.observed[:, None])
        return self._of_pairs(self.beliefs.were_compared)

    @cached_property
    def differing_pairs(self) -> Mask:
        """Whether each pair differs on any common instance at each budget, in the shape of `observed_pairs`.

        The Plackett-Luce priors keep no outcomes of pairs, and every observed pair counts.
        """
        return self.observed_pairs if self.beliefs is None else self._of_pairs(self.beliefs.differ)

    def _of_pairs(self, quantity: Callable[[int, int], Mask]) -> Mask:
        result = np.ones((len(self.grid), len(self.names), len(self.names)), dtype=np.bool_)
        for a, b in combinations(range(len(self.names)), 2):
            result[:, a, b] = result[:, b, a] = quantity(a, b)
        return result

    def at(self, budget: float) -> Posterior | None:
        """Return the posterior at one budget between two budgets of the grid; None if there are no runs to rank there.

        Its outcomes are exact. What the outcomes say about the kind of each pair remains that of the grid. It exists under
        `BayesianBootstrap` only, whose posterior has instances, and not for groups of instances or for weights of instances
        that depend on the budget.
        """
        beliefs = self.beliefs
        if beliefs is None or beliefs.others is not None:
            return None
        known = beliefs.sample.rankings
        if known.ranked_at is None or known.weights.ndim > 1:
            return None
        rankings = replace(known.ranked_at(Grid([budget], self.grid.axis)), weights=known.weights)
        same = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _OF_BUDGETS}
        comparisons = np.count_nonzero(were_compared(rankings), axis=0)
        return Posterior(
            ratings=None,  # type: ignore[arg-type]  # computed when they are first read
            grid=rankings.grid,
            beliefs=beliefs.at(rankings),
            comparisons=comparisons,
            **same,
        )

    def win_rates(self, first: int, second: int) -> NDArray[np.floating[Any]]:
        """Return draws of the win rate of one algorithm over another, shape (budget, draw).

        Both algorithms are given by their position in `names`.
        """
        if self.beliefs is not None:
            return self.beliefs.win_rates(first, second)
        one, other = self.ratings[..., first].T, self.ratings[..., second].T
        total = one + other
        # Both ratings may round to zero, above all in a thinned file; the win rate is then unknown and set to ½.
        return np.divide(one, total, out=np.full_like(total, 0.5), where=total > 0)

    def win_rate_above(self, first: int, second: int, threshold: float = 0.5) -> Array:
        """Return the probability that the win rate of one algorithm over another exceeds a threshold, shape (budget,).

        Under `BayesianBootstrap` it is exact; otherwise, and if clusters have several instances, it is a share of draws.
        """
        if self.beliefs is not None:
            return self.beliefs.above(first, second, threshold)
        return np.asarray((self.win_rates(first, second) > threshold).mean(axis=1))

    def win_rate_within(self, first: int, second: int, margin: float, *, at_least: float = 0.0) -> Array:
        """Return the probability that a win rate lies within a margin of one half, shape (budget,).

        It may be approximate where it is clearly less than `at_least`.
        """
        if self.beliefs is not None:
            return self.beliefs.within(first, second, margin, at_least=at_least)
        return np.asarray((np.abs(self.win_rates(first, second) - 0.5) <= margin).mean(axis=1))

    def expected_win_rate(self, first: int, second: int) -> Array:
        """Return the expected win rate of one algorithm over another, shape (budget,)."""
        if self.beliefs is not None:
            return self.beliefs.mean(first, second)
        return np.asarray(self.win_rates(first, second).mean(axis=1, dtype=np.float64))

    def all_win_rates(self, dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Return draws of the win rates of all pairs, row over column, shape (draw, budget, algorithm, algorithm)."""
        algorithms = len(self.names)
        rates = np.full((self.draws, len(self.grid), algorithms, algorithms), 0.5, dtype=dtype)
        for a, b in zip(*np.triu_indices(algorithms, 1), strict=True):
            rates[..., a, b] = self.win_rates(int(a), int(b)).T
            rates[..., b, a] = 1 - rates[..., a, b]
        return rates

    def require_joint(self, question: str) -> None:
        """Raise a ValueError unless draws are joint over time, as queries about several budgets at once require."""
        if not self.joint:
            raise ValueError(
                f"expected draws joint over time for {question}, but the prior {self.prior} treats each budget alone; "
                "fit with BayesianBootstrap or a temporal prior such as RandomWalk, or use what needs no joint draws: "
                "dominance(...), "
                "pareto_set(..., dominance='pointwise')"
            )

    def summary(self, level: float = 0.95) -> Summary:
        """Return the posterior mean and the central credible interval of each rating at each budget."""
        if not 0 < level < 1:
            raise ValueError(f"expected a level between 0 and 1, got {level!r}")
        tail = (1 - level) / 2
        ends = np.empty((2, *self.ratings.shape[1:]))
        for t in range(self.ratings.shape[1]):  # budget by budget, since quantiles need a copy of the draws
            ends[:, t] = draw_quantiles(np.ascontiguousarray(self.ratings[:, t].T), [tail, 1 - tail])
        lower, upper = ends
        return Summary(self.ratings.mean(axis=0), lower, upper, level)

    def thin(self, draws: int) -> Posterior:
        """Return a posterior with at most `draws` draws; draws are in random order."""
        if draws < 1:
            raise ValueError(f"expected at least 1 draw, got {draws!r}")
        if draws >= self.draws:
            return self
        if self.beliefs is None:
            return replace(self, ratings=self.ratings[np.linspace(0, self.draws - 1, draws).astype(int)])
        same = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("ratings", "beliefs")}
        return Posterior(ratings=None, beliefs=self.beliefs.thin(draws), **same)  # type: ignore[arg-type]

    def to_table(self, level: float = 0.95) -> Table:
        """Return one row per budget and algorithm: its rating, the credible interval, and the probability of being best.

        They are NaN where the algorithm was not observed. The last column is the number of comparisons, if it is known.
        """
        summary, observed = self.summary(level), self.observed
        budgets, algorithms = len(self.grid), len(self.names)
        best = np.zeros((budgets, algorithms))
        for t in range(budgets):  # the data of one budget stay in cache
            if (known := np.flatnonzero(observed[t])).size:
                best[t, known] = probability_best(self.ratings[:, t][:, known])
        rating, lower, upper, leads = (
            np.where(observed, each, np.nan).ravel() for each in (summary.mean, summary.lower, summary.upper, best)
        )
        table: Table = {
            "algorithm_name": list(self.names) * budgets,
            "budget": np.repeat(self.grid.budgets, algorithms),
            "rating": rating,
            "lower": lower,
            "upper": upper,
            "level": np.full(budgets * algorithms, level),
            "probability_best": leads,
        }
        return table if self.comparisons is None else {**table, "comparisons": self.comparisons.ravel()}

    def to_frame(self, level: float = 0.95, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow; for pairs see `pb.relations`."""
        return as_frame(self.to_table(level), backend)

    def _repr_html_(self) -> str:
        summary, table = self.summary(), {"algorithm_name": list(self.names)}
        for t in sorted({0, len(self.grid) // 2, len(self.grid) - 1}):
            at_budget = zip(*(100 * each[t] for each in (summary.mean, summary.lower, summary.upper)), strict=True)
            name = f"at {format_number(self.grid.budgets[t])}"
            table[name] = [f"{mean:.0f} % ({lower:.0f} to {upper:.0f} %)" for mean, lower, upper in at_budget]
        return as_html(
            table,
            title="Ratings: on how many instances each algorithm comes first, with 95 % intervals",
            notes=(f"{'Reliable' if self.diagnostics.reliable else 'Not reliable'}. {self.diagnostics.message}",)
            + ((f"Ratings generalise {self.scope}.",) if self.scope is not None else ()),
        )

    def to_xarray(self) -> Any:
        """Return ratings and win rates as an `xarray.Dataset`.

        Ratings have the axes (chain, draw, budget, algorithm), with a single chain. Win rates have the additional axis
        `other`: the share of instances on which `algorithm` beats `other`, in single precision. They are omitted if they
        would take more than 400 MB; thin the posterior first to include them. Needs the extra `polarbear-anytime[arviz]`.
        """
        from polarbear.posterior.arviz_data import as_dataset

        draws, budgets, algorithms = self.draws, len(self.grid), len(self.names)
        few = 4 * draws * budgets * algorithms**2 <= _LARGEST_BYTES
        about = {
            "prior": self.prior,
            "method": self.diagnostics.method,
            "diagnostics": self.diagnostics.message,
            "scope": "" if self.scope is None else str(self.scope),
        }
        rates = self.all_win_rates(np.float32) if few else None
        return as_dataset(self.ratings, self.grid.budgets, self.names, about, rates)

    def to_arviz(self) -> Any:
        """Return `to_xarray` as the group `posterior` of the container that ArviZ uses.

        This is `arviz.InferenceData` if ArviZ 0.x is installed. Otherwise it is `xarray.DataTree`, as in ArviZ 1.
        """
        from polarbear.posterior.arviz_data import as_inference_data

        return as_inference_data(self.to_xarray())

    def save(
        self,
        path: str | PathLike[str],
        *,
        draws: int | None = None,
        force: bool = False,
        more: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {}),
    ) -> None:
        """Write the posterior to a NumPy archive of plain arrays and JSON, without pickle.

        Parameters
        ----------
        path
            The file to write.
        draws
            For deployment: store at most this number of draws, to five digits, in a file that loads quickly. By default
            all draws are stored exactly. Beliefs about pairs store no draws, which are made again from their seed.
        force
            Whether to replace an existing file that is no saved posterior.
        more
            Further content of the file, as JSON types and as arrays; `load` ignores it.
        """
        kept = self if draws is None else self.thin(draws)
        fields = {**vars(kept), "ratings": None if kept.beliefs else kept.ratings}
        write_fields(path, fields, short=draws is not None, force=force, more=more)

    @staticmethod
    def load(path: str | PathLike[str]) -> Posterior:
        """Read a posterior that `save` wrote; any other file raises a ValueError that says why."""
        stored = read_fields(path)
        try:
            return Posterior(**stored)
        except ValueError as error:
            raise ValueError(f"{path} is a damaged posterior file: {error}") from error


def ratings_from_utilities(utilities: Array) -> Array:
    """Return the ratings θ = softmax(μ), shape (draw, budget, algorithm), of utilities μ, shape (budget, algorithm, draw).

    Draws are contiguous in memory, because most queries of a posterior are means over draws.
    """
    ratings = np.empty(utilities.shape)
    for mu, theta in zip(utilities, ratings, strict=True):  # the arrays of one budget fit in the cache
        np.exp(_compress(mu - mu.max(axis=0)), out=theta)
        theta /= theta.sum(axis=0)
    ratings.flags.writeable = False
    return ratings.transpose(2, 0, 1)


def _compress(centred: Array) -> Array:
    """Compress non-positive utilities whose exponentials would underflow to zero, so that their order is preserved."""
    if centred.min() >= _DEEPEST:
        return centred
    beyond = np.maximum(_DEEPEST - centred, 0.0)
    squeezed: Array = np.maximum(centred, _DEEPEST) - beyond / (1 + beyond / _SQUEEZED)
    return squeezed
