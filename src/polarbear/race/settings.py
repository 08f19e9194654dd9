"""The settings of a race: everything that its decisions depend on, except the runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, get_args

from polarbear.defaults import CONFIDENCE, RELATIVE_TOLERANCE
from polarbear.inference.request import check_request
from polarbear.literals import Clock, Dominance, Failure, Specialists, Until
from polarbear.models import BayesianBootstrap, Prior, is_joint
from polarbear.models.validation import is_number, require_count
from polarbear.observe import as_grid
from polarbear.observe.grid import whole_numbers
from polarbear.race.batching import AdaptiveBatch, Batch, FixedBatch

if TYPE_CHECKING:
    from polarbear.literals import Method
    from polarbear.observe import Grid


@dataclass(frozen=True)
class Settings:
    """The settings of a race.

    Parameters
    ----------
    grid
        The budgets at which algorithms are compared.
    prior, method, draws
        How the posterior is inferred, with the same defaults as in `fit`.
    dominance
        "joint": an algorithm is dropped when another one beats it at all budgets at once with probability
        `confidence`. This needs draws that are joint over time, which all priors except the Dirichlet priors have.
        "pointwise": an algorithm is dropped when another one beats it at each single budget with that probability.
    until
        "every-budget": a pair is decided at a budget when one beats the other or both are equivalent. "pairs": a pair is
        also decided at all budgets as soon as each is known to beat the other at some budget. "set": as "pairs", and
        the race stops once it is unlikely to drop another algorithm on further instances.
    confidence
        α, the probability at which a relation is decided.
    margin
        ε, half the width of the region of practical equivalence of the win rate around one half.
    batch
        The number of instances per round.
    seed
        The seed of all randomness of the race.
    clock
        The unit of budgets: "evaluations" or "seconds".
    maximise
        Whether higher values are better.
    failure
        The value of a failed run from its failure on: "last" (the worst value), "missing", or "raise" to stop the race.
    absolute_tolerance, relative_tolerance
        The tolerances within which values are tied, see `rank_values`.
    common_random_numbers
        Whether all algorithms get the same seed on an instance.
    guarantee
        δ: with probability at least 1 − δ no drop of the whole race is wrong, for any model. With a guarantee
        e-values (`polarbear.posterior.e_values`) decide what is dropped, instead of the posterior. A pair that may still
        end in a drop stays undecided, so that races take longer. None, the default: the posterior decides.
    patience
        Leave a pair undecided at the budgets at which it would take more than this many further instances, by a forecast
        from 32 instances on: nothing runs for its sake. Nearly equal algorithms may need thousands. A pair that may well
        end in a drop within the patience is not left. None, the default: the race continues until every pair
        is decided, or until a limit.
    specialists
        "drop": an algorithm is dropped if another one wins on most instances at every budget. "keep": only if the other
        one also comes first at least as often, see `polarbear.posterior.elimination`.
    groups
        The name of a feature of the instances. An algorithm is then dropped only if it is also beaten at every budget
        within every group of instances with the same value, with the probability `confidence`. Groups borrow from each
        other, see `fit_groups`. None, the default: groups do not matter.
    """

    grid: Grid
    prior: Prior = field(default_factory=BayesianBootstrap)
    dominance: Dominance = "pointwise"
    until: Until = "set"
    confidence: float = CONFIDENCE
    margin: float = 0.05
    batch: Batch = field(default_factory=AdaptiveBatch)
    seed: int = 0
    method: Method = "auto"
    draws: int = 4000
    clock: Clock = "evaluations"
    maximise: bool = False
    failure: Failure = "last"
    absolute_tolerance: float = 0.0
    relative_tolerance: float = RELATIVE_TOLERANCE
    common_random_numbers: bool = False
    guarantee: float | None = None
    patience: int | None = None
    specialists: Specialists = "drop"
    groups: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", as_grid(self.grid))
        if self.clock == "evaluations":
            object.__setattr__(self, "grid", whole_numbers(self.grid))
        if self.grid.budgets[0] <= 0:
            raise ValueError(
                f"expected a grid that begins above 0, got {self.grid.budgets[0]:g} as its first budget, by which nothing "
                "can have run; leave that budget out"
            )
        for name, allowed in (
            ("dominance", Dominance),
            ("specialists", Specialists),
            ("until", Until),
            ("clock", Clock),
            ("failure", Failure),
        ):
            value = getattr(self, name)
            if value not in get_args(allowed):
                options = ", ".join(map(repr, get_args(allowed)))
                raise ValueError(f"expected {name} to be one of {options}, got {value!r}")
        if not (is_number(self.confidence) and 0.5 < self.confidence <= 1):
            raise ValueError(f"expected confidence in (0.5, 1], got {self.confidence!r}; use a value such as 0.99")
        if not (is_number(self.margin) and 0 <= self.margin < 0.5):
            raise ValueError(f"expected margin in [0, 0.5), got {self.margin!r}; use a value such as 0.05")
        if self.guarantee is not None and not (is_number(self.guarantee) and 0 < self.guarantee <= 0.5):
            raise ValueError(
                f"expected guarantee in (0, 0.5], the probability of any wrong drop, got {self.guarantee!r}; "
                "use a value such as 0.05, or None to let the posterior decide"
            )
        if self.patience is not None:
            require_count("patience", self.patience, least=1)
        if self.groups == "" or not isinstance(self.groups, str | None):
            raise ValueError(f"expected the name of a feature for groups, got {self.groups!r}; use a text, or None")
        if self.groups is not None and not isinstance(self.prior, BayesianBootstrap):
            raise ValueError(
                f"expected prior=BayesianBootstrap() with groups={self.groups!r}, got {self.prior!r}, under which groups "
                "cannot borrow from each other; use that prior, or leave groups out"
            )
        if not isinstance(self.batch, AdaptiveBatch | FixedBatch):
            raise ValueError(f"expected batch as AdaptiveBatch(8, 128), FixedBatch(10) or similar, got {self.batch!r}")
        require_count("seed", self.seed, least=0)
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
