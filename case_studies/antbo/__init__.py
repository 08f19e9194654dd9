"""Case study 4: five methods of Bayesian optimisation for antibody design, on the public results of AntBO."""

from case_studies.antbo.study import reproduce

__all__ = ["reproduce"]
