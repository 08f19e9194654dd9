"""The Bayesian bootstrap over instances, with a prior for each pair: from choices to a posterior.

Nothing is inferred here. The posterior holds the observed instances and a seed, and each pair of algorithms is inferred when
it is first asked for; see `polarbear.posterior.pair_beliefs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.observe.scope import scope_of
from polarbear.posterior.diagnostics import Diagnostics
from polarbear.posterior.pair_beliefs import PairBeliefs
from polarbear.posterior.posterior import Posterior
from polarbear.posterior.sample import sample_of
from polarbear.wording import with_noun

# With very many instances a posterior is narrow, and a thousand draws are enough: they take a second for 50,000 instances.
_MOST_WEIGHTS, _ENOUGH_DRAWS = 200_000_000, 1000

if TYPE_CHECKING:
    from polarbear.models.bayesian_bootstrap import BayesianBootstrap
    from polarbear.observe import Choices
    from polarbear.posterior.sample import Sample


def believe_pairs(
    choices: Choices, prior: BayesianBootstrap, *, draws: int, seed: int, others: Sample | None = None
) -> Posterior:
    """Return the posterior of choices, whose priors lie about the win rates of `others` if these are given."""
    if choices.rankings is None:
        raise ValueError(
            "expected choices with the rankings of each instance, which BayesianBootstrap weights, got only their counts; "
            "make them without per_instance=False, or use another prior"
        )
    sample = sample_of(choices.rankings, generalise_to=prior.generalise_to)
    draws = min(draws, max(_ENOUGH_DRAWS, _MOST_WEIGHTS // len(sample.units)))
    clusters = choices.rankings.clusters
    unit = "instance" if clusters is None or prior.generalise_to == "instances" else clusters.kind
    return Posterior(
        ratings=None,  # type: ignore[arg-type]  # computed when they are first read
        names=choices.names,
        grid=choices.grid,
        joint=True,
        diagnostics=Diagnostics(
            method="bayesian-bootstrap",
            reliable=True,
            message=f"Bayesian bootstrap of {with_noun(sample.number_of_units, unit)}, with {draws:,} independent draws.",
            effective_draws=float(draws),
        ),
        prior=repr(prior),
        instances=choices.instances,
        beliefs=PairBeliefs(sample, prior.near_equal, seed, draws, others),
        scope=scope_of(choices.rankings, choices.instances, generalise_to=prior.generalise_to),
        comparisons=choices.comparisons,
    )
