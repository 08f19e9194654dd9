"""Arrays that cannot change: every array that a value of this package holds is read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike, NDArray


def frozen(array: ArrayLike, dtype: DTypeLike) -> NDArray[Any]:
    """Return `array` as a read-only array; only what is read-only already is not copied.

    Parameters
    ----------
    array
        Anything that NumPy can read.
    dtype
        The type of the elements.

    Returns
    -------
    NDArray
        Read-only.

    Examples
    --------
    >>> frozen([1, 2], float).flags.writeable
    False
    """
    if isinstance(array, np.ndarray) and array.dtype == dtype and not array.flags.writeable:
        return array
    result = np.array(array, dtype=dtype)
    result.flags.writeable = False
    return result
