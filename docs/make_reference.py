"""Write docs/reference from the code: the API, the commands, race.toml, the race file, the picture of the structure.

These pages are not under version control, so they cannot be out of date. `make docs` runs this script first.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from making import api, command_line, house, race_file, race_toml

FOLDER = Path(__file__).parent / "reference"


def main(folder: Path = FOLDER) -> None:
    """Write all pages again."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    texts = {
        **api.pages(),
        "command-line.md": command_line.page(),
        "race-toml.md": race_toml.page(),
        "race-file.md": race_file.page(),
        "rooms.md": house.page(),
        "house.svg": house.picture(),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
