"""`fit`: infer a posterior from choices under a prior, with a suitable method.

In: `Choices`, a prior, a method and a seed. Out: a `Posterior`. `methods` pairs the Plackett-Luce priors with their methods;
it is imported when it is needed, since the default prior has a method of its own.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.inference.bayesian_bootstrap import believe_pairs
from polarbear.inference.request import check_request
from polarbear.inference.size import ANNOUNCED_SECONDS, expected_seconds
from polarbear.models import BayesianBootstrap, Prior, is_joint
from polarbear.models.validation import require_count
from polarbear.observe import Choices
from polarbear.observe.rankings import were_compared
from polarbear.observe.scope import scope_of
from polarbear.posterior.posterior import Posterior, ratings_from_utilities
from polarbear.single_thread import single_thread
from polarbear.wording import format_duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.arrays import Mask
    from polarbear.inference.methods import Reference
    from polarbear.literals import Method

_LOG = logging.getLogger(__name__)

_LISTED = 5  # names in a message


def fit(
    choices: Choices,
    *,
    prior: Prior | None = None,
    method: Method | Reference = "auto",
    draws: int = 4000,
    seed: int = 0,
) -> Posterior:
    """Infer the posterior of the ratings over time.

    Parameters
    ----------
    choices
        The observed rankings.
    prior
        `BayesianBootstrap()` by default. It weights instances and so accounts for correlation within a run over time, and
        each pair of algorithms has a prior of its own. The paper's priors use its Plackett-Luce likelihood. Its temporal
        priors (`BSpline()`, `RandomWalk()`, `GaussianProcess()`, ...) share information over time and, like the bootstrap,
        answer questions about all budgets jointly. But they treat the rankings of a run at different budgets as
        independent, so their intervals are too narrow when runs are correlated over time. `Dirichlet()` and
        `HierarchicalDirichlet()` treat each budget separately.
    method
        `BayesianBootstrap` draws its posterior directly and accepts "auto" only. For the other priors, "auto" uses nested
        Laplace (stick-breaking at each budget for the Dirichlet priors) corrected by importance weights, and Hamiltonian
        Monte Carlo where the weights are unreliable. "nested-laplace" uses the first only, "hmc" the second only. "gibbs"
        works for the Dirichlet priors. "laplace" is the uncorrected approximation, for comparison. The reference methods
        "nuts", "advi", "advi-fullrank" and "pathfinder" need the extra `mcmc`; `NUTS(...)`, `ADVI(...)` and
        `Pathfinder(...)` select them with settings. If the extra is installed, "auto" runs "nuts" when all else fails.
        "stan-pathfinder" is Stan's own Pathfinder, for the Dirichlet priors and the Gaussian process; it needs the extra
        `stan` and CmdStan.
    draws
        Number of equally weighted draws. `BayesianBootstrap` makes fewer from 50,000 instances on, at least 1000.
    seed
        Seed of the random number generator. Equal seeds give equal posteriors.

    Returns
    -------
    Posterior
        Draws of ratings (and win rates) over time. Its `diagnostics` report the method and whether the draws are reliable.

    Examples
    --------
    >>> import polarbear as pb
    >>> values = [[[1.0, 2.0], [1.0, 2.0]], [[1.0, 3.0], [2.0, 1.0]], [[0.5, 0.7], [0.4, 0.6]]]
    >>> choices = pb.Choices.from_values(values, grid=[10, 100], names=["cma", "rs"])
    >>> posterior = pb.fit(choices, seed=1)
    >>> posterior
    Posterior(2 algorithms, 2 budgets, 3 instances, 4000 draws, BayesianBootstrap(...), reliable)
    >>> bool(pb.dominance(posterior)[0, 0, 1] > 0.8)
    True
    """
    prior = BayesianBootstrap() if prior is None else prior
    _check(choices, prior, method, draws, seed)
    if isinstance(prior, BayesianBootstrap):
        _announce_cost(choices)
        return believe_pairs(choices, prior, draws=draws, seed=seed)
    rng = np.random.Generator(np.random.SFC64(seed))  # NumPy's fastest bit generator
    scope = scope_of(choices.rankings, choices.instances, generalise_to="instances")
    with single_thread():
        from polarbear.inference.methods import draw_utilities  # imports every method

        utilities, diagnostics = draw_utilities(choices, prior, method, draws=draws, rng=rng)
    return Posterior(
        ratings=ratings_from_utilities(utilities),
        names=choices.names,
        grid=choices.grid,
        joint=is_joint(prior),
        diagnostics=diagnostics,
        prior=repr(prior),
        instances=choices.instances,
        scope=scope,
        comparisons=choices.comparisons,
    )


def _check(choices: Choices, prior: Prior, method: Method | Reference, draws: int, seed: int) -> None:
    if not isinstance(choices, Choices):
        raise ValueError(
            f"expected Choices, got {type(choices).__name__}; make them with Choices.from_values, from_trajectories or "
            "from_rankings"
        )
    name: Any = getattr(method, "name", method)
    check_request(prior, name, draws, budgets=len(choices.grid), algorithms=len(choices.names))
    require_count("seed", seed, least=0)
    _check_connected(choices)


def _announce_cost(choices: Choices) -> None:
    """Log how long it takes to compare all pairs if that is long; unless configured, Python prints it to standard error."""
    algorithms, budgets = len(choices.names), len(choices.grid)
    seconds = expected_seconds(budgets=budgets, algorithms=algorithms, instances=choices.instances)
    if seconds > ANNOUNCED_SECONDS:
        _LOG.warning(
            "Comparing all pairs of %s algorithms at %s budgets on %s instances takes about %s on one core.",
            f"{algorithms:,}",
            f"{budgets:,}",
            f"{choices.instances:,}",
            format_duration(seconds),
        )


def _list(names: list[str]) -> str:
    return ", ".join(names[:_LISTED]) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "")


def _compared_sets(choices: Choices) -> Iterator[Mask]:
    """Yield, for each budget, sets of algorithms that were compared with one another, shape (set, algorithm)."""
    if choices.rankings is not None:
        yield from were_compared(choices.rankings).swapaxes(0, 1)
        return
    for members, counts in zip(choices.members, choices.counts, strict=True):
        yield members[counts > 0]


def _check_connected(choices: Choices) -> None:
    """Raise a ValueError if no chain of comparisons links some algorithms: the prior alone would relate them."""
    linked = np.zeros((len(choices.names),) * 2, dtype=bool)
    for compared in _compared_sets(choices):  # budget by budget, to bound memory
        together = compared.astype(np.float32)
        linked |= together.T @ together > 0
    if linked.all():
        return
    from scipy.sparse.csgraph import connected_components  # rarely needed, and slow to import

    _, group = connected_components(linked)
    if group.any():
        apart = [name for name, number in zip(choices.names, group, strict=True) if number != group[0]]
        rest = [name for name, number in zip(choices.names, group, strict=True) if number == group[0]]
        raise ValueError(
            f"expected every algorithm to be compared with the others, directly or through a third, but nothing links "
            f"{_list(apart)} with {_list(rest)}; run them on common instances at common budgets, or compare them "
            "separately: "
            "choose instances or algorithms with `where`, `only` or `without` of read_runs (--where, --only, --without)"
        )
