"""The views of a race while it runs."""

import dataclasses
import io
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import polarbear as pb
from polarbear.driver import progress as views
from polarbear.driver import remaining
from polarbear.driver.progress import Horizon, LineView, LiveView, SilentView, make_view
from polarbear.inference import fitting
from polarbear.race import loop, stopping
from polarbear.race.stopping import StoppingLimits
from polarbear.wording import format_percent
from tests.race.paper import some_posterior
from tests.race.simulated import simulated_runs

TIMES = np.array([1.0, 2.0, 4.0, 8.0])
NAMES = ("good", "[bold]odd[/bold]", "poor")
UTILITIES = np.linspace(0.5, -0.5, 4)[:, None] * [1, -1, 0] + [0, 0, -5]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def settings_of(**changes):
    return pb.Settings(
        **{
            "grid": TIMES,
            "prior": pb.Dirichlet(),
            "elimination": "pointwise",
            "draws": 400,
            "confidence": 0.95,
            "resolution": "strict",
            "rope": 0.2,
            "batch": pb.FixedBatch(6),
            **changes,
        }
    )


def play(view, rounds=50, **changes):
    """The state of a race after some rounds, reported to a view as the driver does."""
    state = loop.start(settings_of(**changes), NAMES)
    while (plan := loop.ask(state)) is not None and len(state.rounds) < rounds:
        view.on_plan(state, plan, len(plan.jobs))
        runs = simulated_runs(plan, UTILITIES, NAMES, TIMES)
        for run in runs:
            view.on_run(run)
        view.on_inference()
        state = loop.tell(state, plan, runs)
        view.on_decisions(state)
    return state


def render(view):
    """The text that the live view would draw now."""
    console = Console(file=io.StringIO(), width=150, record=True)
    console.print(view._render())
    return console.export_text()


@pytest.mark.parametrize(
    ("name", "stream", "kind"),
    [
        ("auto", Terminal(), LiveView),
        ("auto", io.StringIO(), LineView),
        ("live", io.StringIO(), LiveView),
        ("lines", Terminal(), LineView),
        ("none", Terminal(), SilentView),
    ],
)
def test_the_name_and_the_stream_determine_the_view(name, stream, kind):
    assert type(make_view(name, stream=stream)) is kind


def test_an_unknown_view_is_refused():
    with pytest.raises(ValueError, match="expected progress to be one of 'auto', 'live', 'lines', 'none', got 'loud'"):
        make_view("loud")


