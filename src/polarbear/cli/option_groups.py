"""Groups of options: a command takes one dataclass, and the command line shows one option per field."""

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, getdoc, signature
from typing import Any, get_type_hints


def expand(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command in which each parameter that takes a dataclass is replaced by the fields of this dataclass.

    Lines within a paragraph of the docstring are joined, since the help shows their ends otherwise.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name in groups:
            parameters += signature(groups[name]).parameters.values()
        else:
            parameters.append(parameter)

    @wraps(command)
    def call(**given: Any) -> None:
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    parameters = [each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters]
    call.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # typer reads it
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    call.__doc__ = re.sub(r"(?<!\n)\n(?!\n)", " ", getdoc(command) or "")
    return call
