"""The paper's case studies, by one command each: `python -m case_studies ma-bbob`, or `python -m case_studies ma-bbob`.

They use PolarBear through its public names, as any user would. Each study writes a folder with its figures, `results.json`
and `index.html`, a page that compares our numbers with the paper's.

- `synthetic`: known ratings; does the race find their Pareto set?
- `ma_bbob`: step-size rules of CMA-ES on a known benchmark, with ECDF, AOCC and EAF for comparison.
- `gp_bbob`: covariance adaptation on problems with unknown optima, by the wall clock.
- `antbo`: public results of another group: Bayesian optimisation of antibodies. The paper does not have this study.
- `runtime`: how long inference takes.
"""
