"""The paper's three examples: the kind of ground truth of each, one draw of that kind, and the prior of its race."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import polarbear as pb
from case_studies.synthetic.ground_truth import GroundTruth
from case_studies.synthetic.racing import ROPE

if TYPE_CHECKING:
    from collections.abc import Callable


_SHORTER = pb.InverseGamma(5.0, 2.0)
_CLEAR = 0.65  # a win probability that is decided with few instances
_CLOSE = (0.55, 0.62)  # outside the region of practical equivalence, but close to it


@dataclass(frozen=True)
class Example:
    """One example.

    Attributes
    ----------
    title, about
        The title of the example, and a caption.
    algorithms, budgets
        The numbers of algorithms and times.
    prior
        The prior of the race.
    is_kind
        Returns whether a ground truth is of the paper's kind.
    seed
        The first seed that gives such a truth.
    paper
        The paper's truth and its results.
    """

    title: str
    about: str
    algorithms: int
    budgets: int
    prior: pb.models.Prior
    is_kind: Callable[[GroundTruth], bool]
    seed: int
    paper: dict[str, str]

    @property
    def truth(self) -> GroundTruth:
        """The ground truth of the stored seed."""
        return GroundTruth.draw(self.seed, algorithms=self.algorithms, budgets=self.budgets)

    def search(self) -> int:
        """Return the first seed whose ground truth is of this kind."""
        return next(
            seed
            for seed in count()
            if self.is_kind(GroundTruth.draw(seed, algorithms=self.algorithms, budgets=self.budgets))
        )


def crossing(truth: GroundTruth) -> bool:
    """Return whether A and B cross, with B ahead by little, and A dominates the others, one of them narrowly."""
    if truth.pareto_set != ("A", "B"):
        return False
    wins = truth.least_win
    narrow = sorted(wins[0, 2:].tolist())
    ahead = 1 - wins[0, 1]  # the most that B wins against A
    return bool(_CLOSE[0] < ahead < _CLEAR and _CLOSE[0] < narrow[0] < _CLOSE[1] and narrow[1] > _CLEAR)


def one_winner(truth: GroundTruth) -> bool:
    """Return whether A dominates all others, and B comes close to it only near the end."""
    if truth.pareto_set != ("A",):
        return False
    wins = truth.least_win
    margin = truth.utilities[:, 0] - truth.utilities[:, 1]
    late = margin.argmin() > 0.8 * len(margin)
    return bool(late and _CLOSE[0] < wins[0, 1] < _CLOSE[1] + 0.05 and wins[0, 2:].min() > _CLEAR)


def near_equivalence(truth: GroundTruth) -> bool:
    """Return whether four algorithms form the Pareto set, four are clearly dominated and two narrowly.

    A narrowly dominated algorithm is within the region of practical equivalence at some time.
    """
    dominated = [len(truth.clearly_dominated(margin)) for margin in (_CLEAR - 0.5, ROPE)]
    return len(truth.pareto_set) == 4 and dominated == [4, 4]


EXAMPLES = (
    Example(
        "Example 1: crossing trajectories",
        "Five algorithms; A and B cross by a little, A dominates C, D and E. Exact Gaussian process.",
        algorithms=5,
        budgets=20,
        prior=pb.GaussianProcess(lengthscale=_SHORTER),
        is_kind=crossing,
        seed=16,
        paper={
            "truth": "A, B",
            "found": "A, B",
            "rounds": "9",
            "instances": "328",
            "drops": "E 8, C 16, D 136 instances, all by A",
        },
    ),
    Example(
        "Example 2: a single winner",
        "Ten algorithms; A dominates all, B narrowly near the end. Hilbert-space approximation.",
        algorithms=10,
        budgets=100,
        prior=pb.HilbertSpaceGP(lengthscale=_SHORTER),
        is_kind=one_winner,
        seed=104,
        paper={
            "truth": "A",
            "found": "A",
            "rounds": "3",
            "instances": "32",
            "drops": "all but B after 8 instances, B after 32",
        },
    ),
    Example(
        "Example 3: near-equivalence",
        "Ten algorithms, four in the Pareto set; two that are dominated come within the region of practical equivalence of "
        "those that dominate them. Ten inducing points.",
        algorithms=10,
        budgets=50,
        prior=pb.SparseGaussianProcess(inducing=10, lengthscale=_SHORTER),
        is_kind=near_equivalence,
        seed=47,
        paper={
            "truth": "A, C, D, H",
            "found": "A, C, D, G, H, J",
            "rounds": "9",
            "instances": "280",
            "drops": "B, E, F, I after 8 instances",
        },
    ),
)
