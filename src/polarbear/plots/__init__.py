"""Figures of posteriors and races.

A `Posterior` or a `RaceResult` comes in; Matplotlib figures go out, and `save` writes them. Each figure has a module with a
data step (`RatingCurves.of(posterior)`) and a drawing step (`draw_ratings(ax, data)`). Data steps need only NumPy and SciPy.
Drawing steps import Matplotlib at first use, and never pyplot.

- `figures`: complete figures in one call each.
- `rating_curves`, `pair_dominance`, `dominance_matrix`, `decision_bands`, `preference_values`: figures of a posterior.
- `dominance_evolution`, `round_panels`, `sample_allocation`, `decision_forecast`: figures of a race.
- `palette`, `style`, `lettering`, `end_labels`: colours, page style and files, text, and labels.
"""

from polarbear.plots.decision_bands import DecisionBands, Lead, draw_decision_map
from polarbear.plots.decision_forecast import DecisionForecast, OpenPair, draw_forecast, draw_open_pairs
from polarbear.plots.dominance_evolution import DominanceEvolution, draw_evolution
from polarbear.plots.dominance_matrix import DominanceMatrix, draw_dominance
from polarbear.plots.figures import (
    allocation,
    decision_map,
    dominance,
    evolution,
    forecast,
    pair,
    ratings,
    rounds,
    values,
)
from polarbear.plots.pair_dominance import PairDominance, draw_pair
from polarbear.plots.palette import Look, assign_colours, assign_looks
from polarbear.plots.preference_values import PreferenceValues, draw_values
from polarbear.plots.rating_curves import RatingCurves, draw_ratings
from polarbear.plots.round_panels import Panel, RoundPanels, draw_rounds, key_rounds, posterior_after
from polarbear.plots.sample_allocation import SampleAllocation, draw_allocation
from polarbear.plots.style import save, styled

__all__ = [
    "DecisionBands",
    "DecisionForecast",
    "DominanceEvolution",
    "DominanceMatrix",
    "Lead",
    "Look",
    "OpenPair",
    "PairDominance",
    "Panel",
    "PreferenceValues",
    "RatingCurves",
    "RoundPanels",
    "SampleAllocation",
    "allocation",
    "assign_colours",
    "assign_looks",
    "decision_map",
    "dominance",
    "draw_allocation",
    "draw_decision_map",
    "draw_dominance",
    "draw_evolution",
    "draw_forecast",
    "draw_open_pairs",
    "draw_pair",
    "draw_ratings",
    "draw_rounds",
    "draw_values",
    "evolution",
    "forecast",
    "key_rounds",
    "pair",
    "posterior_after",
    "ratings",
    "rounds",
    "save",
    "styled",
    "values",
]
