"""The software and the machine of a race, for its file and its report."""

from __future__ import annotations

import platform
import time

import numpy as np
import scipy

from polarbear.version import __version__


def environment() -> dict[str, str]:
    """Return the software versions, the system and the present time, at which a race begins."""
    return {
        "polarbear": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