def test_views_write_to_standard_error_by_default(capsys):
    play(make_view("lines"), rounds=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("round 1 · ")


def test_one_line_per_round():
    stream = io.StringIO()
    state = play(LineView(stream))
    lines = stream.getvalue().splitlines()
    assert len(lines) == len(state.rounds) > 1
    for line, round_ in zip(lines, state.rounds, strict=True):
        assert line.startswith(f"round {round_.number} · {len(round_.instances)} instances · ")
        assert f"{100 * round_.resolved_share:.0f} % decided" in line
        for each in round_.eliminated:
            assert f"{each.name} is eliminated (beaten by {each.by}, {format_percent(each.probability)} sure)" in line
    assert "poor is eliminated" in stream.getvalue()
    assert f"{sum(round_.cost for round_ in state.rounds):,.0f} evaluations" in lines[-1]
    assert f"{len(state.candidates)} candidates" in lines[-1]


def test_a_line_counts_the_failures_of_its_own_round():
    stream = io.StringIO()
    view = LineView(stream)
    state = play(SilentView(), rounds=1)
    run = next(iter(state.observations.runs.values()))
    for status in ("crashed", "done", "error"):
        view.on_run(dataclasses.replace(run, status=status))
    view.on_decisions(state)
    view.on_run(run)
    view.on_decisions(state)
    first, second = stream.getvalue().splitlines()
    assert "2 runs failed" in first
    assert "failed" not in second


def test_a_line_reports_an_unreliable_posterior(monkeypatch):
    doubtful = some_posterior(np.random.default_rng(0), NAMES, TIMES, reliable=False)
    monkeypatch.setattr(fitting, "fit", lambda *_, **__: doubtful)
    stream = io.StringIO()
    play(LineView(stream), rounds=1)
    assert "nothing was decided, because the posterior is unreliable: made up for a test" in stream.getvalue()


def test_the_line_of_a_review_mentions_no_new_runs():
    stream = io.StringIO()
    state = play(SilentView(), rounds=1)
    state = loop.reconsider(state, settings_of(confidence=0.9))
    LineView(stream).on_decisions(loop.tell(state, loop.ask(state), []))
    assert stream.getvalue().startswith("round 2 · no new runs · ")


def test_the_silent_view_writes_nothing(capsys):
    play(make_view("none"), rounds=2)
    assert capsys.readouterr() == ("", "")


def test_the_live_view_shows_the_state_of_the_race():
    view = LiveView(io.StringIO())
    state = play(view, rounds=2)
    text = render(view)
    assert f"{100 * state.rounds[-1].resolved_share:.0f} % of pairs and times" in text
    assert "round 2" in text
    assert "[bold]odd[/bold]" in text  # names are text, not markup
    assert f"eliminated in round {state.rounds[0].eliminated[0].round}, beaten by" in text
    assert "races" in text
    assert "12 instances" in text
    assert f"{state.cost:,.0f} evaluations spent, {100 * (1 - state.cost / (12 * 3 * 8)):.0f} % saved" in text
    for name, chance in state.rounds[-1].threat:
        row = next(line for line in text.splitlines() if line.strip().startswith(name))
        assert format_percent(chance) in row
    view.close()
    view.close()  # a second call does nothing


def test_the_live_view_counts_the_runs_of_this_round():
    view = LiveView(io.StringIO())
    state = play(view, rounds=1)
    plan = loop.ask(state)
    view.on_plan(state, plan, len(plan.jobs) - 2)  # two are known already
    runs = simulated_runs(plan, UTILITIES, NAMES, TIMES)
    assert f"2 of {len(plan.jobs)} runs on 6 instances" in render(view)
    assert "round 2" in render(view)
    for run in runs[2:]:
        view.on_run(run)
    view.on_inference()
    assert "inferring the posterior" in render(view)
    assert "round 2" in render(view)
    assert "round 1 " not in render(view).replace("eliminated in round 1", "")
    view.on_decisions(loop.tell(state, plan, runs))
    assert "round 2" in render(view)
    view.close()


def test_the_live_view_shows_failures_and_added_removed_and_decided_algorithms():
    view = LiveView(io.StringIO())
    state = play(view, rounds=1)
    plan = loop.ask(state)
    run = simulated_runs(plan, UTILITIES, NAMES, TIMES)[0]
    view.on_run(dataclasses.replace(run, status="crashed"))
    view.on_decisions(state)
    assert "1 run failed" in render(view)
    grown = loop.add(state, "new")
    view.on_plan(grown, loop.ask(grown), 1)
    assert "catches up" in render(view)
    # The undecided share of three pairs, and each candidate against the added algorithm; six pairs in total.
    undecided = 3 * (1 - state.rounds[-1].resolved_share) + len(state.candidates)
    assert f"{100 * (1 - undecided / 6):.0f} % of pairs and times" in render(view)
    view.on_decisions(loop.remove(state, "good"))
    assert "removed" in render(view)
    view.on_decisions(play(SilentView()))
    assert "decided" in render(view).replace("decided  ", "", 1)
    view.close()


def test_the_live_view_before_the_first_run():
    view = LiveView(io.StringIO())
    state = loop.start(settings_of(), NAMES)
    plan = loop.ask(state)
    view.on_plan(state, plan, len(plan.jobs))
    text = render(view)
    assert "round 1" in text
    assert f"0 of {len(plan.jobs)} runs" in text
    view.close()


def test_the_live_view_of_a_review():
    view = LiveView(io.StringIO())
    state = loop.reconsider(play(view, rounds=1), settings_of(confidence=0.9))
    plan = loop.ask(state)
    view.on_plan(state, plan, 0)
    view.on_inference()
    assert "inferring the posterior" in render(view)
    view.on_decisions(loop.tell(state, plan, []))
    assert render(view)
    view.close()


def test_the_live_view_forecasts_the_remaining_instances():
    view = LiveView(io.StringIO())
    play(view, rounds=5, confidence=0.99, rope=0.01)  # 30 instances: too few for a stable forecast
    assert "to go" not in render(view)
    view.close()
    play(view, rounds=6, confidence=0.99, rope=0.01)
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
    view.on_decisions(loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, TIMES)))
    assert "about 6 instances to go, 60 s" in render(view)
    view.close()


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


CLOSE = {"confidence": 0.99, "rope": 0.0}  # hard to decide: many rounds without an elimination


def lines_of(stream):
    return stream.getvalue().splitlines()


