"""The help of commands: at most 40 lines of 100 columns with `--help`, and all options with `--help-all`.

An option whose help is "@module:name" is described by the docstring of that function or class, so that Python and the
command line say the same. The help reads the signature of the command, not the internals of typer.
"""

from __future__ import annotations

import shutil
import textwrap
from importlib import import_module
from inspect import Parameter, getdoc, signature
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand
from typer.models import ArgumentInfo, OptionInfo

from polarbear.declared import descriptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MORE, RUNS = "More options", "Options to read recorded runs"
_WIDTH = 100
_FLAGS = 27  # columns of the names of options
_KINDS = {int: "INTEGER", float: "NUMBER", str: "TEXT", Path: "FILE"}


def with_help(command: Callable[..., None]) -> type[TyperCommand]:
    """Return the class of a command that prints the help of this function."""

    class Command(TyperCommand):
        """A command with a short and a long help."""

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Parse the arguments; with `--help-all`, print the long help instead."""
            if "--help-all" in args:
                typer.echo(help_of(command, ctx.command_path, whole=True), nl=False)
                ctx.exit()
            return super().parse_args(ctx, args)

        def format_help(self, ctx: Any, formatter: Any) -> None:
            """Write the short help."""
            formatter.write(help_of(command, ctx.command_path, whole=False))

    return Command


def help_of(command: Callable[..., None], path: str, *, whole: bool) -> str:
    """Return the help of a command as text; `path` is what a user types for the command."""
    width = min(_WIDTH, shutil.get_terminal_size((_WIDTH, 0)).columns)
    arguments: list[tuple[str, str]] = []
    panels: dict[str, list[tuple[str, str]]] = {"Options": [], MORE: [], RUNS: []}
    for parameter in signature(command).parameters.values():
        kind, info = get_args(parameter.annotation)
        if isinstance(info, ArgumentInfo):
            arguments.append((info.metavar or parameter.name.upper(), info.help or ""))
        elif isinstance(info, OptionInfo):
            row = _flags(parameter, kind, info), describe(parameter.name, info)
            panels[info.rich_help_panel or "Options"].append(row)
    lines = [f"Usage: {path} [OPTIONS] {' '.join(name for name, _ in arguments)}", ""]
    for paragraph in (getdoc(command) or "").split("\n\n"):
        lines += [*textwrap.wrap(" ".join(paragraph.split()), width), ""]
    lines += _table(arguments, width)
    for title, own in panels.items():
        if own and (whole or title == "Options"):
            lines += ["", f"{title}:", *_table(own, width)]
    hidden = len(panels[MORE]) + len(panels[RUNS])
    if hidden and not whole:
        lines += ["", f"{hidden} more options: {path} --help-all"]
    return "\n".join(lines).rstrip() + "\n"


def _table(rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    lines = []
    for left, right in rows:
        parts = textwrap.wrap(right, width - _FLAGS - 4) or [""]
        if len(left) > _FLAGS:
            lines.append(f"  {left}")
            left = ""
        lines += [f"  {left if k == 0 else '':<{_FLAGS}}  {part}".rstrip() for k, part in enumerate(parts)]
    return lines


def _flags(parameter: Parameter, kind: Any, info: OptionInfo) -> str:
    """Return the names of an option, and what follows them."""
    given = [info.default, *(info.param_decls or [])]  # in `Annotated`, the first name is taken for the default
    names = [each for each in given if isinstance(each, str) and each.startswith("-")]
    names = names or [f"--{parameter.name.replace('_', '-')}"]
    shown = ", ".join(sorted(names, key=len))
    plain = _plain(kind)
    return shown if plain is bool else f"{shown} {info.metavar or _KINDS.get(plain) or '|'.join(get_args(plain))}"


def _plain(kind: Any) -> Any:
    """Return the type of one value: X of X | None, of list[X] and of Annotated[X, ...]."""
    rest = [each for each in get_args(kind) if each is not NoneType]
    if get_origin(kind) is Literal or not rest:
        return kind
    if get_origin(kind) is list or NoneType in get_args(kind):
        return _plain(rest[0])
    return kind


def describe(name: str, info: ArgumentInfo | OptionInfo) -> str:
    """Return the description of an argument or option, which may be that of a parameter in Python."""
    text = info.help or ""
    if not text.startswith("@"):
        return text
    module, _, described = text[1:].partition(":")
    return descriptions(getattr(import_module(module), described)).get(name, "")
