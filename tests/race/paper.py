"""The paper's definitions, and the rule of dominance, as plain loops and sets: the oracle of the race.

It uses nothing from `polarbear.posterior.relations`, `dominance` or `race`.
"""

from itertools import combinations

import numpy as np

from polarbear import Diagnostics, Posterior, as_grid


def posterior_of(ratings, names, budgets, *, joint=True, reliable=True, instances=10):
    """A posterior with the given ratings."""
    ratings = np.asarray(ratings, dtype=float)
    return Posterior(
        ratings=ratings / ratings.sum(axis=-1, keepdims=True),
        names=tuple(names),
        grid=as_grid(budgets),
        joint=joint,
        diagnostics=Diagnostics("none", reliable, "made up for a test", 1.0),
        prior="a prior",
        instances=instances,
    )


def some_posterior(rng, names, budgets, *, draws=40, sharpness=1.0, reliable=True):
    """A posterior whose ratings differ and vary about as much: some pairs are decided, others are not."""
    centre = rng.normal(size=(len(budgets), len(names))) * sharpness + rng.normal(size=len(names)) * sharpness
    level = rng.normal(size=(draws, 1, len(names))) * 0.5  # correlated over time, as under temporal priors
    utilities = centre + level + rng.normal(size=(draws, len(budgets), len(names))) * 0.3
    return posterior_of(np.exp(utilities), names, budgets, reliable=reliable)


def drifting_posteriors(rng, names, budgets, rounds, *, memory, sharpness, draws=40):
    """One posterior per round, which resembles the one before: its centre is an average of this one's and new values.

    With a memory of one all posteriors are equal, and with zero they are unrelated.
    """
    noise = rng.normal(size=(draws, 1, len(names))) * 0.5 + rng.normal(size=(draws, len(budgets), len(names))) * 0.3
    own, common = np.zeros((len(budgets), len(names))), np.zeros(len(names))
    posteriors = []
    for number in range(rounds):
        old, new = (memory, np.sqrt(1 - memory**2)) if number else (0.0, 1.0)
        own = old * own + new * sharpness * rng.normal(size=own.shape)
        common = old * common + new * sharpness * rng.normal(size=common.shape)
        posteriors.append(posterior_of(np.exp(own + common + noise), names, budgets))
    return posteriors


def dominates_at(posterior, a, b, t):
    """P(θ_a(t) > θ_b(t))."""
    return sum(bool(draw[t, a] > draw[t, b]) for draw in posterior.ratings) / len(posterior.ratings)


def dominates_anytime(posterior, a, b):
    """P(θ_a(t) > θ_b(t) for all t)."""
    budgets = range(len(posterior.grid))
    return sum(all(draw[t, a] > draw[t, b] for t in budgets) for draw in posterior.ratings) / len(posterior.ratings)


def equivalent_at(posterior, a, b, t, margin):
    """P(θ_a / (θ_a + θ_b) within [0.5 − ε, 0.5 + ε])."""
    share = 0
    for draw in posterior.ratings:
        wins = draw[t, a] / (draw[t, a] + draw[t, b])
        share += bool(0.5 - margin <= wins <= 0.5 + margin)
    return share / len(posterior.ratings)


def threat(posterior, a, b, dominance):
    """The probability that decides whether b is dropped because of a."""
    if dominance == "joint":
        return dominates_anytime(posterior, a, b)
    return min(dominates_at(posterior, a, b, t) for t in range(len(posterior.grid)))


def relation(posterior, a, b, t, *, confidence, margin):
    """The decision about a pair at a budget: ">", "<", "=", or None. Dominance takes precedence over equivalence."""
    if dominates_at(posterior, a, b, t) >= confidence:
        return ">"
    if dominates_at(posterior, b, a, t) >= confidence:
        return "<"
    return "=" if equivalent_at(posterior, a, b, t, margin) >= confidence else None


def pairs_decided_by_the_paper(posterior, *, until, confidence, margin):
    """C(t, {A, B}) of one posterior, as {(t, a, b): bool} for a < b."""
    budgets, n = range(len(posterior.grid)), len(posterior.names)
    decided = {}
    for a, b in combinations(range(n), 2):
        here = [relation(posterior, a, b, t, confidence=confidence, margin=margin) for t in budgets]
        crossing = any(
            here[t] in (">", "=") and here[u] in ("<", "=") and (here[t] == ">" or here[u] == "<")
            for t in budgets
            for u in budgets
        )
        for t in budgets:
            decided[t, a, b] = here[t] is not None or (until == "pairs" and crossing)
    return decided


def reached_from(start, arrows):
    """Everybody at the end of a path of arrows from one algorithm, itself included."""
    found, new = set(), {start}
    while new:
        found |= new
        new = {b for a, b in arrows if a in found} - found
    return found


