"""The No-U-Turn Sampler (Hoffman and Gelman, 2014) on BlackJAX: the reference for all other methods.

It samples in the coordinates of `reparametrisation`, built from the nested Laplace solution, in which the posterior is
nearly a standard normal. A rotation solves the dynamics of the normal part exactly, and leapfrog steps integrate only the
rest (Shahbaba et al., 2014, "Split Hamiltonian Monte Carlo"). Three to seven gradients therefore give a nearly independent
draw, and warm-up only tunes one step size for all chains.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polarbear.inference.convergence import diagnose
from polarbear.inference.fields.reduced_prior import reduced_prior
from polarbear.inference.reference import jax_runtime as reference
from polarbear.inference.reference.joint_density import JointDensity, padded_tables
from polarbear.inference.reference.reparametrisation import to_position, whitening_coordinates
from polarbear.models import TemporalPrior
from polarbear.models.validation import require_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.arrays import Array, Mask
    from polarbear.models import PlackettLucePrior
    from polarbear.observe import Choices
    from polarbear.posterior.diagnostics import Diagnostics


_TOGETHER = 50  # transitions per compiled call; then progress is reported
_FEWEST_KEPT = 500  # kept transitions per chain, before `_SPARE`: R-hat of shorter chains is too noisy
_FIRST_STEP = 0.5

# The dynamics of a standard normal have period 2π, and NUTS doubles its path of 2^k − 1 steps until it exceeds half a turn.
# With some step sizes a path jumps from just below half a turn to just above a whole one, detects no U-turn, and doubles
# again. Such steps are shortened. Three of the longest allowed steps are a little more than half a turn.
_LONGEST_STEP = 1.15
_NEARLY_A_TURN = 0.95 * 2 * math.pi
# Half a turn nearly mirrors a position, which is better than independent draws for means and worse for squares. The chains
# therefore make this multiple of the requested draws. All are diagnosed, and the requested number is returned.
_SPARE = 2


@dataclass(frozen=True)
class NUTS:
    """Settings of `method="nuts"`.

    Parameters
    ----------
    chains
        Number of chains, run in parallel.
    warmup
        Number of transitions per chain that tune the step size and are discarded, in blocks of 50.
    target_acceptance
        Mean acceptance rate for which the step size is tuned. Raise it if transitions diverge.
    progress
        Called as progress(done, total) with numbers of transitions per chain.

    Examples
    --------
    >>> import polarbear as pb
    >>> pb.NUTS(chains=8, target_acceptance=0.95)
    NUTS(chains=8, warmup=300, target_acceptance=0.95, progress=None)
    """

    chains: int = 4
    warmup: int = 300
    target_acceptance: float = 0.9
    progress: Callable[[int, int], None] | None = None

    @property
    def name(self) -> str:
        """Name of the method."""
        return "nuts"

    def __post_init__(self) -> None:
        require_count("NUTS chains", self.chains, least=2)
        require_count("NUTS warmup", self.warmup, least=_TOGETHER)
        if not 0 < self.target_acceptance < 1:
            raise ValueError(f"expected NUTS target_acceptance between 0 and 1, got {self.target_acceptance!r}")


def nuts(
    choices: Choices, prior: PlackettLucePrior, settings: NUTS, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw utilities (budget, algorithm, draw) from the posterior, and return them with diagnostics."""
    if isinstance(prior, TemporalPrior):
        prior = reduced_prior(prior, choices.grid)
    density = JointDensity(prior, choices.grid, len(choices.names))
    coordinates = whitening_coordinates(choices, prior)
    with reference.in_double_precision():
        data = reference.on_device((padded_tables(choices), coordinates))
        start, advance = _compile(density, settings.chains, settings.target_acceptance)
        states, steps = start(rng.standard_normal((settings.chains, density.size)), data)
        warmup = math.ceil(settings.warmup / _TOGETHER)
        kept = math.ceil(max(_FEWEST_KEPT, draws / settings.chains) * _SPARE / _TOGETHER)
        blocks: list[_Block] = []
        for block in range(warmup + kept):
            states, steps, transitions = advance(states, steps, reference.random_key(rng), block < warmup, data)
            if block >= warmup:
                blocks.append(_Block(*map(np.asarray, transitions)))
            if settings.progress is not None:
                settings.progress((block + 1) * _TOGETHER, (warmup + kept) * _TOGETHER)
    return _pool_blocks(blocks, density, draws, rng)


class _Block(NamedTuple):
    """Successive transitions of all chains, in arrays (transition, chain, ...)."""

    utilities: Array
    hyperparameters: Array
    divergent: Mask


