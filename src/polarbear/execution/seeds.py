"""Seeds of the global random generators of a run, also of those that the run imports only later.

An entry of `sys.meta_path` finds the modules with such generators through the other finders, and seeds them once they are
loaded. It stays there, so that the import system looks the same in every run, and does nothing between runs.
"""

from __future__ import annotations

import contextlib
import random
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_SEED: dict[str, Callable[[Any, int], object]] = {
    "numpy.random": lambda module, seed: module.seed(seed % 2**32),
    "torch": lambda module, seed: module.manual_seed(seed % 2**63),
}


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed the global generators of Python, NumPy and PyTorch within the context.

    Their state would otherwise be the state of the worker, the same in all its runs, or random where the run imports them
    first.
    """
    random.seed(seed)
    for name in _SEED:
        if name in sys.modules:
            _seed(name, sys.modules[name], seed)
    if _finder not in sys.meta_path:
        sys.meta_path = [_finder, *sys.meta_path]  # a new list: another thread may be going through the old one
    before, _finder.seed = _finder.seed, seed
    try:
        yield
    finally:
        _finder.seed = before


def _seed(name: str, module: ModuleType, seed: int) -> None:
    with contextlib.suppress(Exception):
        _SEED[name](module, seed)


class _Finder:
    """Finds modules with global generators through the other finders, and has them seeded; inert without a seed."""

    seed: int | None = None

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if self.seed is None or name not in _SEED:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if find is None else find(name, path, target)
            if spec is None:
                continue
            if hasattr(
                spec.loader, "exec_module"
            ):  # neither a namespace package nor a loader in the manner of Python 2
                spec.loader = _Loader(spec.loader, name, self.seed)  # type: ignore[assignment]
            return spec
        return None


_finder = _Finder()


class _Loader:
    """Loads a module through its own loader, which it otherwise stands for, and then seeds it."""

    def __init__(self, loader: Any, name: str, seed: int) -> None:
        self._loader, self._name, self._seed = loader, name, seed

    def __getattr__(self, attribute: str) -> Any:
        return getattr(self._loader, attribute)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _seed(self._name, module, self._seed)
