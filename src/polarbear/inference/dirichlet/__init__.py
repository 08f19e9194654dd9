"""Inference for the Dirichlet priors, which treat each time alone.

`stick_breaking` approximates the posterior by independent Beta variables (`beta_sticks`) and corrects it by importance
weights; `gibbs` samples it exactly.
"""
