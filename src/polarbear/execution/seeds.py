"""Seeds of the global random generators of a run, also of those that the run imports only later."""

from __future__ import annotations

import contextlib
import random
import sys
from importlib.util import find_spec
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

    Their state would otherwise be that of the worker, the same in all its runs, or random where the run imports them first.
    """
    random.seed(seed)
    later = []
    for name in _SEED:
        if name in sys.modules:
            _seed(sys.modules[name], seed)
        else:
            later.append(_SeedOnImport(name, seed))
    sys.meta_path[:0] = later
    try:
        yield
    finally:
        for each in later:
            each.remove()


def _seed(module: ModuleType, seed: int) -> None:
    with contextlib.suppress(Exception):
        _SEED[module.__name__](module, seed)


class _SeedOnImport:
    """Seeds a module when it is imported: first its finder, then its loader."""

    def __init__(self, name: str, seed: int) -> None:
        self._name, self._seed_value = name, seed
        self._loader: Any = None

    def remove(self) -> None:
        with contextlib.suppress(ValueError):  # it has been imported
            sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        self.remove()
        spec = find_spec(name)
        if spec is not None:
            self._loader, spec.loader = spec.loader, self  # type: ignore[assignment]
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _seed(module, self._seed_value)
