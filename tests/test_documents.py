"""The documentation tells the truth: its code runs, its commands, names, files and links exist.

Every page is followed from an empty folder in which only the clone's `tests` and `examples` lie: files that a page shows
(```` ```python title="solver.py" ````) are written there, then its Python blocks run as one program for each stretch without
a shell block in between. Shell blocks (```` ```sh ````) of Start and the tutorials run too. Elsewhere, and where a prompt is
shown (```` ```console ````), every command and every option must exist.
"""

import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from importlib import import_module
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted(DOCS.glob("**/*.md")) if page.parent != DOCS / "reference"),
]
FENCE = re.compile(
    r"^```(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\]\((?P<target>[^)#\s]+\.\w+)(?:#[^)]*)?\)")
INLINE = re.compile(r"`([^`\n]+)`")
FOLLOWED = ("start", "tutorials")  # folders whose shell blocks run

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def of_docs(name):
    """A module of the scripts in docs/, which find each other from there."""
    sys.path.insert(0, str(DOCS))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(DOCS))


@dataclass(frozen=True)
class Block:
    language: str
    title: str | None
    text: str


def blocks(page):
    return [Block(**found.groupdict()) for found in FENCE.finditer(page.read_text())]


def runs(page, block):
    followed = page.parent.name in FOLLOWED
    return block.title is None and (block.language == "python" or (block.language == "sh" and followed))


WITH_CODE = [page for page in PAGES if any(runs(page, block) for block in blocks(page))]


