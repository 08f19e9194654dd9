"""The Bayesian bootstrap over instances: from rankings to weighted instances and what follows from them.

`instance_weights` draws weights on instances, with clusters and pseudo-instances. `weighted_plackett_luce` fits utilities
under each draw's weights, `blend` chooses what that fit is worth in instances, `near_equality` how much the differences of
near-equal algorithms are shrunk, and `first_places` computes the ratings. `posterior_draws` puts them together.
"""

from polarbear.inference.bootstrap.posterior_draws import bayesian_bootstrap

__all__ = ["bayesian_bootstrap"]
