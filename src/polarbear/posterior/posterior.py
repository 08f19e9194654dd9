"""The posterior: joint draws of ratings and win rates over time, with names, grid and diagnostics.

It needs only NumPy, so that a stored posterior loads quickly on any machine.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from polarbear.observe import Grid
from polarbear.posterior.diagnostics import Diagnostics
from polarbear.posterior.outcome_draws import OutcomeDraws
from polarbear.version import __version__

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from polarbear.arrays import Array
    from polarbear.literals import Axis


# Utilities below −640 are compressed into (−700, −640): e⁻⁷⁰⁰ is representable in double precision, e⁻⁷⁵⁰ is not.
_DEEPEST, _SQUEEZED = -640.0, 60.0
_FORMAT = "polarbear-posterior"
# In version 1 win rates follow from the ratings. Version 2 adds the weighted instances that win rates are computed from.
_VERSION = 2


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
        What the answer generalises to, such as "to new functions, based on 24".
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

    def __post_init__(self) -> None:
        ratings = np.asarray(self.ratings, dtype=np.float64)
        expected = (len(self.grid), len(self.names))
        if ratings.ndim != 3 or ratings.shape[1:] != expected or len(ratings) == 0:
            raise ValueError(
                f"ratings must have shape (draw, {expected[0]} times, {expected[1]} algorithms), got {ratings.shape}"
            )
        if ratings.flags.writeable:
            ratings = ratings.copy()
            ratings.flags.writeable = False
        object.__setattr__(self, "ratings", ratings)

    def __repr__(self) -> str:
        trust = "reliable" if self.diagnostics.reliable else "NOT reliable"
        return (
            f"Posterior({len(self.names)} algorithms, {len(self.grid)} times, {self.instances} instances, "
            f"{len(self.ratings)} draws, {self.prior}, {trust})"
        )

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

    def require_joint(self, question: str) -> None:
        """Raise a ValueError unless draws are joint over time, as queries about several times at once require."""
        if not self.joint:
            raise ValueError(
                f"{question} is a question about all times at once, and the prior {self.prior} treats each time alone; "
                "fit with BayesianBootstrap or a temporal prior (BSpline, RandomWalk, GaussianProcess, "
                "SparseGaussianProcess, HilbertSpaceGP), or "
                "ask at each time: dominance(...), pareto_set(..., elimination='pointwise')"
            )

    def summary(self, level: float = 0.95) -> Summary:
        """Return the posterior mean and the central credible interval of each rating at each time."""
        if not 0 < level < 1:
            raise ValueError(f"level must lie between 0 and 1, got {level!r}")
        tail = (1 - level) / 2
        lower, upper = np.quantile(self.ratings, [tail, 1 - tail], axis=0)
        return Summary(self.ratings.mean(axis=0), lower, upper, level)

    def thin(self, draws: int) -> Posterior:
        """Return a posterior with at most `draws` draws, evenly spaced among all draws (which are in random order)."""
        if draws < 1:
            raise ValueError(f"draws must be at least 1, got {draws!r}")
        if draws >= len(self.ratings):
            return self
        keep = np.linspace(0, len(self.ratings) - 1, draws).astype(int)
        outcomes = None if self.outcomes is None else self.outcomes.thinned(keep)
        return replace(self, ratings=self.ratings[keep], outcomes=outcomes)

    def to_arviz(self) -> Any:
        """Return ratings and win rates as an `xarray.DataTree` with a `/posterior` group, the format of ArviZ.

        Ratings have the axes (chain, draw, time, algorithm), with a single chain. Win rates have the additional axis
        `other`: the share of instances on which `algorithm` beats `other`, in single precision. They are omitted if they
        would take more than 400 MB; thin the posterior first to include them. Needs the extra `polarbear[arviz]`.
        """
        try:
            import xarray as xr
        except ImportError as error:
            raise ImportError("to_arviz needs xarray: pip install 'polarbear[arviz]'") from error
        draws, times, algorithms = self.ratings.shape
        variables: dict[str, Any] = {"ratings": (("chain", "draw", "time", "algorithm"), self.ratings[None])}
        coordinates: dict[str, Any] = {
            "chain": [0],
            "draw": np.arange(draws),
            "time": self.grid.times,
            "algorithm": list(self.names),
        }
        if 4 * draws * times * algorithms**2 <= 400_000_000:
            rates = np.full((draws, times, algorithms, algorithms), 0.5, dtype=np.float32)
            for a, b in zip(*np.triu_indices(algorithms, 1), strict=True):
                rates[..., a, b] = self.win_rates(int(a), int(b)).T
                rates[..., b, a] = 1 - rates[..., a, b]
            variables["win_rates"] = (("chain", "draw", "time", "algorithm", "other"), rates[None])
            coordinates["other"] = list(self.names)
        about = {
            "prior": self.prior,
            "method": self.diagnostics.method,
            "diagnostics": self.diagnostics.message,
            "scope": self.scope,
        }
        dataset = xr.Dataset(variables, coords=coordinates, attrs=about)
        return xr.DataTree.from_dict({"/posterior": dataset})

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
        about = {
            "format": _FORMAT,
            "version": 1 if self.outcomes is None else _VERSION,
            "polarbear": __version__,
            "names": self.names,
            "axis": self.grid.axis,
            "joint": self.joint,
            "prior": self.prior,
            "instances": self.instances,
            "diagnostics": asdict(self.diagnostics),
            "scope": self.scope,
        }
        arrays = {}
        if kept.outcomes is not None:
            about["model_weight"], about["observed"] = kept.outcomes.model_weight, kept.outcomes.observed
            arrays = _outcome_arrays(kept.outcomes, short=draws is not None)
        text = np.frombuffer(json.dumps(about, allow_nan=True).encode(), dtype=np.uint8)
        write: Any = np.savez_compressed if draws is None else np.savez
        ratings = kept.ratings if draws is None else _packed(kept.ratings)
        with Path(path).open("wb") as file:
            write(file, ratings=ratings, times=self.grid.times, about=text, **arrays)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Posterior:
        """Read a posterior that `save` wrote; any other file raises a ValueError that says why."""
        if Path(path).is_dir():
            raise ValueError(f"{path} is not a posterior file but a folder")
        with Path(path).open("rb") as file:
            try:
                with np.load(file, allow_pickle=False) as archive:
                    about = json.loads(archive["about"].tobytes())
                    ratings, times = archive["ratings"], archive["times"]
                    arrays = {name: archive[name] for name in _OUTCOME_FIELDS if name in archive.files}
            except Exception as error:  # foreign and damaged files make the readers raise errors of many types
                raise ValueError(
                    f"{path} is not a posterior file that Posterior.save wrote, or it is damaged"
                ) from error
        if not isinstance(about, dict) or about.get("format") != _FORMAT:
            raise ValueError(f"{path} is not a posterior file that Posterior.save wrote")
        if about.get("version") not in range(1, _VERSION + 1):
            raise ValueError(
                f"{path} has format version {about.get('version')}, this PolarBear reads versions up to {_VERSION}; "
                "use the PolarBear that wrote it, or a newer one"
            )
        try:
            told = about["diagnostics"]
            told["hyperparameters"] = tuple((name, mean, spread) for name, mean, spread in told["hyperparameters"])
            told["elbo"] = tuple(told.get("elbo", ()))
            told.pop("effective_times", None)  # in files of older versions, from a correction that no longer exists
            shape = -1, len(times), len(about["names"])
            return cls(
                ratings=ratings if ratings.dtype == np.float64 else _unpacked(ratings).reshape(shape),
                names=tuple(about["names"]),
                grid=Grid(times, cast("Axis", about["axis"])),
                joint=bool(about["joint"]),
                diagnostics=Diagnostics(**told),
                prior=str(about["prior"]),
                instances=int(about["instances"]),
                outcomes=_outcomes_of(arrays, about, shape[1:]),
                scope=str(about.get("scope", "")),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} is a damaged posterior file: {error}") from error


_OUTCOME_FIELDS = ("ranks", "weights", "sizes", "scale", "utilities", "spread")


def _outcome_arrays(outcomes: OutcomeDraws, *, short: bool) -> dict[str, NDArray[Any]]:
    """Return the arrays of the weighted instances by name.

    If `short`, weights and utilities are stored in half precision, where a relative error of a thousandth is acceptable.
    """
    arrays = {name: getattr(outcomes, name) for name in _OUTCOME_FIELDS if getattr(outcomes, name) is not None}
    if short:
        # Relative to the largest weight of each draw, half precision is accurate to a thousandth.
        arrays["weights"] = (outcomes.weights / outcomes.weights.max(axis=0)).astype(np.float16)
        if outcomes.utilities is not None:
            arrays["utilities"] = outcomes.utilities.astype(np.float16)
    return arrays


def _outcomes_of(arrays: dict[str, NDArray[Any]], about: dict[str, Any], shape: tuple[int, int]) -> OutcomeDraws | None:
    if "weights" not in arrays:
        return None
    if arrays["ranks"].shape[1:] != shape or arrays["weights"].shape[0] != len(arrays["ranks"]):
        raise ValueError(f"ranks of shape {arrays['ranks'].shape} and weights of shape {arrays['weights'].shape}")
    weights = arrays["weights"].astype(np.float32)
    utilities = arrays.get("utilities")
    return OutcomeDraws(
        ranks=arrays["ranks"].astype(np.int16),
        weights=weights / weights.sum(axis=0),
        sizes=arrays["sizes"].astype(np.float64),
        observed=int(about["observed"]),
        scale=arrays.get("scale"),
        utilities=None if utilities is None else utilities.astype(np.float32),
        model_weight=float(about["model_weight"]),
        spread=arrays.get("spread"),
    )


def _packed(ratings: Array) -> NDArray[np.uint8]:
    """Return the upper three bytes of ratings in single precision, rounded.

    The lowest byte does not compress and carries no information.
    """
    bits = np.ascontiguousarray(ratings, dtype="<f4").view("<u4") + np.uint32(0x80)
    return bits.view(np.uint8).reshape(-1, 4)[:, 1:]


def _unpacked(packed: NDArray[np.uint8]) -> Array:
    if packed.dtype != np.uint8 or packed.ndim != 2 or packed.shape[1] != 3:
        raise ValueError(f"ratings of type {packed.dtype} and shape {packed.shape}")
    whole = np.zeros((len(packed), 4), dtype=np.uint8)
    whole[:, 1:] = packed
    return whole.view("<f4").astype(np.float64)


def ratings_from_utilities(utilities: Array) -> Array:
    """Return the ratings θ = softmax(μ), shape (draw, time, algorithm), of utilities μ, shape (time, algorithm, draw).

    Draws are contiguous in memory, because most queries of a posterior are means over draws.
    """
    ratings = np.empty(utilities.shape)
    for mu, theta in zip(utilities, ratings, strict=True):  # the arrays of one time fit in the cache
        np.exp(_in_range(mu - mu.max(axis=0)), out=theta)
        theta /= theta.sum(axis=0)
    ratings.flags.writeable = False
    return ratings.transpose(2, 0, 1)


def _in_range(centred: Array) -> Array:
    """Compress non-positive utilities whose exponentials would underflow to zero, so that their order is preserved."""
    if centred.min() >= _DEEPEST:
        return centred
    beyond = np.maximum(_DEEPEST - centred, 0.0)
    squeezed: Array = np.maximum(centred, _DEEPEST) - beyond / (1 + beyond / _SQUEEZED)
    return squeezed
