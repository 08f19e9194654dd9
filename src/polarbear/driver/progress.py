"""Progress of a race for the user: a live view in a terminal, plain lines elsewhere, or nothing."""

from __future__ import annotations

import math
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TextIO, get_args

from polarbear.driver.remaining import describe_remaining
from polarbear.literals import View
from polarbear.observe.scope import member_noun
from polarbear.race.forecast import ROUNDS, STABLE_FROM, instances_needed
from polarbear.race.sampling import running_until
from polarbear.race.state import decided_share
from polarbear.race.stopping import StoppingLimits
from polarbear.wording import format_duration, format_percent, percent, round_off, with_noun

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType
    from rich.live import Live

    from polarbear.race.jobs import Run
    from polarbear.race.rounds import Round
    from polarbear.race.sampling import Plan
    from polarbear.race.state import State

HEARTBEAT_SECONDS = 30.0  # a race of an hour leaves at most 120 lines in a log


class Progress(Protocol):
    """The events of a race that the driver reports to a view."""

    def on_plan(self, state: State, plan: Plan, waiting: int) -> None:
        """Report that a round begins and that `waiting` of its runs are yet to be made."""

    def on_run(self, run: Run) -> None:
        """Report one completed run."""

    def on_wait(self) -> None:
        """Report that the race waits for runs; called every few seconds."""

    def on_inference(self) -> None:
        """Report that all runs are complete and the posterior is being computed."""

    def on_decisions(self, state: State) -> None:
        """Report that a round has ended."""

    def close(self) -> None:
        """Report that the race stops."""


@dataclass(frozen=True)
class Horizon:
    """When a race must stop: its limits, and a time on the monotonic clock."""

    limits: StoppingLimits = field(default_factory=StoppingLimits)
    deadline: float = math.inf


def make_view(shown: View, *, horizon: Horizon | None = None, stream: TextIO | None = None) -> Progress:
    """Return the requested view, which writes to standard error by default.

    "auto" selects "live" in a terminal. Elsewhere, as in the log of a server, it selects "lines", at most one in 30
    seconds. "lines" itself prints a line after every round.
    """
    stream = sys.stderr if stream is None else stream
    horizon = Horizon() if horizon is None else horizon
    if shown == "live" or (shown == "auto" and stream.isatty()):
        return LiveView(stream, horizon)
    if shown == "auto":
        return LineView(stream, horizon, interval=HEARTBEAT_SECONDS)
    if shown == "lines":
        return LineView(stream, horizon)
    if shown == "none":
        return SilentView()
    raise ValueError(f"expected progress to be one of {', '.join(map(repr, get_args(View)))}, got {shown!r}")


class SilentView:
    """A view that shows nothing."""

    def on_plan(self, state: State, plan: Plan, waiting: int) -> None: ...

    def on_run(self, run: Run) -> None: ...

    def on_wait(self) -> None: ...

    def on_inference(self) -> None: ...

    def on_decisions(self, state: State) -> None: ...

    def close(self) -> None: ...


@dataclass
class Pace:
    """The seconds per run since the beginning of a call, and the forecasts of the last rounds.

    Only runs that this call makes count: the first round of a continued race may have others, stored before the call.
    """

    _began: float | None = None
    _runs: int = 0
    _runners: frozenset[str] = frozenset()
    _candidates: frozenset[str] = frozenset()
    _forecasts: deque[float] = field(default_factory=lambda: deque(maxlen=ROUNDS))

    def begin(self, plan: Plan, waiting: int, now: float) -> None:
        """Count the runs that a round has yet to make, and start the clock, unless it runs already."""
        if self._began is None:
            self._began = now
        self._runs += waiting
        if plan.kind == "fresh":
            self._runners = frozenset(name for name, _ in plan.budgets)

    def forecast(self, state: State) -> None:
        """Forecast the race after a round, once that is stable; earlier forecasts are for the same candidates only."""
        if state.candidates != self._candidates:
            self._candidates = state.candidates
            self._forecasts.clear()
        if state.posterior is not None and state.posterior.instances >= STABLE_FROM and running_until(state):
            self._forecasts.append(instances_needed(state.posterior, state.decided, state.settings))

    def describe_remaining(self, state: State, horizon: Horizon, now: float) -> str:
        """Return in words how many instances remain, and how long they take at this pace."""
        running = running_until(state).keys()
        per_instance = len(self._runners & running) or len(running)  # runs
        pace = per_instance * (now - self._began) / self._runs if self._runs and self._began is not None else None
        left = horizon.deadline - now
        return describe_remaining(state, horizon.limits, pace=pace, seconds_left=left, recent=self._forecasts)


