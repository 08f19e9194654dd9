"""The public `Race`: the pure loop of `polarbear.race`, joined with an executor and a race file.

In: algorithms, a source of instances, settings. Out: a `RaceResult`, and a race file that can be opened again.
"""

from polarbear.driver.dispatch import RaceError
from polarbear.driver.race import Race

__all__ = ["Race", "RaceError"]
