"""What the pages refer to exists: commands, options, names, files, links, figures and stored measurements."""

import re
import shlex
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from polarbear.plots.registry import FIGURES
from tests.documents.pages import DOCS, FENCE, INLINE, LINK, PAGES, ROOT, blocks, every_page, import_from_docs


def commands_of(page):
    """Yield the commands of the shell blocks, and the calls of `polarbear` inside sentences."""
    text = page.read_text()
    for block in blocks(page):
        lines = block.text.splitlines()
        if block.language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        if block.language in ("sh", "console"):
            for line in lines:
                yield from re.split(r"&&|;|\|", line.split(" #")[0])
    for code in INLINE.findall(FENCE.sub("", text)):
        if code.startswith("polarbear ") and "..." not in code:
            yield code


@pytest.fixture(scope="module")
def known_commands():
    """The options of each command, from the same source as the reference pages."""
    module = import_from_docs("making.command_line")
    return {
        name: {"--help", "-h", "--help-all"}.union(*(each.names for each in module.parameters(call)))
        for name, call in module.commands().items()
    }


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
        if match := re.match(r"(?:\$ )?make ([a-z]+)", text):
            assert match[1] in targets, f"{text} in {page.name}"


def resolve(token):
    """Return the object that a dotted name of the paper map stands for."""
    first, *rest = token.split(".")
    thing = import_module(first if first == "case_studies" else f"polarbear.{first}")
    for part in rest:
        thing = getattr(thing, part) if hasattr(thing, part) else import_module(f"{thing.__name__}.{part}")
    return thing


def names_in_paper_map():
    """Yield the code and tests that the paper map names: the dotted names in backticks that are not commands."""
    for token in INLINE.findall((DOCS / "explanation" / "paper-map.md").read_text()):
        if "." in token and not token.startswith(("polarbear ", "make ")):
            yield token


def test_the_names_in_the_paper_map_exist():
    tokens = list(names_in_paper_map())
    assert len(tokens) > 100
    for token in tokens:
        if token.endswith(".py"):
            assert (ROOT / "tests" / token).is_file(), token
        else:
            assert resolve(token) is not None, token


def test_the_paper_map_has_every_equation_line_table_and_figure():
    text = (DOCS / "explanation" / "paper-map.md").read_text()

    def numbers_in(cells):
        numbers = set()
        for cell in cells:
            for first, last in re.findall(r"\(?(\d+)\)?(?: to \(?(\d+)\)?)?", cell):
                numbers |= set(range(int(first), int(last or first) + 1))
        return numbers

    cells = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")]
    equations = [",".join(re.findall(r"\(\d+\)(?: to \(\d+\))?", cell)) for cell in cells]
    assert numbers_in(equations) == set(range(1, 46))
    figures = [part for cell in cells for part in re.findall(r"Figures? ([\d, ]+)", cell)]
    assert numbers_in(figures) == set(range(1, 14))
    assert numbers_in(re.findall(r"Table (\d)", " ".join(cells))) == {1, 2, 3}
    algorithm = text.split("### Algorithm 1")[1].split("##")[0]
    assert numbers_in(re.findall(r"^\| ([\d, to]+) \|", algorithm, re.MULTILINE)) == set(range(1, 20))


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """The folder of the reference pages and pictures that docs/make_reference.py writes."""
    folder = tmp_path_factory.mktemp("docs") / "reference"
    import_from_docs("make_reference").main(folder)
    return folder


@every_page
def test_linked_pages_and_pictures_exist(page, generated):
    for target in LINK.findall(FENCE.sub("", page.read_text())):
        if not target.startswith(("http:", "https:")):
            path = (page.parent / target).resolve()
            where = generated / path.name if path.parent == DOCS / "reference" else path
            assert where.exists(), f"{target} in {page.name}"


def test_the_table_of_contents_lists_every_page(generated):
    listed = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    written = {str(page.relative_to(DOCS)) for page in PAGES if page.is_relative_to(DOCS)}
    assert listed == written | {f"reference/{page.name}" for page in generated.glob("*.md")}


