"""The commands for next steps, so that a caveat never leaves its reader without one."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True)
class Advice:
    """Where a result comes from, and thus which commands act on it.

    Attributes
    ----------
    source
        "race": a race, which can continue. "runs": recorded runs. "posterior": a posterior without its data.
    file
        The race file, the recorded runs with the options that read them, or the saved posterior, as you would type it in a
        shell. Empty in Python, where calls replace commands.
    only
        The algorithms to which a race is confined while it continues; all by default.
    limit
        How to raise the limit at which a race stopped: an option and an argument of `Race.run`. Without it, nothing would
        run. Empty if no limit stopped the race.
    open_pairs
        The pairs that further runs of a race can decide; None stands for all pairs.
    decides_budgets
        Whether the race already continues until each pair is decided at each budget (the resolution "strict").
    """

    source: Literal["race", "runs", "posterior"] = "posterior"
    file: str = ""
    only: tuple[str, ...] = ()
    limit: tuple[str, str] = ("", "")
    open_pairs: Collection[frozenset[str]] | None = None
    decides_budgets: bool = False

    def settle_pair(self, first: str, second: str) -> str:
        """Return how to get more data about a pair of candidates; empty where nothing would run."""
        decided = self.open_pairs is not None and frozenset((first, second)) not in self.open_pairs
        if self.source != "race" or decided:
            return ""
        return replace(self, only=(first, second)).continue_race(*self.limit)

    def examine_elimination(self, by: str, name: str) -> str:
        """Return how to reconsider an elimination or, where nothing can be run, how to show the win rate over time."""
        if self.source == "race":
            return self.readmit(name)
        if not self.file:
            return f"pb.plots.pair(posterior, {by!r}, {name!r})"
        return f"polarbear plot {self.file} --figure pair --pair {shlex.quote(by)} {shlex.quote(name)}"

    def readmit(self, name: str, *, rerun_failed: bool = False) -> str:
        """Return how to make an algorithm a candidate of a race again and, on request, make its failed runs again."""
        if self.file:
            return f"polarbear readmit {self.file} {shlex.quote(name)}{' --rerun-failed' if rerun_failed else ''}"
        return f"race.readmit({name!r}); race.run({'rerun_failed=True' if rerun_failed else ''})"

    def decide_every_pair(self) -> str:
        """Return how to continue a race that is unlikely to eliminate another algorithm, until every pair is decided."""
        return self._with_resolution("crossing")

    def decide_every_budget(self) -> str:
        """Return how to continue a race until each pair is decided at each budget; empty where nothing would run."""
        stuck = self.source != "race" or self.decides_budgets or (self.open_pairs is not None and not self.open_pairs)
        return "" if stuck else self._with_resolution("strict")

    def _with_resolution(self, resolution: str) -> str:
        if not self.file:
            return f'pb.Race.open(file, algorithms=..., instances=..., resolution="{resolution}").run()'
        return self.continue_race(" ".join(filter(None, [f"--set race.resolution={resolution}", self.limit[0]])), "")

    def continue_race(self, option: str, argument: str) -> str:
        """Return how to continue a race with an option of the command line or an argument of `Race.run`."""
        if self.file:
            words = [f"--only {shlex.quote(name)}" for name in self.only]
            return " ".join([f"polarbear resume {self.file}", *words, *([option] if option else [])])
        chosen = f"only={list(self.only)}" if self.only else ""
        return f"race.run({', '.join(filter(None, [chosen, argument]))})"

    def check(self) -> str:
        """Return how to check a posterior against the data that it was fitted to; empty for a file, which has none."""
        return "" if self.file else "pb.summarise(posterior, choices=choices)"

    def use_bootstrap(self) -> str:
        """Return how to fit again with the Bayesian bootstrap; empty where the command line has no option for it."""
        if not self.file:
            return "pb.fit(choices, prior=pb.BayesianBootstrap())"
        if self.source == "race":
            return f"polarbear resume {self.file} --set race.prior=BayesianBootstrap"
        if self.source == "runs":
            return f"polarbear analyse {self.file} --prior BayesianBootstrap"
        return ""
