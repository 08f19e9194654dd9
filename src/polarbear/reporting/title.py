"""The heading of a page, from the name of its file or, where that says nothing, of its folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from os import PathLike

# Names from commands and examples, which do not tell one race from another.
_GENERIC = {"my", "race", "runs", "run", "data", "posterior", "result", "results", "report", "page", "index", "output"}


def title_of(path: str | PathLike[str]) -> str:
    """Return the name of a file without its ending, or the first name of its folders that is not generic, if it is.

    Examples
    --------
    >>> title_of("solvers/cma.race"), title_of("solvers/my.race"), title_of("solvers/data/runs.csv")
    ('cma', 'solvers', 'solvers')
    """
    place = Path(path).resolve()
    names = [place.stem, *(folder.name for folder in place.parents)]
    return next((name for name in names if name and name.lower() not in _GENERIC), place.stem)
