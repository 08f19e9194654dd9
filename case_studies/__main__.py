"""`python -m case_studies STUDY --scale quick|paper --out FOLDER`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

STUDIES = {"synthetic": "synthetic", "ma-bbob": "ma_bbob", "gp-bbob": "gp_bbob", "runtime": "runtime"}


def reproduce(study: str, *, scale: str, folder: Path, workers: int) -> Path:
    """Make one study again; returns the page that it wrote."""
    module = import_module(f"case_studies.{STUDIES[study]}")
    command = f"polarbear reproduce {study} --scale {scale}"
    page: Path = module.reproduce(folder, scale=scale, workers=workers).write(command)
    return page


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, make the study, say where it is."""
    parser = argparse.ArgumentParser(prog="python -m case_studies", description="Make the paper's case studies again.")
    parser.add_argument("study", choices=list(STUDIES))
    parser.add_argument(
        "--scale", choices=["quick", "paper"], default="quick", help="minutes, or the paper's own scale"
    )
    parser.add_argument("--out", type=Path, help="folder to write into; reproduced/STUDY by default")
    parser.add_argument("--workers", type=int, default=2, help="processes that run at the same time")
    given = parser.parse_args(arguments)
    folder = given.out or Path("reproduced") / given.study
    try:
        page = reproduce(given.study, scale=given.scale, folder=folder, workers=given.workers)
    except (ValueError, ImportError, OSError) as error:
        print(f"case_studies: {error}", file=sys.stderr)
        return 1
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
