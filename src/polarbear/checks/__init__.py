"""Checks of a posterior against the data it was fitted to.

In: a posterior and the choices behind it.
Out: a `ModelCheck`: pairs whose outcomes contradict the posterior, algorithms whose removal changes other pairs, and each
elimination checked against the outcomes of its pair alone.
"""
