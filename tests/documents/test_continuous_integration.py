"""The workflow for GitHub Actions: it is valid YAML, its command has valid options, and exit code 2 lets it pass."""

import subprocess

import pytest
import typer
import yaml

from polarbear.cli.commands import app
from tests.documents.pages import DOCS, blocks

PAGE = DOCS / "how-to" / "continuous-integration.md"
OTHER_SERVER = "git() { :; }\n"  # the worktree is not needed: the command is replaced


def workflow():
    (block,) = [each for each in blocks(PAGE) if each.language == "yaml"]
    return yaml.safe_load(block.text)


def run_with_exit_code(script, code, folder):
    """Run a script as the server does, with a `polarbear` that writes down its arguments and returns an exit code."""
    stand_in = folder / "polarbear"
    stand_in.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/arguments"\nexit {code}\n')
    stand_in.chmod(0o755)
    path = f"{folder}:/usr/bin:/bin"
    return subprocess.run(["bash", "-e", "-c", script], cwd=folder, env={"PATH": path}, check=False).returncode


@pytest.mark.parametrize(("code", "passes"), [(0, True), (1, False), (2, True)])
def test_the_workflow_fails_only_if_the_new_version_is_worse(tmp_path, code, passes):
    steps = workflow()["jobs"]["compare"]["steps"]
    assert [step["with"]["path"] for step in steps[:2]] == ["new", "old"]
    (compare,) = [step for step in steps if "polarbear compare" in step.get("run", "")]
    assert compare["working-directory"] == "new"
    assert (run_with_exit_code(compare["run"], code, tmp_path) == 0) == passes
    command, *arguments = (tmp_path / "arguments").read_text().splitlines()
    assert command == "compare"
    parsed = typer.main.get_command(app).commands[command].make_context(command, arguments).params
    assert (parsed["old"], parsed["max_instances"], parsed["max_seconds"]) == (
        "python ../old/solve.py {instance} {seed} {budget}",
        400,
        3000,
    )


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (1, 1), (2, 0)])
def test_the_script_for_other_servers_fails_only_if_the_new_version_is_worse(tmp_path, code, expected):
    (block,) = [each for each in blocks(PAGE) if each.language == "sh"]
    assert run_with_exit_code(f"{OTHER_SERVER}{block.text}", code, tmp_path) == expected
