"""What is raced: algorithms of any shape, run into a recorder.

An algorithm is any callable `run(problem, seed, until)` whose result gives pairs (time, value). Wrappers make one from
other shapes. Importing this room needs the standard library alone, so that workers start fast.

- `counted`: a plain optimiser `function(objective, budget, rng)`.
- `ask_tell`: an optimiser with `ask` and `tell`.
- `command`: an external program.
- `family`: algorithms that must know their budget, one member a budget.
- `Recorder`, `perform`: count, keep improvements, stop in time.
"""

from polarbear.algorithms.ask_tell import ask_tell
from polarbear.algorithms.command import command
from polarbear.algorithms.counted import counted
from polarbear.algorithms.family import family
from polarbear.algorithms.perform import Algorithm, Wrapped, perform
from polarbear.algorithms.recorder import BudgetReached, Clock, Recorder

__all__ = [
    "Algorithm",
    "BudgetReached",
    "Clock",
    "Recorder",
    "Wrapped",
    "ask_tell",
    "command",
    "counted",
    "family",
    "perform",
]
