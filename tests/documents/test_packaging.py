"""The conda recipe repeats what pyproject.toml and the package state."""

import re
import tomllib
from pathlib import Path

import polarbear

ROOT = Path(__file__).resolve().parents[2]
RECIPE = (ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8")


def test_the_conda_recipe_has_the_requirements_of_the_package():
    whole = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = whole["project"]
    run = RECIPE.partition("  run:\n")[2].partition("\ntests:")[0]
    listed = re.findall(r"^    - (.+)$", run, re.MULTILINE)
    declared = [f"python{project['requires-python']}", *project["dependencies"]]
    assert [line.replace(" ", "") for line in listed] == declared
    assert f"  name: {project['name']}\n" in RECIPE
    assert f'  version: "{polarbear.__version__}"\n' in RECIPE
    assert all(f"- {name} = {target}\n" in RECIPE for name, target in project["scripts"].items())
    host = re.findall(r"^    - (.+)$", RECIPE.partition("  host:\n")[2].partition("  run:")[0], re.MULTILINE)
    lowest = project["requires-python"].removeprefix(">=")
    assert host == [f"python {lowest}.*", "pip", *whole["build-system"]["requires"]]
    assert f"  license: {project['license']}\n" in RECIPE
