"""Observed data: from runs to rankings and the sufficient statistics of the Plackett-Luce model.

The input is values on a budget grid, trajectories, or explicit rankings. Only the order of the algorithms on the same
instance at the same budget is used. The output is `Choices`, the one input of every prior and every inference method.

- `grid`: `Grid`, `log_grid`, `linear_grid` and `as_grid`, the budgets at which algorithms are compared.
- `trajectory`: `Trajectory`, the best-so-far step function of one run, censored where the run stopped.
- `archive`, `hypervolume`: the nondominated points of runs with several objectives, and their hypervolume over time.
- `run_table`: runs read at the budgets of a grid, as an array of values.
- `values`: `rank_values`, the ranks of values.
- `rankings`: `Rankings`, one ranking per instance and budget. Equal ranks are ties, `ABSENT` algorithms were not observed,
  and `UNRANKED` ones are only known to be worse than all ranked ones.
- `ranking`: `Ranking`, a single ranking written as names, best first.
- `clusters`: `Clusters`, which instances are not independent of one another.
- `choices`: `Choices`, wins and choice sets at each budget, summed over instances.
- `tally`, `ties`: how rankings become wins and choice sets. Ties are exact up to twelve algorithms.
- `scope`: the number of instances and of clusters in words, and what an answer generalises to.
- `names`, `read_only`: checks of algorithm names, and read-only arrays.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
