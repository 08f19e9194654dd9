"""Algorithms that ran on few of the instances of recorded runs."""

import json

import numpy as np
import pytest


@pytest.fixture
def table(tmp_path):
    """Three algorithms on 30 instances, and one on 5."""
    rng, path = np.random.default_rng(0), tmp_path / "runs.csv"
    rows = [
        f"{name},{instance},{budget},{rng.normal() + shift + 2 - budget / 100}"
        for name, shift, count in (("cma", 0.0, 30), ("de", 0.3, 30), ("rs", 1.0, 30), ("rare", -3.0, 5))
        for instance in range(count)
        for budget in (50, 100)
    ]
    path.write_text("\n".join(["algorithm_name,instance,evaluations,raw_y", *rows]))
    return path


def test_an_algorithm_with_few_instances_is_neither_candidate_nor_rival(table, polarbear):
    data = json.loads(polarbear("show", table, "--json").out)
    assert data["candidates"] == ["cma", "de", "rs"]
    (left_out,) = [each for each in data["findings"] if each["code"] == "sparse_algorithms"]
    assert (left_out["subject"], left_out["numbers"]) == (["rare"], {"usual": 30, "counts": {"rare": 5}})
    assert left_out["remedy"] == {"kind": "Include", "names": ["rare"]}


@pytest.mark.parametrize("option", [["--include", "rare"], ["--only", "rare", "--only", "cma", "--only", "de"]])
def test_it_takes_part_if_it_is_named(table, polarbear, option):
    data = json.loads(polarbear("show", table, "--json", *option).out)
    assert "rare" in data["candidates"]


def test_what_is_included_must_exist(table, polarbear):
    outcome = polarbear("show", table, "--include", "rar")
    assert outcome.code != 0
    assert "include" in outcome.err
    assert "rare" in outcome.err
