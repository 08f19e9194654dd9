"""The views of a race while it runs: lines, a live view, or nothing."""

import dataclasses
import io
import re

import numpy as np
import pytest

import polarbear as pb
from polarbear.driver import progress as views
from polarbear.driver.progress import LineView, LiveView, SilentView, make_view
from polarbear.findings import RunFailure
from polarbear.inference import fitting
from polarbear.race import loop
from polarbear.wording import format_percent
from tests.driver.shown_races import BUDGETS, NAMES, UTILITIES, play, render, settings_of
from tests.race.paper import some_posterior
from tests.race.simulated import simulated_runs

DIED = RunFailure("died by SIGKILL")


class Terminal(io.StringIO):
    def isatty(self):
        return True


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
        assert line.startswith(f"round {round_.number} · {6 * round_.number} instances · ")  # so far
        assert f"{100 * round_.decided_share:.0f} % decided" in line
        for each in round_.dropped:
            assert f"{each.name} is dropped (beaten by {each.by}, {format_percent(each.probability)} sure)" in line
    assert "poor is dropped" in stream.getvalue()
    assert f"{sum(round_.cost for round_ in state.rounds):,.0f} evaluations" in lines[-1]
    assert f"{len(state.candidates)} candidates" in lines[-1]


def test_a_line_counts_the_failures_of_its_own_round():
    stream = io.StringIO()
    view = LineView(stream)
    state = play(SilentView(), rounds=1)
    run = next(iter(state.observations.runs.values()))
    for status, failure in (("crashed", DIED), ("done", None), ("error", DIED)):
        view.on_run(dataclasses.replace(run, status=status, failure=failure))
    view.on_decisions(state)
    view.on_run(run)
    view.on_decisions(state)
    first, second = stream.getvalue().splitlines()
    assert "2 runs failed" in first
    assert "failed" not in second


def test_a_line_reports_an_unreliable_posterior(monkeypatch):
    doubtful = some_posterior(np.random.default_rng(0), NAMES, BUDGETS, reliable=False)
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
    assert f"{100 * state.rounds[-1].decided_share:.0f} % of pairs and budgets" in text
    assert "round 2" in text
    assert "[bold]odd[/bold]" in text  # names are text, not markup
    assert f"dropped in round {state.rounds[0].dropped[0].round}, beaten by" in text
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
    runs = simulated_runs(plan, UTILITIES, NAMES, BUDGETS)
    assert f"2 of {len(plan.jobs)} runs on 6 instances" in render(view)
    assert "round 2" in render(view)
    for run in runs[2:]:
        view.on_run(run)
    view.on_inference()
    assert "inferring the posterior" in render(view)
    assert "round 2" in render(view)
    assert "round 1 " not in render(view).replace("dropped in round 1", "")
    view.on_decisions(loop.tell(state, plan, runs))
    assert "round 2" in render(view)
    view.close()


def test_the_live_view_shows_failures_and_added_dropped_and_decided_algorithms():
    view = LiveView(io.StringIO())
    state = play(view, rounds=1)
    plan = loop.ask(state)
    run = simulated_runs(plan, UTILITIES, NAMES, BUDGETS)[0]
    view.on_run(dataclasses.replace(run, status="crashed", failure=DIED))
    view.on_decisions(state)
    assert "1 run failed" in render(view)
    grown = loop.add(state, "new")
    view.on_plan(grown, loop.ask(grown), 1)
    assert "catches up" in render(view)
    # The undecided share of three pairs, and each candidate against the added algorithm; six pairs in total.
    undecided = 3 * (1 - state.rounds[-1].decided_share) + len(state.candidates)
    assert f"{100 * (1 - undecided / 6):.0f} % of pairs and budgets" in render(view)
    view.on_decisions(loop.drop(state, "good"))
    assert re.search(r"good +dropped", render(view))
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


def test_the_last_view_stays_on_the_screen():
    stream = io.StringIO()
    view = LiveView(stream)
    play(view, rounds=2)
    view.close()
    assert "of pairs and budgets" in stream.getvalue()
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
    recorded = [pb.Trajectory(name, i, [1, 5], [9.0, rng.random()], end=8) for i in range(6) for name in "ab"]
    race = pb.Race(["a", "b"], None, BUDGETS, prior=pb.RandomWalk(), batch=pb.FixedBatch(3), margin=0.0, draws=400)
    view = RecordingView()
    monkeypatch.setattr(views, "make_view", lambda *_, **__: view)
    race.drive(pb.ReplayExecutor(recorded), max_instances=6)
    a_round = ["plan fresh 6", *["run"] * 6, "inference"]
    assert view.events == [*a_round, "decisions 1", *a_round, "decisions 2", "closed"]

    view.events.clear()
    race = pb.Race(["a", "c"], None, BUDGETS, prior=pb.RandomWalk(), batch=pb.FixedBatch(3), draws=400)
    with pytest.raises(ValueError, match="expected a recording of 'c'"):
        race.drive(pb.ReplayExecutor(recorded))
    assert view.events[-1] == "closed"
