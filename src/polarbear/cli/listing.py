"""Command `list`: what there is to choose from."""

from typing import Annotated, Literal

import typer

from polarbear.cli import options, terminal


def list_(
    what: Annotated[
        Literal["figures", "formats", "priors"], typer.Argument(metavar="WHAT", help="figures, formats or priors.")
    ],
    as_json: options.Json = False,
) -> None:
    """List figures for `plot`, formats of recorded runs, or priors."""
    if what == "figures":
        from polarbear.plots.registry import FIGURES

        needs = {"posterior": "", "race": "a race", "runs": "runs", "features": "runs with features"}
        rows = [
            {"figure": name, "shows": each.shows, "needs": needs[each.needs], "pair": each.pair}
            for name, each in FIGURES.items()
        ]
    elif what == "formats":
        from polarbear.importers.formats import FILE_KINDS
        from polarbear.importers.presets import PRESETS

        endings: dict[str, list[str]] = {}
        for kind in FILE_KINDS:
            for each in kind.formats:
                endings.setdefault(each, []).extend(kind.suffixes)
        rows = [{"format": name, "read with": "", "content": " ".join(files)} for name, files in endings.items()]
        rows += [
            {"format": name, "read with": f"--reader {name}", "content": preset.about.split(". ")[0].rstrip(".") + "."}
            for name, preset in PRESETS.items()
        ]
    else:
        from inspect import getdoc

        from polarbear.models import PRIORS

        rows = [{"prior": name, "what it is": (getdoc(kind) or "").split("\n")[0]} for name, kind in PRIORS.items()]
    if as_json:
        terminal.print_json(rows)
    else:
        terminal.print_table(list(rows[0]), [list(each.values()) for each in rows])
