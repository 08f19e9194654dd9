"""Reference methods on JAX and PyMC, to check the other methods against. They need the extra `polarbear[mcmc]`.

`nuts`, `advi` and `pathfinder` all work on `joint_density`, the model as a function of one vector. NUTS moves in the
coordinates of `reparametrisation`. `jax_runtime` imports and configures JAX. `pymc_model` is the same model for PyMC.
"""
