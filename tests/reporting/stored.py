"""The posterior that a page holds: Python answers from the same rounded draws as the explorer."""

import base64
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

import polarbear as pb
from polarbear.posterior.first_places import first_places_among
from tests.reporting.pages import read_data


class StoredBeliefs:
    """The draws of a page in place of those of the beliefs, and no runs."""

    others = "on no page"  # a posterior of a group has no runs to look up either

    def __init__(self, beliefs, columns, kept, rates, shares):
        self.beliefs, self.columns, self.rates, self.shares = beliefs, columns, rates, shares
        self.pairs = list(combinations([columns[place] for place in kept], 2))
        self.draws = shares.shape[-1]

    def __getattr__(self, name):
        return getattr(self.beliefs, name)

    def win_rates(self, first, second):
        if first > second:
            return 1 - self.win_rates(second, first)
        return self.rates[self.pairs.index((first, second))]

    def first_places(self, columns, budgets):
        shares = self.shares[budgets][:, [self.columns.index(column) for column in columns]]
        total = shares.sum(axis=1, keepdims=True)
        return (shares / np.where(total > 0, total, 1)).transpose(2, 0, 1)


def stored_first_places(beliefs, columns, budgets):
    """`first_places_among`, also of the beliefs of a page."""
    among = beliefs.first_places if isinstance(beliefs, StoredBeliefs) else partial(first_places_among, beliefs)
    return among(columns, budgets)


def read_draws(explorer, budgets):
    """The packed ratings (budget, column, draw) and win rates (pair, budget, draw) or None as shares."""
    size = (budgets, len(explorer["columns"]), explorer["draws"])
    ratings = (np.frombuffer(base64.b64decode(explorer["ratings"]), dtype="<u2").reshape(size) / 65535) ** 2
    if explorer["rates"] is None:
        return ratings, None
    return ratings, np.frombuffer(base64.b64decode(explorer["rates"]), dtype=np.uint8).reshape(-1, *size[::2]) / 255


def stored_posterior(path, posterior):
    """The posterior with the draws that the page at this path holds."""
    explorer = read_data(path)["sections"]["explorer"]
    ratings, rates = read_draws(explorer, len(posterior.grid))
    if rates is None:
        return replace(posterior, ratings=ratings.transpose(2, 0, 1))
    beliefs = StoredBeliefs(posterior.beliefs, explorer["columns"], explorer["kept"], rates, ratings)
    same = {name: value for name, value in vars(posterior).items() if name in posterior.__dataclass_fields__}
    return pb.Posterior(**{**same, "ratings": None, "beliefs": beliefs})


def crossing_posterior(grid, algorithms=4, *, instances=40, draws=400, seed=0, **options):
    """A posterior of the default belief: paths that cross, with noise on each instance."""
    rng = np.random.default_rng(seed)
    level = rng.normal(scale=0.6, size=(1, len(grid), algorithms)).cumsum(axis=1)
    noise = rng.normal(size=(instances, 1, algorithms)) + rng.normal(size=(instances, len(grid), algorithms))
    choices = pb.Choices.from_values(
        level + noise, grid=grid, names=list("ABCDEFGHIJKLMNOPQRST"[:algorithms]), per_instance=True
    )
    return pb.fit(choices, draws=draws, seed=seed, **options)
