"""Set up JAX for the reference methods: precision, threads, random keys and conversion of draws.

JAX uses 64 bits within `in_double_precision` only, so that a user's own JAX code keeps its settings. Functions are compiled
once per model and reused for later data of similar size, such as later rounds of a race. They run on JAX's default device: a
GPU if there is one, else the CPU.
"""

from __future__ import annotations

import os
import warnings
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from polarbear.arrays import Array


COMPILED_MODELS = 32
"""Number of models whose compiled functions are cached."""

_FEWEST_THREADS = 8
STARTED_ELSEWHERE = (
    f"JAX was started before with as many threads as there are cores, fewer than {_FEWEST_THREADS}, and may hang in batched "
    f"factorisations; set NPROC={_FEWEST_THREADS} in the environment, or fit before any other JAX code runs"
)


def is_installed() -> bool:
    """Return whether the extra `polarbear-anytime[mcmc]` is installed."""
    return all(find_spec(name) is not None for name in ("jax", "blackjax"))


def in_double_precision() -> AbstractContextManager[Any]:
    """Return a context manager within which JAX uses 64 bits."""
    import jax

    if has_too_few_threads():
        warnings.warn(STARTED_ELSEWHERE, RuntimeWarning, stacklevel=4)
    context: AbstractContextManager[Any] = jax.enable_x64(True)
    return context


@cache
def has_too_few_threads() -> bool:
    """Start JAX, and return whether it has fewer threads than its batched factorisations need.

    On the CPU, jaxlib 0.10 factorises a batch of matrices with threads of the pool that also runs the calling thread, so two
    concurrent calls on two threads deadlock. XLA reads the size of the pool from NPROC once, when it starts. This function
    therefore starts JAX on a small machine with more threads than cores, unless JAX is already running.
    """
    import jax
    from jax._src.xla_bridge import backends_are_initialized  # JAX has no public function for this

    if "NPROC" in os.environ or (os.cpu_count() or 1) >= _FEWEST_THREADS:
        return False
    if backends_are_initialized():
        return bool(jax.default_backend() == "cpu")
    os.environ["NPROC"] = str(_FEWEST_THREADS)
    try:
        jax.devices()
    finally:
        del os.environ["NPROC"]
    return False


def on_device(data: Any) -> Any:
    """Copy arrays to JAX's device, so that they are transferred only once."""
    import jax

    return jax.device_put(data)


def random_key(rng: np.random.Generator) -> Any:
    """Return a JAX random key, drawn from a NumPy generator."""
    import jax

    return jax.random.key(int(rng.integers(2**63)))


def join_parts(utilities: Array) -> Array:
    """Join utilities of independent parts (part, draw, budget, algorithm) along budget, to (budget, algorithm, draw)."""
    return np.moveaxis(np.concatenate(list(utilities), axis=1), 0, -1)
