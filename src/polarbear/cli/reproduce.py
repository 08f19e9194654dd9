"""Command `reproduce`: repeat the paper's case studies."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from polarbear.cli import options, terminal


def reproduce(
    study: Annotated[
        Literal["synthetic", "ma-bbob", "gp-bbob", "antbo", "runtime"], typer.Argument(help="The case study.")
    ],
    scale: Annotated[
        Literal["quick", "paper"], typer.Option(help="quick: minutes on two cores; paper: the size of the paper.")
    ] = "quick",
    out: Annotated[Path | None, typer.Option(help="Folder to write to; reproduced/STUDY by default.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 2,
    quiet: options.Quiet = False,
) -> None:
    """Repeat a case study of the paper: figures, results.json, and the numbers beside those of the paper."""
    folder = out or Path("reproduced") / study
    terminal.print_remark(f"{study} at {scale} scale, written to {folder} ...", quiet=quiet)
    page = _case_studies().reproduce(study, scale=scale, folder=folder, workers=workers)
    terminal.print_result(str(page))


def _case_studies() -> Any:
    """Import the code of the case studies, which is in the repository and not in the package."""
    places = (Path.cwd(), *Path(__file__).resolve().parents)
    root = next((place for place in places if (place / "case_studies" / "__main__.py").is_file()), None)
    if root is None:
        raise ValueError(
            "the case studies are in PolarBear's repository, not in the installed package; clone it and run this command "
            "in its folder"
        )
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    return import_module("case_studies.__main__")
