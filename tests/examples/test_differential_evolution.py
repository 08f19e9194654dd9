"""The optimiser that the comparison with irace configures."""

import numpy as np
import pytest

from examples.differential_evolution import DEFAULT, IRACE_PARAMETERS, DifferentialEvolution
from polarbear.irace.parameters import read_parameters
from polarbear.problems import MixedProblems

PROBLEM = MixedProblems(3)(0, 1)


@pytest.mark.parametrize("strategy", ["rand", "best", "current"])
def test_runs_use_their_budget_improve_and_repeat_themselves(strategy):
    algorithm = DifferentialEvolution(**{**DEFAULT, "strategy": strategy, "popsize": 8})
    events = list(algorithm(PROBLEM, 1, 301))
    budgets, values = np.array(events).T
    assert budgets[-1] == 301
    assert (np.diff(values[:-1]) < 0).all()
    assert values[-1] < 0.1 * values[0]
    assert list(algorithm(PROBLEM, 1, 301)) == events
    assert [each for each in events if each[0] <= 100] == list(algorithm(PROBLEM, 1, 100))[:-1]


def test_irace_and_configspace_have_the_same_parameters(tmp_path):
    pytest.importorskip("ConfigSpace", reason="parameter spaces need ConfigSpace")
    from examples.differential_evolution import configuration_space

    (tmp_path / "parameters.txt").write_text(IRACE_PARAMETERS)
    space = configuration_space()
    assert set(space) == {each.name for each in read_parameters(tmp_path / "parameters.txt")}
    for each in read_parameters(tmp_path / "parameters.txt"):
        own = space[each.name]
        domain = (own.lower, own.upper) if each.kind in ("i", "r") else tuple(own.choices)
        assert (domain, getattr(own, "log", False)) == (each.domain, each.log)
