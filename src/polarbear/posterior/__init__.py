"""The posterior and what follows from it: relations between algorithms, drops, and model-free evidence.

In: draws of ratings and win rates from `polarbear.inference`, or a posterior file; observed choices for `evidence`.
Out: probabilities that one algorithm beats another, the algorithms that are dropped, and e-values.

Modules: `posterior` (draws, names, grid), `posterior_file` (saving and loading), `diagnostics` (reliability of the draws),
`relations` (pairwise probabilities), `all_relations` (all of them, for data frames), `arviz_data` (containers of ArviZ),
`dominance` (dominated algorithms and the Pareto set), `e_values` (model-free evidence and error bounds).

The default belief is `pair_beliefs`, from `sample` (instances and the units that carry weights), `unit_outcomes` (effective
numbers of wins, losses and ties), `beta_mixture` (prior and posterior of one pair) and `keyed_numbers` (random numbers that
belong to an instance or a pair). `first_places` computes ratings from the same weights.
"""
