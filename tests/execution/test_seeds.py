"""The global random generators of a run have its seed, whenever the run imports them."""

import importlib
import random
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec

import numpy as np
import pytest

from polarbear.execution import close_workers, pack, run_supervised, seeds
from polarbear.race.jobs import Job
from tests.execution.supervised import events


def test_a_run_that_imports_numpy_itself_gets_the_numbers_of_its_seed():
    def imports_numpy(problem, seed, budget):
        import sys

        assert ("numpy" in sys.modules) == (problem == "later")
        import numpy as np

        yield 1, np.random.random()  # noqa: NPY002

    payload, numbers = pack(imports_numpy, ["first", "later"]), []
    for _ in range(2):
        close_workers()
        numbers += [events(run_supervised(payload, Job("a", index, 10, 7, 0))) for index in range(2)]
    assert numbers == [[(1.0, np.random.RandomState(7).random_sample())]] * 4


@pytest.fixture
def generator(tmp_path, monkeypatch):
    """The name of a module that keeps its seed, and has not been imported."""
    (tmp_path / "some_generator.py").write_text("seeds = []\nseed = seeds.append\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(seeds._SEED, "some_generator", lambda module, seed: module.seed(seed))
    yield "some_generator"
    sys.modules.pop("some_generator", None)


def test_a_module_is_seeded_when_it_is_imported_and_then_in_each_run(generator):
    with seeds.seeded(5):
        module = importlib.import_module(generator)
        assert (module.seeds, random.random()) == ([5], random.Random(5).random())
    assert isinstance(module.__loader__, SourceFileLoader)
    assert module.__spec__.loader is module.__loader__
    with seeds.seeded(6):
        assert module.seeds == [5, 6]


def test_a_module_that_was_only_looked_up_is_seeded_when_it_is_imported(generator):
    with seeds.seeded(5):
        spec = find_spec(generator)
        assert spec.loader.get_source(generator).startswith("seeds = []")
        assert importlib.import_module(generator).seeds == [5]


def test_a_module_whose_import_failed_is_seeded_by_the_next_one(generator, tmp_path):
    code = (tmp_path / f"{generator}.py").read_text()
    (tmp_path / f"{generator}.py").write_text("1 / 0")
    with seeds.seeded(5):
        with pytest.raises(ZeroDivisionError):
            importlib.import_module(generator)
        (tmp_path / f"{generator}.py").write_text(code)
        importlib.invalidate_caches()
        assert importlib.import_module(generator).seeds == [5]


def test_a_folder_without_code_is_imported_as_always(generator, tmp_path):
    (tmp_path / f"{generator}.py").unlink()
    (tmp_path / generator).mkdir()
    importlib.invalidate_caches()
    with seeds.seeded(5):
        assert list(importlib.import_module(generator).__path__) == [str(tmp_path / generator)]


def test_the_import_system_is_the_same_in_every_run_and_inert_between_runs(generator):
    finders = []
    for seed in range(2):
        with seeds.seeded(seed):
            finders.append(list(sys.meta_path))
    assert finders == [sys.meta_path] * 2
    assert importlib.import_module(generator).seeds == []


def test_a_missing_module_stays_missing(generator, tmp_path):
    (tmp_path / f"{generator}.py").unlink()
    with seeds.seeded(5), pytest.raises(ModuleNotFoundError):
        importlib.import_module(generator)
