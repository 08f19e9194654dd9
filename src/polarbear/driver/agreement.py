"""Compare a race file with the race that a program describes, so that running the program again continues the race.

A race file holds no code. What it stores about an algorithm is its identity in words: the name of its function, the fixed
arguments, or the command. A function may be edited, for example to fix it, without becoming another algorithm; `source_code`
notices that it was.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from polarbear.algorithms.command import Command
from polarbear.observe import Grid
from polarbear.problems import Repeated

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from polarbear.race.settings import Settings

_LONGEST = 200  # characters of a value in a message
_PLAIN = (bool, int, float, str, type(None))


def describe_algorithm(algorithm: Any) -> str:
    """Return the identity of an algorithm in words, the same in every process.

    Examples
    --------
    >>> from functools import partial
    >>> from statistics import fmean
    >>> describe_algorithm(partial(fmean, weights=None))
    'statistics.fmean(weights=None)'
    """
    if isinstance(algorithm, Command):
        return shlex.join(algorithm.template)
    if isinstance(algorithm, partial):
        arguments = [_describe_value(each) for each in algorithm.args]
        arguments += [f"{name}={_describe_value(each)}" for name, each in algorithm.keywords.items()]
        return f"{describe_algorithm(algorithm.func)}({', '.join(arguments)})"
    if is_dataclass(algorithm) and not isinstance(algorithm, type):
        parts = [f"{field.name}={_describe_value(getattr(algorithm, field.name))}" for field in fields(algorithm)]
        return f"{type(algorithm).__qualname__}({', '.join(parts)})"
    named = algorithm if hasattr(algorithm, "__qualname__") else type(algorithm)
    module = getattr(named, "__module__", None)
    return named.__qualname__ if module in (None, "__main__", "builtins") else f"{module}.{named.__qualname__}"


def describe_algorithms(algorithms: Mapping[str, Any]) -> dict[str, str]:
    """Return the identities of all algorithms that are given."""
    return {name: describe_algorithm(each) for name, each in algorithms.items() if each is not None}


def describe_instances(instances: Any, count: int | None = None) -> dict[str, Any] | None:
    """Return the identity of a source of instances in plain values; None if there is no source.

    Of a list it is the description of the first `count` instances, since a list may grow, and so may the number of
    repetitions.
    """
    if instances is None:
        return None
    listed = instances.problems if isinstance(instances, Repeated) else instances
    if not isinstance(listed, Sequence) or not listed:
        return {"source": describe_algorithm(listed)}
    first = [_describe_value(each) for each in listed[:count]]
    digest = sha256("\n".join(first).encode()).hexdigest()
    return {"source": f"{len(first)} instances, the first of them {first[0]}", "count": len(first), "digest": digest}


def instance_differences(stored: Mapping[str, Any] | None, instances: Any) -> list[str]:
    """Return what differs between the stored source of instances and a new one, as lines; none if nothing is stored."""
    if stored is None or instances is None:
        return []
    new = describe_instances(instances, stored.get("count"))
    if new is None or new == stored:
        return []
    here = new["source"] if new["source"] != stored["source"] else "others"
    return [f"instances: {_shorten(stored['source'])} in the file, {_shorten(here)} here"]


def differences(
    settings: Settings,
    known: Mapping[str, str | None],
    new_settings: Settings,
    given: Mapping[str, Any],
) -> list[str]:
    """Return what differs between a stored race and a new one, one line each.

    Parameters
    ----------
    settings, known
        The settings of the stored race, and its algorithms with their identities, None where none is stored.
    new_settings, given
        The settings and the algorithms of the new race; algorithms that are None have no identity.
    """
    lines = []
    for field in fields(settings):
        stored, new = getattr(settings, field.name), getattr(new_settings, field.name)
        if stored != new:
            lines.append(f"{field.name}: {_format(stored, new)} in the file, {_format(new, stored)} here")
    lines += [f"algorithm {name!r}: not in the file" for name in given if name not in known]
    lines += [f"algorithm {name!r}: in the file, missing here" for name in known if name not in given]
    for name, stored in known.items():
        algorithm = given.get(name)
        if stored is not None and algorithm is not None and (new := describe_algorithm(algorithm)) != stored:
            lines.append(f"algorithm {name!r}: {_shorten(stored)} in the file, {_shorten(new)} here")
    return lines


def difference_error(path: Path, lines: list[str]) -> ValueError:
    """Return the error for a race file that holds another race."""
    listed = "\n".join(f"  {line}" for line in lines)
    return ValueError(
        f"{path} exists, and its race differs from this one:\n{listed}\n"
        "Use the values of the file to continue it; or change settings and algorithms with pb.Race.open(path, "
        "algorithms=..., instances=..., confidence=...) and race.add(name, algorithm); or choose another path for a new "
        "race."
    )


def check_identity(name: str, stored: str | None, algorithm: Any) -> None:
    """Raise a ValueError unless an algorithm has the identity that a race file stores for its name, if it stores one."""
    if stored is not None and (new := describe_algorithm(algorithm)) != stored:
        raise ValueError(
            f"expected {name!r} as the race file knows it, {_shorten(stored)}, got {_shorten(new)}; choose another name for "
            "another algorithm"
        )


def stored_identities(
    about: Mapping[str, Any], added: Iterable[str], *, given: Collection[str]
) -> dict[str, str | None]:
    """Return the algorithms that a program must give to continue a race, with their identities, None where none is stored.

    Algorithms that `design` has proposed, or that `evaluate_candidate` has added, need not be given: both give them again.

    Parameters
    ----------
    about, added
        What the race file holds about the race, and the algorithms that were added after its start.
    given
        The names that the program gives.
    """
    proposed = {name for batch in about.get("design", {}).get("batches", ()) for name in batch}
    proposed.update(about.get("candidates", ()))
    names = [name for name in (*about["algorithms"], *added) if name in given or name not in proposed]
    return {name: about.get("identities", {}).get(name) for name in names}


def _describe_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        text = f"[{', '.join(map(_describe_value, value))}]"
    elif isinstance(value, dict):
        text = f"{{{', '.join(f'{key}: {_describe_value(each)}' for key, each in value.items())}}}"
    else:
        text = repr(value) if isinstance(value, _PLAIN) else describe_algorithm(value)
    if len(text) <= _LONGEST:
        return text
    return (
        f"{text[: _LONGEST // 2]}... (SHA-256 {sha256(text.encode()).hexdigest()[:12]})"  # long data, such as a table
    )


def _format(value: object, other: object) -> str:
    """Return a setting as text that differs from the text of the other value."""
    if isinstance(value, Grid) and repr(value) == repr(other):
        return f"budgets {_shorten(str(value.budgets.tolist()))}"
    return _shorten(repr(value))


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
