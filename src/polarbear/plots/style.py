"""The style of all figures, new figures in it, and files of them: no display, no pyplot, nothing global."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE_FILE = Path(__file__).with_name("polarbear.mplstyle")
WIDTH_INCHES = 6.5  # the text width of a page
_NARROWEST = 2.5
_WITHOUT_DATE = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": None}


@contextmanager
def styled() -> Iterator[None]:
    """Within it, Matplotlib draws in PolarBear's style; outside nothing changes."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError("figures need Matplotlib: pip install 'polarbear[plots]'") from error
    with mpl.rc_context(fname=STYLE_FILE):
        yield


def new_figure(width: float | None, height: float) -> tuple[Figure, Axes]:
    """An empty figure of this size in inches, laid out so that nothing is cut off."""
    figure = empty_figure(width, height)
    return figure, figure.add_subplot()


def empty_figure(width: float | None, height: float) -> Figure:
    """A figure of this size in inches without axes."""
    from matplotlib.figure import Figure

    width = WIDTH_INCHES if width is None else width
    if not width >= _NARROWEST:
        raise ValueError(f"expected a width of {_NARROWEST} inches or more, got {width!r}")
    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Figure, path: str | PathLike[str]) -> None:
    """Write a figure; the ending says how: pdf, svg or png. The same figure gives the same bytes."""
    path = Path(path)
    ending = path.suffix.removeprefix(".").lower()
    if ending not in _WITHOUT_DATE:
        raise ValueError(f"expected a file that ends in .pdf, .svg or .png, got {str(path)!r}")
    with styled():
        figure.savefig(path, format=ending, metadata=_WITHOUT_DATE[ending])
