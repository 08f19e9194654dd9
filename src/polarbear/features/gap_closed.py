"""The share of the gap between the single best and the virtual best algorithm that a policy closes at each budget.

This is how algorithm selection scores selectors: 0 % is as good as one algorithm for all instances, 100 % as good as knowing
the best algorithm of every instance. Both the policy and the single best are chosen by the win rate against the strongest
rival, without the instances on which they are scored (cross-validation over clusters). The scores count first places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.features.group_values import evaluate_group
from polarbear.features.held_out import random_folds
from polarbear.features.scores import subset_scores
from polarbear.features.training_set import make_training_set
from polarbear.features.tree import grow_tree
from polarbear.selection.risk import Expected
from polarbear.table import as_frame, as_html
from polarbear.wording import percent, with_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polarbear.arrays import Array, Array32, Indices
    from polarbear.features.feature import Feature
    from polarbear.features.reading import FeatureSource
    from polarbear.features.scores import Scores
    from polarbear.features.table import FeatureTable
    from polarbear.literals import FrameLibrary
    from polarbear.magnitude.collection import Source
    from polarbear.observe import Grid
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk
    from polarbear.table import Table

    # From the scores of the training instances, their rows and those to choose for, to algorithms (instance, budget).
    Selector = Callable[[Scores, Indices, Indices, np.random.Generator], Indices]

_DRAWS = 2000
_LEAST_GAP = 0.01  # between single best and virtual best, in first places; a share of a smaller gap is noise


@dataclass(frozen=True, eq=False)
class GapClosed:
    """How much of the gap between single best and virtual best a policy closes on instances that it was not learned from.

    Attributes
    ----------
    grid
        The budgets.
    closed, lower, upper
        Shape (budget,): the share of the gap at each budget, and its interval; NaN where there is hardly a gap.
    overall, overall_lower, overall_upper
        The same for the preference as a whole.
    standard_error
        The standard deviation of the draws of `overall`.
    following, single, virtual
        Shape (budget,): the share of first places of the policy, of the single best algorithm at this budget, and of the
        virtual best. The latter is below one where algorithms tie.
    level
        The level of the intervals.
    unit
        The unit of budgets; may be empty.
    """

    grid: Grid
    closed: Array
    lower: Array
    upper: Array
    overall: float
    overall_lower: float
    overall_upper: float
    standard_error: float
    following: Array
    single: Array
    virtual: Array
    level: float
    unit: str

    @property
    def sentence(self) -> str:
        """The share for the preference as a whole, and the range over the budgets."""
        if np.isnan(self.overall):
            return "There is hardly a gap to close: one algorithm comes first on nearly all instances."
        text = (
            f"The policy closes {percent(self.overall)} ({percent(self.overall_lower)} to {percent(self.overall_upper)}) of "
            "the gap between the single best and the virtual best algorithm, on instances that it was not learned from"
        )
        known = np.flatnonzero(~np.isnan(self.closed))
        best, worst = known[self.closed[known].argmax()], known[self.closed[known].argmin()]
        where = [f"{percent(self.closed[k])} at {with_unit(self.grid.budgets[k], self.unit)}" for k in (best, worst)]
        return f"{text}: at best {where[0]}, at worst {where[1]}."

    def to_table(self) -> Table:
        """Return one row per budget."""
        names = ("closed", "lower", "upper", "following", "single", "virtual")
        return {"budget": self.grid.budgets} | {name: getattr(self, name) for name in names}

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        return as_html(self.to_table(), title=self.sentence)

    def __repr__(self) -> str:
        return f"GapClosed({self.sentence})"


def gap_closed(
    source: Source,
    features: FeatureSource | Sequence[FeatureTable] | None = None,
    preference: Preference | None = None,
    risk: Risk | None = None,
    *,
    among: Sequence[str] | None = None,
    depth: int = 2,
    confidence: float = 0.95,
    level: float = 0.95,
    seed: int = 0,
    **reading: Any,
) -> GapClosed:
    """Return how much of the gap between single best and virtual best a policy closes, cross-validated over clusters.

    Parameters
    ----------
    source, features, preference, risk, among, depth, confidence, seed, **reading
        As for `policy`.
    level
        The level of the intervals, from the Bayesian bootstrap over clusters.
    """
    training = make_training_set(source, features, preference=preference, among=among, **reading)
    select = tree_selector(training.features, Expected() if risk is None else risk, depth=depth, confidence=confidence)
    rng = np.random.default_rng(seed)
    return score_selector(training.scores, select, unit=training.runs.unit, level=level, rng=rng)


def tree_selector(features: Sequence[Feature], risk: Risk, *, depth: int = 2, confidence: float = 0.95) -> Selector:
    """Return the selector that learns a policy; see `score_selector`."""

    def select(scores: Scores, rows: Indices, held_out: Indices, rng: np.random.Generator) -> Indices:
        tree = grow_tree(scores, [each.take(rows) for each in features], depth=depth, level=1 - confidence, rng=rng)
        by_name = {each.name: each.take(held_out) for each in features}
        for_all = evaluate_group(scores, tree.rows, risk)
        choices = np.empty((len(held_out), len(scores.grid)), dtype=np.intp)
        for leaf, inside in tree.assign(by_name, np.arange(len(held_out))):
            choices[inside] = evaluate_group(scores, leaf.rows, risk, for_all=for_all).scores.argmax(axis=1)
        return choices

    return select


def score_selector(
    scores: Scores, select: Selector, *, unit: str = "", level: float = 0.95, rng: np.random.Generator
) -> GapClosed:
    """Return the gap that any selector closes, in ten-fold cross-validation over clusters.

    Parameters
    ----------
    scores
        First places on all instances.
    select
        Called as select(scores of the training instances, their rows, held-out rows, rng); returns the position of the
        chosen algorithm for each held-out instance and budget.
    """
    fold_of = random_folds(scores.clusters, rng)
    chosen = np.empty(scores.weights.shape, dtype=np.intp)
    single = np.empty(scores.weights.shape, dtype=np.intp)
    for fold in range(int(fold_of.max()) + 1):
        rows, held_out = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
        training = subset_scores(scores, rows)
        chosen[held_out] = select(training, rows, held_out, rng)
        single[held_out] = evaluate_group(training, np.arange(len(rows))).scores.argmax(axis=1)
    value = [np.take_along_axis(scores.at_budgets, each[..., None], axis=2)[..., 0] for each in (chosen, single)]
    return _summarise(scores, value[0], value[1], scores.at_budgets.max(axis=2), unit=unit, level=level, rng=rng)


def _summarise(
    scores: Scores,
    following: Array32,
    single: Array32,
    virtual: Array32,
    *,
    unit: str,
    level: float,
    rng: np.random.Generator,
) -> GapClosed:
    """Return shares of the gap from values of shape (instance, budget), with intervals over clusters."""
    _, codes = np.unique(scores.clusters, return_inverse=True)
    drawn = rng.standard_exponential((_DRAWS, int(codes.max()) + 1))[:, codes]
    gained, gap = (scores.weights * (each - single) for each in (following, virtual))
    total = np.maximum(scores.weights.sum(axis=0), 1e-12)
    closed, drawn_closed = (
        _ratio(gained.sum(axis=0), gap.sum(axis=0), total),
        _ratio(drawn @ gained, drawn @ gap, total),
    )
    of_budget = scores.of_budget / total
    whole = _ratio((gained @ of_budget).sum(), (gap @ of_budget).sum(), 1.0)
    drawn_whole = _ratio(drawn @ (gained @ of_budget), drawn @ (gap @ of_budget), 1.0)
    tails = [(1 - level) / 2, (1 + level) / 2]
    lower, upper = np.quantile(drawn_closed, tails, axis=0)
    ends = np.quantile(drawn_whole, tails)
    means = [(scores.weights * each).sum(axis=0) / total for each in (following, single, virtual)]
    return GapClosed(
        grid=scores.grid,
        closed=closed,
        lower=np.where(np.isnan(closed), np.nan, lower),
        upper=np.where(np.isnan(closed), np.nan, upper),
        overall=float(whole),
        overall_lower=float(ends[0]),
        overall_upper=float(ends[1]),
        standard_error=float(drawn_whole.std()),
        following=means[0],
        single=means[1],
        virtual=means[2],
        level=level,
        unit=unit,
    )


def _ratio(gained: Any, gap: Any, total: Any) -> Array:
    """Return gained / gap; NaN where the gap is hardly positive."""
    enough = np.asarray(gap / total > _LEAST_GAP)
    ratio: Array = np.divide(gained, gap, out=np.full(np.shape(gap), np.nan), where=enough)
    return ratio