def test_the_reference_describes_every_public_name_command_and_key(generated, known_commands):
    import polarbear as pb
    from polarbear.configuration.schema import json_schema

    api = "\n".join(page.read_text() for page in generated.glob("api-*.md"))
    assert [name for name in pb.__all__ if name != "__version__" and f"## pb.{name}\n" not in api] == []
    command_line = (generated / "command-line.md").read_text()
    for name, options in known_commands.items():
        assert f"## polarbear {name}\n" in command_line
        assert all(option in command_line for option in options - {"--help", "-h", "--help-all"})
    assert "@polarbear" not in command_line  # help that refers to the description of a parameter in Python
    keys = {key for table in json_schema()["$defs"].values() for key in table.get("properties", {})}
    toml = (generated / "race-toml.md").read_text()
    assert [key for key in keys if f"| `{key}` |" not in toml] == []
    assert "CREATE TABLE run" in (generated / "race-file.md").read_text()


def test_the_start_pages_quote_the_transcript():
    """The output of the first race on these pages is in the transcript, which docs/make_transcript.py writes."""
    transcript = " ".join((DOCS / "start" / "transcript.md").read_text().split())
    quoted = [block.text for block in blocks(DOCS / "start" / "first-race.md") if block.language == "console"]
    answer = DOCS / "start" / "what-the-answer-means.md"
    quoted += [*(block.text for block in blocks(answer) if block.language == "text"), *quotes_in_tables(answer)]
    pieces = [" ".join(piece.split()) for text in quoted for piece in text.split("...") if piece.strip()]
    assert sum(len(piece.split()) for piece in pieces) > 150
    assert [piece for piece in pieces if piece not in transcript] == []


def quotes_in_tables(page):
    """Return the lines of output that are quoted in the first column of a table."""
    return re.findall(r"^\| `([^`]+)` \|", page.read_text(), re.MULTILINE)


@pytest.mark.parametrize(
    "script", ["make_calibration", "make_speed", "make_timings", "make_case_studies", "make_promises"]
)
def test_tables_of_measurements_agree_with_the_stored_data(script):
    for page, name, table in import_from_docs(script).tables():
        assert f"<!-- {name} -->\n{table}\n<!-- end -->" in page.read_text(), f"{name} in {page.name}"


def test_the_install_page_lists_the_extras_of_the_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    listed = re.findall(r"^\| `(\w+)` \|", (DOCS / "start" / "install.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(settings["project"]["optional-dependencies"])


def test_the_picture_of_the_layers_shows_every_room(generated):
    picture = (generated / "house.svg").read_text()
    rooms = {path.stem for path in (ROOT / "src" / "polarbear").iterdir() if path.suffix in ("", ".py")}
    for room in rooms - {"__init__", "__main__", "__pycache__", "py"}:
        assert f">{room}</text>" in picture, room


@every_page
def test_no_page_takes_longer_than_ten_minutes_to_read(page):
    """Up to 2,000 words with tables and code, 1,500 about calibration; the transcript is output, not prose."""
    if page.name != "transcript.md":
        assert len(page.read_text().split()) <= (1500 if page.name == "calibration.md" else 2000)


def test_every_figure_is_described_and_shown():
    page = (DOCS / "how-to" / "figures.md").read_text()
    names = {name: name.replace("-", "_") for name in FIGURES}
    assert [name for name, function in names.items() if f"| `{function}` | {FIGURES[name].needs} |" not in page] == []
    assert [name for name in names if f"(../images/figures/{name}.png)" not in page] == []
    assert [name for name in names if f'"{name}":' not in (ROOT / "examples" / "figures.py").read_text()] == []


def test_docstrings_are_converted_to_markdown():
    markdown = import_from_docs("making.docstrings").to_markdown(
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
    assert markdown == (
        "Add.\n\n**Parameters**\n\n- `a, b`: Two numbers.\n- `more : int`: Others.\n\n```python\n>>> 1 + 1\n2\n```"
    )
