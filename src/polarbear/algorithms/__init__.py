"""Algorithms of any form, and the recorder that observes their runs.

In: an optimiser, a problem and a seed. Out: the improvements (budget, value) of a run. An algorithm is any callable
`run(problem, seed, budget)` that returns or yield pairs (budget, value); wrappers make one from other forms. Importing this
package needs only the standard library, so that workers start fast.

- `counted`: wraps a plain optimiser `function(objective, budget, rng)`.
- `ask_tell`: wraps an optimiser with `ask` and `tell`.
- `command`: wraps an external program.
- `family`: makes algorithms that must know their budget, one member per budget.
- `hypervolume`: `Hypervolume`, a problem with several objectives, recorded by the hypervolume of the points so far.
- `record_run`: runs an algorithm into a recorder, or once outside a race.
- `recorder`: `Recorder` counts evaluations or seconds, keeps improvements, and stops the run at its budget.
- `event_log`: stores the improvements in memory that outlives the process of the run.
- `exit_status`: describes how a process ended.
- `signature`: checks the functions that users pass to wrappers.
"""

from polarbear.algorithms.ask_tell import ask_tell
from polarbear.algorithms.command import command
from polarbear.algorithms.counted import counted
from polarbear.algorithms.family import family
from polarbear.algorithms.hypervolume import Hypervolume
from polarbear.algorithms.record_run import Algorithm, Wrapped, record_run, run_once
from polarbear.algorithms.recorder import BudgetReached, Recorder
from polarbear.literals import Clock

__all__ = [
    "Algorithm",
    "BudgetReached",
    "Clock",
    "Hypervolume",
    "Recorder",
    "Wrapped",
    "ask_tell",
    "command",
    "counted",
    "family",
    "record_run",
    "run_once",
]