@dataclass
class LineView(SilentView):
    """A view that prints a line after a round, or after several rounds if they take less than `interval` seconds together.

    Instances and costs are totals of the race so far. The first round, rounds with a drop and the last round are
    always printed. In a round that takes long, lines with the number of its runs are signs of life.
    """

    stream: TextIO
    horizon: Horizon = field(default_factory=Horizon)
    interval: float = 0.0
    clock: Callable[[], float] = time.monotonic
    _pace: Pace = field(default_factory=Pace)
    _printed: float = -math.inf
    _waiting: list[Round] = field(default_factory=list)
    _state: State | None = None
    _runs: int = 0
    _planned: int = 0
    _failures: int = 0

    def on_plan(self, state: State, plan: Plan, waiting: int) -> None:
        """Begin to count the runs of a round."""
        self._runs, self._planned = len(plan.jobs) - waiting, len(plan.jobs)
        self._state = state
        self._pace.begin(plan, waiting, self.clock())
        if self._printed == -math.inf:
            self._printed = self.clock()

    def on_run(self, run: Run) -> None:
        """Count the run, and whether it failed; print a sign of life in a long round."""
        self._runs += 1
        self._failures += run.status != "done"
        self.on_wait()

    def on_wait(self) -> None:
        """Print a sign of life if the last line is too long ago, however long a run takes."""
        now = self.clock()
        if not self.interval or now - self._printed < self.interval:
            return
        assert self._state is not None
        words = [f"round {len(self._state.rounds) + 1}", f"{self._runs} of {with_noun(self._planned, 'run')}"]
        if self.horizon.deadline < math.inf:
            words.append(f"{format_duration(max(0.0, self.horizon.deadline - now))} to the time limit")
        self._print(" · ".join(words))

    def on_decisions(self, state: State) -> None:
        """Print the outcome of the round, unless the previous line is too recent."""
        self._state = state
        self._waiting.append(state.rounds[-1])
        if self.interval:
            self._pace.forecast(state)
        last, now = state.rounds[-1], self.clock()
        important = last.number == 1 or last.dropped or not last.reliable
        if important or now - self._printed >= self.interval:
            self._print_rounds(state)

    def close(self) -> None:
        """Print the last round, if it has not been printed."""
        if self._waiting and self._state is not None:
            self._print_rounds(self._state, forecast=False)  # the race stops, so nothing remains

    def _print_rounds(self, state: State, *, forecast: bool = True) -> None:
        last = self._waiting[-1]
        total = with_noun(len(state.observations.instances), member_noun(state.clusters))
        words = [
            f"round {last.number}",
            total if any(each.instances for each in self._waiting) else "no new runs",
            f"{percent(last.decided_share)} decided",
            with_noun(len(state.candidates), "candidate"),
            f"{round_off(state.cost)} {state.settings.clock}",
        ]
        if self._failures:
            words.append(f"{with_noun(self._failures, 'run')} failed")
            self._failures = 0
        words += [
            f"{each.name} is dropped (beaten by {each.by}, {format_percent(each.probability)} sure)"
            for each in last.dropped
        ]
        if not last.reliable:
            words.append(f"nothing was decided, because the posterior is unreliable: {last.message}")
        if (
            forecast
            and self.interval
            and (remaining := self._pace.describe_remaining(state, self.horizon, self.clock()))
        ):
            words.append(remaining)
        self._waiting = []
        self._print(" · ".join(words))

    def _print(self, line: str) -> None:
        self._printed = self.clock()
        print(line, file=self.stream, flush=True)


