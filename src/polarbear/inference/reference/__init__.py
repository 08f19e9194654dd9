"""Reference methods on JAX, which check the other methods, and the model for PyMC.

In: choices, a Plackett-Luce prior and the settings of a method. Out: draws of the utilities and diagnostics.

`nuts`, `advi` and `pathfinder` work on `joint_density`, the model as a function of one vector, and need the extra
`polarbear-anytime[mcmc]`. NUTS samples in the coordinates of `reparametrisation`. `jax_runtime` imports and configures JAX.
`pymc_model` builds the same model for PyMC and needs the extra `polarbear-anytime[pymc]`.
"""
