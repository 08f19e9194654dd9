"""What was seen: from runs to the sufficient statistics of the Plackett-Luce model.

Data enter as values on a time grid, as trajectories, or as explicit rankings; only the order of the algorithms on the
same instance at the same time is used. It leaves as `Choices`, the one input of every prior and every method.

- `Grid`, `log_grid`, `linear_grid`, `as_grid`: the times at which algorithms are compared.
- `Trajectory`: the best-so-far step function of one run, censored where the run stopped.
- `rank_values`, `Rankings`, `Ranking`: who was better than whom. Equal ranks are ties, `ABSENT` algorithms were not
  observed, `UNRANKED` ones are only known to be worse than all ranked ones.
- `Choices`: wins and choice sets of each time, summed over instances. Ties are exact up to twelve algorithms.
"""

from polarbear.observe.choices import Choices
from polarbear.observe.grid import Grid, as_grid, linear_grid, log_grid
from polarbear.observe.order import Ranking
from polarbear.observe.ranking import ABSENT, UNRANKED, Rankings, rank_values
from polarbear.observe.trajectory import Trajectory

__all__ = [
    "ABSENT",
    "UNRANKED",
    "Choices",
    "Grid",
    "Ranking",
    "Rankings",
    "Trajectory",
    "as_grid",
    "linear_grid",
    "log_grid",
    "rank_values",
]
