"""Checks of a posterior against the data it was fitted to.

In: a posterior and the choices that it was fitted to.
Out: a `ModelCheck`: pairs whose outcomes contradict the posterior, algorithms whose removal changes other pairs, and each
drop checked against the outcomes of its pair alone.

Modules: `model_check` (the check), `findings` (what it finds, in sentences), `pair_outcomes` (observed win rates),
`leave_one_out` (fits without one algorithm), `run_scores` (Plackett-Luce scores of each instance), `score_correlation`
(correlation of scores over time).
"""
