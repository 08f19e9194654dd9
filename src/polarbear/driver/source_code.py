"""Notice that the code of an algorithm was edited since a race file was last opened with it.

An edited function remains the same algorithm, so that a mistake can be fixed (see `agreement`). But a script that is run
again after an edit continues its race with the runs of the old code, which its author must know.
"""

from __future__ import annotations

import inspect
import logging
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from polarbear.wording import join_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from polarbear.storage import RaceFile

_KEY, _EDITED = "code", "edited"  # under which a race file stores the digests, and the edited algorithms

_LOG = logging.getLogger(__name__)


def digest_code(algorithm: Any) -> str | None:
    """Return a digest of the source code of an algorithm's own function or class.

    It is None if there is no source, and for PolarBear's own classes, such as that of a command.
    """
    if isinstance(algorithm, partial):
        return digest_code(algorithm.func)
    if is_dataclass(algorithm) and not isinstance(algorithm, type):
        wrapped = [value for field in fields(algorithm) if callable(value := getattr(algorithm, field.name))]
        if wrapped:
            return digest_code(wrapped[0])
    if _is_own(algorithm if hasattr(algorithm, "__qualname__") else type(algorithm)):
        return None
    try:
        return sha256(inspect.getsource(inspect.unwrap(algorithm)).encode()).hexdigest()
    except TypeError:  # an object with a __call__
        return None if isinstance(algorithm, type) else digest_code(type(algorithm))
    except OSError:  # code that was typed into an interpreter
        return None


def _is_own(named: Any) -> bool:
    return str(getattr(named, "__module__", "")).partition(".")[0] == __name__.partition(".")[0]


def digest_codes(algorithms: Mapping[str, Any]) -> dict[str, str]:
    """Return the digests of all algorithms that have source code."""
    digests = {name: digest_code(each) for name, each in algorithms.items() if each is not None}
    return {name: digest for name, digest in digests.items() if digest is not None}


def edited_algorithms(file: RaceFile) -> tuple[str, ...]:
    """Return the algorithms whose code was edited after runs of it were stored in this file."""
    return tuple(file.about.get(_EDITED, ()))


def warn_of_edits(file: RaceFile, algorithms: Mapping[str, Any], *, ran: Iterable[str]) -> tuple[str, ...]:
    """Log a warning that names the edited algorithms of which runs are stored, once per edit; return all edited ones."""
    before = edited_algorithms(file)
    stored, new = file.about.get(_KEY, {}), digest_codes(algorithms)
    edited = [name for name in ran if name in new and stored.get(name, new[name]) != new[name]]
    if {**stored, **new} != stored:
        file.set_about(_KEY, {**stored, **new})
    if edited:
        file.set_about(_EDITED, sorted({*before, *edited}))
        _LOG.warning(
            "The code of %s has changed since runs of it were stored in %s. These runs are kept; to race the new code from "
            "the start, give it a new name.",
            join_names(edited),
            file.path.name,
        )
    return edited_algorithms(file) if edited else before
