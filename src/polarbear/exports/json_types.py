"""Values in the types of JSON, for files, the command line and the report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def to_json_types(data: Any) -> Any:
    """Return data in the types of JSON: without NumPy, and null for numbers that are not finite.

    Examples
    --------
    >>> to_json_types({"budgets": (1.0, float("inf"))})
    {'budgets': [1.0, None]}
    """
    if isinstance(data, float):
        return data if math.isfinite(data) else None
    if isinstance(data, Mapping):
        return {str(key): to_json_types(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [to_json_types(each) for each in data]
    return to_json_types(data.tolist()) if hasattr(data, "tolist") else data
