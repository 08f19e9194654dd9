"""The settings of a race: everything that its decisions depend on, except the runs.

The fields are declared here once. race.toml, its JSON schema, the options of `polarbear race` and the checks of values
follow from their types, defaults and descriptions.
"""

from dataclasses import dataclass, field, fields
from typing import Annotated

from annotated_types import Ge, Gt, Le, Lt

from polarbear.declared import check_fields
from polarbear.defaults import CONFIDENCE, RELATIVE_TOLERANCE
from polarbear.inference.request import check_request
from polarbear.literals import Clock, Dominance, Failure, Method, Specialists, Until
from polarbear.models import BayesianBootstrap, Prior, is_joint
from polarbear.observe import Grid, as_grid
from polarbear.observe.grid import whole_numbers
from polarbear.race.batching import AdaptiveBatch, Batch, FixedBatch


@dataclass(frozen=True)
class Settings:
    """The settings of a race.

    Parameters
    ----------
    grid
        The budgets at which algorithms are compared.
    clock
        The unit of budgets: evaluations or seconds.
    maximise
        Whether higher values are better.
    seed
        Seed of all randomness in the race.
    confidence
        The probability from which a relation counts as decided.
    guarantee
        The largest probability of any wrong drop in the whole race, whatever the model. With a guarantee, e-values
        (`polarbear.posterior.e_values`) drop algorithms, and not the posterior. A pair that may still end in a drop stays
        undecided, so that races take longer.
    groups
        A feature: drop an algorithm only if it is beaten within every group of instances by this feature, too. It must be
        beaten at every budget within each group, with the probability `confidence`. Groups borrow from each other, see
        `fit_groups`.
    margin
        Win rates within this distance of one half are equal: 0.05 for 45 to 55 %.
    until
        Go on until no drop is likely (set), each pair is decided (pairs), or at every budget (every-budget). "set" and
        "pairs" also decide a pair at all budgets as soon as each algorithm is known to beat the other at some budget.
        "every-budget" decides a pair at a budget when one algorithm beats the other or both are equal there.
    patience
        Leave a pair undecided at budgets that need more than this many further instances. The number is forecast from 32
        instances on: nothing runs for the sake of such a pair. Nearly equal algorithms may need thousands of instances. A
        pair that may well end in a drop within the patience is not left.
    specialists
        Keep or drop an algorithm that is beaten at every budget, but comes first more often than its rival. See
        `polarbear.posterior.elimination`.
    dominance
        Drop an algorithm that is beaten at each budget (pointwise), or at all budgets at once (joint). "joint" needs draws
        that are joint over budgets, which all priors except the Dirichlet priors have.
    prior
        The prior: a name, or a table with its parameters.
    method
        How the posterior is computed: auto, nested-laplace, hmc, gibbs, laplace, nuts, advi, advi-fullrank or pathfinder.
    draws
        Number of posterior draws.
    batch
        Number of instances per round: a number, or a table with limits; from 8 to 128 by default.
    failure
        How a failed run counts from its failure on: it ranks last, is missing, or the race stops (raise).
    absolute_tolerance
        Values that differ by at most this much are ties.
    relative_tolerance
        Values that differ by at most this share of the better one are ties.
    common_random_numbers
        Whether all algorithms get the same seed on an instance.
    """

    grid: Grid
    clock: Clock = "evaluations"
    maximise: bool = False
    seed: Annotated[int, Ge(0)] = 0
    confidence: Annotated[float, Gt(0.5), Le(1)] = CONFIDENCE
    guarantee: Annotated[float, Gt(0), Le(0.5)] | None = None
    groups: str | None = None
    margin: Annotated[float, Ge(0), Lt(0.5)] = 0.05
    until: Until = "set"
    patience: Annotated[int, Ge(1)] | None = None
    specialists: Specialists = "drop"
    dominance: Dominance = "pointwise"
    prior: Prior = field(default_factory=BayesianBootstrap)
    method: Method = "auto"
    draws: Annotated[int, Ge(1)] = 4000
    batch: Batch = field(default_factory=AdaptiveBatch)
    failure: Failure = "last"
    absolute_tolerance: Annotated[float, Ge(0)] = 0.0
    relative_tolerance: Annotated[float, Ge(0)] = RELATIVE_TOLERANCE
    common_random_numbers: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", as_grid(self.grid))
        if self.clock == "evaluations":
            object.__setattr__(self, "grid", whole_numbers(self.grid))
        if self.grid.budgets[0] <= 0:
            raise ValueError(
                f"expected a grid that begins above 0, got {self.grid.budgets[0]:g} as its first budget, with which nothing "
                "can run; leave that budget out"
            )
        # `check_request` knows which methods the prior has.
        check_fields(self, {each.name: each.type for each in fields(self) if each.name not in ("method", "draws")})
        if self.groups == "" or not isinstance(self.groups, str | None):
            raise ValueError(f"expected the name of a feature for groups, got {self.groups!r}; use a text, or None")
        if self.groups is not None and not isinstance(self.prior, BayesianBootstrap):
            raise ValueError(
                f"expected prior=BayesianBootstrap() with groups={self.groups!r}, got {self.prior!r}, under which groups "
                "cannot borrow from each other; use that prior, or leave groups out"
            )
        if not isinstance(self.batch, AdaptiveBatch | FixedBatch):
            raise ValueError(f"expected batch as AdaptiveBatch(8, 128), FixedBatch(10) or similar, got {self.batch!r}")
        check_request(self.prior, self.method, self.draws, budgets=len(self.grid))
        if self.dominance == "joint" and not is_joint(self.prior):
            raise ValueError(
                "dominance='joint' compares algorithms at all budgets at once; expected a prior with joint draws, got "
                f"{self.prior!r}, which treats each budget alone; use dominance='pointwise', or a prior such as "
                "BayesianBootstrap() or RandomWalk()"
            )
        if 0 < self.draws * (1 - self.confidence) < 1:
            raise ValueError(
                f"expected enough draws to distinguish a probability of {self.confidence} from certainty, got "
                f"{self.draws}; use at least {round(10 / (1 - self.confidence))} draws, or a lower confidence"
            )
