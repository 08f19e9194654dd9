"""The names that users rely on, and what importing them costs."""

import subprocess
import sys
from importlib import import_module
from importlib.metadata import version

import pytest

import polarbear


def run(code, *arguments):
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", polarbear.__all__)
def test_every_public_name_is_there(name):
    assert getattr(polarbear, name) is not None
    assert name in dir(polarbear)


def test_the_public_names_are_those_of_the_design():
    design = {"log_grid", "linear_grid", "Choices", "Trajectory", "fit", "Posterior", "dominance", "anytime_dominance"}
    design |= {"equivalence", "pareto_set", "Dirichlet", "HierarchicalDirichlet", "GaussianProcess", "RandomWalk"}
    design |= {"SparseGaussianProcess", "HilbertSpaceGP", "BSpline", "models"}
    assert design <= set(polarbear.__all__)
    assert sorted(set(polarbear.__all__)) == sorted(polarbear.__all__)
    assert callable(polarbear.models.plackett_luce.log_likelihood)


def test_a_star_import_gives_the_public_names():
    code = "from polarbear import *; import polarbear; print(all(name in globals() for name in polarbear.__all__))"
    assert run(code) == "True"


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="No polarbear attribute rcae"):
        polarbear.rcae  # noqa: B018


def test_the_version_is_said_in_one_place():
    assert polarbear.__version__ == version("polarbear")


LOADED = "import sys; print(sorted({'scipy', 'arviz_stats', 'xarray', 'polarbear.inference'} & set(sys.modules)))"


def test_importing_polarbear_imports_nothing_heavy():
    assert run(f"import polarbear; {LOADED}; print('numpy' in sys.modules)") == "[]\nFalse"


def test_a_stored_posterior_is_read_and_asked_with_numpy_alone(tmp_path, crossing_choices):
    path = tmp_path / "belief.posterior"
    polarbear.fit(crossing_choices, prior=polarbear.RandomWalk(), draws=200).save(path)
    code = f"""
import sys
import polarbear as pb

posterior = pb.Posterior.load(sys.argv[1])
posterior.summary(), posterior.thin(10), repr(posterior)
pb.dominance(posterior), pb.anytime_dominance(posterior), pb.crossing(posterior), pb.equivalence(posterior)
pb.win_probability(posterior), pb.pareto_probability(posterior)
pb.pareto_set(posterior), pb.pareto_set(posterior, elimination="pointwise")
{LOADED}
"""
    assert run(code, path) == "[]"


@pytest.mark.parametrize(
    "imports",
    [
        "from polarbear import fit; import polarbear.posterior.relations",
        "import polarbear.posterior.relations, polarbear.inference, polarbear.models, polarbear.observe",
        "import polarbear; polarbear.fit; import polarbear.inference.fitting",
        "import polarbear.inference.fitting",
        "from polarbear.inference.fitting import Method",
    ],
)
def test_fit_is_the_function_whatever_was_imported_before(imports):
    assert run(f"{imports}; import polarbear; print(callable(polarbear.fit))") == "True"


def test_no_public_name_is_also_a_module():
    """Importing a module sets its name on the package, and would put it in the place of the public one."""
    for name in set(polarbear.__all__) - {"models", "plots", "problems"}:
        with pytest.raises(ModuleNotFoundError):
            import_module(f"polarbear.{name}")
