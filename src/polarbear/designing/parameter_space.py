"""Configurations of a parameterised algorithm: a proposer that samples a ConfigSpace and mutates Pareto members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.algorithms.record_run import Wrapped, run_into
from polarbear.models.validation import require_count

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from polarbear.algorithms.record_run import Algorithm
    from polarbear.algorithms.recorder import Recorder
    from polarbear.designing.state import DesignState

_DIGITS = 4  # significant digits of a number, so that the name of a configuration says all of it
_TRIES = 20  # per proposal, to find a configuration that is new
_STEP = 0.2  # standard deviation of a mutated number on the unit interval, ConfigSpace's own default
_SECOND_CHANGE = 0.5  # probability that a mutation changes another parameter, and another


@dataclass(frozen=True)
class Configured(Wrapped):
    """An algorithm with a configuration, built where it runs; see `ParameterSpace`."""

    build: Callable[..., Algorithm]
    configuration: dict[str, Any]

    def record(self, problem: Any, seed: int, recorder: Recorder) -> bool:
        return run_into(self.build(**self.configuration), problem, seed, recorder)


@dataclass(frozen=True, eq=False)
class ParameterSpace:
    """The parameters of an algorithm; its `propose` is a proposer for `design`.

    Needs ConfigSpace: `pip install 'polarbear-anytime[design]'`.

    Parameters
    ----------
    space
        The parameters, with their ranges, scales and conditions: a `ConfigSpace.ConfigurationSpace`.
    build
        `build(**configuration)` returns the algorithm with this configuration, such as one made by `counted`. Parameters
        that are not active are left out.
    sampled, mutated
        The number of configurations that `propose` draws from the space, and that it makes by changing one or more
        parameters of a random member of the Pareto set.
    decimals
        The largest number of decimal places of real parameters; by default they have four significant digits.

    Examples
    --------
    >>> from ConfigSpace import ConfigurationSpace
    >>> space = ParameterSpace(ConfigurationSpace({"rate": (0.1, 0.9), "kind": ["a", "b"]}), dict)
    >>> list(space.algorithm(rate=0.3)), len(space.sample(5, seed=1))
    (['kind=a rate=0.3'], 5)
    """

    space: Any
    build: Callable[..., Algorithm]
    sampled: int = 2
    mutated: int = 4
    decimals: int | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.space, "sample_configuration"):
            raise ValueError(
                f"expected a ConfigSpace.ConfigurationSpace, got {type(self.space).__name__}; make one with "
                "ConfigurationSpace({...}), after: pip install 'polarbear-anytime[design]'"
            )
        require_count("sampled", self.sampled, least=0)
        require_count("mutated", self.mutated, least=0)

    def algorithm(self, **configuration: Any) -> dict[str, Configured]:
        """Return the algorithm with a configuration, by its name; parameters that are left out have their defaults."""
        defaults = {name: _plain(each.default_value) for name, each in self.space.items()}
        if self.decimals is not None:
            defaults = {name: self._round(value) for name, value in defaults.items()}
        return self._named(self._legal({**defaults, **configuration}))

    def sample(self, count: int, *, seed: int = 0) -> dict[str, Configured]:
        """Return algorithms with `count` random configurations by name; fewer if the space has no more."""
        rng = np.random.default_rng(seed)
        return self._collect(count, lambda: self._random(rng), known=())

    def propose(self, state: DesignState) -> dict[str, Configured]:
        """Return new configurations: some from the whole space, some near the Pareto set; the same for the same state."""
        rng = state.rng
        members = [state.algorithms[name] for name in state.kept if name in state.algorithms]
        parents = [each.configuration for each in members if isinstance(each, Configured)]
        new = self._collect(self.sampled, lambda: self._random(rng), known=state.names)
        if parents:
            known = {*state.names, *new}
            new |= self._collect(
                self.mutated, lambda: self._mutate(parents[rng.integers(len(parents))], rng), known=known
            )
        return new

    def _collect(
        self, count: int, make: Callable[[], dict[str, Any] | None], *, known: Collection[str]
    ) -> dict[str, Configured]:
        """Return up to `count` algorithms that are not known; fewer if the space has no more."""
        found: dict[str, Configured] = {}
        for _ in range(_TRIES * count):
            if len(found) == count:
                break
            if (configuration := make()) is not None:
                found |= {name: each for name, each in self._named(configuration).items() if name not in known}
        return found

    def _named(self, configuration: dict[str, Any]) -> dict[str, Configured]:
        shown = configuration if self.decimals is None else {name: str(value) for name, value in configuration.items()}
        return {configuration_name(shown): Configured(self.build, configuration)}

    def _random(self, rng: np.random.Generator) -> dict[str, Any] | None:
        self.space.seed(int(rng.integers(2**31)))
        return self._rounded(dict(self.space.sample_configuration()))

    def _mutate(self, parent: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any] | None:
        """Return a configuration that differs from its parent in one or more parameters."""
        from ConfigSpace import Configuration
        from ConfigSpace.util import get_one_exchange_neighbourhood

        child = Configuration(self.space, values=dict(parent))
        while True:
            neighbours: Iterator[Any] = get_one_exchange_neighbourhood(
                child, seed=int(rng.integers(2**31)), num_neighbors=1, stdev=_STEP
            )
            child = next(neighbours, child)
            if rng.random() >= _SECOND_CHANGE:
                return self._rounded(dict(child))

    def _rounded(self, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return a configuration with rounded numbers; None if rounding makes it illegal."""
        try:
            return self._legal({name: self._round(value) for name, value in values.items()})
        except ValueError:
            return None

    def _round(self, value: Any) -> Any:
        value = _plain(value)
        if not isinstance(value, float):
            return value
        return _round(value) if self.decimals is None else round(value, self.decimals)

    def _legal(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return a configuration as plain values, without inactive parameters; raise a ValueError if it is illegal."""
        from ConfigSpace import Configuration
        from ConfigSpace.util import deactivate_inactive_hyperparameters

        try:
            legal = deactivate_inactive_hyperparameters(dict(values), self.space)
            return {name: _plain(value) for name, value in dict(Configuration(self.space, values=dict(legal))).items()}
        except (ValueError, KeyError) as error:
            raise ValueError(f"expected a configuration of the space, got {dict(values)}: {error}") from None


def configuration_name(configuration: Mapping[str, Any]) -> str:
    """Return the name of a configuration: its parameters and their values.

    Examples
    --------
    >>> configuration_name({"popsize": 20, "F": 0.5, "strategy": "best"})
    'popsize=20 F=0.5 strategy=best'
    """
    return " ".join(f"{name}={_round(value)}" for name, value in configuration.items()) or "no parameters"


def _plain(value: Any) -> Any:
    """Return a value of NumPy as one of Python, which JSON can hold."""
    return value.item() if isinstance(value, np.generic) else value


def _round(value: Any) -> Any:
    value = _plain(value)
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
