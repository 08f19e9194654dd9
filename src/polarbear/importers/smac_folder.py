"""The folder of a run of SMAC: which algorithm, instance and seed it belongs to, and which files lie in it."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from polarbear.importers.foreign_text import identifier
from polarbear.importers.reasons import READ_ERRORS
from polarbear.importers.sources import read_text

if TYPE_CHECKING:
    from polarbear.importers.foreign_text import Identifier
    from polarbear.importers.sources import Source

FILE_BYTES = 2**30  # largest file

_RUN = re.compile(r"run_([0-9]+(?:\.OLD)*)")  # the folder of a run in SMAC 1; that of an earlier run is renamed to .OLD
_UNNAMED = re.compile(r"p?smac3-output_[0-9]{4}-.*")  # the default output folder of SMAC 1, with the time of its start
_HASH = re.compile(r"[0-9a-f]{32}")  # the name of SMAC 2 for runs without one; it differs between seeds


def identify_run(source: Source, path: str) -> tuple[str, Identifier, Identifier]:
    """Return algorithm, instance and run of a file: from its folders, or else from the scenario of SMAC 2 beside it."""
    folders = PurePosixPath(path).parent.parts
    scenario = read_beside(source, path, "scenario.json")
    if folders and (match := _RUN.fullmatch(folders[-1])):
        above = [folder for folder in folders[:-1] if not _UNNAMED.fullmatch(folder)]
        return above.pop() if above else "SMAC", identifier("/".join(above)), identifier(match[1])
    if len(folders) > 1 and folders[-1].isdecimal():
        name, run, above = folders[-2], identifier(folders[-1]), list(folders[:-2])
    else:
        name = str(scenario.get("name") or (folders[-1] if folders else "SMAC"))
        run, above = identifier(scenario.get("seed")), list(folders[:-1])
    if _HASH.fullmatch(name):
        facade = scenario.get("_meta", {}).get("facade", {}) if isinstance(scenario.get("_meta"), dict) else {}
        name = str(facade.get("name") or name) if isinstance(facade, dict) else name
    return name, identifier("/".join(above)), run


def is_beside(source: Source, path: str, name: str) -> bool:
    """Return whether a file of this name lies beside a path and can be read."""
    try:
        source.open(str(PurePosixPath(path).with_name(name))).close()
    except READ_ERRORS:
        return False
    return True


def read_beside(source: Source, path: str, name: str) -> dict[str, Any]:
    """Return the content of a JSON file beside a path; an empty dictionary if there is none."""
    try:
        with source.open(str(PurePosixPath(path).with_name(name))) as stream:
            content = json.loads(read_text(stream, FILE_BYTES))
    except READ_ERRORS:
        return {}
    return content if isinstance(content, dict) else {}