@dataclass
class LiveView(SilentView):
    """A table that is updated while the race runs."""

    stream: TextIO
    horizon: Horizon = field(default_factory=Horizon)
    _live: Live | None = None
    _state: State | None = None
    _plan: Plan | None = None
    _round: int = 0
    _runs: int = 0
    _failures: int = 0
    _note: str = ""
    _summary: str = ""
    _pace: Pace = field(default_factory=Pace)

    def on_plan(self, state: State, plan: Plan, waiting: int) -> None:
        """Show the new round."""
        from rich.console import Console
        from rich.live import Live

        self._state, self._plan, self._runs, self._note = state, plan, len(plan.jobs) - waiting, ""
        self._round = len(state.rounds) + 1
        self._pace.begin(plan, waiting, time.monotonic())
        if self._live is None:
            self._live = Live(console=Console(file=self.stream), refresh_per_second=8, get_renderable=self._render)
            self._live.start()

    def on_run(self, run: Run) -> None:
        """Count the run, and whether it failed."""
        self._runs += 1
        self._failures += run.status != "done"

    def on_inference(self) -> None:
        """Show that the posterior is being computed."""
        self._note = "inferring the posterior"

    def on_decisions(self, state: State) -> None:
        """Show the new state."""
        self._state, self._note = state, ""
        self._pace.forecast(state)
        remaining = self._pace.describe_remaining(state, self.horizon, time.monotonic())
        self._summary = _summary(state, self._failures, remaining)

    def close(self) -> None:
        """Stop the updates and leave the last view on the screen."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def _render(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        state, plan = self._state, self._plan
        assert state is not None
        assert plan is not None
        share = decided_share(state.decided)
        head = Table.grid(padding=(0, 2))
        head.add_row(
            "decided", ProgressBar(total=1.0, completed=share, width=30), f"{percent(share)} of pairs and budgets"
        )
        total = max(len(plan.jobs), 1)
        head.add_row(
            f"round {self._round}",
            ProgressBar(total=total, completed=self._runs, width=30),
            self._note or f"{self._runs} of {len(plan.jobs)} runs on {len(plan.instances)} instances",
        )
        return Group(head, self._table(state), Text(self._summary))

    def _table(self, state: State) -> RenderableType:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, padding=(0, 2))
        for heading in ("algorithm", "state", "beaten everywhere"):
            table.add_column(heading, justify="right" if heading == "beaten everywhere" else "left")
        dropped = {each.name: each for round_ in state.rounds for each in round_.dropped}
        threat = dict(state.rounds[-1].threat) if state.rounds else {}
        running = running_until(state)
        for name in state.names:
            if name in state.candidates:
                status, style = ("races", "bold") if name in running else ("decided", "green")
                if name in state.newcomers:
                    status = "catches up"
            elif name in dropped:
                status, style = f"dropped in round {dropped[name].round}, beaten by {dropped[name].by}", "dim"
            else:
                status, style = "dropped", "dim"
            probability = format_percent(threat[name]) if name in threat else ""
            table.add_row(Text(name, style=style), Text(status, style=style), probability)
        return table


def _summary(state: State, failures: int, remaining: str) -> str:
    """Return the cost so far, the share saved, the work that remains, and the number of failures."""
    used, unit = len(state.observations.instances), state.settings.clock
    if not used:
        return ""
    full = used * len(state.names) * float(state.settings.grid.budgets[-1])
    words = [
        with_noun(used, member_noun(state.clusters)),
        f"{round_off(state.cost)} {unit} spent, {percent(1 - state.cost / full)} saved",
    ]
    if remaining:
        words.append(remaining)
    if failures:
        words.append(f"{with_noun(failures, 'run')} failed")
    return " · ".join(words)
