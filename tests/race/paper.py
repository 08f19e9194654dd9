"""The paper's definitions as plain loops over draws, pairs and times: the oracle of the race.

It uses nothing from `polarbear.posterior.relations`, `elimination` or `race`.
"""

from itertools import combinations

import numpy as np

from polarbear import Diagnostics, Posterior, as_grid


def posterior_of(ratings, names, times, *, joint=True, reliable=True, instances=10):
    """A posterior with the given ratings."""
    ratings = np.asarray(ratings, dtype=float)
    return Posterior(
        ratings=ratings / ratings.sum(axis=-1, keepdims=True),
        names=tuple(names),
        grid=as_grid(times),
        joint=joint,
        diagnostics=Diagnostics("none", reliable, "made up for a test", 1.0),
        prior="a prior",
        instances=instances,
    )


def some_posterior(rng, names, times, *, draws=40, sharpness=1.0, reliable=True):
    """A posterior whose ratings differ and vary about as much: some pairs are decided, others are not."""
    centre = rng.normal(size=(len(times), len(names))) * sharpness + rng.normal(size=len(names)) * sharpness
    level = rng.normal(size=(draws, 1, len(names))) * 0.5  # correlated over time, as under temporal priors
    utilities = centre + level + rng.normal(size=(draws, len(times), len(names))) * 0.3
    return posterior_of(np.exp(utilities), names, times, reliable=reliable)


def dominates_at(posterior, a, b, t):
    """P(θ_a(t) > θ_b(t))."""
    return sum(bool(draw[t, a] > draw[t, b]) for draw in posterior.ratings) / len(posterior.ratings)


def dominates_anytime(posterior, a, b):
    """P(θ_a(t) > θ_b(t) for all t)."""
    times = range(len(posterior.grid))
    return sum(all(draw[t, a] > draw[t, b] for t in times) for draw in posterior.ratings) / len(posterior.ratings)


def equivalent_at(posterior, a, b, t, rope):
    """P(θ_a / (θ_a + θ_b) within [0.5 − ε, 0.5 + ε])."""
    share = 0
    for draw in posterior.ratings:
        wins = draw[t, a] / (draw[t, a] + draw[t, b])
        share += bool(0.5 - rope <= wins <= 0.5 + rope)
    return share / len(posterior.ratings)


def threat(posterior, a, b, elimination):
    """The probability that decides whether a eliminates b."""
    if elimination == "joint":
        return dominates_anytime(posterior, a, b)
    return min(dominates_at(posterior, a, b, t) for t in range(len(posterior.grid)))


def relation(posterior, a, b, t, *, confidence, rope):
    """The decision about a pair at a time: ">", "<", "=", or None. Dominance takes precedence over equivalence."""
    if dominates_at(posterior, a, b, t) >= confidence:
        return ">"
    if dominates_at(posterior, b, a, t) >= confidence:
        return "<"
    return "=" if equivalent_at(posterior, a, b, t, rope) >= confidence else None


def decided_pairs(posterior, *, resolution, confidence, rope):
    """C(t, {A, B}) of one posterior, as {(t, a, b): bool} for a < b."""
    times, n = range(len(posterior.grid)), len(posterior.names)
    decided = {}
    for a, b in combinations(range(n), 2):
        here = [relation(posterior, a, b, t, confidence=confidence, rope=rope) for t in times]
        crossing = any(
            here[t] in (">", "=") and here[u] in ("<", "=") and (here[t] == ">" or here[u] == "<")
            for t in times
            for u in times
        )
        for t in times:
            decided[t, a, b] = here[t] is not None or (resolution == "crossing" and crossing)
    return decided


class PlainRace:
    """Algorithm 1: P̂ and C by name, updated by one posterior after the other.

    C is what the latest posterior decides about the remaining pairs; in the paper it accumulates over the rounds.
    """

    def __init__(self, names, times, *, elimination, resolution, confidence, rope):
        self.names, self.times = list(names), list(times)
        self.elimination, self.resolution, self.confidence, self.rope = elimination, resolution, confidence, rope
        self.candidates = list(names)
        self.decided = {
            (t, frozenset(pair)): False for t in range(len(self.times)) for pair in combinations(self.names, 2)
        }
        self.eliminations = {}  # loser: (eliminator, probability), in order

    def update(self, posterior):
        """Make one round's decisions; return the eliminated algorithms in order."""
        index = {name: i for i, name in enumerate(posterior.names)}
        eliminated = []
        while True:
            # The most certainly dominated candidate is eliminated first (among equals the weakest), by another
            # candidate.
            claims = []
            for loser in self.candidates:
                for winner in self.candidates:
                    if winner != loser:
                        p = threat(posterior, index[winner], index[loser], self.elimination)
                        claims.append((p, -posterior.ratings[..., index[loser]].mean(), loser, winner))
            claims = [claim for claim in claims if claim[0] >= self.confidence]
            if not claims:
                break
            p, _, loser, _ = max(claims)
            winners = [winner for q, _, name, winner in claims if name == loser and q == p]
            self.candidates.remove(loser)
            eliminated.append(loser)
            self.eliminations[loser] = (winners, p)
        here = decided_pairs(posterior, resolution=self.resolution, confidence=self.confidence, rope=self.rope)
        for (t, a, b), yes in here.items():
            pair = frozenset({posterior.names[a], posterior.names[b]})
            self.decided[t, pair] = yes or not pair.issubset(self.candidates)
        return eliminated

    def until(self):
        """τ_A of every algorithm that must still run; to the end of the grid under joint elimination."""
        result = {}
        for name in self.names:
            open_times = [
                t
                for (t, pair), yes in self.decided.items()
                if not yes and name in pair and all(other in self.candidates for other in pair)
            ]
            if name in self.candidates and open_times:
                result[name] = self.times[max(open_times)] if self.elimination == "pointwise" else self.times[-1]
        return result

    def matrix(self):
        """C as in the state, shape (time, algorithm, algorithm)."""
        n = len(self.names)
        resolved = np.ones((len(self.times), n, n), dtype=bool)
        for (t, pair), yes in self.decided.items():
            a, b = (self.names.index(name) for name in pair)
            resolved[t, a, b] = resolved[t, b, a] = yes
        return resolved
