"""The paper's models in Stan: the Dirichlet priors and the exact Gaussian process.

In: choices and a prior. Out: program text and data for any interface of Stan (`program`), or draws from Stan's own
Pathfinder through cmdstanpy (`pathfinder`), which needs the extra `polarbear-anytime[stan]` and an installed CmdStan.

The programs are the files in `programs/`. They use neither arrays nor functions that changed between versions, so that
Stan 2.21 (rstan of Debian) and current versions accept the same text.
"""
