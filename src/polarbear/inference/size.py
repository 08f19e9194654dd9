"""The size of a fit: the number of draws that is affordable, the memory they take, and the time until they are ready.

In: the prior, the requested number of draws, and the numbers of times, algorithms and instances. Out: fewer draws for very
large problems under the Bayesian bootstrap, an error for what cannot fit in memory, and an estimate in seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.models import BayesianBootstrap, BSpline, HilbertSpaceGP
from polarbear.posterior.outcome_draws import KEPT_BYTES
from polarbear.wording import format_number

if TYPE_CHECKING:
    from polarbear.models import Prior


ENOUGH_DRAWS = 1000
"""However large the problem, `fit` does not reduce draws below this: a probability of 0.95 then has a standard error of 0.7
per cent points, and one of 0.999 can still be distinguished from certainty."""

_MOST_DRAWS = 1_000_000  # standard errors of probabilities are then below 0.05 per cent points
_MOST_NUMBERS = 12_000_000  # times × algorithms × draws: 96 MB in double precision, for each of a few arrays
_LARGEST_BYTES = 4_000_000_000

# Bytes per time, algorithm and draw at the peak of a fit, measured with tracemalloc. The bootstrap takes 24 for 4 algorithms
# at 2000 times, with relations. The other priors take 16 (Dirichlet) to 50 (HierarchicalDirichlet); 32 lies between them.
_BOOTSTRAP_BYTES, _OTHER_BYTES = 24, 32

# CPU seconds of a fit and the relations on one core, per pair, time and draw; per algorithm, time and draw; and of
# Plackett-Luce fits, per time, instance and cubed number of algorithms. They were set by hand to reproduce three sizes: 20
# and 60 algorithms at 50 times, and 4 at 2000. If all runs have the same order, 60 algorithms take half as long.
_PER_PAIR, _PER_ALGORITHM, _PER_CUBE = 8e-8, 5e-7, 8e-9
ANNOUNCED_SECONDS = 10.0
"""A fit that takes longer is announced."""


def affordable_draws(prior: Prior, draws: int, *, times: int, algorithms: int) -> int:
    """Return the number of draws to make: those requested, or fewer if there are very many times and algorithms.

    The win rates of all pairs must fit in their cache, since every relation would compute them again otherwise. No
    reduction goes below `ENOUGH_DRAWS`. Only the Bayesian bootstrap reduces: its draws are independent.
    """
    if not isinstance(prior, BayesianBootstrap):
        return draws
    pairs = max(1, algorithms * (algorithms - 1) // 2)
    most = min(KEPT_BYTES // (4 * pairs * times), _MOST_NUMBERS // (algorithms * times))
    return min(draws, max(ENOUGH_DRAWS, most))


def require_memory(prior: Prior, draws: int, *, times: int, algorithms: int | None = None) -> None:
    """Raise a ValueError if a fit of this size cannot fit in memory; without a number of algorithms, there are two."""
    if draws > _MOST_DRAWS:
        raise ValueError(f"expected at most {_MOST_DRAWS:,} draws, got {draws:,}; 4,000 are enough for most purposes")
    number = algorithms or 2
    made = affordable_draws(prior, draws, times=times, algorithms=number)
    each = _BOOTSTRAP_BYTES if isinstance(prior, BayesianBootstrap) else _OTHER_BYTES
    functions = _basis_functions(prior)
    needed = max(each * made * times * number, 8 * functions * max(times, made))
    if needed > _LARGEST_BYTES:
        size = f"{times:,} times, {number:,} algorithms{'' if algorithms else ' or more'}, {made:,} draws"
        raise ValueError(
            f"expected a fit that needs at most {_LARGEST_BYTES / 1e9:.0f} GB of memory, got {size}"
            f"{f' and {functions:,} basis functions' if functions else ''}, which need {format_number(needed / 1e9)} GB; "
            f"use fewer times{', basis functions' if functions else ''} or draws"
        )


def expected_seconds(prior: Prior, draws: int, *, times: int, algorithms: int, instances: int) -> float:
    """Return about how many CPU seconds a fit and the relations of all pairs take; zero if that is unknown.

    It is a rough figure, for the Bayesian bootstrap only.
    """
    if not isinstance(prior, BayesianBootstrap):
        return 0.0
    made = affordable_draws(prior, draws, times=times, algorithms=algorithms)
    by_draw = _PER_PAIR * algorithms * (algorithms - 1) / 2 + _PER_ALGORITHM * algorithms
    model = 0.0 if prior.plackett_luce == 0 else _PER_CUBE * instances * algorithms**3
    return times * (made * by_draw + model)


def _basis_functions(prior: Prior) -> int:
    """Return the number of basis functions of a prior; zero if it has none, or as many as the grid has times or fewer."""
    if isinstance(prior, HilbertSpaceGP):
        return prior.size()[0]
    return prior.basis or 0 if isinstance(prior, BSpline) else 0
