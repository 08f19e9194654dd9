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

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polarbear.observe.choices import Choices
    from polarbear.observe.clusters import Clusters
    from polarbear.observe.grid import Grid, as_grid, linear_grid, log_grid
    from polarbear.observe.order import Ranking
    from polarbear.observe.ranking import ABSENT, UNRANKED, Rankings, rank_values
    from polarbear.observe.trajectory import Trajectory

# Imported when they are first used: reading a stored posterior needs the grid alone.
_HOME = {
    "choices": ["Choices"],
    "clusters": ["Clusters"],
    "grid": ["Grid", "as_grid", "linear_grid", "log_grid"],
    "order": ["Ranking"],
    "ranking": ["ABSENT", "UNRANKED", "Rankings", "rank_values"],
    "trajectory": ["Trajectory"],
}
_FILE_OF = {name: file for file, names in _HOME.items() for name in names}

__all__ = [
    "ABSENT",
    "UNRANKED",
    "Choices",
    "Clusters",
    "Grid",
    "Ranking",
    "Rankings",
    "Trajectory",
    "as_grid",
    "linear_grid",
    "log_grid",
    "rank_values",
]


def __getattr__(name: str) -> Any:
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)
    globals()[name] = value
    return value
