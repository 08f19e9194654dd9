"""`python -m case_studies STUDY --scale quick|paper --out FOLDER`."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path

STUDIES = {"synthetic": "synthetic", "ma-bbob": "ma_bbob", "gp-bbob": "gp_bbob", "antbo": "antbo", "runtime": "runtime"}


def reproduce(study: str, *, scale: str, folder: Path, workers: int) -> Path:
    """Reproduce one study, and return the path of its page."""
    module = import_module(f"case_studies.{STUDIES[study]}")
    command = f"python -m case_studies {study} --scale {scale}"
    page: Path = module.reproduce(folder, scale=scale, workers=workers).write(command)
    return page


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line, reproduce the study and print the path of its page."""
    parser = argparse.ArgumentParser(prog="python -m case_studies", description="Reproduce the paper's case studies.")
    parser.add_argument("study", choices=list(STUDIES))
    parser.add_argument(
        "--scale",
        choices=["quick", "paper"],
        default="quick",
        help="quick takes minutes; paper uses the scale of the paper",
    )
    parser.add_argument("--out", type=Path, help="the folder to write to (default: reproduced/STUDY)")
    parser.add_argument("--workers", type=int, default=2, help="the number of processes (default: 2)")
    options = parser.parse_args(arguments)
    folder = options.out or Path("reproduced") / options.study
    try:
        page = reproduce(options.study, scale=options.scale, folder=folder, workers=options.workers)
    except (ValueError, ImportError, OSError) as error:
        print(f"case_studies: {error}", file=sys.stderr)
        return 1
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
