"""Import the code that a configuration names as `module:function`."""

from __future__ import annotations

import sys
import traceback
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.wording import suggest

if TYPE_CHECKING:
    from types import ModuleType


def import_object(reference: str, folder: Path) -> Any:
    """Return the object that `module:name` names; modules in the folder take precedence.

    Examples
    --------
    >>> import_object("math:tau", Path())
    6.283185307179586
    """
    module, separator, names = reference.partition(":")
    if not separator or not module or not names:
        raise ValueError(f"expected module:function, got {reference!r}; write both, such as optimisers:random_search")
    if "/" in module or module.startswith(".") or module.endswith(".py"):
        name = Path(module).name.removesuffix(".py").lstrip(".")
        raise ValueError(f"expected a module, not a file: write {name}:{names}, for {name}.py beside the configuration")
    thing: Any = _import_module(module, folder)
    for name in names.split("."):
        if not hasattr(thing, name):
            known = [each for each in vars(thing) if not each.startswith("_")] if hasattr(thing, "__dict__") else []
            hint = suggest(name, known) or f"choose one of {', '.join(known)}"
            raise ValueError(f"there is no {name!r} in {module}; {hint}")
        thing = getattr(thing, name)
    return thing


def _import_module(module: str, folder: Path) -> ModuleType:
    place = str(folder)
    if place in sys.path:
        sys.path.remove(place)
    sys.path.insert(0, place)  # not removed afterwards: workers import from the same path as this process
    first = module.split(".")[0]
    if _is_shadowing(first, folder):
        for name in [name for name in sys.modules if name == first or name.startswith(first + ".")]:
            del sys.modules[name]
    invalidate_caches()
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(error.name + ".")):
            raise ValueError(
                f"there is no module {module!r} in {folder}, and none is installed; check its name"
            ) from None
        raise ValueError(f"importing {module!r} failed: {error}; install what it imports") from error
    except SyntaxError as error:
        raise ValueError(
            f"importing {module!r} failed in {error.filename}, line {error.lineno}: {error.msg}"
        ) from error
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        message = "".join(traceback.format_exception_only(error)).strip()
        raise ValueError(f"importing {module!r} failed in {last.filename}, line {last.lineno}: {message}") from error


def _is_shadowing(name: str, folder: Path) -> bool:
    """Return whether a module of this name was imported from elsewhere although the folder has its own."""
    loaded = getattr(sys.modules.get(name), "__file__", None)
    own = [folder / f"{name}.py", folder / name / "__init__.py"]
    return (
        loaded is not None and any(path.exists() for path in own) and Path(loaded) not in own and _is_replaceable(name)
    )


def _is_replaceable(name: str) -> bool:
    """Return whether a module may be imported again from elsewhere: PolarBear and the standard library may not."""
    return name != "polarbear" and name not in sys.stdlib_module_names
