"""Make the proposals of an interrupted design again.

A race file holds no code. It stores the names of each batch of proposals, and its journal gives the state in which each
batch was added. The proposer is called with the same states, and must propose the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.designing.state import DesignState
from polarbear.race.outcome import RaceOutcome

if TYPE_CHECKING:
    from polarbear.designing.state import Proposer
    from polarbear.driver.race import ProposalKey, Race
    from polarbear.race.state import State

KEY: ProposalKey = "design"  # of the proposals in the race file


@dataclass(frozen=True, eq=False)
class Batch:
    """The proposals of one iteration, and the state of the race in which they were made."""

    names: tuple[str, ...]
    state: State


def store_batches(race: Race, batches: list[Batch], seed: int) -> None:
    """Store the names of all proposals in the race file, if there is one."""
    race.note_proposals(KEY, {"seed": seed, "batches": [list(each.names) for each in batches]})


def repeat_proposals(proposer: Proposer, race: Race, seed: int) -> list[Batch]:
    """Give a continued race the algorithms of its earlier proposals, and return their batches.

    Raises
    ------
    ValueError
        The proposer does not propose what it proposed before.
    """
    stored = race.about.get(KEY)
    if stored is None:
        return []
    if stored["seed"] != seed:
        raise ValueError(
            f"expected seed={stored['seed']}, as when the design began, got {seed}; use that seed, or another race file"
        )
    before, batches = race.states_before_adding(), []
    for number, names in enumerate(stored["batches"], start=1):
        # A design that was killed between storing and adding a batch is still in the state of the proposal.
        state = before.get(names[0], race.state)
        proposals = proposer(DesignState(number, RaceOutcome(state, "paused"), dict(race.algorithms), seed))
        if list(proposals) != names:
            raise ValueError(
                f"expected the proposals of iteration {number} again, {', '.join(names)}, got "
                f"{', '.join(proposals) or 'none'}; take all randomness from state.rng, store answers that cannot be "
                "repeated, or begin another race file"
            )
        for name, algorithm in proposals.items():
            dropped_by_user = name in before and name not in race.state.names
            if not dropped_by_user and name not in race.algorithms:
                race.add(name, algorithm)
        batches.append(Batch(tuple(names), state))
    return batches
