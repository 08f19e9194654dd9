"""Read-only arrays: every array that an object of this package holds is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


def as_read_only(array: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """Return `array` as a read-only array of type `dtype`, copied unless it already is one.

    Parameters
    ----------
    array
        Anything that NumPy can convert to an array.
    dtype
        The type of the elements.

    Returns
    -------
    NDArray
        The read-only array.

    Examples
    --------
    >>> as_read_only([1, 2], float).flags.writeable
    False
    """
    if isinstance(array, np.ndarray) and array.dtype == dtype and not array.flags.writeable:
        return array
    result = np.array(array, dtype=dtype)
    result.flags.writeable = False
    return result
