"""What a person sees while a race runs."""

import dataclasses
import io
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console

import polarbear as pb
from polarbear.driver import progress as views
from polarbear.driver.progress import LineView, LiveView, SilentView, make_view
from polarbear.race import loop
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


def raced(view, rounds=50, **changes):
    """A race that tells the view what the driver would tell it."""
    state = loop.start(settings_of(**changes), NAMES)
    while (plan := loop.ask(state)) is not None and len(state.rounds) < rounds:
        view.planned(state, plan, len(plan.jobs))
        runs = simulated_runs(plan, UTILITIES, NAMES, TIMES)
        for run in runs:
            view.ran(run)
        view.inferring()
        state = loop.tell(state, plan, runs)
        view.decided(state)
    return state


def shown(view):
    """What the live view would draw now."""
    console = Console(file=io.StringIO(), width=150, record=True)
    console.print(view._render())
    return console.export_text()


@pytest.mark.parametrize(
    ("asked", "stream", "kind"),
    [
        ("auto", Terminal(), LiveView),
        ("auto", io.StringIO(), LineView),
        ("live", io.StringIO(), LiveView),
        ("lines", Terminal(), LineView),
        ("none", Terminal(), SilentView),
    ],
)
def test_the_view_that_was_asked_for(asked, stream, kind):
    assert type(make_view(asked, stream=stream)) is kind


def test_an_unknown_view_is_refused():
    with pytest.raises(ValueError, match="progress must be 'auto', 'live', 'lines' or 'none', got 'loud'"):
        make_view("loud")


def test_it_goes_to_standard_error(capsys):
    raced(make_view("lines"), rounds=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("round 1 · ")


def test_one_line_a_round():
    stream = io.StringIO()
    state = raced(LineView(stream))
    lines = stream.getvalue().splitlines()
    assert len(lines) == len(state.rounds) > 1
    for line, round_ in zip(lines, state.rounds, strict=True):
        assert line.startswith(f"round {round_.number} · {len(round_.instances)} instances · ")
        assert f"{100 * round_.resolved_share:.1f}% decided" in line
        for each in round_.eliminated:
            assert f"{each.name} is out (beaten by {each.by}, {each.probability:.3f})" in line
    assert "poor is out" in stream.getvalue()
    assert f"{sum(round_.cost for round_ in state.rounds):,.0f} evaluations" in lines[-1]
    assert f"{len(state.candidates)} candidates" in lines[-1]


def test_a_line_tells_of_the_failures_of_its_own_round():
    stream = io.StringIO()
    view = LineView(stream)
    state = raced(SilentView(), rounds=1)
    run = next(iter(state.evidence.runs.values()))
    for status in ("crashed", "done", "error"):
        view.ran(dataclasses.replace(run, status=status))
    view.decided(state)
    view.ran(run)
    view.decided(state)
    first, second = stream.getvalue().splitlines()
    assert "2 runs failed" in first
    assert "failed" not in second


def test_a_line_says_that_nothing_could_be_decided_and_why(monkeypatch):
    doubtful = some_posterior(np.random.default_rng(0), NAMES, TIMES, reliable=False)
    monkeypatch.setattr(loop, "fit", lambda *_, **__: doubtful)
    stream = io.StringIO()
    raced(LineView(stream), rounds=1)
    assert "nothing was decided, because the posterior cannot be trusted: made up for a test" in stream.getvalue()


def test_a_line_of_a_review():
    stream = io.StringIO()
    state = raced(SilentView(), rounds=1)
    state = loop.reconsider(state, settings_of(confidence=0.9))
    LineView(stream).decided(loop.tell(state, loop.ask(state), []))
    assert stream.getvalue().startswith("round 2 · no new runs · ")


def test_silence_says_nothing(capsys):
    raced(make_view("none"), rounds=2)
    assert capsys.readouterr() == ("", "")


def test_the_live_view_shows_where_the_race_stands():
    view = LiveView(io.StringIO())
    state = raced(view, rounds=2)
    text = shown(view)
    assert f"{100 * state.rounds[-1].resolved_share:.1f}% of pairs and times" in text
    assert "round 2" in text
    assert "[bold]odd[/bold]" in text  # names are text, not markup
    assert f"out in round {state.rounds[0].eliminated[0].round}, beaten by" in text
    assert "races" in text
    assert "12 instances" in text
    assert f"{state.cost:,.0f} evaluations spent, {1 - state.cost / (12 * 3 * 8):.0%} saved" in text
    for name, chance in state.rounds[-1].threat:
        row = next(line for line in text.splitlines() if line.strip().startswith(name))
        assert f"{chance:.3f}" in row
    view.close()
    view.close()  # twice does no harm


def test_the_live_view_counts_the_runs_of_this_round():
    view = LiveView(io.StringIO())
    state = raced(view, rounds=1)
    plan = loop.ask(state)
    view.planned(state, plan, len(plan.jobs) - 2)  # two are there already
    runs = simulated_runs(plan, UTILITIES, NAMES, TIMES)
    assert f"2 of {len(plan.jobs)} runs on 6 instances" in shown(view)
    assert "round 2" in shown(view)
    for run in runs[2:]:
        view.ran(run)
    view.inferring()
    assert "inferring the posterior" in shown(view)
    assert "round 2" in shown(view)
    assert "round 1 " not in shown(view).replace("out in round 1", "")
    view.decided(loop.tell(state, plan, runs))
    assert "round 2" in shown(view)
    view.close()


def test_the_live_view_tells_of_failures_newcomers_the_removed_and_the_decided():
    view = LiveView(io.StringIO())
    state = raced(view, rounds=1)
    plan = loop.ask(state)
    run = simulated_runs(plan, UTILITIES, NAMES, TIMES)[0]
    view.ran(dataclasses.replace(run, status="crashed"))
    view.decided(state)
    assert "1 run failed" in shown(view)
    grown = loop.add(state, "new")
    view.planned(grown, loop.ask(grown), 1)
    assert "catches up" in shown(view)
    # Undecided of three pairs, and each candidate against the newcomer; of six pairs in all.
    undecided = 3 * (1 - state.rounds[-1].resolved_share) + len(state.candidates)
    assert f"{1 - undecided / 6:.1%} of pairs and times" in shown(view)
    view.decided(loop.remove(state, "good"))
    assert "removed" in shown(view)
    view.decided(raced(SilentView()))
    assert "decided" in shown(view).replace("decided  ", "", 1)
    view.close()


def test_the_live_view_before_anything_ran():
    view = LiveView(io.StringIO())
    state = loop.start(settings_of(), NAMES)
    plan = loop.ask(state)
    view.planned(state, plan, len(plan.jobs))
    text = shown(view)
    assert "round 1" in text
    assert f"0 of {len(plan.jobs)} runs" in text
    view.close()


def test_the_live_view_of_a_review():
    view = LiveView(io.StringIO())
    state = loop.reconsider(raced(view, rounds=1), settings_of(confidence=0.9))
    plan = loop.ask(state)
    view.planned(state, plan, 0)
    view.inferring()
    assert "inferring the posterior" in shown(view)
    view.decided(loop.tell(state, plan, []))
    assert shown(view)
    view.close()


def test_the_live_view_guesses_what_is_to_come():
    view = LiveView(io.StringIO())
    raced(view, rounds=1, confidence=0.99, rope=0.01)
    assert "instances to go" in shown(view)
    view.close()


def test_the_time_to_come_follows_from_the_instances_of_this_call(monkeypatch):
    """A race that is continued has used instances on which no time was spent now."""
    clock = iter([0.0, 60.0])
    monkeypatch.setattr(views, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    monkeypatch.setattr(views, "instances_needed", lambda *_: 18.0)
    state = raced(SilentView(), rounds=1)  # on 6 instances
    view = LiveView(io.StringIO())
    plan = loop.ask(state)
    view.planned(state, plan, len(plan.jobs))
    view.decided(loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, TIMES)))
    assert "about 6 instances to go, 60 s" in shown(view)
    view.close()


