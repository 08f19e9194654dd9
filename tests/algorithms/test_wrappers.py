import os
import pickle
import select
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from polarbear.algorithms import Recorder, ask_tell, command, counted, family, record_run
from tests.algorithms.waiting import PATIENCE, WaitingRecorder


class Sphere:
    bounds = ((-5, 5), (-5, 5))
    dimension = 2

    def __call__(self, x):
        return float(np.sum(np.square(x)))


def outcome(algorithm, problem=None, until=100, seed=1, **options):
    recorder = Recorder(until, **options)
    ended = record_run(algorithm, problem or Sphere(), seed, recorder)
    return ended, recorder


class TestCounted:
    def test_a_function_may_loop_forever(self):
        arguments = []

        @counted
        def search(objective, budget, rng):
            arguments.append((budget, objective.dimension, objective.bounds, rng.random()))
            while True:
                try:
                    objective(rng.uniform(-5, 5, objective.dimension))
                except Exception:  # as careless optimisers do
                    continue

        ended, recorder = outcome(search)
        assert not ended
        assert recorder.evaluations == 100
        assert arguments == [(100, 2, Sphere.bounds, np.random.default_rng(1).random())]

    def test_the_objective_returns_the_value_of_the_problem(self):
        values = []
        problem = lambda x, scale=1: np.array([scale * x])  # noqa: E731
        outcome(counted(lambda objective, budget, rng: values.append(objective(2.0, scale=3))), problem)
        assert isinstance(values[0], np.ndarray)

    def test_a_function_that_returns_before_its_budget_has_ended_by_itself(self):
        assert outcome(counted(lambda objective, budget, rng: objective([0, 0])))[0]
        assert not outcome(counted(lambda objective, budget, rng: [objective([0, 0]) for _ in range(budget)]))[0]

    def test_no_budget_on_the_wall_clock(self):
        def search(objective, budget, rng):
            assert budget is None
            objective([1, 1])

        assert outcome(counted(search), clock="seconds")[0]

    def test_threads_may_evaluate(self):
        def search(objective, budget, rng):
            threads = [Thread(target=lambda: [objective([0, 0]) for _ in range(10)]) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        assert outcome(counted(search))[1].evaluations == 30

    @pytest.mark.parametrize("function", [None, 3, "f", lambda objective: 1, lambda a, b, c, d: 1])
    def test_a_function_with_other_arguments_is_refused_at_once(self, function):
        with pytest.raises(ValueError, match=r"expected a function\(objective, budget, rng\) for pb.counted, got"):
            counted(function)

    def test_a_problem_that_is_not_a_function_is_refused(self):
        with pytest.raises(ValueError, match="a problem that can be called with a point, got 'file"):
            outcome(counted(lambda objective, budget, rng: objective(1)), "file.cnf")

    def test_the_objective_cannot_be_sent_to_another_process(self):
        with pytest.raises(TypeError, match="could not be counted"):
            outcome(counted(lambda objective, budget, rng: pickle.dumps(objective)))


class Optimiser:
    """Asks for random points, and keeps the arguments of `tell`."""

    def __init__(self, rng, calls):
        self.rng, self.calls = rng, calls

    def ask(self):
        return self.rng.uniform(-5, 5, 2)

    def tell(self, *args):
        self.calls.append(args)


class Batches(Optimiser):
    def ask(self):
        return list(self.rng.uniform(-5, 5, (4, 2)))


class Matrices(Optimiser):
    def ask(self):
        return self.rng.uniform(-5, 5, (4, 2))


class Pairs(Optimiser):
    population_size = 5

    def should_stop(self):
        return len(self.calls) % 3 == 0


class TestAskTell:
    def test_points(self):
        calls = []
        ended, recorder = outcome(ask_tell(lambda problem, rng: Optimiser(rng, calls)))
        assert not ended
        assert len(calls) == recorder.evaluations == 100
        point, value = calls[0]
        assert value == Sphere()(point)

    @pytest.mark.parametrize("make", [Batches, Matrices])
    def test_batches(self, make):
        calls = []
        outcome(ask_tell(lambda problem, rng: make(rng, calls)), until=42)
        assert len(calls) == 10
        assert all(len(points) == len(values) == 4 for points, values in calls)

    def test_pairs_are_told_by_population_and_the_optimiser_may_stop(self):
        calls = []
        ended, recorder = outcome(ask_tell(lambda problem, rng: Pairs(rng, calls)))
        assert ended
        assert recorder.evaluations == 15
        assert [len(pairs) for (pairs,) in calls] == [5, 5, 5]

    def test_restarts(self):
        calls, dimensions = [], []

        def make(problem, rng):
            dimensions.append(problem.dimension)
            return Pairs(rng, calls)

        ended, recorder = outcome(ask_tell(make, restart=True))
        assert (ended, recorder.evaluations) == (False, 100)
        assert dimensions == [2] * 7

    def test_a_style_can_be_chosen(self):
        calls = []
        make = lambda problem, rng: Pairs(rng, calls)  # noqa: E731
        outcome(ask_tell(make, style="point"), until=2)
        assert [len(args) for args in calls] == [2, 2]

    def test_lists_of_numbers_are_points(self):
        class Lists(Optimiser):
            def ask(self):
                return [1.0, 2.0]

        calls = []
        outcome(ask_tell(lambda problem, rng: Lists(rng, calls)), until=2)
        assert calls == [([1.0, 2.0], 5.0)] * 2

    def test_bad_input(self):
        with pytest.raises(ValueError, match=r"expected a function\(problem, rng\) for pb.ask_tell"):
            ask_tell(3)
        with pytest.raises(ValueError, match="expected style="):
            ask_tell(lambda problem, rng: 1, style="swarm")
        with pytest.raises(ValueError, match="expected an optimiser with `ask` and `tell`, got 3"):
            outcome(ask_tell(lambda problem, rng: 3))


def python(code, *arguments):
    return command([sys.executable, "-c", code.replace("{", "{{").replace("}", "}}"), *arguments])


class TestCommand:
    def test_placeholders(self):
        program = python("import sys; print(len(sys.argv), sys.argv[1:][1])", "{instance}", "{seed}", "--t={until}")
        assert outcome(program, "a file.cnf", seed=42)[1].events() == [(4.0, 42.0)]

    def test_a_string_is_split_without_a_shell(self):
        assert command("solve --name 'a b' {instance}").template == ("solve", "--name", "a b", "{instance}")

    def test_lines_of_every_kind(self):
        code = r"""print("# hello\n\n5 3.5\n{\"time\": 6, \"value\": 2.5}\n  7\t1.5  ", end="")"""
        assert outcome(python(code))[1].events() == [(5.0, 3.5), (6.0, 2.5), (7.0, 1.5)]

    def test_values_alone_are_timed_by_the_recorder(self):
        _, recorder = outcome(python("print(2.5); print('{\"value\": 1.5}')"), until=1e6, clock="seconds")
        assert [value for _, value in recorder.events()][-1] == 1.5

    def test_a_custom_line_parser(self):
        program = command(
            ["printf", "%s\n", "Solver 1.0", "incumbent=7 at=3"],
            parse=lambda line: (int(line[-1]), int(line[10])) if line.startswith("inc") else None,
        )
        assert outcome(program)[1].events() == [(3.0, 7.0)]

    def test_it_is_killed_when_it_goes_past_its_evaluations(self):
        code = "import itertools\nfor t in itertools.count(1): print(t, -t, flush=True)"
        ended, recorder = outcome(python(code), until=50)
        assert not ended
        assert recorder.events()[-1] == (50.0, -50.0)

    def test_it_is_killed_with_its_children_when_its_seconds_are_over(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        pipe = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        # The shell and its children keep the pipe open: its end shows that all of them have ended.
        program = command(["sh", "-c", f"exec 7> {tmp_path}/pipe; echo 3; sleep 600 & sleep 600"])
        recorder = WaitingRecorder(lambda recorder: recorder.values)
        assert not record_run(program, Sphere(), 1, recorder)
        assert recorder.values == [3.0]
        assert select.select([pipe], [], [], PATIENCE)[0]
        assert os.read(pipe, 1) == b""
        os.close(pipe)

    def test_children_that_hold_its_output_are_not_waited_for(self):
        assert outcome(command(["sh", "-c", "echo 1 3; sleep 600 &"]))[0]

    def test_a_program_that_closes_its_output_may_go_on(self):
        assert outcome(command(["sh", "-c", "echo 1 3; exec >&- 2>&-; sleep 0.3; exit 0"]))[0]

    @pytest.mark.parametrize(
        ("program", "message"),
        [
            (["sh", "-c", "echo 1 3; echo trouble >&2; exit 3"], "ended with exit status 3\ntrouble"),
            (["sh", "-c", "echo 1 3; kill -SEGV $$"], "died by SIGSEGV"),
            (["no-such-program"], "expected a program that can be started, got no-such-program"),
            (["echo", "Starting"], "got 'Starting'; print other text to stderr"),
            (["echo", "1 2 3"], "got '1 2 3'"),
            (["echo", "3"], "only with clock='seconds'"),
            (["true"], "expected at least one value"),
            (["head", "-c", "3000000", "/dev/zero"], "bytes without an end of line"),
        ],
    )
    def test_failures(self, program, message):
        with pytest.raises(ValueError, match=message):
            outcome(command(program))

    def test_lines_may_be_appended_to_a_file(self):
        code = (
            "import sys; print('noise'); f = open(sys.argv[1], 'a'); f.write('5 3.5\\n7 '); f.flush(); f.write('1.5')"
        )
        assert outcome(python(code, "{output}"))[1].events() == [(5.0, 3.5), (7.0, 1.5)]

    def test_a_file_is_read_while_the_program_runs_and_removed_afterwards(self, tmp_path):
        script = f"echo $0 > {tmp_path}/name; echo 4 >> $0; sleep 600"
        recorder = WaitingRecorder(lambda recorder: recorder.values)
        assert not record_run(command(["sh", "-c", script, "{output}"]), Sphere(), 1, recorder)
        assert recorder.values == [4.0]
        assert not Path((tmp_path / "name").read_text().strip()).exists()

    def test_what_a_program_prints_beside_its_file_is_in_the_error(self):
        with pytest.raises(ValueError, match="exit status 3\noh no"):
            outcome(command(["sh", "-c", "echo 1 2 > $0; echo oh no; exit 3", "{output}"]))

    def test_memory_is_limited(self):
        code = "print(1, 5.0, flush=True); x = bytearray(600_000_000); print(2, 1.0)"
        template = [sys.executable, "-c", code]
        assert outcome(command(template))[1].events()[-1] == (2.0, 1.0)
        with pytest.raises(ValueError, match="MemoryError"):
            outcome(command(template, memory=400_000_000))

    def test_a_memory_limit_changes_neither_arguments_nor_messages(self, tmp_path):
        program = command(["printf", "%s\n", "1 2", "# $HOME 'x'"], memory=1 << 30)
        assert outcome(program)[1].events() == [(1.0, 2.0)]
        with pytest.raises(ValueError, match="expected a program that can be started, got no-such-program"):
            outcome(command(["no-such-program"], memory=1 << 30))

    def test_it_runs_in_its_folder(self, tmp_path):
        solver = tmp_path / "solver"
        solver.write_text("#!/bin/sh\ncat values")
        solver.chmod(0o755)
        (tmp_path / "values").write_text("3 4.5\n")
        for memory in (None, 1 << 30):
            assert outcome(command(["./solver"], folder=tmp_path, memory=memory))[1].events() == [(3.0, 4.5)]

    @pytest.mark.parametrize("memory", [0, 512, -1, 2.5, "1G"])
    def test_absurd_memory_is_refused(self, memory):
        with pytest.raises(ValueError, match="expected memory as a number of bytes"):
            command("solve", memory=memory)

    @pytest.mark.parametrize(
        "template", ["", [], [1], None, 7, "solve {problem}", "solve {", "solve {}", "'open", ["x", b"y"]]
    )
    def test_bad_templates_are_refused_at_once(self, template):
        with pytest.raises(ValueError, match="expected"):
            command(template)


class TestFamily:
    @staticmethod
    def make(budget):
        @counted
        def member(objective, allowed, rng):
            for i in range(10_000):
                objective([budget - i, 0])

        return member

    def test_a_member_ends_at_its_budget(self):
        members = family("sa", self.make, [10, 1e6, 0.5 + 20])
        assert list(members) == ["sa(10)", "sa(1000000)", "sa(20.5)"]
        ended, recorder = outcome(members["sa(10)"])
        assert ended
        assert recorder.evaluations == 10
        assert outcome(members["sa(10)"], until=10)[0]
        assert not outcome(members["sa(10)"], until=9)[0]
        assert not outcome(members["sa(1000000)"])[0]

    def test_generators_get_the_smaller_of_budget_and_time(self):
        untils = []

        def make(budget):
            return lambda problem, seed, until: untils.append(until) or [(1, 1.0)]

        for member in family("g", make, [10, 1000]).values():
            outcome(member)
        assert untils == [10, 100]

    @pytest.mark.parametrize(
        ("name", "make", "budgets", "message"),
        [
            ("", lambda b: print, [1], "a name for the family"),
            ("a", 3, [1], r"expected a function\(budget\) for pb.family"),
            ("a", lambda b: print, [], "at least one budget"),
            ("a", lambda b: print, [0], "above zero and finite"),
            ("a", lambda b: print, [1, 1.0], "different budgets"),
            ("a", lambda b: print, ["x"], "a budget that is one number"),
            ("a", lambda b: None, [1], "to return an algorithm, got None"),
        ],
    )
    def test_bad_input(self, name, make, budgets, message):
        with pytest.raises(ValueError, match=message):
            family(name, make, budgets)
