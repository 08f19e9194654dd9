"""How long inference takes: the paper's two figures of execution time, with the default methods."""

from case_studies.runtime.study import reproduce

__all__ = ["reproduce"]
