"""Execution times of inference: the paper's two figures, with the default methods."""

from case_studies.runtime.study import reproduce

__all__ = ["reproduce"]
