"""Inference for the Dirichlet priors, which treat each budget separately.

In: choices and a Dirichlet prior. Out: draws of the utilities and diagnostics. `stick_breaking`, the default, approximates
the posterior by independent Beta variables (`fields.beta_sticks`) and corrects the draws by importance weights. `gibbs`
samples the posterior exactly.
"""
