from .choices import Choices
from .clusters import Clusters
from .grid import Grid, as_grid, linear_grid, log_grid
from .ranking import Ranking
from .rankings import ABSENT, UNRANKED, Rankings
from .trajectory import Trajectory
from .values import rank_values

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