def test_the_pages_hold_code():
    assert ROOT / "README.md" in WITH_CODE
    assert len(WITH_CODE) >= 8


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_runs(page, tmp_path):
    for folder in ("tests", "examples"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for block in blocks(page):
        if block.title is not None:
            (tmp_path / block.title).write_text(block.text)
    steps = [block for block in blocks(page) if runs(page, block)]
    shell = ["set -e", f"export PATH={shlex.quote(str(Path(sys.executable).parent))}:$PATH"]
    # Exit code 2 says that a race was stopped by its limit, which is what these pages do.
    shell += ['polarbear() { command polarbear "$@" || [ $? -eq 2 ]; }']
    for number, (language, stretch) in enumerate(groupby(steps, key=lambda block: block.language)):
        text = "\n".join(block.text for block in stretch)
        if language == "python":
            script = tmp_path / f"step{number}.py"
            indented = "".join(f"    {line}" if line.strip() else line for line in text.splitlines(keepends=True))
            script.write_text(f"if __name__ == '__main__':\n{indented}")
            # ArviZ, which PyMC imports, announces its next version once a day.
            ran = run([sys.executable, "-W", "error", "-W", "ignore::FutureWarning:arviz", script.name], tmp_path)
        else:
            ran = run(["bash", "-c", "\n".join([*shell, text])], tmp_path)
        assert ran.returncode == 0, ran.stdout + ran.stderr


def run(arguments, folder):
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


def commands_of(page):
    """Every line that calls `polarbear`, also inside a sentence."""
    text = page.read_text()
    for block in blocks(page):
        lines = block.text.splitlines()
        if block.language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        if block.language in ("sh", "console"):
            for line in lines:
                yield from re.split(r"&&|;|\|", line.split(" #")[0])
    for found in INLINE.findall(FENCE.sub("", text)):
        if found.startswith("polarbear ") and "..." not in found:
            yield found


@pytest.fixture(scope="module")
def known_commands():
    """Options by command, from the same source as the reference pages."""
    made = of_docs("making.command_line")
    own = {"--help", "-h"}
    return {name: own.union(*(each.names for each in made.parameters(call))) for name, call in made.commands().items()}


@every_page
def test_commands_and_options_exist(page, known_commands):
    for line in commands_of(page):
        words = shlex.split(line)
        if not words or Path(words[0]).name != "polarbear" or len(words) < 2:
            continue
        _, command, *rest = words
        if command in ("--version", "--help", "-h", "--install-completion"):
            continue
        assert command in known_commands, f"{line!r} in {page.name}"
        for word in rest:
            if re.match(r"--?[a-z]", word):
                assert word.partition("=")[0] in known_commands[command], f"{word} of {line!r} in {page.name}"


@every_page
def test_make_targets_exist(page):
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    lines = [line for block in blocks(page) if block.language in ("sh", "console") for line in block.text.splitlines()]
    for text in (*lines, *INLINE.findall(FENCE.sub("", page.read_text()))):
        if found := re.match(r"(?:\$ )?make ([a-z]+)", text):
            assert found[1] in targets, f"{text} in {page.name}"


def named(token):
    """What a dotted name of the paper map stands for."""
    first, *rest = token.split(".")
    thing = import_module(first if first == "case_studies" else f"polarbear.{first}")
    for part in rest:
        thing = getattr(thing, part) if hasattr(thing, part) else import_module(f"{thing.__name__}.{part}")
    return thing


def mapped():
    """The code and the tests that the paper map names: every dotted name between backticks that is no command."""
    for token in INLINE.findall((DOCS / "paper-map.md").read_text()):
        if "." in token and not token.startswith(("polarbear ", "make ")):
            yield token


def test_the_paper_map_names_what_exists():
    tokens = list(mapped())
    assert len(tokens) > 100
    for token in tokens:
        if token.endswith(".py"):
            assert (ROOT / "tests" / token).is_file(), token
        else:
            assert named(token) is not None, token


def test_the_paper_map_has_every_equation_line_table_and_figure():
    text = (DOCS / "paper-map.md").read_text()

    def told(cells):
        numbers = set()
        for cell in cells:
            for first, last in re.findall(r"\(?(\d+)\)?(?: to \(?(\d+)\)?)?", cell):
                numbers |= set(range(int(first), int(last or first) + 1))
        return numbers

    cells = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")]
    equations = [",".join(re.findall(r"\(\d+\)(?: to \(\d+\))?", cell)) for cell in cells]
    assert told(equations) == set(range(1, 46))
    figures = [part for cell in cells for part in re.findall(r"Figures? ([\d, ]+)", cell)]
    assert told(figures) == set(range(1, 14))
    assert told(re.findall(r"Table (\d)", " ".join(cells))) == {1, 2, 3}
    algorithm = text.split("### Algorithm 1")[1].split("##")[0]
    assert told(re.findall(r"^\| ([\d, to]+) \|", algorithm, re.MULTILINE)) == set(range(1, 20))


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The names of the pages and pictures that the code makes."""
    folder = tmp_path_factory.mktemp("docs") / "reference"
    of_docs("make_reference").main(folder)
    return folder


@every_page
def test_links_and_pictures_are_there(page, generated):
    for target in LINK.findall(FENCE.sub("", page.read_text())):
        if not target.startswith(("http:", "https:")):
            path = (page.parent / target).resolve()
            where = generated / path.name if path.parent == DOCS / "reference" else path
            assert where.exists(), f"{target} in {page.name}"


def test_the_contents_name_every_page(generated):
    listed = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    written = {str(page.relative_to(DOCS)) for page in PAGES if page.is_relative_to(DOCS)}
    assert listed == written | {f"reference/{page.name}" for page in generated.glob("*.md")}


def test_the_reference_tells_every_public_name_command_and_key(generated, known_commands):
    import polarbear as pb
    from polarbear.configuration.schema import json_schema

    api = "\n".join(page.read_text() for page in generated.glob("api-*.md"))
    assert [name for name in pb.__all__ if name != "__version__" and f"## pb.{name}\n" not in api] == []
    told = (generated / "command-line.md").read_text()
    for name, options in known_commands.items():
        assert f"## polarbear {name}\n" in told
        assert all(option in told for option in options - {"--help", "-h"})
    keys = {key for table in json_schema()["$defs"].values() for key in table.get("properties", {})}
    toml = (generated / "race-toml.md").read_text()
    assert [key for key in keys if f"| `{key}` |" not in toml] == []
    assert "CREATE TABLE run" in (generated / "race-file.md").read_text()


def test_the_start_quotes_the_transcript():
    """What its pages show as output of the first race is what the race said when the transcript was made."""
    told = " ".join((DOCS / "start" / "transcript.md").read_text().split())
    quoted = [block.text for block in blocks(DOCS / "start" / "first-race.md") if block.language == "console"]
    answer = DOCS / "start" / "what-the-answer-means.md"
    quoted += [*(block.text for block in blocks(answer) if block.language == "text"), *said_in(answer)]
    pieces = [" ".join(piece.split()) for text in quoted for piece in text.split("...") if piece.strip()]
    assert len(pieces) > 8
    assert [piece for piece in pieces if piece not in told] == []


def said_in(page):
    """The lines of output that the first column of a table quotes."""
    return re.findall(r"^\| `([^`]+)` \|", page.read_text(), re.MULTILINE)


@pytest.mark.parametrize("script", ["make_calibration", "make_speed"])
def test_measured_tables_are_those_of_the_data(script):
    for page, name, table in of_docs(script).tables():
        assert f"<!-- {name} -->\n{table}\n<!-- end -->" in page.read_text(), f"{name} in {page.name}"


def test_the_extras_are_those_of_the_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    told = re.findall(r"^\| `(\w+)` \|", (DOCS / "start" / "install.md").read_text(), re.MULTILINE)
    assert sorted(told) == sorted(settings["project"]["optional-dependencies"])


def test_every_floor_of_the_house_is_drawn(generated):
    picture = (generated / "house.svg").read_text()
    rooms = {path.stem for path in (ROOT / "src" / "polarbear").iterdir() if path.suffix in ("", ".py")}
    for room in rooms - {"__init__", "__main__", "__pycache__", "py"}:
        assert f">{room}</text>" in picture, room


def test_docstrings_become_markdown():
    written = of_docs("making.docstrings").to_markdown(
        """Add.

        Parameters
        ----------
        a, b
            Two
            numbers.
        more : int
            Others.

        Examples
        --------
        >>> 1 + 1
        2
        """
    )
    assert written == (
        "Add.\n\n**Parameters**\n\n- `a, b`: Two numbers.\n- `more : int`: Others.\n\n```python\n>>> 1 + 1\n2\n```"
    )
