"""Execution times of inference: the paper's Figure 1, by its methods (`paper`) or the default ones (`quick`)."""

from case_studies.runtime.study import reproduce

__all__ = ["reproduce"]
