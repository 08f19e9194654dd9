"""The posterior: joint draws of ratings and win rates over time, with names, grid and diagnostics.

It needs only NumPy, so that a stored posterior loads quickly on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.posterior.draw_quantiles import draw_quantiles
from polarbear.posterior.posterior_file import read_fields, write_fields
from polarbear.posterior.probability_best import probability_best
from polarbear.table import as_frame, as_html
from polarbear.wording import format_number

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import DTypeLike, NDArray

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import FrameLibrary
    from polarbear.observe import Grid
    from polarbear.posterior.diagnostics import Diagnostics
    from polarbear.posterior.outcome_draws import OutcomeDraws
    from polarbear.table import Table


# Utilities below −640 are compressed into (−700, −640): e⁻⁷⁰⁰ is representable in double precision, e⁻⁷⁵⁰ is not.
_DEEPEST, _SQUEEZED = -640.0, 60.0

_LARGEST_BYTES = 400_000_000  # of the win rates of all pairs, for xarray


@dataclass(frozen=True, eq=False)
class Summary:
    """Posterior mean and credible interval of each rating, arrays of shape (time, algorithm)."""

    mean: Array
    lower: Array
    upper: Array
    level: float


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """Equally weighted draws of ratings and win rates.

    The rating θ_a is the probability that a comes first among all algorithms on a new instance. The win rate of a over b is
    the probability that a beats b on it. Under Plackett-Luce win rates follow from ratings, θ_a / (θ_a + θ_b); under
    `BayesianBootstrap` each has its own draws. All other quantities derive from `ratings` and `win_rates`.

    Attributes
    ----------
    ratings
        Draws of shape (draw, time, algorithm) that sum to one over algorithms.
    names
        The names of the algorithms.
    grid
        The times.
    joint
        Whether each draw is joint over all times. Priors that treat times independently give the posterior of each time
        alone; queries about several times at once then raise an error.
    diagnostics
        How the draws were computed and whether they are reliable.
    prior
        A description of the prior.
    instances
        The number of instances that the posterior is based on.
    outcomes
        The weighted instances behind ratings and win rates; None under the Plackett-Luce priors.
    scope
        What the answer generalises to, such as "to new functions, based on 24 functions with 360 instances".
    comparisons
        Number of instances on which each algorithm was observed together with another one, shape (time, algorithm). Where
        it is zero, draws come from the prior, and nothing is claimed about the algorithm. None if unknown, as in files of
        older versions; then every algorithm counts as observed at every time.
    """

    ratings: Array
    names: tuple[str, ...]
    grid: Grid
    joint: bool
    diagnostics: Diagnostics
    prior: str
    instances: int
    outcomes: OutcomeDraws | None = None
    scope: str = ""
    comparisons: Indices | None = None

    def __post_init__(self) -> None:
        ratings = np.asarray(self.ratings, dtype=np.float64)
        expected = (len(self.grid), len(self.names))
        if ratings.ndim != 3 or ratings.shape[1:] != expected or len(ratings) == 0:
            raise ValueError(
                f"expected ratings of shape (draw, {expected[0]} times, {expected[1]} algorithms), got {ratings.shape}"
            )
        if ratings.flags.writeable:
            ratings = ratings.copy()
            ratings.flags.writeable = False
        object.__setattr__(self, "ratings", ratings)
        if self.comparisons is not None and np.shape(self.comparisons) != expected:
            raise ValueError(
                f"expected comparisons of shape ({expected[0]} times, {expected[1]} algorithms), got "
                f"{np.shape(self.comparisons)}"
            )

    def __repr__(self) -> str:
        trust = "reliable" if self.diagnostics.reliable else "NOT reliable"
        return (
            f"Posterior({len(self.names)} algorithms, {len(self.grid)} times, {self.instances} instances, "
            f"{len(self.ratings)} draws, {self.prior}, {trust})"
        )

    @property
    def observed(self) -> Mask:
        """Whether each algorithm was observed together with another one at each time, shape (time, algorithm)."""
        if self.comparisons is None:
            return np.ones(self.ratings.shape[1:], dtype=np.bool_)
        return np.asarray(self.comparisons > 0)

    @property
    def observed_pairs(self) -> Mask:
        """Whether both algorithms of each pair were observed at each time, shape (time, algorithm, algorithm)."""
        return np.asarray(self.observed[:, :, None] & self.observed[:, None])

    def win_rates(self, first: int, second: int) -> NDArray[np.floating[Any]]:
        """Return draws of the win rate of one algorithm over another, shape (time, draw).

        Both algorithms are given by their position in `names`.
        """
        if self.outcomes is not None:
            return self.outcomes.win_rates(first, second)
        one, other = self.ratings[..., first].T, self.ratings[..., second].T
        total = one + other
        # Both ratings may round to zero, above all in a thinned file; the win rate is then unknown and set to ½.
        return np.divide(one, total, out=np.full_like(total, 0.5), where=total > 0)

    def all_win_rates(self, dtype: DTypeLike = np.float64) -> NDArray[Any]:
        """Return draws of the win rates of all pairs, row over column, shape (draw, time, algorithm, algorithm)."""
        algorithms = len(self.names)
        rates = np.full((*self.ratings.shape, algorithms), 0.5, dtype=dtype)
        for a, b in zip(*np.triu_indices(algorithms, 1), strict=True):
            rates[..., a, b] = self.win_rates(int(a), int(b)).T
            rates[..., b, a] = 1 - rates[..., a, b]
        return rates

    def require_joint(self, question: str) -> None:
        """Raise a ValueError unless draws are joint over time, as queries about several times at once require."""
        if not self.joint:
            raise ValueError(
                f"expected draws joint over time for {question}, but the prior {self.prior} treats each time alone; "
                "fit with BayesianBootstrap or a temporal prior such as RandomWalk, or use what needs no joint draws: "
                "dominance(...), "
                "pareto_set(..., elimination='pointwise')"
            )

    def summary(self, level: float = 0.95) -> Summary:
        """Return the posterior mean and the central credible interval of each rating at each time."""
        if not 0 < level < 1:
            raise ValueError(f"expected a level between 0 and 1, got {level!r}")
        tail = (1 - level) / 2
        ends = np.empty((2, *self.ratings.shape[1:]))
        for t in range(self.ratings.shape[1]):  # time by time, since quantiles need a copy of the draws
            ends[:, t] = draw_quantiles(np.ascontiguousarray(self.ratings[:, t].T), [tail, 1 - tail])
        lower, upper = ends
        return Summary(self.ratings.mean(axis=0), lower, upper, level)

    def thin(self, draws: int) -> Posterior:
        """Return a posterior with at most `draws` draws, evenly spaced among all draws (which are in random order)."""
        if draws < 1:
            raise ValueError(f"expected at least 1 draw, got {draws!r}")
        if draws >= len(self.ratings):
            return self
        keep = np.linspace(0, len(self.ratings) - 1, draws).astype(int)
        outcomes = None if self.outcomes is None else self.outcomes.thin(keep)
        return replace(self, ratings=self.ratings[keep], outcomes=outcomes)

    def to_table(self, level: float = 0.95) -> Table:
        """Return one row per time and algorithm: its rating, the credible interval, and the probability of being best.

        They are NaN where the algorithm was not observed. The last column is the number of comparisons, if it is known.
        """
        summary, observed = self.summary(level), self.observed
        times, algorithms = summary.mean.shape
        best = np.zeros((times, algorithms))
        for t in range(times):  # the data of one time stay in cache
            if (known := np.flatnonzero(observed[t])).size:
                best[t, known] = probability_best(self.ratings[:, t][:, known])
        rating, lower, upper, leads = (
            np.where(observed, each, np.nan).ravel() for each in (summary.mean, summary.lower, summary.upper, best)
        )
        table: Table = {
            "algorithm_name": list(self.names) * times,
            "time": np.repeat(self.grid.times, algorithms),
            "rating": rating,
            "lower": lower,
            "upper": upper,
            "level": np.full(times * algorithms, level),
            "probability_best": leads,
        }
        return table if self.comparisons is None else {**table, "comparisons": self.comparisons.ravel()}

    def to_frame(self, level: float = 0.95, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow; for pairs see `pb.relations`."""
        return as_frame(self.to_table(level), backend)

    def _repr_html_(self) -> str:
        summary, table = self.summary(), {"algorithm_name": list(self.names)}
        for t in sorted({0, len(self.grid) // 2, len(self.grid) - 1}):
            at_time = zip(*(100 * each[t] for each in (summary.mean, summary.lower, summary.upper)), strict=True)
            name = f"at {format_number(self.grid.times[t])}"
            table[name] = [f"{mean:.0f} % ({lower:.0f} to {upper:.0f} %)" for mean, lower, upper in at_time]
        return as_html(
            table,
            title="Ratings: on how many instances each algorithm comes first, with 95 % intervals",
            notes=(f"{'Reliable' if self.diagnostics.reliable else 'Not reliable'}. {self.diagnostics.message}",)
            + ((f"Ratings generalise {self.scope}.",) if self.scope else ()),
        )

    def to_xarray(self) -> Any:
        """Return ratings and win rates as an `xarray.Dataset`.

        Ratings have the axes (chain, draw, time, algorithm), with a single chain. Win rates have the additional axis
        `other`: the share of instances on which `algorithm` beats `other`, in single precision. They are omitted if they
        would take more than 400 MB; thin the posterior first to include them. Needs the extra `polarbear-anytime[arviz]`.
        """
        from polarbear.posterior.arviz_data import as_dataset

        draws, times, algorithms = self.ratings.shape
        few = 4 * draws * times * algorithms**2 <= _LARGEST_BYTES
        about = {
            "prior": self.prior,
            "method": self.diagnostics.method,
            "diagnostics": self.diagnostics.message,
            "scope": self.scope,
        }
        rates = self.all_win_rates(np.float32) if few else None
        return as_dataset(self.ratings, self.grid.times, self.names, about, rates)

    def to_arviz(self) -> Any:
        """Return `to_xarray` as the group `posterior` of the container that ArviZ uses.

        This is `arviz.InferenceData` if ArviZ 0.x is installed. Otherwise it is `xarray.DataTree`, as in ArviZ 1.
        """
        from polarbear.posterior.arviz_data import as_inference_data

        return as_inference_data(self.to_xarray())

    def save(self, path: str | PathLike[str], *, draws: int | None = None) -> None:
        """Write the posterior to a NumPy archive of plain arrays and JSON, without pickle.

        Parameters
        ----------
        path
            The file to write.
        draws
            For deployment: store at most this number of draws, to five digits, in a file that loads quickly. By default
            all draws are stored exactly.
        """
        kept = self if draws is None else self.thin(draws)
        write_fields(path, {each.name: getattr(kept, each.name) for each in fields(kept)}, short=draws is not None)

    @staticmethod
    def load(path: str | PathLike[str]) -> Posterior:
        """Read a posterior that `save` wrote; any other file raises a ValueError that says why."""
        stored = read_fields(path)
        try:
            return Posterior(**stored)
        except ValueError as error:
            raise ValueError(f"{path} is a damaged posterior file: {error}") from error


def ratings_from_utilities(utilities: Array) -> Array:
    """Return the ratings θ = softmax(μ), shape (draw, time, algorithm), of utilities μ, shape (time, algorithm, draw).

    Draws are contiguous in memory, because most queries of a posterior are means over draws.
    """
    ratings = np.empty(utilities.shape)
    for mu, theta in zip(utilities, ratings, strict=True):  # the arrays of one time fit in the cache
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