def plainly_kept(threats, confidence, *, judged, dropped=frozenset(), returning=True):
    """The kept algorithms, from {(winner, loser): threat} of all pairs.

    An arrow is a threat with the confidence or, on an algorithm that was dropped before, a threat of at least one half. An
    algorithm is kept if it reaches, by arrows, everybody who reaches it. A dropped one also comes back if nobody of these
    has a threat of at least one half on it, and so does everybody who reaches one that is kept.
    """
    pairs = {pair: p for pair, p in threats.items() if judged >= set(pair)}
    arrows = {(a, b) for (a, b), p in pairs.items() if p >= confidence or (b in dropped and p >= 0.5)}
    reached = {a: reached_from(a, arrows) for a in judged}
    kept = {a for a in judged if all(b in reached[a] for b in judged if a in reached[b])}
    if returning:
        held = {b for (a, b), p in pairs.items() if a in kept and p >= 0.5}
        kept |= judged - held
        kept = {a for a in judged if reached[a] & kept}
    return kept


def plain_cycles(threats, confidence, kept):
    """The groups of kept algorithms that reach each other by arrows among the kept."""
    arrows = {(a, b) for (a, b), p in threats.items() if p >= confidence and {a, b} <= kept}
    reached = {a: reached_from(a, arrows) for a in kept}
    groups = {frozenset(b for b in reached[a] if a in reached[b]) for a in kept}
    return {group for group in groups if len(group) > 1}


class PlainRace:
    """Algorithm 1: P̂ and C by name, updated by one posterior after the other.

    C is what the latest posterior decides about the remaining pairs; in the paper it accumulates over the rounds. P̂ is
    decided by all pairs in each round, so that an algorithm may come back.
    """

    def __init__(self, names, budgets, *, dominance, until, confidence, margin):
        self.names, self.budgets = list(names), list(budgets)
        self.dominance, self.until, self.confidence, self.margin = dominance, until, confidence, margin
        self.candidates = list(names)
        self.decided = {
            (t, frozenset(pair)): False for t in range(len(self.budgets)) for pair in combinations(self.names, 2)
        }
        self.drops = {}  # loser: (the algorithms that may be named as beating it, probability)
        self.ran = {name: set() for name in names}  # the instances of each algorithm
        self.behind = set()  # the algorithms that came back and have not run on all instances yet

    def plan(self, size):
        """The next round: its kind, its instances, and its runs as {(name, instance)}."""
        budget, used = self.budget(), set().union(*self.ran.values())
        missing = {name: used - self.ran[name] for name in budget if name in self.behind}
        if any(missing.values()):
            instances = sorted(set().union(*missing.values()))[:size]
            return "catch-up", instances, {(name, i) for name, own in missing.items() for i in own & set(instances)}
        instances = list(range(len(used), len(used) + size))
        return "fresh", instances, {(name, i) for name in budget for i in instances}

    def update(self, posterior, runs=()):
        """Make one round's decisions after these runs; return the algorithms that it dropped, and those that came back.

        The most certain drop is first, and the others follow by name.
        """
        for name, instance in runs:
            self.ran[name].add(instance)
        index = {name: i for i, name in enumerate(posterior.names)}
        threats = {
            (a, b): threat(posterior, index[a], index[b], self.dominance)
            for a in self.names
            for b in self.names
            if a != b
        }
        everybody, before = set(self.names), set(self.candidates)
        kept = plainly_kept(threats, self.confidence, judged=everybody, dropped=everybody - before)
        losers = []
        for loser in before - kept:
            by_kept = {a: threats[a, loser] for a in kept if threats[a, loser] >= self.confidence}
            rivals = by_kept or {a: threats[a, loser] for a in everybody - {loser}}
            most = max(rivals.values())
            losers.append((-most, loser))
            self.drops[loser] = ({a for a, p in rivals.items() if p == most}, most)
        self.candidates = [name for name in self.names if name in kept]
        returned = [name for name in self.candidates if name not in before]
        for name in returned:
            del self.drops[name]
        used = set().union(*self.ran.values())
        self.behind = {name for name in {*self.behind, *returned} & kept if used - self.ran[name]}
        here = pairs_decided_by_the_paper(posterior, until=self.until, confidence=self.confidence, margin=self.margin)
        for (t, a, b), yes in here.items():
            pair = frozenset({posterior.names[a], posterior.names[b]})
            self.decided[t, pair] = yes or not pair.issubset(self.candidates)
        return [loser for _, loser in sorted(losers)], returned

    def budget(self):
        """τ_A of every algorithm that must still run; to the end of the grid under joint dominance."""
        result = {}
        for name in self.names:
            open_budgets = [
                t
                for (t, pair), yes in self.decided.items()
                if not yes and name in pair and all(other in self.candidates for other in pair)
            ]
            if name in self.candidates and open_budgets:
                result[name] = self.budgets[max(open_budgets)] if self.dominance == "pointwise" else self.budgets[-1]
        return result

    def matrix(self):
        """C as in the state, shape (budget, algorithm, algorithm)."""
        n = len(self.names)
        decided = np.ones((len(self.budgets), n, n), dtype=bool)
        for (t, pair), yes in self.decided.items():
            a, b = (self.names.index(name) for name in pair)
            decided[t, a, b] = decided[t, b, a] = yes
        return decided
