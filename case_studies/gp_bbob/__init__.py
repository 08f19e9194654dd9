"""Case study 3: covariance adaptation by the wall clock, on problems with unknown optima."""

from case_studies.gp_bbob.study import reproduce

__all__ = ["reproduce"]