def test_a_heartbeat_sums_up_the_rounds_of_half_a_minute():
    stream = io.StringIO()
    view = TakesTime(stream, interval=30.0, seconds=11.0)
    state = play(view, rounds=9, **CLOSE)
    view.close()
    quiet = [round_.number for round_ in state.rounds if not round_.eliminated]
    assert len(quiet) > 5
    printed = [line.split(" · ")[:2] for line in lines_of(stream)]
    assert printed[0] == ["round 1", "6 instances"]
    assert len(printed) < len(state.rounds)
    ends = [int(first.split()[-1]) for first, _ in printed]
    assert ends[-1] == len(state.rounds)  # the last round is printed in any case
    assert "to go" not in lines_of(stream)[-1]  # since the race has stopped
    sizes = [int(second.split()[0]) for _, second in printed]
    assert sum(sizes) == 6 * len(state.rounds)
    assert sizes == [6 * (end - start) for start, end in zip([0, *ends], ends, strict=False)]


def test_rounds_that_take_longer_than_the_interval_get_a_line_each():
    stream = io.StringIO()
    state = play(TakesTime(stream, interval=30.0, seconds=31.0), rounds=5, **CLOSE)
    assert [line.split(" · ")[0] for line in lines_of(stream)] == [f"round {n + 1}" for n in range(len(state.rounds))]


def test_eliminations_are_printed_at_once():
    stream = io.StringIO()
    state = play(TakesTime(stream, interval=30.0, seconds=0.0))
    eliminated = [round_.number for round_ in state.rounds if round_.eliminated]
    assert eliminated
    ends = [line.split(" · ")[0].split()[-1] for line in lines_of(stream)]
    assert set(map(str, eliminated)) <= set(ends)


def test_a_long_round_gives_signs_of_life():
    stream = io.StringIO()
    view = LineView(stream, interval=30.0, clock=Clock())
    state = loop.start(settings_of(), NAMES)
    plan = loop.ask(state)
    view.on_plan(state, plan, len(plan.jobs))
    for run in simulated_runs(plan, UTILITIES, NAMES, TIMES):
        view.clock.now += 100
        view.on_run(run)
    total = len(plan.jobs)
    assert lines_of(stream) == [f"round 1 · {number} of {total} runs" for number in range(3, total + 1, 3)]


def test_the_forecast_respects_the_limits(monkeypatch):
    monkeypatch.setattr(remaining, "further_instances", lambda *_: 400.0)
    stream = io.StringIO()
    horizon = Horizon(StoppingLimits(instances=14))
    play(TakesTime(stream, horizon, interval=30.0, seconds=90.0), rounds=1, **CLOSE)
    assert lines_of(stream)[0].endswith(" · 8 instances to the limit, 2 min; about 400 to decide everything")
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
    assert "12 instances to the limit, 2 min; about 90 to decide everything" in lines_of(stream)[0]


def test_the_last_view_stays_on_the_screen():
    stream = io.StringIO()
    view = LiveView(stream)
    play(view, rounds=2)
    view.close()
    assert "of pairs and times" in stream.getvalue()
    assert "inferring" not in stream.getvalue()


class RecordingView(SilentView):
    def __init__(self):
        self.events = []

    def on_plan(self, state, plan, waiting):
        self.events.append(f"plan {plan.kind} {waiting}")

    def on_run(self, run):
        self.events.append("run")

    def on_inference(self):
        self.events.append("inference")

    def on_decisions(self, state):
        self.events.append(f"decisions {len(state.rounds)}")

    def close(self):
        self.events.append("closed")


def test_the_driver_reports_every_event_and_closes_the_view_in_any_case(monkeypatch):
    rng = np.random.default_rng(0)
    recorded = [pb.Trajectory(name, i, [1, 5], [9.0, rng.random()], until=8) for i in range(6) for name in "ab"]
    race = pb.Race(["a", "b"], None, TIMES, prior=pb.RandomWalk(), batch=pb.FixedBatch(3), rope=0.0, draws=400)
    view = RecordingView()
    monkeypatch.setattr(views, "make_view", lambda *_, **__: view)
    race.run(pb.ReplayExecutor(recorded), max_instances=6)
    a_round = ["plan fresh 6", *["run"] * 6, "inference"]
    assert view.events == [*a_round, "decisions 1", *a_round, "decisions 2", "closed"]

    view.events.clear()
    race = pb.Race(["a", "c"], None, TIMES, prior=pb.RandomWalk(), batch=pb.FixedBatch(3), draws=400)
    with pytest.raises(ValueError, match="expected a recording of 'c'"):
        race.run(pb.ReplayExecutor(recorded))
    assert view.events[-1] == "closed"
