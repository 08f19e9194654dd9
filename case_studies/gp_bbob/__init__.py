"""Case study 3: whether covariance adaptation pays off by the wall clock, on problems whose optima nobody knows."""

from case_studies.gp_bbob.study import reproduce

__all__ = ["reproduce"]
