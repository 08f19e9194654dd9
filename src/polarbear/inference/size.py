"""The size of a fit: the memory that draws take, and the time until all pairs are compared.

In: the prior, the number of draws, and the numbers of budgets, algorithms and instances. Out: an error for what cannot fit
in memory, and an estimate in seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.models import BayesianBootstrap, BSpline, HilbertSpaceGP
from polarbear.wording import format_number

if TYPE_CHECKING:
    from polarbear.models import Prior


_MOST_DRAWS = 1_000_000  # standard errors of probabilities are then below 0.05 per cent points
_LARGEST_BYTES = 4_000_000_000

# Bytes per budget, algorithm and draw at the peak of a fit, measured with tracemalloc. The bootstrap takes 24 for 4
# algorithms at 2000 budgets, with relations. The other priors take 16 (Dirichlet) to 50 (HierarchicalDirichlet); 32 lies
# between them.
_BOOTSTRAP_BYTES, _OTHER_BYTES = 24, 32

# CPU seconds to compare a pair: in all, per budget, and per budget and instance.
_PER_PAIR, _PER_BUDGET, _PER_OUTCOME = 1e-4, 1e-5, 3e-8
ANNOUNCED_SECONDS = 10.0
"""What takes longer is announced."""


def require_memory(prior: Prior, draws: int, *, budgets: int, algorithms: int | None = None) -> None:
    """Raise a ValueError if a fit of this size cannot fit in memory; without a number of algorithms, there are two."""
    if draws > _MOST_DRAWS:
        raise ValueError(f"expected at most {_MOST_DRAWS:,} draws, got {draws:,}; 4,000 are enough for most purposes")
    number = algorithms or 2
    each = _BOOTSTRAP_BYTES if isinstance(prior, BayesianBootstrap) else _OTHER_BYTES
    functions = _basis_functions(prior)
    needed = max(each * draws * budgets * number, 8 * functions * max(budgets, draws))
    if needed > _LARGEST_BYTES:
        size = f"{budgets:,} budgets, {number:,} algorithms{'' if algorithms else ' or more'}, {draws:,} draws"
        raise ValueError(
            f"expected a fit that needs at most {_LARGEST_BYTES / 1e9:.0f} GB of memory, got {size}"
            f"{f' and {functions:,} basis functions' if functions else ''}, which need {format_number(needed / 1e9)} GB; "
            f"use fewer budgets{', basis functions' if functions else ''} or draws"
        )


def expected_seconds(*, budgets: int, algorithms: int, instances: int) -> float:
    """Return about how many CPU seconds it takes to compare all pairs under `BayesianBootstrap`."""
    pairs = algorithms * (algorithms - 1) / 2
    return pairs * (_PER_PAIR + budgets * (_PER_BUDGET + instances * _PER_OUTCOME))


def _basis_functions(prior: Prior) -> int:
    """Return the number of basis functions of a prior; zero if it has none, or as many as the grid has budgets or fewer."""
    if isinstance(prior, HilbertSpaceGP):
        return prior.size()[0]
    return prior.basis or 0 if isinstance(prior, BSpline) else 0
