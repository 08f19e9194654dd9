from .budget_ratio import draw_speed_up
from .comparison_counts import ComparisonCounts, draw_comparisons
from .decision_bands import DecisionBands, area_handles, draw_decision_map
from .decision_forecast import DecisionForecast, OpenPair, draw_forecast, draw_open_pairs
from .dominance_evolution import DominanceEvolution, draw_evolution
from .dominance_matrix import DominanceMatrix, draw_dominance
from .figures import (
    allocation,
    comparisons,
    decision_map,
    dominance,
    draw_figure,
    evolution,
    forecast,
    gap,
    pair,
    quality,
    ratings,
    rounds,
    speed_up,
    values,
)
from .gap_shares import draw_gap
from .group_figure import by_group
from .pair_dominance import PairDominance, draw_pair
from .palette import Look, assign_colours, assign_looks
from .preference_values import PreferenceValues, draw_values
from .problem_tree import ProblemTree, draw_tree
from .quality_over_time import draw_quality
from .rating_curves import RatingCurves, draw_ratings
from .registry import FIGURES, FigureEntry, FigureName
from .round_panels import Panel, RoundPanels, draw_rounds, key_rounds, posterior_after
from .sample_allocation import SampleAllocation, draw_allocation
from .style import save, styled
from .tree_figure import tree

__all__ = [
    "FIGURES",
    "ComparisonCounts",
    "DecisionBands",
    "DecisionForecast",
    "DominanceEvolution",
    "DominanceMatrix",
    "FigureEntry",
    "FigureName",
    "Look",
    "OpenPair",
    "PairDominance",
    "Panel",
    "PreferenceValues",
    "ProblemTree",
    "RatingCurves",
    "RoundPanels",
    "SampleAllocation",
    "allocation",
    "area_handles",
    "assign_colours",
    "assign_looks",
    "by_group",
    "comparisons",
    "decision_map",
    "dominance",
    "draw_allocation",
    "draw_comparisons",
    "draw_decision_map",
    "draw_dominance",
    "draw_evolution",
    "draw_figure",
    "draw_forecast",
    "draw_gap",
    "draw_open_pairs",
    "draw_pair",
    "draw_quality",
    "draw_ratings",
    "draw_rounds",
    "draw_speed_up",
    "draw_tree",
    "draw_values",
    "evolution",
    "forecast",
    "gap",
    "key_rounds",
    "pair",
    "posterior_after",
    "quality",
    "ratings",
    "rounds",
    "save",
    "speed_up",
    "styled",
    "tree",
    "values",
]
