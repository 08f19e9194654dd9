"""Names of algorithms: checks that there is one per algorithm and that all differ, and look-up by name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def check_names(names: Iterable[str] | None, count: int) -> tuple[str, ...]:
    """Return the names of `count` algorithms, checked, or default names if none are given.

    Parameters
    ----------
    names
        One name per algorithm; None gives "A" to "Z", or "A1", "A2", ... for more than 26.
    count
        The number of algorithms, at least 2.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> check_names(None, 3)
    ('A', 'B', 'C')
    """
    if count < 2:
        raise ValueError(f"expected at least two algorithms to compare, got {count}; add another algorithm")
    if names is None:
        return tuple(chr(ord("A") + i) if count <= 26 else f"A{i + 1}" for i in range(count))
    if isinstance(names, str):
        raise ValueError(f"expected a sequence of names, got the single string {names!r}; write [{names!r}, ...]")
    result = tuple(names)
    for name in result:
        if not isinstance(name, str):
            raise ValueError(f"expected names that are strings, got {name!r}; write str({name!r})")
    if len(result) != count:
        raise ValueError(
            f"expected {count} names, one for each algorithm, got {len(result)}: {', '.join(result)}; "
            "the algorithms are the last axis of the values"
        )
    repeated = sorted({name for name in result if result.count(name) > 1})
    if repeated:
        raise ValueError(f"expected different names, got {', '.join(map(repr, repeated))} more than once; rename them")
    return tuple(map(str, result))


def index_of(name: str, names: tuple[str, ...]) -> int:
    """Return the position of a name; the error for an unknown name suggests the closest one.

    Examples
    --------
    >>> index_of("de", ("cma", "de"))
    1
    """
    if name in names:
        return names.index(name)
    near = get_close_matches(str(name), names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"expected one of {', '.join(names)}, got {name!r}{hint}")
