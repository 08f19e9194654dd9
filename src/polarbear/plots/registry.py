"""The figures by name: what each one shows, and whether it needs a race or the values of runs.

The command line, its help and the tests read this list. The module imports nothing heavy, so that a program knows the
figures before it draws one. To add a figure, add its name and entry here, and its function to `figures` (with "_" for "-").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FigureName = Literal[
    "ratings",
    "decision-map",
    "values",
    "dominance",
    "pair",
    "comparisons",
    "evolution",
    "allocation",
    "rounds",
    "forecast",
    "quality",
    "speed-up",
    "gap",
    "tree",
]


@dataclass(frozen=True)
class FigureEntry:
    """A figure.

    Attributes
    ----------
    shows
        The content of the figure, in a few words.
    needs
        The data of the figure: the "posterior" alone, the whole "race", or the "runs" of a race or of recorded data, with
        their values, or these runs and "features" of the instances.
    pair
        Whether it shows two algorithms, which must be named.
    panels
        Whether `by_group` draws it with one panel per group of runs.
    """

    shows: str
    needs: Literal["posterior", "race", "runs", "features"] = "posterior"
    pair: bool = False
    panels: bool = False


FIGURES: dict[FigureName, FigureEntry] = {
    "ratings": FigureEntry("ratings over time", panels=True),
    "decision-map": FigureEntry("which algorithm is best at which budget", panels=True),
    "values": FigureEntry("values under a preference", panels=True),
    "dominance": FigureEntry("which algorithm beats which, for all pairs"),
    "pair": FigureEntry("two algorithms over time", pair=True),
    "comparisons": FigureEntry("number of comparisons over time"),
    "evolution": FigureEntry("dominance over the rounds", needs="race"),
    "allocation": FigureEntry("number of instances on which each algorithm ran", needs="race"),
    "rounds": FigureEntry("ratings after the rounds with decisions", needs="race"),
    "forecast": FigureEntry("when undecided pairs should be decided", needs="race"),
    "quality": FigureEntry("median and quartiles of the best value so far", needs="runs"),
    "speed-up": FigureEntry("share of a rival's budget that an algorithm needs", needs="runs", pair=True),
    "gap": FigureEntry(
        "share of instances on which one algorithm is better by more than a tolerance", needs="runs", pair=True
    ),
    "tree": FigureEntry("after which features another algorithm should be chosen", needs="features"),
}
