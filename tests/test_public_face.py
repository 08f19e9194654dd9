"""The public names, and the modules that importing them loads."""

import subprocess
import sys
from importlib import import_module
from importlib.metadata import version

import pytest

import polarbear


def run(code, *arguments):
    """Return what a fresh interpreter prints when it runs `code`; warnings are errors."""
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.strip()


def test_every_public_name_can_be_imported_and_is_listed():
    missing = {}
    for name in polarbear.__all__:
        try:
            if getattr(polarbear, name) is None:
                missing[name] = "None"
        except (AttributeError, ImportError) as error:
            missing[name] = repr(error)
    assert missing == {}
    assert set(polarbear.__all__) <= set(dir(polarbear))


def test_the_names_of_the_paper_are_public_and_no_name_is_listed_twice():
    names = {"log_grid", "linear_grid", "Choices", "Trajectory", "fit", "Posterior", "dominance", "anytime_dominance"}
    names |= {"equivalence", "pareto_set", "Dirichlet", "HierarchicalDirichlet", "GaussianProcess", "RandomWalk"}
    names |= {"SparseGaussianProcess", "HilbertSpaceGP", "BSpline", "models"}
    assert names <= set(polarbear.__all__)
    assert sorted(set(polarbear.__all__)) == sorted(polarbear.__all__)
    assert callable(polarbear.models.plackett_luce.log_likelihood)


def test_a_star_import_defines_the_public_names():
    code = "from polarbear import *; import polarbear; print(all(name in globals() for name in polarbear.__all__))"
    assert run(code) == "True"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="No polarbear attribute rcae"):
        polarbear.rcae  # noqa: B018


def test_the_version_is_that_of_the_installed_package():
    assert polarbear.__version__ == version("polarbear-anytime")


HEAVY = {"scipy.special", "scipy.stats", "arviz_stats", "xarray", "narwhals", "pandas", "polarbear.inference"}
PRINT_HEAVY_MODULES = f"import sys; print(sorted({HEAVY} & set(sys.modules)))"


def test_importing_polarbear_imports_neither_numpy_nor_heavier_packages():
    assert run(f"import polarbear; {PRINT_HEAVY_MODULES}; print('numpy' in sys.modules)") == "[]\nFalse"


def test_a_worker_without_numpy_stays_without_it():
    """Every run is a fork of a worker's copy, which costs the more the more it has imported."""
    code = "import sys, polarbear.execution.worker_main; print('numpy' in sys.modules, 'asyncio' in sys.modules)"
    assert run(code) == "False False"


def test_a_stored_posterior_is_loaded_and_queried_with_little_beside_numpy(tmp_path, crossing_choices):
    path = tmp_path / "stored.posterior"
    polarbear.fit(crossing_choices, prior=polarbear.RandomWalk(), draws=200).save(path)
    code = f"""
import sys
import polarbear as pb

posterior = pb.Posterior.load(sys.argv[1])
posterior.summary(), posterior.thin(10), repr(posterior)
pb.dominance(posterior), pb.anytime_dominance(posterior), pb.crossing(posterior), pb.equivalence(posterior)
pb.win_probability(posterior), pb.pareto_probability(posterior)
pb.pareto_set(posterior), pb.pareto_set(posterior, dominance="pointwise")
{PRINT_HEAVY_MODULES}
"""
    assert run(code, path) == "[]"


SUBMODULES = "polarbear.inference.fitting, polarbear.posterior.relations, polarbear.models, polarbear.observe"


@pytest.mark.parametrize(
    "imports",
    [
        f"from polarbear import fit; import {SUBMODULES}",
        f"import {SUBMODULES}; from polarbear import fit",
    ],
    ids=["function first", "submodules first"],
)
def test_fit_is_the_function_in_either_order_of_imports(imports):
    assert run(f"{imports}; import polarbear; print(callable(polarbear.fit))") == "True"


def test_no_public_name_is_also_a_module():
    """Importing a submodule sets it as an attribute of the package, where it would replace a public name."""
    names = {f"polarbear.{name}" for name in set(polarbear.__all__) - {"models", "plots", "problems"}}
    names |= {f"polarbear.plots.{name}" for name in polarbear.plots.__all__}
    for name in names:
        with pytest.raises(ModuleNotFoundError):
            import_module(name)
