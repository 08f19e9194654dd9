"""The budget grid: the budgets at which algorithms are compared, and the axis, linear or logarithmic, that scales them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.observe.read_only import as_read_only

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from polarbear.arrays import Array
    from polarbear.literals import Axis


_ROUNDING = 1e-12  # relative, of budgets that were computed as whole numbers
# Relative tolerance for equal ratios of a geometric grid: far above rounding, far below any deliberate spacing.
_SAME_SPACING = 1e-6


@dataclass(frozen=True, eq=False)
class Grid:
    """Strictly increasing budgets t_1 < ... < t_T, in evaluations or seconds, with a linear or logarithmic axis.

    Temporal priors measure distance on the axis: |t - t'| if it is linear, |log t - log t'| if it is logarithmic.

    Parameters
    ----------
    budgets
        The budgets, strictly increasing and finite; positive on a logarithmic axis.
    axis
        "linear" or "log".

    Examples
    --------
    >>> grid = Grid([1, 10, 100], "log")
    >>> len(grid), grid.scaled.tolist()
    (3, [0.0, 0.5, 1.0])
    """

    budgets: Array
    axis: Axis

    def __init__(self, budgets: ArrayLike, axis: Axis = "linear") -> None:
        try:
            checked = np.array(budgets, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"expected budgets that are numbers, got {budgets!r}") from error
        if checked.ndim != 1 or checked.size == 0:
            raise ValueError(f"expected a one-dimensional grid of at least one budget, got shape {checked.shape}")
        if not np.isfinite(checked).all():
            bad = int(np.argmin(np.isfinite(checked)))
            raise ValueError(f"expected finite budgets, got {checked[bad]} at position {bad}; remove it")
        if not (checked[1:] > checked[:-1]).all():
            bad = int(np.argmin(checked[1:] > checked[:-1]))
            raise ValueError(
                f"expected strictly increasing budgets, got {checked[bad]:g} before {checked[bad + 1]:g} at position "
                f"{bad}; sort them and remove repeated ones, for example with numpy.unique"
            )
        if axis not in ("linear", "log"):
            raise ValueError(f"expected the axis 'linear' or 'log', got {axis!r}")
        if axis == "log" and checked[0] <= 0:
            raise ValueError(
                f"expected positive budgets on a log axis, got {checked[0]:g}; start later or use 'linear'"
            )
        checked += 0.0  # -0.0 becomes 0.0, so that equal grids have equal bytes
        checked.flags.writeable = False
        object.__setattr__(self, "budgets", checked)
        object.__setattr__(self, "axis", axis)
        if not (np.diff(self.scaled) > 0).all():
            raise ValueError(
                f"expected budgets that differ on the {axis} axis, got some that coincide there; spread them"
            )

    def __len__(self) -> int:
        return self.budgets.size

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.budgets, dtype=dtype, copy=copy)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        return self.axis == other.axis and np.array_equal(self.budgets, other.budgets)

    def __hash__(self) -> int:
        return hash((self.axis, self.budgets.tobytes()))

    def __repr__(self) -> str:
        first, last = self.budgets[0], self.budgets[-1]
        return f"Grid({len(self)} budgets from {first:g} to {last:g}, {self.axis} axis)"

    @property
    def scaled(self) -> Array:
        """The budgets mapped to [0, 1] on the grid's own axis; a single budget maps to 0."""
        if len(self) == 1:
            return as_read_only([0.0], np.float64)
        # Halving keeps the span of the largest doubles from overflowing.
        on_axis = np.log(self.budgets) if self.axis == "log" else self.budgets / 2
        return as_read_only((on_axis - on_axis[0]) / (on_axis[-1] - on_axis[0]), np.float64)


def log_grid(start: float, stop: float, count: int) -> Grid:
    """Return `count` geometrically spaced budgets from `start` to `stop`, both included exactly.

    Parameters
    ----------
    start, stop
        The first and the last budget, 0 < start < stop.
    count
        The number of budgets.

    Returns
    -------
    Grid
        On a logarithmic axis.

    Examples
    --------
    >>> log_grid(1, 1000, 4).budgets.tolist()
    [1.0, 10.0, 100.0, 1000.0]
    """
    _check_ends(start, stop, count)
    if start <= 0:
        raise ValueError(f"expected a positive start on a log axis, got {start:g}; start later or use linear_grid")
    return Grid(np.geomspace(start, stop, count), "log")


def linear_grid(start: float, stop: float, count: int) -> Grid:
    """Return `count` evenly spaced budgets from `start` to `stop`, both included exactly.

    Parameters
    ----------
    start, stop
        The first and the last budget, start < stop.
    count
        The number of budgets.

    Returns
    -------
    Grid
        On a linear axis.

    Examples
    --------
    >>> linear_grid(0, 30, 4).budgets.tolist()
    [0.0, 10.0, 20.0, 30.0]
    """
    _check_ends(start, stop, count)
    return Grid(np.linspace(start, stop, count), "linear")


def whole_numbers(grid: Grid) -> Grid:
    """Return a grid of evaluations: the whole numbers below its budgets, at which the same has been evaluated.

    Examples
    --------
    >>> whole_numbers(log_grid(1, 10, 4)).budgets.tolist()
    [1.0, 2.0, 4.0, 10.0]
    """
    budgets = np.unique(np.floor(grid.budgets * (1 + _ROUNDING)))
    return Grid(budgets, grid.axis) if budgets[0] >= 1 else grid


def as_grid(budgets: Grid | ArrayLike) -> Grid:
    """Return budgets as a `Grid`; a `Grid` is returned unchanged.

    Parameters
    ----------
    budgets
        A Grid, or strictly increasing budgets. Three or more positive budgets of constant ratio (to 1e-6) get a
        logarithmic axis, unless they are evenly spaced too; all others get a linear one.

    Returns
    -------
    Grid

    Examples
    --------
    >>> as_grid([1, 10, 100]).axis, as_grid([1, 2, 3]).axis
    ('log', 'linear')
    """
    if isinstance(budgets, Grid):
        return budgets
    grid = Grid(budgets, "linear")
    return Grid(grid.budgets, "log") if _is_geometric(grid.budgets) else grid


def _check_ends(start: float, stop: float, count: int) -> None:
    if count < 1 or count != int(count):
        raise ValueError(f"expected a whole number of budgets, at least 1, got {count}")
    if not (np.isfinite(start) and np.isfinite(stop)):
        raise ValueError(f"expected a finite start and stop, got {start} and {stop}")
    if start > stop or (start == stop) != (count == 1):
        raise ValueError(
            f"expected start < stop and at least 2 budgets, or start == stop and 1 budget, "
            f"got start {start:g}, stop {stop:g} and {count} budgets"
        )


def _is_geometric(budgets: Array) -> bool:
    if len(budgets) < 3 or budgets[0] <= 0:
        return False
    ratios, steps = budgets[1:] / budgets[:-1], np.diff(budgets)
    return np.allclose(ratios, ratios[0], rtol=_SAME_SPACING, atol=0) and not np.allclose(
        steps, steps[0], rtol=_SAME_SPACING, atol=0
    )
