"""Reference pages of the public names, from their signatures and docstrings."""

from __future__ import annotations

import ast
import inspect
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import polarbear as pb
from making.docstrings import to_markdown

# The pages with their rooms, in the order in which users meet them. Each public name must belong to one of these rooms.
PAGES = {
    "observing": ("Runs and rankings", ["observe", "importers"]),
    "believing": ("Priors, fit and posterior", ["models", "inference"]),
    "relating": ("Posterior, relations and model checks", ["posterior", "checks", "calibration", "baselines"]),
    "racing": (
        "The race and its result",
        ["running", "result", "opening", "findings", "driver", "race", "versions", "storage"],
    ),
    "designing": ("Automated design", ["designing", "irace"]),
    "running": ("Algorithms, problems, executors", ["algorithms", "problems", "execution"]),
    "selecting": ("Selection", ["show", "selection"]),
    "measuring": ("How much better", ["magnitude"]),
    "explaining": ("Features and policies", ["features"]),
    "showing": ("Figures, report, exports", ["plots", "reporting", "exports"]),
}

ALSO = ("polarbear.baselines",)  # rooms that users import themselves


def pages() -> dict[str, str]:
    """Return the pages as Markdown, by file name."""
    known = {f"pb.{name}": getattr(pb, name) for name in pb.__all__ if name != "__version__"}
    known |= {room: import_module(room) for room in ALSO}
    written = {name: [f"# {title}", "", "`import polarbear as pb`", ""] for name, (title, _) in PAGES.items()}
    for (page, *_), name in sorted((place_of(name, thing), name) for name, thing in known.items()):
        written[page] += _entry(name, known[name])
    return {f"api-{name}.md": "\n".join(lines) for name, lines in written.items()}


def place_of(name: str, thing: Any) -> tuple[str, int, str]:
    """Return the page of a public name and its position there, by room and then by name.

    A public name whose room is on no page is an error, so that none can be forgotten.
    """
    home = thing.__name__ if isinstance(thing, ModuleType) else _homes()[name.removeprefix("pb.")]
    room = home.removeprefix("polarbear.").split(".")[0]
    for page, (_, rooms) in PAGES.items():
        if room in rooms:
            return page, rooms.index(room), name.casefold()
    raise ValueError(f"expected a page for {name} of {home}, found none; name its room in docs/making/api.py")


@cache
def _homes() -> dict[str, str]:
    """Return the module of each public name, from the stub of the package."""
    stub = Path(pb.__file__).with_suffix(".pyi")
    imports = [each for each in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(each, ast.ImportFrom)]
    return {alias.name: each.module or alias.name for each in imports for alias in each.names}


def _entry(name: str, thing: Any, *, level: int = 2) -> list[str]:
    """Return the heading, signature and docstring of an object, followed by the members of a class or room."""
    lines = [f"{'#' * level} {name}", ""]
    if isinstance(thing, ModuleType):
        lines += [to_markdown(thing.__doc__ or ""), ""]
        for member in getattr(thing, "__all__", []):
            part = getattr(thing, member)
            if callable(part):
                lines += _entry(f"{name}.{member}", part, level=level + 1)
        return lines
    if isinstance(thing, property | cached_property):
        lines += [to_markdown(thing.__doc__ or ""), ""]
    elif callable(thing):
        lines += ["```python", _signature(name, thing), "```", ""]
        lines += [to_markdown(thing.__doc__ or ""), ""]
        if inspect.isclass(thing):
            for member, part in _members(thing):
                lines += _entry(f"{name.split('.')[-1]}.{member}", part, level=level + 1)
    else:  # a type such as a union, which has no docstring of its own
        lines += [f"`{thing}`".replace("polarbear.", ""), ""]
    return lines


def _members(kind: type) -> list[tuple[str, Any]]:
    """Return the public methods and properties that have a docstring, without those inherited from other packages."""
    found: dict[str, Any] = {}
    for base in kind.__mro__:
        if base.__module__.startswith("polarbear"):
            for name, member in vars(base).items():
                found.setdefault(name, member)
    members = []
    for name, member in found.items():
        part = getattr(member, "__func__", member)  # what a class method wraps
        offered = inspect.isfunction(part) or isinstance(part, property | cached_property)
        if offered and part.__doc__ and not name.startswith("_"):
            members.append((name, part))
    return members


def _signature(name: str, thing: Any) -> str:
    """Return the signature as in the code, with one argument per line if it is long."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return name
    kept = [parameter for parameter in signature.parameters.values() if parameter.name not in ("self", "cls")]
    returned = inspect.Signature.empty if inspect.isclass(thing) else signature.return_annotation
    line = f"{name}{signature.replace(parameters=kept, return_annotation=returned)}".replace("'", "")
    if len(line) <= 100 or not kept:
        return line
    parts = [str(parameter).replace("'", "") for parameter in kept]
    for position, parameter in enumerate(kept):
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            if all(each.kind is not inspect.Parameter.VAR_POSITIONAL for each in kept):
                parts.insert(position, "*")
            break
    after = "" if returned is inspect.Signature.empty else f" -> {returned}"
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + ")" + after
