"""How often a running race prints a line, and what it says about the time that remains."""

import dataclasses
import io
from types import SimpleNamespace

import numpy as np
import pytest

from polarbear.driver import progress as views
from polarbear.driver import remaining
from polarbear.driver.progress import Horizon, LineView, LiveView, SilentView
from polarbear.race import loop, stopping
from polarbear.race.stopping import StoppingLimits
from tests.driver.shown_races import BUDGETS, NAMES, UTILITIES, play, render, settings_of
from tests.race.simulated import simulated_runs


def test_the_live_view_forecasts_the_remaining_instances():
    view = LiveView(io.StringIO())
    play(view, rounds=5, confidence=0.99, margin=0.01)  # 30 instances: too few for a stable forecast
    assert "to go" not in render(view)
    view.close()
    play(view, rounds=6, confidence=0.99, margin=0.01)
    assert "instances to go" in render(view)
    view.close()


def test_the_remaining_time_follows_from_the_instances_of_this_call(monkeypatch):
    """A continued race has used instances before this call."""
    clock = iter([0.0, 60.0])
    monkeypatch.setattr(views, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(remaining, "further_instances", lambda *_: 6.0)
    state = play(SilentView(), rounds=1)  # on 6 instances
    view = LiveView(io.StringIO())
    plan = loop.ask(state)
    view.on_plan(state, plan, len(plan.jobs))
    view.on_decisions(loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, BUDGETS)))
    assert "about 6 instances to go, 60 s" in render(view)
    view.close()


def test_runs_that_were_stored_before_the_call_do_not_count_for_the_pace(monkeypatch):
    """Of the first round's 18 runs on 6 instances, this call makes 2 in 20 s: 10 s per run, and so 30 s per instance."""
    monkeypatch.setattr(remaining, "further_instances", lambda *_: None)
    monkeypatch.setattr(views, "running_until", lambda _: dict.fromkeys(NAMES, 8.0))
    monkeypatch.setattr(remaining, "running_until", lambda _: dict.fromkeys(NAMES, 8.0))
    stream = io.StringIO()
    view = TakesTime(stream, Horizon(StoppingLimits(available=7)), interval=30.0, seconds=20.0)
    state = loop.start(settings_of(), NAMES)
    plan = loop.ask(state)
    assert len(plan.jobs) == 18
    view.on_plan(state, plan, 2)
    view.on_inference()
    view.on_decisions(loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, BUDGETS)))
    assert lines_of(stream)[0].endswith(" · 1 instance to the limit, 30 s")


def test_the_forecast_is_the_median_of_three_rounds_with_the_same_candidates(monkeypatch):
    totals = iter([132.0, 932.0, 232.0, 332.0])
    monkeypatch.setattr(views, "instances_needed", lambda *_: next(totals))
    monkeypatch.setattr(views, "running_until", lambda _: {"good": 8.0})
    monkeypatch.setattr(remaining, "running_until", lambda _: {"good": 8.0})
    state, pace, shown = play(SilentView(), rounds=1), views.Pace(), []
    posterior = dataclasses.replace(state.posterior, instances=32)
    for candidates in [frozenset(NAMES)] * 3 + [frozenset(NAMES[:2])]:
        state = dataclasses.replace(state, posterior=posterior, candidates=candidates)
        pace.forecast(state)
        shown.append(pace.describe_remaining(state, Horizon(), 0.0))
    assert shown == [f"about {number} instances to go" for number in (100, 500, 200, 300)]


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


class TakesTime(LineView):
    """A view under which every round takes some seconds of a fake clock."""

    def __init__(self, *arguments, seconds, **options):
        super().__init__(*arguments, clock=Clock(), **options)
        self.seconds = seconds

    def on_inference(self):
        self.clock.now += self.seconds


CLOSE = {"confidence": 0.99, "margin": 0.0}  # hard to decide: many rounds without a drop


def lines_of(stream):
    return stream.getvalue().splitlines()


def test_a_heartbeat_sums_up_the_rounds_of_half_a_minute():
    stream = io.StringIO()
    view = TakesTime(stream, interval=30.0, seconds=11.0)
    state = play(view, rounds=9, **CLOSE)
    view.close()
    quiet = [round_.number for round_ in state.rounds if not round_.dropped]
    assert len(quiet) > 5
    printed = [line.split(" · ")[:2] for line in lines_of(stream)]
    assert printed[0] == ["round 1", "6 instances"]
    assert len(printed) < len(state.rounds)
    ends = [int(first.removeprefix("round ")) for first, _ in printed]
    assert ends[-1] == len(state.rounds)  # the last round is printed in any case
    assert "to go" not in lines_of(stream)[-1]  # since the race has stopped
    assert [second for _, second in printed] == [f"{6 * end} instances" for end in ends]  # in total, as the cost


