"""NUTS: compiled code is reused, problems are reported, and JAX starts when it is needed and with enough threads.

What needs a fit is in `tests/contracts/test_reference_methods.py`, since every process compiles for seconds.
"""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.reference import nuts
from polarbear.inference.reference.joint_density import JointDensity
from polarbear.models.plackett_luce import sample_rankings

pytestmark = pytest.mark.skipif(find_spec("blackjax") is None, reason="needs the extra `mcmc`")

PRIOR = pb.RandomWalk()
GRID = pb.linear_grid(1, 3, 3)


def choices_of(instances, seed):
    values = sample_rankings(np.zeros((3, 3)), instances, rng=np.random.default_rng(seed))
    return pb.Choices.from_values(values, grid=GRID)


@pytest.mark.calibration  # it compiles twice
def test_a_later_round_compiles_nothing():
    pb.fit(choices_of(6, 1), prior=PRIOR, method="nuts", draws=1000)
    _, advance = nuts._compile(JointDensity(PRIOR, GRID, 3), 4, pb.NUTS().target_acceptance)
    assert advance._cache_size() == 1
    few, more = choices_of(2, 2), choices_of(40, 3)
    assert few.members.shape != more.members.shape
    for choices in (few, more):
        pb.fit(choices, prior=PRIOR, method="nuts", draws=1000)
    assert advance._cache_size() == 1


def test_divergences_make_a_fit_unreliable():
    density = JointDensity(PRIOR, GRID, 3)
    shape = (300, 4)
    rng = np.random.default_rng(4)
    divergent = np.arange(1200).reshape(shape) == 7
    block = nuts._Block(rng.standard_normal((*shape, 3, 3)), rng.random((*shape, 1)), divergent)
    _, diagnostics = nuts._pool_blocks([block], density, 1200, rng)
    assert diagnostics.divergences == 1
    assert not diagnostics.reliable
    assert "1 transition diverged" in diagnostics.message
    assert "target_acceptance" in diagnostics.message


def test_no_path_doubles_from_below_half_a_turn_to_beyond_a_whole_one():
    steps = np.array([0.1, 0.5, 0.84, 0.9, 1.0, 1.1, 1.2, 5.0, np.inf])
    used = np.asarray(nuts._avoid_resonance(steps))
    for step in used:
        doubled = [(2**k - 1) * step for k in range(1, 9)]
        first = next(angle for angle in doubled if angle > np.pi)
        assert first < 2 * np.pi
    assert (used <= steps + 1e-6).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"chains": 1}, "expected a whole number of at least 2 for NUTS chains"),
        ({"warmup": 10}, "expected a whole number of at least 50 for NUTS warmup"),
        ({"target_acceptance": 1.0}, "expected NUTS target_acceptance between 0 and 1"),
    ],
)
def test_invalid_settings_are_rejected(wrong, message):
    with pytest.raises(ValueError, match=message):
        pb.NUTS(**wrong)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("polarbear.inference.request.reference_methods_installed", lambda: False)
    with pytest.raises(
        ValueError, match=r"method='nuts' needs JAX and BlackJAX: pip install 'polarbear-anytime\[mcmc\]'"
    ):
        pb.fit(choices_of(6, 1), prior=PRIOR, method="nuts")


def test_jax_is_imported_only_by_methods_that_need_it():
    code = (
        "import sys, polarbear as pb; pb.NUTS(); "
        "choices = pb.Choices.from_values([[[1, 2]] * 2], grid=[1, 2]); "
        "[pb.fit(choices, prior=prior, draws=100) for prior in (None, pb.BSpline())]; "
        "print({'jax', 'blackjax', 'optax', 'pymc', 'pytensor'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def backend(code):
    """Start JAX in a fresh interpreter on a machine that seems to have two cores, and print the number of its threads."""
    prelude = "import os; os.environ.pop('NPROC', None); os.cpu_count = lambda: 2; import jax; "
    start = "from polarbear.inference.reference import jax_runtime as reference; reference.in_double_precision(); "
    threads = (
        "import contextlib, pathlib; names = []\n"
        "for task in pathlib.Path('/proc/self/task').iterdir():\n"
        "    with contextlib.suppress(OSError):\n"  # it has ended since
        "        names.append((task / 'comm').read_text())\n"
        "print(sum('XLAEigen' in name for name in names))"
    )
    command = [sys.executable, "-c", prelude + code + start + threads]
    return subprocess.run(command, capture_output=True, text=True, check=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts threads as Linux lists them")
def test_jax_starts_with_enough_threads_for_batched_factorisations():
    done = backend("")
    assert int(done.stdout) >= 8
    assert not done.stderr


def test_a_jax_that_already_runs_with_few_threads_gives_a_warning():
    done = backend("jax.devices(); ")
    assert "NPROC=8" in done.stderr
