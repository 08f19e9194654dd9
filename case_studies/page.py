"""The output of a study: figures, `results.json`, and a page that compares our numbers with the paper's."""

from __future__ import annotations

import json
import platform
import time
from dataclasses import dataclass, field
from html import escape
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #ddd; }
figure { margin: 2rem 0; } img { max-width: 100%; } figcaption { color: #555; font-size: .9rem; }
"""
_PACKAGES = ("polarbear-anytime", "numpy", "scipy", "ioh", "modcma")


@dataclass(frozen=True)
class Comparison:
    """One number of the paper and ours, with a sentence on the difference."""

    quantity: str
    paper: str
    ours: str
    remark: str


@dataclass(frozen=True)
class Table:
    """A table with a sentence below its title."""

    title: str
    note: str
    heads: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True)
class FigureFile:
    """A figure in the study's folder, and its caption."""

    file: str
    caption: str


@dataclass
class Page:
    """The results of a study, collected while it runs.

    Attributes
    ----------
    folder
        The folder of the figures and the page.
    title, introduction
        The first lines of the page.
    results
        The contents of `results.json`, besides the comparisons and the tables.
    comparisons, tables, figures
        The contents of the page.
    """

    folder: Path
    title: str
    introduction: str
    results: dict[str, Any] = field(default_factory=dict)
    comparisons: list[Comparison] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[FigureFile] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._start = time.perf_counter()

    def compare(self, quantity: str, paper: object, ours: object, remark: str) -> None:
        """Add one number of the paper and ours."""
        self.comparisons.append(Comparison(quantity, str(paper), str(ours), remark))

    def add_figure(self, figure: Any, name: str, caption: str) -> None:
        """Write a Matplotlib figure as PNG for the page and as PDF for print."""
        from polarbear.plots.style import save

        for ending in ("png", "pdf"):
            save(figure, self.folder / f"{name}.{ending}", force=True)
        self.figures.append(FigureFile(f"{name}.png", caption))

    def write(self, command: str) -> Path:
        """Write `results.json` and `index.html`; return the path of the page."""
        seconds = time.perf_counter() - self._start
        origin = {
            "command": command,
            "seconds": round(seconds, 1),
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
            "versions": _versions(),
        }
        results = {
            "study": self.title,
            "made": origin,
            "compared": [vars(each) for each in self.comparisons],
            **self.results,
            "tables": [vars(each) for each in self.tables],
        }
        (self.folder / "results.json").write_text(json.dumps(results, indent=1, default=_plain) + "\n")
        page = self.folder / "index.html"
        page.write_text(self._html(origin), encoding="utf-8")
        return page

    def _html(self, origin: dict[str, Any]) -> str:
        heads = ("quantity", "paper", "here", "remark")
        rows = [(each.quantity, each.paper, each.ours, each.remark) for each in self.comparisons]
        parts = [
            f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(self.title)}</title>",
            f"<style>{_STYLE}</style><h1>{escape(self.title)}</h1><p>{escape(self.introduction)}</p>",
            f"<p><code>{escape(origin['command'])}</code>, {origin['seconds']} s on {escape(origin['machine'])}; ",
            escape(", ".join(f"{name} {number}" for name, number in origin["versions"].items())),
            "</p><h2>Comparison with the paper</h2>",
            _table(heads, rows),
        ]
        for each in self.tables:
            parts += [f"<h2>{escape(each.title)}</h2><p>{escape(each.note)}</p>", _table(each.heads, each.rows)]
        parts += ["<h2>Figures</h2>"] if self.figures else []
        parts += [
            f"<figure><img src='{escape(each.file)}' alt=''><figcaption>{escape(each.caption)}</figcaption></figure>"
            for each in self.figures
        ]
        return "\n".join(parts) + "\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = ["<table><tr>" + "".join(f"<th>{escape(head)}</th>" for head in heads) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])


def _versions() -> dict[str, str]:
    versions = {}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def _plain(value: Any) -> Any:
    """Return a number or an array of NumPy as JSON can represent it."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"expected numbers, strings, lists and dictionaries for results.json, got {value!r}")
