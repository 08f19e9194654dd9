"""Case study 1: ratings that are known, and whether the race finds their anytime Pareto set.

Ground truths are drawn from the paper's prior. Its own draws are not public: three of the same kind were searched for, and
show the same behaviour; random ones are raced besides, and counted.
"""

from case_studies.synthetic.study import reproduce

__all__ = ["reproduce"]
