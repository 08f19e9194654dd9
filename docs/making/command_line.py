"""The reference page of the command line, from the functions that implement the commands."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo

from polarbear.cli.commands import app
from polarbear.cli.help import describe

if TYPE_CHECKING:
    from collections.abc import Callable

_KINDS = {int: "whole number", float: "number", str: "text", Path: "path"}


@dataclass(frozen=True)
class Parameter:
    """An argument or an option of a command."""

    names: tuple[str, ...]
    argument: bool
    kind: str
    default: Any
    help: str


def commands() -> dict[str, Callable[..., None]]:
    """Return the functions that implement the commands, by name."""
    return {each.name or each.callback.__name__: each.callback for each in app.registered_commands if each.callback}


def parameters(command: Callable[..., None]) -> list[Parameter]:
    """Return the arguments and options of a command that its help shows."""
    hints = get_type_hints(command, include_extras=True)
    result = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind, *extras = get_args(hints[name])
        info = extras[0]
        if info.hidden:  # a former name, still accepted
            continue
        argument = isinstance(info, ArgumentInfo)
        # In an annotation the first name of an option takes the place of its default.
        declared = [each for each in (info.default, *(info.param_decls or ())) if isinstance(each, str)]
        names = [part for each in declared for part in each.split("/")]
        names = names or [(info.metavar or name).upper() if argument else "--" + name.replace("_", "-")]
        result.append(
            Parameter(tuple(names), argument, info.metavar or _kind(kind), parameter.default, describe(name, info))
        )
    return result


def page() -> str:
    """Return the page: every command with its arguments and options."""
    lines = ["# Commands", "", app.info.help or "", "", _plain(app.info.epilog or ""), ""]
    for name, command in commands().items():
        accepted = parameters(command)
        places = [_place(each) for each in accepted if each.argument]
        lines += [f"## polarbear {name}", "", "```text", " ".join([f"polarbear {name} [OPTIONS]", *places]), "```", ""]
        lines += [_plain(inspect.getdoc(command) or ""), ""]
        lines += ["| argument or option | value | default | meaning |", "| --- | --- | --- | --- |"]
        lines += [_row(each) for each in sorted(accepted, key=lambda each: not each.argument)]
        lines.append("")
    return "\n".join(lines)


def _place(argument: Parameter) -> str:
    return argument.names[0] if argument.default is inspect.Parameter.empty else f"[{argument.names[0]}]"


def _row(parameter: Parameter) -> str:
    names = ", ".join(f"`{name}`" for name in parameter.names)
    default = parameter.default
    shown = "" if default is None or default is False else f"`{default}`"
    shown = "required" if default is inspect.Parameter.empty else shown
    return f"| {names} | {'' if parameter.argument else parameter.kind} | {shown} | {_plain(parameter.help)} |"


def _kind(annotation: Any) -> str:
    """Return a type in words; a flag takes no value."""
    parts = [each for each in get_args(annotation) if each is not NoneType]
    if get_origin(annotation) in (Union, UnionType):
        return " or ".join(_kind(each) for each in parts)
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{each}`" for each in parts)
    if get_origin(annotation) is tuple:
        return " ".join(_kind(each) for each in parts)
    if get_origin(annotation) is list:
        return f"{_kind(parts[0])}, repeatable"
    return "" if annotation is bool else _KINDS.get(annotation, "value")


def _plain(text: str) -> str:
    """Return text with its paragraphs but without line ends, and with bars escaped, which would end a table cell."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text).strip().replace("|", "\\|")
