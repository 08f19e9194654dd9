"""Case study 1: known ratings, on which the race should find the anytime Pareto set.

Ground truths are drawn from the paper's prior. The paper's own draws are not public, so its three examples are replaced by
draws of the same kind. A table counts how often the race finds the Pareto set of random ground truths.
"""

from case_studies.synthetic.study import reproduce

__all__ = ["reproduce"]
