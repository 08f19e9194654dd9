"""The public `Race`, which connects the pure loop of `polarbear.race` with an executor and a race file.

In: algorithms, a source of instances, and settings. Out: a `RaceOutcome`, and a race file that `Race.open` can continue.

- `race`: `Race`, the class that users create, run and open again.
- `record`: the state and the runs of a race, in memory and in its file.
- `round_loop`: runs a race round by round until it is finished or stopped.
- `dispatch`: submits the runs of a round to an executor and keeps each one as it completes.
- `resume`: rebuilds the state of a race from its file.
- `rescue`: saves a race whose file was lost while it ran, or is damaged.
- `agreement`: compares a race file with the race that a program describes.
- `source_code`: notices that the code of an algorithm was edited.
- `progress`: shows a race while it runs.
- `environment`: the software and the machine of a race.
"""

from polarbear.driver.dispatch import RaceError
from polarbear.driver.race import Race

__all__ = ["Race", "RaceError"]