def test_the_last_view_is_left_standing():
    stream = io.StringIO()
    view = LiveView(stream)
    raced(view, rounds=2)
    view.close()
    assert "of pairs and times" in stream.getvalue()
    assert "inferring" not in stream.getvalue()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (89.4, "89 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h"), (36_000, "10.0 h")],
)
def test_times_are_told_in_units_that_fit(seconds, words):
    assert views._clock(seconds) == words


class Listening(SilentView):
    def __init__(self):
        self.heard = []

    def planned(self, state, plan, waiting):
        self.heard.append(f"planned {plan.kind} {waiting}")

    def ran(self, run):
        self.heard.append("ran")

    def inferring(self):
        self.heard.append("inferring")

    def decided(self, state):
        self.heard.append(f"decided {len(state.rounds)}")

    def close(self):
        self.heard.append("closed")


def test_the_driver_tells_the_view_all_of_it_and_closes_it_whatever_happens(monkeypatch):
    rng = np.random.default_rng(0)
    recorded = [pb.Trajectory(name, i, [1, 5], [9.0, rng.random()], until=8) for i in range(6) for name in "ab"]
    race = pb.Race(["a", "b"], None, TIMES, prior=pb.RandomWalk(), batch=pb.FixedBatch(3), rope=0.0, draws=400)
    view = Listening()
    monkeypatch.setattr(views, "make_view", lambda _: view)
    race.run(pb.ReplayExecutor(recorded), max_instances=6)
    a_round = ["planned fresh 6", *["ran"] * 6, "inferring"]
    assert view.heard == [*a_round, "decided 1", *a_round, "decided 2", "closed"]

    view.heard.clear()
    race = pb.Race(["a", "c"], None, TIMES, prior=pb.RandomWalk(), batch=pb.FixedBatch(3), draws=400)
    with pytest.raises(ValueError, match="expected a recording of 'c'"):
        race.run(pb.ReplayExecutor(recorded))
    assert view.heard[-1] == "closed"
