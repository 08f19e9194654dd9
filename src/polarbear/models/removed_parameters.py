"""Parameters that no longer exist: a script that names one gets a sentence that says what replaces it."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T", bound=type)


def removes(*names: str, reason: str) -> Callable[[T], T]:
    """Return a decorator of a class whose constructor refuses these parameters, for a reason.

    Examples
    --------
    >>> @removes("speed", reason="it is measured")
    ... class Engine:
    ...     def __init__(self, power):
    ...         self.power = power
    >>> Engine(power=1, speed=2)
    Traceback (most recent call last):
    ValueError: Engine no longer has the parameter speed: it is measured; leave it out
    """

    def decorate(kind: T) -> T:
        build: Any = kind.__init__  # type: ignore[misc]

        @wraps(build)
        def refuse(self: Any, *args: Any, **given: Any) -> None:
            if removed := [name for name in names if name in given]:
                noun = "parameter" if len(removed) == 1 else "parameters"
                verb = "it" if len(removed) == 1 else "them"
                raise ValueError(
                    f"{kind.__name__} no longer has the {noun} {' and '.join(removed)}: {reason}; leave {verb} out"
                )
            build(self, *args, **given)

        kind.__init__ = refuse  # type: ignore[misc]
        return kind

    return decorate
