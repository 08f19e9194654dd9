"""The paper's three examples: what kind of ground truth each has, one of that kind, and how it is raced."""

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
_CLEAR = 0.65  # a win probability that few instances show
_CLOSE = (0.55, 0.62)  # outside the region of equivalence, and yet hard to see


@dataclass(frozen=True)
class Example:
    """One example.

    Attributes
    ----------
    title, about
        What it shows.
    algorithms, times
        Its size.
    prior
        That the race supposes.
    is_kind
        Whether a ground truth is of the paper's kind.
    seed
        The first that gives such a truth.
    paper
        What the paper found: its truth, its result, rounds and instances.
    """

    title: str
    about: str
    algorithms: int
    times: int
    prior: pb.models.Prior
    is_kind: Callable[[GroundTruth], bool]
    seed: int
    paper: dict[str, str]

    @property
    def truth(self) -> GroundTruth:
        """The ground truth of the stored seed."""
        return GroundTruth.draw(self.seed, algorithms=self.algorithms, times=self.times)

    def search(self) -> int:
        """The first seed whose ground truth is of this kind."""
        return next(
            seed
            for seed in count()
            if self.is_kind(GroundTruth.draw(seed, algorithms=self.algorithms, times=self.times))
        )


def crossing(truth: GroundTruth) -> bool:
    """A and B cross, B ahead by little; A dominates the others, one of them narrowly."""
    if truth.pareto_set != ("A", "B"):
        return False
    wins = truth.least_win
    narrow = sorted(wins[0, 2:].tolist())
    ahead = 1 - wins[0, 1]  # the most that B wins against A
    return bool(_CLOSE[0] < ahead < _CLEAR and _CLOSE[0] < narrow[0] < _CLOSE[1] and narrow[1] > _CLEAR)


def one_winner(truth: GroundTruth) -> bool:
    """A dominates all; B comes close to it only near the end."""
    if truth.pareto_set != ("A",):
        return False
    wins = truth.least_win
    margin = truth.utilities[:, 0] - truth.utilities[:, 1]
    late = margin.argmin() > 0.8 * len(margin)
    return bool(late and _CLOSE[0] < wins[0, 1] < _CLOSE[1] + 0.05 and wins[0, 2:].min() > _CLEAR)


def near_equivalence(truth: GroundTruth) -> bool:
    """A Pareto set of four, two that are dominated but within the region of equivalence somewhere, four clearly out."""
    inside = len(truth.pareto_set)
    out = len(truth.clearly_dominated(_CLEAR - 0.5))
    return inside == 4 and out == 4 and len(truth.clearly_dominated(ROPE)) == 4


EXAMPLES = (
    Example(
        "Example 1: crossing trajectories",
        "Five algorithms; A and B cross by a little, A dominates C, D and E. Exact Gaussian process.",
        algorithms=5,
        times=20,
        prior=pb.GaussianProcess(lengthscale=_SHORTER),
        is_kind=crossing,
        seed=16,
        paper={
            "truth": "A, B",
            "found": "A, B",
            "rounds": "9",
            "instances": "328",
            "eliminations": "E 8, C 16, D 136 instances, all by A",
        },
    ),
    Example(
        "Example 2: a single winner",
        "Ten algorithms; A dominates all, B narrowly near the end. Hilbert-space approximation.",
        algorithms=10,
        times=100,
        prior=pb.HilbertSpaceGP(lengthscale=_SHORTER),
        is_kind=one_winner,
        seed=104,
        paper={
            "truth": "A",
            "found": "A",
            "rounds": "3",
            "instances": "32",
            "eliminations": "all but B after 8 instances, B after 32",
        },
    ),
    Example(
        "Example 3: near-equivalence",
        "Ten algorithms, four in the Pareto set; two that are dominated come within the region of practical equivalence of "
        "those that dominate them. Ten inducing points.",
        algorithms=10,
        times=50,
        prior=pb.SparseGaussianProcess(inducing=10, lengthscale=_SHORTER),
        is_kind=near_equivalence,
        seed=47,
        paper={
            "truth": "A, C, D, H",
            "found": "A, C, D, G, H, J",
            "rounds": "9",
            "instances": "280",
            "eliminations": "B, E, F, I after 8 instances",
        },
    ),
)
