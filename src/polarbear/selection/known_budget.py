"""A known budget between two budgets of the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.preference import At
from polarbear.selection.quadrature import require_within

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.preference import Preference


def at_budget(posterior: Posterior, preference: Preference) -> tuple[Posterior, Preference]:
    """Return a posterior whose grid has the known budget of a preference, and the preference on it.

    Under `BayesianBootstrap` outcomes are taken exactly at the budget if the posterior has runs. A posterior from a file has
    none, and the nearest grid budget below stands in. Other preferences, and ratings under the paper's priors, are
    interpolated between budgets of the grid by their weights.
    """
    if not isinstance(preference, At) or posterior.beliefs is None or preference.budget in posterior.grid.budgets:
        return posterior, preference
    require_within(posterior.grid, np.array([float(preference.budget)]), "the budget")
    exact = posterior.at(float(preference.budget))
    if exact is not None:
        return exact, preference
    below = posterior.grid.budgets[posterior.grid.budgets < preference.budget][-1]
    return posterior, At(float(below))
