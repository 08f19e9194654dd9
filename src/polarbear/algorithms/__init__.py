"""What is raced: algorithms of any shape, run into a recorder.

An algorithm is any callable `run(problem, seed, until)` whose result gives pairs (time, value). Wrappers make one from
other shapes. Importing this room needs the standard library alone, so that workers start fast.

- `counted`: a plain optimiser `function(objective, budget, rng)`.
- `Recorder`, `perform`: count, keep improvements, stop in time.
"""

from polarbear.algorithms.counted import counted
from polarbear.algorithms.perform import Algorithm, Wrapped, perform
from polarbear.algorithms.recorder import BudgetReached, Clock, Recorder

__all__ = ["Algorithm", "BudgetReached", "Clock", "Recorder", "Wrapped", "counted", "perform"]
