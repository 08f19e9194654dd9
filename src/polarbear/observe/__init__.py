"""What was seen: from runs to the sufficient statistics of the Plackett-Luce model.

Data enter as values on a time grid, as trajectories, or as explicit rankings; only the order of the algorithms on the
same instance at the same time is used. It leaves as `Choices`, the one input of every prior and every method.

- `Grid`, `log_grid`, `linear_grid`, `as_grid`: the times at which algorithms are compared.
- `Trajectory`: the best-so-far step function of one run, censored where the run stopped.
- `rank_values`, `Rankings`, `Ranking`: who was better than whom. Equal ranks are ties, `ABSENT` algorithms were not
  observed, `UNRANKED` ones are only known to be worse than all ranked ones.
- `Clusters`: which instances are not independent of one another.
- `Choices`: wins and choice sets of each time, summed over instances. Ties are exact up to twelve algorithms.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
