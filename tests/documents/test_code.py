"""The code of the pages runs and prints what the pages show.

The code of each page runs in a new folder that contains only links to `tests` and `examples`. Files that the page shows
(```` ```python title="solver.py" ````) are written there first. Then its Python blocks run; consecutive blocks, without
a shell block between them, are one program. Shell blocks (```` ```sh ````) run only on the pages of Start and the
tutorials. On other pages, and in blocks with a prompt (```` ```console ````), each command and option must exist
(`test_references.py`).
"""

import re
import shlex
from itertools import groupby, pairwise

import pytest

from tests.documents.new_process import run_command, run_script
from tests.documents.pages import PAGES, ROOT, blocks

SHELL_RUNS_IN = ("start", "tutorials")  # the folders of pages whose shell blocks run
WALL_CLOCK = 'clock = "seconds"'  # the line of a race.toml


def is_run(page, block):
    shell_runs = page.parent.name in SHELL_RUNS_IN
    return block.title is None and (block.language == "python" or (block.language == "sh" and shell_runs))


WITH_CODE = [page for page in PAGES if any(is_run(page, block) for block in blocks(page))]


def test_at_least_eight_pages_have_code_that_runs():
    assert ROOT / "README.md" in WITH_CODE
    assert len(WITH_CODE) >= 8


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(page, tmp_path):
    has_wall_clock = any(block.title and WALL_CLOCK in block.text for block in blocks(page))
    # Programs that race by the wall clock get more time on a machine on which they print nothing within the page's.
    for slowdown in (1, 10, 40) if has_wall_clock else (1,):
        folder = tmp_path / f"slowdown-{slowdown}"
        folder.mkdir()
        printed, failure = run_code(page, folder, slowdown)
        if not failure:
            break
    assert not failure, failure
    for shown in outputs_of(page):
        assert_shows(printed, shown)


def run_code(page, folder, slowdown):
    """Run the code of a page; return what it printed, and the output of the program that failed (empty if none did).

    The times at which a file `race.toml` with a wall clock compares its algorithms are multiplied by `slowdown`.
    """
    for link in ("tests", "examples"):
        (folder / link).symlink_to(ROOT / link)
    for block in blocks(page):
        if block.title is not None:
            (folder / block.title).write_text(stretch_grid(block.text, slowdown))
    printed = ""
    steps = [block for block in blocks(page) if is_run(page, block)]
    for number, (language, group) in enumerate(groupby(steps, key=lambda block: block.language)):
        text = "\n".join(block.text for block in group)
        if language == "python":
            script = folder / f"step{number}.py"
            indented = "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))
            script.write_text(f"if __name__ == '__main__':\n{indented}")
            code, output, errors = run_script(script)
        else:
            code, output, errors = run_commands(text, folder)
        printed += output
        if code != 0:
            return printed, f"exit code {code}\n{output}{errors}"
    return printed, ""


def run_commands(text, folder):
    """Run the commands of a shell block up to the first that fails; return its exit code and what all of them printed."""
    printed = ""
    for line in filter(str.strip, text.splitlines()):
        name, *arguments = shlex.split(line)
        assert name in ("cd", "polarbear"), f"expected a shell block of `cd` and `polarbear`, got {line!r}"
        if name == "cd":
            folder = folder / arguments[0]
            continue
        code, output, errors = run_command(arguments, folder)
        printed += output
        if code != 0:
            return code, printed, errors
    return 0, printed, ""


def stretch_grid(text, factor):
    """Multiply the first and last time of the grid in a `race.toml` with a wall clock; return other texts unchanged."""
    if WALL_CLOCK not in text:
        return text
    return re.sub(
        r"^(start|stop) = ([\d.]+)$", lambda match: f"{match[1]} = {factor * float(match[2]):g}", text, flags=re.M
    )


def test_only_the_times_of_a_wall_clock_are_stretched():
    text = f"{WALL_CLOCK}  # of the program\n[grid]\nstart = 0.2\nstop = 0.6\ncount = 3\n"
    assert stretch_grid(text, 10) == text.replace("0.2", "2").replace("0.6", "6")
    assert stretch_grid("[grid]\nstart = 10\n", 10) == "[grid]\nstart = 10\n"


def outputs_of(page):
    """Return the text blocks directly after a Python block: the output of the block."""
    pairs = pairwise(blocks(page))
    return [after.text for before, after in pairs if before.language == "python" and after.language == "text"]


NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def assert_shows(printed, shown):
    """Check that each line shown is printed, with the same words and with numbers within 2 %.

    Another processor may add numbers in another order, and so round them differently.
    """
    for line in shown.strip("\n").splitlines():
        matches = [other for other in printed.splitlines() if NUMBER.split(other) == NUMBER.split(line)]
        assert matches, f"expected the output to have the line {line!r}, got\n{printed}"
        numbers = [[float(each.replace(",", "")) for each in NUMBER.findall(other)] for other in (line, matches[0])]
        assert numbers[1] == pytest.approx(numbers[0], rel=0.02), f"{line!r} is printed as {matches[0]!r}"


def test_output_that_differs_from_the_page_is_an_error():
    shown = "from 10 to 63.9: random, best with probability 0.57\n"
    assert_shows("something else\nfrom 10 to 64: random, best with probability 0.57\n", shown)
    with pytest.raises(AssertionError, match="expected the output to have the line"):
        assert_shows("from 10 to 63.9: random, leads with probability 0.57", shown)
    with pytest.raises(AssertionError, match="is printed as"):
        assert_shows("from 10 to 63.9: random, best with probability 0.71", shown)


@pytest.mark.parametrize(
    ("text", "error"),
    [("raise ValueError('wrong')", "ValueError: wrong"), ("import warnings; warnings.warn('old')", "UserWarning: old")],
)
def test_code_that_raises_an_error_or_a_warning_fails(tmp_path, text, error):
    script = tmp_path / "script.py"
    script.write_text(f"print('begun')\n{text}\nprint('ended')\n")
    code, output, errors = run_script(script)
    assert (code, output) == (1, "begun\n")
    assert error in errors


def test_a_command_that_fails_ends_the_shell_block(tmp_path):
    code, output, errors = run_commands(
        "polarbear init a\ncd a\npolarbear show no.race\npolarbear --version\n", tmp_path
    )
    assert code == 3
    assert "race.toml" in output  # of the first command
    assert "no.race" in errors
    assert (tmp_path / "a" / "race.toml").exists()
