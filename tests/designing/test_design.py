"""The design loop: what it proposes, when it stops, and how it continues."""

import json
from unittest.mock import Mock

import numpy as np
import pytest

pytest.importorskip("ConfigSpace", reason="parameter spaces need ConfigSpace")

import polarbear as pb
from polarbear.findings import Code
from polarbear.race.findings import race_findings
from tests.designing.climbers import InProcess, climber, make_race, make_space, run_design

FRUITLESS = (
    "nothing new survives",
    "Stopped because nothing new survived: none of the proposals of the last 2 iterations did.",
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a design of three iterations: its path, its answer and what it reported."""
    path, seen = tmp_path_factory.mktemp("design") / "design.race", []
    space = make_space(sampled=1, mutated=2)
    with make_race(space, path=path) as race:
        answer = run_design(space.propose, race, iterations=3, fruitless=3, on_iteration=seen.append)
    return path, answer, seen


def test_the_answer_covers_the_grid_and_uses_members_of_the_pareto_set(whole):
    _, answer, seen = whole
    assert (answer.stages[0].start, answer.stages[-1].stop) == (1, 16)
    assert all(left.stop == right.start for left, right in zip(answer.stages, answer.stages[1:], strict=False))
    assert {stage.name for stage in answer.stages} <= set(answer.result.kept)
    assert [each.number for each in seen] == [1, 2, 3]
    assert answer.proposed == 9
    assert answer.iterations == tuple(seen)


def test_a_design_improves_on_its_start(whole):
    def final_value(configuration):
        return list(climber(**configuration)(None, 1, 16))[-1][1]

    starts = [final_value(each.configuration) for each in make_space().sample(2, seed=4).values()]
    assert final_value(whole[1].stages[-1].configuration) < min(starts)


def test_newcomers_run_on_known_instances_first_and_are_dropped_early(whole):
    _, answer, _ = whole
    runs = answer.result.runs
    dropped = {each.name for each in answer.result.drops}
    proposed = {name for each in answer.iterations for name in each.proposed}
    counts = [sum(run.trajectory.algorithm == name for run in runs) for name in dropped & proposed]
    assert min(counts) == 8  # one batch of the 16 instances
    kinds = [each.kind for each in answer.result.rounds]
    assert kinds.count("catch-up") >= 3


def test_a_design_that_is_run_again_repeats_no_run_and_gives_the_same_answer(whole, tmp_path):
    path, answer, _ = whole
    space = make_space(sampled=1, mutated=2)
    with make_race(space, path=path) as race:
        runs = len(race.outcome.runs)
        again = run_design(space.propose, race, iterations=3, fruitless=3)
        assert again.stages == answer.stages
        assert again.iterations == answer.iterations
        assert len(race.outcome.runs) == runs


def test_an_interrupted_design_continues_as_if_it_had_not_been_interrupted(whole, tmp_path):
    path = tmp_path / "design.race"
    for iterations in (1, 3):
        space = make_space(sampled=1, mutated=2)
        with make_race(space, path=path) as race:
            answer = run_design(space.propose, race, iterations=iterations, fruitless=3)
    assert answer.stages == whole[1].stages
    assert answer.iterations == whole[1].iterations


@pytest.mark.parametrize("after", [30, 60])
def test_a_design_that_is_interrupted_within_an_iteration_continues(whole, tmp_path, after):
    class Interrupted(InProcess):
        runs = 0

        def submit(self, *arguments):
            self.runs += 1
            if self.runs > after:
                raise KeyboardInterrupt
            return super().submit(*arguments)

    path, space = tmp_path / "design.race", make_space(sampled=1, mutated=2)
    with make_race(space, path=path) as race:
        part = run_design(space.propose, race, executor=Interrupted(), iterations=3)
    assert part.stopped == "interrupted"
    assert [each.complete for each in part.iterations][-1:] == [False]
    assert "and an incomplete one, " in str(part)
    assert str(part.iterations[-1]).endswith(f"stopped before its end with 3 proposals, cost {part.cost:.0f}")
    with make_race(space, path=path) as race:
        answer = run_design(space.propose, race, iterations=3, fruitless=3)
    assert (answer.stages, answer.iterations) == (whole[1].stages, whole[1].iterations)


def test_a_design_that_is_killed_before_its_proposals_are_added_adds_them_later(whole, tmp_path):
    path, space = tmp_path / "design.race", make_space(sampled=1, mutated=2)

    with make_race(space, path=path) as race:
        race.add = Mock(side_effect=KeyboardInterrupt)
        with pytest.raises(KeyboardInterrupt):
            run_design(space.propose, race, iterations=3)
    with make_race(space, path=path) as race:
        answer = run_design(space.propose, race, iterations=3, fruitless=3)
    assert answer.iterations == whole[1].iterations


def test_a_proposer_that_changes_its_mind_is_refused(whole):
    path, space = whole[0], make_space(sampled=1, mutated=2)
    with (
        make_race(space, path=path) as race,
        pytest.raises(ValueError, match=r"proposals of iteration 1 again, .*state\.rng"),
    ):
        run_design(make_space(sampled=3, mutated=0).propose, race)
    with make_race(space, path=path) as race, pytest.raises(ValueError, match="expected seed=0"):
        run_design(space.propose, race, seed=1)


def test_the_answer_is_saved_and_loaded(whole, tmp_path):
    answer, path = whole[1], tmp_path / "answer.json"
    answer.save(path)
    loaded = pb.load_anytime_configuration(path)
    assert (loaded.stages, loaded.iterations, loaded.cost) == (answer.stages, answer.iterations, answer.cost)
    assert loaded.at(1).name == answer.stages[0].name
    assert loaded.at(1e6).name == answer.stages[-1].name
    assert str(loaded) == str(answer)
    assert str(loaded).endswith("\nStopped after 3 iterations, since no more were allowed.")
    path.write_text(json.dumps({"kind": "something else"}))
    with pytest.raises(ValueError, match=r"expected a file that AnytimeConfiguration\.save wrote"):
        pb.load_anytime_configuration(path)


@pytest.mark.parametrize(
    ("proposals", "stopped", "sentence"),
    [
        (lambda state: {}, "nothing proposed", "Stopped because the proposer had nothing more to propose."),
        (lambda state: {f"bad {state.iteration}": climber(-1.0 - state.iteration)}, *FRUITLESS),
        (lambda state: {f"broken {state.iteration}": lambda problem, seed, budget: 1 / 0}, *FRUITLESS),
    ],
    ids=["empty", "hopeless", "broken"],
)
def test_a_design_stops_when_nothing_new_survives(proposals, stopped, sentence):
    answer = run_design(proposals, make_race(make_space()), fruitless=2, max_instances=8)
    assert answer.stopped == stopped
    assert answer.why_stopped == sentence
    assert len(answer.iterations) == (0 if stopped == "nothing proposed" else 2)


def test_a_design_stops_at_its_budget():
    space = make_space(sampled=2, mutated=0)
    answer = run_design(space.propose, make_race(space), max_evaluations=600, fruitless=20)
    assert answer.stopped == "max_evaluations"
    assert "exceed the evaluations that were allowed" in answer.why_stopped
    assert answer.cost <= 600


def test_the_pareto_set_is_limited_and_the_file_says_why_algorithms_were_set_aside(tmp_path):
    def near_copies(state):
        return {f"copy {state.iteration}.{k}": climber(2.5) for k in range(4)}

    with make_race(make_space(), path=tmp_path / "design.race") as race:
        answer = run_design(near_copies, race, iterations=2, members=3, max_instances=8)
    assert len(answer.result.kept) <= 3
    reason = "set aside by the design loop, which keeps 3 algorithms: its highest probability of being the best choice"
    assert answer.result.state.dropped_by_user
    with pb.Race.open(tmp_path / "design.race", algorithms={}) as race:
        assert race.state.dropped_by_user == answer.result.state.dropped_by_user
        found = race_findings(race.outcome)
    assert all(text.startswith(reason) for text in race.state.dropped_by_user.values())
    (aside,) = (each for each in found if each.code is Code.SET_ASIDE)
    assert set(aside.subject) == set(race.state.dropped_by_user)
    assert not [each for each in found if each.code is Code.DROPPED_BY_USER]


def test_near_copies_do_not_lose_to_an_odd_algorithm_that_comes_first_more_often():
    """Four copies share the first places on 60 % of instances; the odd algorithm comes first on the others."""

    def run(level):
        def algorithm(problem, seed, budget):
            return [(16, level(problem) + np.random.default_rng(seed).random() / 10)]

        return algorithm

    copies = {f"copy {k}": run(lambda problem: 1.0) for k in range(4)}
    race = pb.Race({**copies, "odd": run(lambda problem: 2.0 * (problem % 5 >= 2))}, range(400), [16], draws=500)
    answer = run_design(lambda state: {}, race, max_instances=40)
    assert "odd" in answer.result.kept
    posterior = answer.result.posterior
    by_first_places = pb.select(posterior, criterion=pb.FirstPlace(), among=posterior.names)
    assert by_first_places.recommendation == "odd"
    assert answer.at(16).name.startswith("copy")


def test_names_that_are_known_and_proposals_without_names_are_refused():
    race = make_race(make_space())
    known = race.state.names[0]
    with pytest.raises(ValueError, match="expected new names from the proposer"):
        run_design(lambda state: {known: climber(1.0)}, race)
    with pytest.raises(ValueError, match="returns algorithms by name, got list"):
        run_design(lambda state: [climber(1.0)], race)


def test_newcomers_with_few_runs_are_not_the_answer():
    """The budget ends the race when each newcomer has run on one instance, on which all of them win."""
    space = make_space()
    known = 2 * 8 * 16  # two algorithms on eight instances until 16
    race = make_race(space)
    answer = run_design(
        lambda state: {"better": climber(3.0)}, race, max_evaluations=known + 16, max_instances=8, fruitless=9
    )
    assert "better" in answer.result.kept
    assert {stage.name for stage in answer.stages} <= set(space.sample(2, seed=4))
