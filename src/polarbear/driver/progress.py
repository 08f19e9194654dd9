"""Progress of a race for the user: a live view in a terminal, one plain line per round elsewhere, or nothing."""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TextIO, get_args

from polarbear.race.forecast import instances_needed
from polarbear.race.sampling import running_until
from polarbear.race.state import decided_share
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

    from polarbear.race.jobs import Run
    from polarbear.race.sampling import Plan
    from polarbear.race.state import State

View = Literal["auto", "live", "lines", "none"]


class Progress(Protocol):
    """The events of a race that the driver reports to a view."""

    def on_plan(self, state: State, plan: Plan, waiting: int) -> None:
        """Report that a round begins and that `waiting` of its runs are yet to be made."""

    def on_run(self, run: Run) -> None:
        """Report one completed run."""

    def on_inference(self) -> None:
        """Report that all runs are complete and the posterior is being computed."""

    def on_decisions(self, state: State) -> None:
        """Report that a round has ended."""

    def close(self) -> None:
        """Report that the race stops."""


def make_view(shown: View, *, stream: TextIO | None = None) -> Progress:
    """Return the requested view, which writes to standard error by default.

    "auto" selects "live" in a terminal and "lines" elsewhere.
    """
    stream = sys.stderr if stream is None else stream
    if shown == "auto":
        shown = "live" if stream.isatty() else "lines"
    if shown == "live":
        return LiveView(stream)
    if shown == "lines":
        return LineView(stream)
    if shown == "none":
        return SilentView()
    raise ValueError(f"expected progress to be one of {', '.join(map(repr, get_args(View)))}, got {shown!r}")


class SilentView:
    """A view that shows nothing."""

    def on_plan(self, state: State, plan: Plan, waiting: int) -> None: ...

    def on_run(self, run: Run) -> None: ...

    def on_inference(self) -> None: ...

    def on_decisions(self, state: State) -> None: ...

    def close(self) -> None: ...


@dataclass
class LineView(SilentView):
    """A view that prints one line per round."""

    stream: TextIO
    _failures: int = 0

    def on_run(self, run: Run) -> None:
        """Count the failed runs of the round."""
        self._failures += run.status != "done"

    def on_decisions(self, state: State) -> None:
        """Print the outcome of the round."""
        last = state.rounds[-1]
        words = [
            f"round {last.number}",
            with_noun(len(last.instances), "instance") if last.instances else "no new runs",
            f"{last.resolved_share:.1%} decided",
            with_noun(len(state.candidates), "candidate"),
            f"{state.cost:,.0f} {state.settings.clock}",
        ]
        if self._failures:
            words.append(f"{with_noun(self._failures, 'run')} failed")
            self._failures = 0
        words += [
            f"{each.name} is eliminated (beaten by {each.by}, {each.probability:.3f})" for each in last.eliminated
        ]
        if not last.reliable:
            words.append(f"nothing was decided, because the posterior is unreliable: {last.message}")
        print(" · ".join(words), file=self.stream, flush=True)


@dataclass
class LiveView(SilentView):
    """A table that is updated while the race runs."""

    stream: TextIO
    _live: Live | None = None
    _state: State | None = None
    _plan: Plan | None = None
    _round: int = 0
    _runs: int = 0
    _failures: int = 0
    _note: str = ""
    _summary: str = ""
    _began: float = 0.0
    _used_before: int = 0

    def on_plan(self, state: State, plan: Plan, waiting: int) -> None:
        """Show the new round."""
        from rich.console import Console
        from rich.live import Live

        self._state, self._plan, self._runs, self._note = state, plan, len(plan.jobs) - waiting, ""
        self._round = len(state.rounds) + 1
        if self._live is None:
            self._began, self._used_before = time.monotonic(), len(state.observations.instances)
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
        new = len(state.observations.instances) - self._used_before
        pace = (time.monotonic() - self._began) / new if new else None
        self._summary = _summary(state, self._failures, pace)

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
        share = decided_share(state.resolved)
        head = Table.grid(padding=(0, 2))
        head.add_row("decided", ProgressBar(total=1.0, completed=share, width=30), f"{share:.1%} of pairs and times")
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
        for heading in ("algorithm", "state", "P(dominated)"):
            table.add_column(heading, justify="right" if heading == "P(dominated)" else "left")
        eliminated = {each.name: each for round_ in state.rounds for each in round_.eliminated}
        threat = dict(state.rounds[-1].threat) if state.rounds else {}
        running = running_until(state)
        for name in state.names:
            if name in state.candidates:
                status, style = ("races", "bold") if name in running else ("decided", "green")
                if name in state.newcomers:
                    status = "catches up"
            elif name in eliminated:
                status, style = f"eliminated in round {eliminated[name].round}, beaten by {eliminated[name].by}", "dim"
            else:
                status, style = "removed", "dim"
            probability = f"{threat[name]:.3f}" if name in threat else ""
            table.add_row(Text(name, style=style), Text(status, style=style), probability)
        return table


def _summary(state: State, failures: int, pace: float | None) -> str:
    """Return the cost so far, the share saved, and the instances and time that are expected to remain.

    `pace` is in seconds per new instance, or None if there has been no new instance.
    """
    used, unit = len(state.observations.instances), state.settings.clock
    if not used:
        return ""
    full = used * len(state.names) * float(state.settings.grid.times[-1])
    words = [with_noun(used, "instance"), f"{state.cost:,.0f} {unit} spent, {1 - state.cost / full:.0%} saved"]
    if state.posterior is not None and running_until(state):
        needed = instances_needed(state.posterior, state.resolved, state.settings)
        if math.isfinite(needed) and needed > used:
            duration = "" if pace is None else f", {_format_duration(pace * (needed - used))}"
            words.append(f"about {needed - used:,.0f} instances to go{duration}")
    if failures:
        words.append(f"{with_noun(failures, 'run')} failed")
    return " · ".join(words)


def _format_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
