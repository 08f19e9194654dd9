"""Every Python block of the README and the docs runs, block after block, in an empty folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
WITH_CODE = [
    path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))) if BLOCK.search(path.read_text())
]


def test_the_readme_holds_code():
    assert ROOT / "README.md" in WITH_CODE


@pytest.mark.parametrize("document", WITH_CODE, ids=lambda path: path.name)
def test_code_runs(document, tmp_path):
    blocks = BLOCK.findall(document.read_text())
    script = tmp_path / "document.py"
    body = "\n".join(blocks)
    indented = "".join(f"    {line}" if line.strip() else line for line in body.splitlines(keepends=True))
    script.write_text(f"if __name__ == '__main__':\n{indented}")
    ran = subprocess.run(
        [sys.executable, "-W", "error", script.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
