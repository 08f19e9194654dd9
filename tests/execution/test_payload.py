import subprocess
import sys
import threading

import pytest

from polarbear.algorithms import counted
from polarbear.execution import Payload, pack, run_supervised
from polarbear.race.jobs import Job
from tests.execution import runs


def test_equal_algorithms_and_instances_give_equal_payloads():
    first, second = pack(runs.ends_early, [1, 2]), pack(runs.ends_early, [1, 2])
    assert isinstance(first, Payload)
    assert first == second
    assert first.digest != pack(runs.raises, [1, 2]).digest
    assert "data" not in repr(first)


def test_functions_defined_in_a_test_are_sent_with_their_code():
    offset = 5

    @counted
    def search(objective, budget, rng):
        objective(offset)

    run = run_supervised(pack(search, lambda index, seed: lambda x: x + index), Job("a", 3, 10, 1, 1))
    assert run.trajectory.values.tolist() == [8.0]


SCRIPT = """
from beside import offset
from polarbear.execution import LocalExecutor, pack, run_supervised
from polarbear.race.jobs import Job
import polarbear.algorithms as pb

@pb.counted
def search(objective, budget, rng):
    objective(offset(1))

class Problem:
    def __call__(self, x):
        return x

if __name__ == "__main__":
    with LocalExecutor(1) as executor:
        payload = pack(search, lambda index, seed: Problem())
        run = executor.submit(run_supervised, payload, Job("a", 0, 10, 1, 1)).result()
    print(run.status, run.trajectory.values, run.failure or run.output)
"""


def test_a_script_can_import_the_modules_beside_it(tmp_path):
    (tmp_path / "beside.py").write_text("def offset(x):\n    return x + 41\n")
    (tmp_path / "random.py").write_text("raise ImportError('found the wrong module')\n")
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "script.py").write_text(SCRIPT)
    (folder / "beside.py").write_text("def offset(x):\n    return x + 41\n")
    script = subprocess.run(
        [sys.executable, "-W", "error", str(folder / "script.py")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert script.stdout.strip() == "done [42.]", script.stdout + script.stderr


@pytest.mark.parametrize(
    ("algorithm", "instances", "options", "message"),
    [
        (3, [1], {}, r"called as algorithm\(problem, seed, budget\), got 3"),
        (runs.ends_early, 3, {}, r"a callable instance\(index, seed\) or a sequence of problems, got 3"),
        (runs.ends_early, "a.cnf", {}, "a sequence of problems, got 'a.cnf'"),
        (runs.ends_early, [1], {"clock": "hours"}, "expected clock="),
        (runs.ends_early, [threading.Lock()], {}, "expected the source of instances to be something that can be sent"),
    ],
)
def test_bad_input_is_refused_at_once(algorithm, instances, options, message):
    with pytest.raises(ValueError, match=message):
        pack(algorithm, instances, **options)


def test_an_algorithm_that_cannot_be_sent_is_refused_with_advice():
    lock = threading.Lock()

    def run(problem, seed, budget):
        with lock:
            yield 1, 1.0

    with pytest.raises(ValueError, match=r"expected the algorithm .* cannot be pickled .* inside the function"):
        pack(run, [1])