@lru_cache(maxsize=reference.COMPILED_MODELS)
def _compile(density: JointDensity, chains: int, target: float) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return two compiled functions for a model: one starts all chains, one runs `_TOGETHER` transitions of them."""
    import blackjax
    import jax
    import jax.numpy as jnp
    from blackjax.adaptation.step_size import dual_averaging_adaptation

    kernel = blackjax.nuts.build_kernel(_rotation_integrator)
    first_step, learn, _ = dual_averaging_adaptation(target)
    metric = jnp.ones(density.size)

    def log_density(white: Any, data: Any) -> Any:
        tables, coordinates = data
        position, volume = to_position(density, coordinates, white)
        return density(position, tables) + volume

    def start(white: Any, data: Any) -> Any:
        states = jax.vmap(lambda one: blackjax.nuts.init(one, lambda at: log_density(at, data)))(white)
        # Use the strict types that `advance` returns; weak types would trigger a second compilation.
        steps = jax.tree.map(jnp.asarray, first_step(_FIRST_STEP))
        return states, jax.tree.map(lambda value: value.astype(value.dtype), steps)

    def advance(states: Any, steps: Any, key: Any, learning: Any, data: Any) -> Any:
        def transition(carry: Any, key: Any) -> Any:
            states, steps = carry
            step = _avoid_resonance(jnp.exp(jnp.where(learning, steps.log_step_size, steps.log_step_size_avg)))

            def move(key: Any, state: Any) -> Any:
                return kernel(key, state, lambda at: log_density(at, data), step, metric)

            states, info = jax.vmap(move)(jax.random.split(key, chains), states)
            learnt = learn(steps, info.acceptance_rate.mean())
            steps = jax.tree.map(lambda new, old: jnp.where(learning, new, old).astype(old.dtype), learnt, steps)
            return (states, steps), (states.position, info.is_divergent)

        keys = jax.random.split(key, _TOGETHER)
        (states, steps), (white, divergent) = jax.lax.scan(transition, (states, steps), keys)

        def describe(white: Any) -> Any:
            position, _ = to_position(density, data[1], white)
            return density.utilities(position), density.hyperparameters(position)

        # One transition at a budget, since a thousand maps L(h) at once would fill the memory.
        utilities, hyperparameters = jax.lax.map(jax.vmap(describe), white)
        return states, steps, (utilities, hyperparameters, divergent)

    return jax.jit(start), jax.jit(advance)


def _avoid_resonance(step: Any) -> Any:
    import jax.numpy as jnp

    step = jnp.minimum(step, _LONGEST_STEP)
    doublings = jnp.floor(jnp.log2(math.pi / step + 1)) + 1  # the fewest doublings that exceed half a turn
    return jnp.minimum(step, _NEARLY_A_TURN / (2**doublings - 1))


def _rotation_integrator(log_density: Callable[..., Any], _kinetic_energy: Callable[..., Any]) -> Callable[..., Any]:
    """Return an integrator that splits off the standard normal.

    One step is a rotation, the exact motion under the standard normal, between two half-step kicks by the gradient of the
    remaining log-density.
    """
    import jax
    import jax.numpy as jnp
    from blackjax.mcmc.integrators import IntegratorState

    value_and_gradient = jax.value_and_grad(log_density)

    def step(state: Any, angle: Any) -> Any:
        position, momentum, _, gradient = state
        momentum = momentum + 0.5 * angle * (gradient + position)
        cosine, sine = jnp.cos(angle), jnp.sin(angle)
        position, momentum = cosine * position + sine * momentum, cosine * momentum - sine * position
        value, gradient = value_and_gradient(position)
        return IntegratorState(position, momentum + 0.5 * angle * (gradient + position), value, gradient)

    return step


def _pool_blocks(
    blocks: list[_Block], density: JointDensity, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Pool the chains and diagnose their convergence."""
    utilities, hyperparameters, divergent = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    chains = diagnose(np.moveaxis(utilities, 1, -1), np.moveaxis(hyperparameters, 1, -1))
    names = density.prior.hyperpriors_for(density.algorithms)
    diagnostics = chains.diagnostics("nuts", "NUTS from the Laplace solution", names, draws=draws)
    divergences = int(divergent.sum())
    diagnostics = replace(diagnostics, divergences=divergences)
    if divergences:
        what = "1 transition" if divergences == 1 else f"{divergences} transitions"
        message = f"{diagnostics.message} {what} diverged: raise NUTS(target_acceptance=...)."
        diagnostics = replace(diagnostics, message=message, reliable=False)
    return chains.pool(draws, rng=rng), diagnostics
