"""PolarBear: Pareto-optimal anytime algorithms via Bayesian racing.

The public names are listed in `__init__.pyi`. Each is imported when it is first used, so that loading a stored posterior
does not import what only fitting needs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
