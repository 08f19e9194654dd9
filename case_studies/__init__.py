"""The paper's case studies, by one command each: `python -m case_studies ma-bbob`, or `polarbear reproduce ma-bbob`.

They use PolarBear as any user would, through its public names. Each study writes a folder with its figures, `results.json`
and `index.html`, a page that sets our numbers beside the paper's.

- `synthetic`: ratings that are known, and whether the race finds their Pareto set.
- `ma_bbob`: step-size rules of CMA-ES on a known benchmark, beside ECDF, AOCC and EAF.
- `gp_bbob`: covariance adaptation on unknown problems, by the wall clock.
- `runtime`: how long inference takes.
"""