def test_rounds_that_take_longer_than_the_interval_get_a_line_each():
    stream = io.StringIO()
    state = play(TakesTime(stream, interval=30.0, seconds=31.0), rounds=5, **CLOSE)
    assert [line.split(" · ")[0] for line in lines_of(stream)] == [f"round {n + 1}" for n in range(len(state.rounds))]


def test_drops_are_printed_at_once():
    stream = io.StringIO()
    state = play(TakesTime(stream, interval=30.0, seconds=0.0))
    dropped = [round_.number for round_ in state.rounds if round_.dropped]
    assert dropped
    ends = [line.split(" · ")[0].split()[-1] for line in lines_of(stream)]
    assert set(map(str, dropped)) <= set(ends)


def test_a_long_round_gives_signs_of_life():
    stream = io.StringIO()
    view = LineView(stream, interval=30.0, clock=Clock())
    state = loop.start(settings_of(), NAMES)
    plan = loop.ask(state)
    view.on_plan(state, plan, len(plan.jobs))
    for run in simulated_runs(plan, UTILITIES, NAMES, BUDGETS):
        view.clock.now += 20
        view.on_run(run)
    total = len(plan.jobs)
    assert lines_of(stream) == [f"round 1 · {number} of {total} runs" for number in range(2, total + 1, 2)]


def test_a_long_run_gives_signs_of_life_and_the_time_that_is_left():
    stream = io.StringIO()
    view = LineView(stream, Horizon(deadline=100.0), interval=30.0, clock=Clock())
    state = loop.start(settings_of(), NAMES)
    plan = loop.ask(state)
    view.on_plan(state, plan, len(plan.jobs))
    view.clock.now = 0.0
    view._printed = 0.0
    for _ in range(12):
        view.clock.now += 5.0
        view.on_wait()
    total = len(plan.jobs)
    assert lines_of(stream) == [
        f"round 1 · 0 of {total} runs · 70 s to the time limit",
        f"round 1 · 0 of {total} runs · 40 s to the time limit",
    ]


def test_the_forecast_respects_the_limits(monkeypatch):
    monkeypatch.setattr(remaining, "further_instances", lambda *_: 400.0)
    stream = io.StringIO()
    horizon = Horizon(StoppingLimits(instances=14))
    play(TakesTime(stream, horizon, interval=30.0, seconds=90.0), rounds=1, **CLOSE)
    assert lines_of(stream)[0].endswith(" · 8 instances to the limit, 80 s; about 400 to decide everything")
    assert "about 400 to decide everything" in summary_of(horizon)


@pytest.mark.parametrize(
    ("needed", "horizon", "words"),
    [
        (20.0, Horizon(), "about 20 instances to go"),
        (20.0, Horizon(StoppingLimits(instances=26)), "about 20 instances to go"),
        (20.0, Horizon(StoppingLimits(instances=25)), "19 instances to the limit, 0 s; about 20 to decide everything"),
        (20.0, Horizon(StoppingLimits(available=7)), "1 instance to the limit, 0 s; about 20 to decide everything"),
        (None, Horizon(StoppingLimits(available=7)), "1 instance to the limit, 0 s"),
        (None, Horizon(), ""),
        (
            np.inf,
            Horizon(StoppingLimits(instances=16)),
            "10 instances to the limit, 0 s; far more to decide everything",
        ),
        (20000.0, Horizon(), "about 20,000 instances to go"),
        (20.0, Horizon(StoppingLimits(evaluations=144 + 5 * 24)), "5 instances to the limit, 0 s; about 20 to"),
        (0.0, Horizon(), ""),
        (np.inf, Horizon(), ""),
    ],
)
def test_what_remains_in_words(monkeypatch, needed, horizon, words):
    """After one round on 6 instances, on which three algorithms took 8 evaluations each."""
    monkeypatch.setattr(views, "time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(remaining, "further_instances", lambda *_: needed)
    monkeypatch.setattr(remaining, "running_until", lambda _: {"good": 8.0})
    monkeypatch.setattr(stopping, "running_until", lambda _: dict.fromkeys(NAMES, 8.0))
    text = summary_of(horizon)
    assert words in text
    assert bool(words) == ("to go" in text or "to the limit" in text)


def summary_of(horizon):
    """The text of the live view after one round that took no time."""
    view = LiveView(io.StringIO(), horizon)
    play(view, rounds=1, **CLOSE)
    view.close()
    return " ".join(render(view).split())


def test_a_deadline_is_a_limit_as_well(monkeypatch):
    monkeypatch.setattr(remaining, "further_instances", lambda *_: 90.0)
    stream = io.StringIO()
    play(TakesTime(stream, Horizon(deadline=1000.0 + 60 + 120), interval=30.0, seconds=60.0), rounds=1, **CLOSE)
    assert "18 instances to the limit, 2 min; about 90 to decide everything" in lines_of(stream)[0]
