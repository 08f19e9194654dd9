"""What a study leaves: figures, `results.json`, and a page that sets our numbers beside the paper's."""

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
_PACKAGES = ("polarbear", "numpy", "scipy", "ioh", "modcma")


@dataclass(frozen=True)
class Compared:
    """One number of the paper beside ours, with a sentence on the difference."""

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
class Drawn:
    """A figure that was drawn into the study's folder."""

    file: str
    caption: str


@dataclass
class Page:
    """What a study found, gathered as it goes along.

    Attributes
    ----------
    folder
        Where figures and the page go.
    title, introduction
        Its first lines.
    results
        What goes to `results.json`, besides the comparison and the tables.
    """

    folder: Path
    title: str
    introduction: str
    results: dict[str, Any] = field(default_factory=dict)
    compared: list[Compared] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Drawn] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._began = time.perf_counter()

    def compare(self, quantity: str, paper: object, ours: object, remark: str) -> None:
        """Set a number of ours beside the paper's."""
        self.compared.append(Compared(quantity, str(paper), str(ours), remark))

    def add_figure(self, figure: Any, name: str, caption: str) -> None:
        """Write a Matplotlib figure as PNG, to be looked at, and as PDF, to be printed."""
        from polarbear.plots.style import save

        for ending in ("png", "pdf"):
            save(figure, self.folder / f"{name}.{ending}")
        self.figures.append(Drawn(f"{name}.png", caption))

    def write(self, command: str) -> Path:
        """Write `results.json` and `index.html`; returns the page's path."""
        seconds = time.perf_counter() - self._began
        made = {
            "command": command,
            "seconds": round(seconds, 1),
            "machine": f"{platform.machine()}, Python {platform.python_version()}",
            "versions": _versions(),
        }
        everything = {
            "study": self.title,
            "made": made,
            "compared": [vars(each) for each in self.compared],
            **self.results,
            "tables": [vars(each) for each in self.tables],
        }
        (self.folder / "results.json").write_text(json.dumps(everything, indent=1, default=_plain) + "\n")
        page = self.folder / "index.html"
        page.write_text(self._html(made), encoding="utf-8")
        return page

    def _html(self, made: dict[str, Any]) -> str:
        heads = ("quantity", "paper", "here", "on the difference")
        rows = [(each.quantity, each.paper, each.ours, each.remark) for each in self.compared]
        parts = [
            f"<!doctype html><html lang='en'><meta charset='utf-8'><title>{escape(self.title)}</title>",
            f"<style>{_STYLE}</style><h1>{escape(self.title)}</h1><p>{escape(self.introduction)}</p>",
            f"<p><code>{escape(made['command'])}</code>, {made['seconds']} s on {escape(made['machine'])}; ",
            escape(", ".join(f"{name} {number}" for name, number in made["versions"].items())),
            "</p><h2>Beside the paper</h2>",
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
    found = {}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as JSON knows them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"cannot write {value!r} to results.json")
