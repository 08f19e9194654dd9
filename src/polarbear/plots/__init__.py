"""Figures: one file each, with a data step (`RatingCurves.of(posterior)`) and a drawing step (`draw_ratings(ax, data)`).

Data steps need NumPy and SciPy alone; what draws imports Matplotlib when it is first used, and never pyplot.
"""

from polarbear.plots.decision_bands import DecisionBands, Lead
from polarbear.plots.decision_forecast import DecisionForecast, OpenPair
from polarbear.plots.dominance_evolution import DominanceEvolution
from polarbear.plots.dominance_matrix import DominanceMatrix
from polarbear.plots.pair_dominance import PairDominance
from polarbear.plots.palette import Look, colours, looks
from polarbear.plots.preference_values import PreferenceValues
from polarbear.plots.rating_curves import RatingCurves
from polarbear.plots.round_panels import Panel, RoundPanels, key_rounds, posterior_after
from polarbear.plots.sample_allocation import SampleAllocation

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
    "colours",
    "key_rounds",
    "looks",
    "posterior_after",
]
