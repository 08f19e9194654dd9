import importlib.util
import pickle
import sys

import numpy as np
import pytest

from polarbear.problems.ma_bbob import MaBbob, ManyAffineProblem

needs_ioh = pytest.mark.skipif(
    importlib.util.find_spec("ioh") is None, reason="ioh is not installed; `make bbob` adds it where there is a wheel"
)


@needs_ioh
@pytest.mark.parametrize("dimension", [2, 5, 30])
@pytest.mark.parametrize("instance", [1, 7, 1003])
def test_values_agree_with_ioh(instance, dimension):
    import ioh

    theirs, ours = ioh.problem.ManyAffine(instance, dimension), ManyAffineProblem(instance, dimension)
    rng = np.random.default_rng(instance)
    points = [*rng.uniform(-5, 5, (20, dimension)), ours.optimum, ours.optimum + 1e-6 * rng.normal(size=dimension)]
    # The sums run in another order, and 10^(10 s - 8) magnifies the rounding of s.
    np.testing.assert_allclose([ours(x) for x in points], [theirs(x) for x in points], rtol=1e-8)


@needs_ioh
def test_only_functions_with_weight_are_evaluated():
    import ioh

    weights = np.array(ioh.problem.ManyAffine(3, 5).weights)
    assert 2 <= len(ManyAffineProblem(3, 5)._parts) == np.count_nonzero(weights) < 24


@needs_ioh
def test_a_pickled_problem_holds_only_two_numbers():
    problem = MaBbob(5, first=11)(index=2, seed=99)
    again = pickle.loads(pickle.dumps(problem))
    assert (again.instance, again.dimension) == (13, 5)
    assert len(pickle.dumps(problem)) < 200
    assert again(np.ones(5)) == problem(np.ones(5))
    assert problem.bounds == [(-5.0, 5.0)] * 5


@pytest.mark.parametrize(("instance", "dimension"), [(0, 5), (1, 1)])
def test_bad_numbers_are_refused(instance, dimension):
    with pytest.raises(ValueError, match="expected an instance from 1"):
        ManyAffineProblem(instance, dimension)


def test_without_ioh_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ioh", None)
    with pytest.raises(ImportError, match=r"pip install 'polarbear-anytime\[bbob\]'"):
        ManyAffineProblem(1, 5)
