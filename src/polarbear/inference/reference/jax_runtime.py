"""What the reference methods share: JAX, asked for only here, and draws from positions.

JAX works in 64 bits within `in_double_precision` alone, so that a user's own JAX keeps its settings. Functions are compiled
once for a model and reused for later data of similar size, round after round of a race. They run where JAX does: on the
CPU, or on a GPU if it has one.
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

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

COMPILED_MODELS = 32
"""So many models keep their compiled functions."""

_FEWEST_THREADS = 8
STARTED_ELSEWHERE = (
    f"JAX was started before with as many threads as there are cores, fewer than {_FEWEST_THREADS}, and may hang in batched "
    f"factorisations; set NPROC={_FEWEST_THREADS} in the environment, or fit before any other JAX code runs"
)


def installed() -> bool:
    """Whether the extra `polarbear[mcmc]` is there."""
    return all(find_spec(name) is not None for name in ("jax", "blackjax"))


def in_double_precision() -> AbstractContextManager[Any]:
    """64 bits, for as long as the context lasts."""
    import jax

    if short_of_threads():
        warnings.warn(STARTED_ELSEWHERE, RuntimeWarning, stacklevel=4)
    context: AbstractContextManager[Any] = jax.enable_x64(True)
    return context


@cache
def short_of_threads() -> bool:
    """Start JAX, and say whether it runs with fewer threads than its batched factorisations need.

    On the CPU a batch of matrices is factorised by threads of the pool that the call itself sits in (jaxlib 0.10): two such
    calls at once on two threads wait for each other for ever. XLA reads the size of the pool from NPROC, once, so that a
    small machine gets a few threads more than it has cores, unless JAX was started before.
    """
    import jax
    from jax._src.xla_bridge import backends_are_initialized  # there is no public way to ask

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
    """Arrays where JAX computes, so that they travel once."""
    import jax

    return jax.device_put(data)


def random_key(rng: np.random.Generator) -> Any:
    """A key of JAX's own generator, drawn from ours."""
    import jax

    return jax.random.key(int(rng.integers(2**63)))


def summary(names: Any, hyperparameters: Array) -> tuple[tuple[str, float, float], ...]:
    """Mean and standard deviation of each hyperparameter, from (draw, hyperparameter)."""
    return tuple(
        (name, float(values.mean()), float(values.std())) for name, values in zip(names, hyperparameters.T, strict=True)
    )


def joined(utilities: Array) -> Array:
    """Utilities (time, algorithm, draw) of independent parts (part, draw, time, algorithm), one after the other in time."""
    return np.moveaxis(np.concatenate(list(utilities), axis=1), 0, -1)
