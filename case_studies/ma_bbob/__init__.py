"""Case study 2: step-size rules of CMA-ES on MA-BBOB, beside ECDF, AOCC and EAF.

`quick` races the recorded runs that come with the repository; `paper` runs the real optimisers, resumable at any moment.
"""

from case_studies.ma_bbob.study import reproduce

__all__ = ["reproduce"]
