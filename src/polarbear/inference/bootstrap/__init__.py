"""The Bayesian bootstrap over instances (Rubin, 1981).

In: choices with the rankings of each instance, and a `BayesianBootstrap` prior. Out: draws of the ratings, the weighted
instances behind them (`OutcomeDraws`), diagnostics and the scope of the answer.

`instance_weights` draws weights on instances, with clusters and pseudo-instances. `first_places` computes ratings from
weighted outcomes. `weighted_plackett_luce` fits utilities under the weights of each draw. `blend` weighs that fit by
cross-validation. `near_equality` shrinks the differences of near-equal algorithms. `posterior_draws` combines them.
"""

from polarbear.inference.bootstrap.posterior_draws import bayesian_bootstrap

__all__ = ["bayesian_bootstrap"]
