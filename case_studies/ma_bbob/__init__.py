"""Case study 2: step-size rules of CMA-ES on MA-BBOB, with ECDF, AOCC and EAF for comparison.

`quick` races the recorded runs of the repository; `paper` runs the real optimisers, and can be interrupted and continued.
"""

from case_studies.ma_bbob.study import reproduce

__all__ = ["reproduce"]
