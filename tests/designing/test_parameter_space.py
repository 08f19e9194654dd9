"""Configurations that are sampled and mutated."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("ConfigSpace", reason="parameter spaces need ConfigSpace")

import polarbear as pb
from tests.designing.climbers import climber, make_space


def test_inactive_parameters_are_left_out_and_illegal_values_refused():
    space = make_space()
    (steady,) = space.algorithm(kind="steady", rate=0.5).values()
    assert steady.configuration == {"kind": "steady", "rate": 0.5}
    assert list(space.algorithm(kind="late", rate=0.5, delay=2.0)) == ["kind=late rate=0.5 delay=2.0"]
    with pytest.raises(ValueError, match="expected a configuration of the space"):
        space.algorithm(rate=7.0)
    with pytest.raises(ValueError, match="expected a ConfigSpace"):
        pb.ParameterSpace({"rate": (0, 1)}, climber)


def test_the_name_says_all_of_the_configuration():
    for name, each in make_space().sample(30, seed=3).items():
        parts = dict(part.split("=") for part in name.split())
        assert {key: str(value) for key, value in each.configuration.items()} == parts


def test_mutations_change_a_member_of_the_pareto_set_only_in_part():
    space = make_space(sampled=0, mutated=40)
    parents = space.algorithm(kind="late", rate=0.5, delay=2.0) | space.algorithm(kind="steady", rate=1.9)
    state = SimpleNamespace(
        rng=np.random.default_rng(0),
        algorithms=parents,
        kept=("kind=late rate=0.5 delay=2.0",),
        names=tuple(parents),
    )
    children = [each.configuration for each in space.propose(state).values()]
    unchanged = [
        sum(child.get(key) == value for key, value in (("kind", "late"), ("rate", 0.5), ("delay", 2.0)))
        for child in children
    ]
    assert len(children) == 40
    assert max(unchanged) == 2
    assert np.mean(unchanged) > 0.8
    assert np.std([child["rate"] for child in children]) > 0.05


def test_a_small_space_runs_out():
    from ConfigSpace import ConfigurationSpace

    space = pb.ParameterSpace(ConfigurationSpace({"kind": ["steady", "late"]}), climber)
    assert sorted(space.sample(9)) == ["kind=late", "kind=steady"]
