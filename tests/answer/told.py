"""A posterior that says what a test tells it, for the ranges of budgets, and posteriors of known outcomes."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

import polarbear as pb


@dataclass
class Told:
    """What `polarbear.answer.ranges` asks of a posterior, as a test wants it.

    `ties` is the share of ties of each pair, and `equal` the probability that its win rate lies within the margin: a number
    per budget by the two columns. Pairs that are not named have zero.
    """

    grid: pb.Grid
    names: tuple[str, ...]
    observed: np.ndarray
    ties: dict = field(default_factory=dict)
    equal: dict = field(default_factory=dict)

    def win_rate_within(self, first, second, margin, *, at_least=0.0):
        return np.broadcast_to(self._of(self.equal, first, second), len(self.grid))

    @property
    def beliefs(self):
        return self

    def belief(self, first, second):
        ties = np.broadcast_to(self._of(self.ties, first, second), len(self.grid)) * 20.0
        return SimpleNamespace(ties=ties, wins=(20 - ties) / 2, losses=(20 - ties) / 2)

    def _of(self, told, first, second):
        return told.get((first, second), told.get((second, first), 0.0))


def told(probability, *, axis="linear", observed=None, **pairs):
    """A posterior of algorithms A, B, ... with these probabilities of being best, (budget, algorithm), from budget 1 on."""
    budgets, algorithms = np.shape(probability)
    grid = pb.Grid(
        np.arange(1.0, budgets + 1) if axis == "linear" else np.geomspace(1, 2.0 ** (budgets - 1), budgets), axis
    )
    seen = np.ones((budgets, algorithms), dtype=bool) if observed is None else np.asarray(observed, dtype=bool)
    return Told(grid, tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[:algorithms]), seen, **pairs)


def random_probabilities(seed, budgets, algorithms, *, spread=3.0):
    """Probabilities of being best that wander over the budgets, (budget, algorithm), so that leaders change now and then."""
    rng = np.random.default_rng(seed)
    walk = rng.normal(scale=spread * rng.random(), size=(budgets, algorithms)).cumsum(axis=0)
    strength = np.exp(walk + rng.normal(scale=spread, size=algorithms))
    return strength / strength.sum(axis=1, keepdims=True)


def names_of(number):
    return [f"a{k}" for k in range(number)]


def fitted(values, *, axis="log", names=None, clusters=None, draws=400, **options):
    """The posterior of values (instance, budget, algorithm); lower is better."""
    budgets, algorithms = np.shape(values)[1:]
    grid = pb.Grid(np.geomspace(10, 1000, budgets), axis)
    choices = pb.Choices.from_values(values, grid=grid, names=names or names_of(algorithms), clusters=clusters)
    return pb.fit(choices, draws=draws, **options)


def crossing_values(instances=40, budgets=10, *, spread=1.0, seed=0, extra=()):
    """Values of A, which is better early, of B, which is better late, and of others at constant distances above both."""
    rng = np.random.default_rng(seed)
    change = np.linspace(-1, 1, budgets)[None, :, None] * [2.0, -2.0, *(0.0 for _ in extra)]
    noise = spread * rng.normal(size=(instances, 1, 2 + len(extra)))
    return change + noise + [0.0, 0.0, *extra]
