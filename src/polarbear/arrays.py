"""Names for the types of arrays, shared by all rooms; used in annotations only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Array32 = NDArray[
    np.float32
]  # draws, of which there are many: half the memory, and enough digits for a Monte Carlo sample
Mask = NDArray[np.bool_]
Indices = NDArray[np.intp]
Ranks = NDArray[np.int16]  # ABSENT and UNRANKED, in observe.rankings, are two of its values
