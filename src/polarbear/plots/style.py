"""The style of all figures, empty figures, and output to files; without a display, pyplot or global state."""

from __future__ import annotations

import io
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from polarbear.output_file import write_output

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STYLE_FILE = Path(__file__).with_name("polarbear.mplstyle")
WIDTH_INCHES = 6.5  # text width of a page
_NARROWEST = 2.5
# Without a date, so that equal figures give equal bytes.
_METADATA = {
    "pdf": {"Creator": "PolarBear", "CreationDate": None},
    "svg": {"Creator": "PolarBear", "Date": None},
    "png": {"Software": "PolarBear"},
}


@contextmanager
def styled() -> Iterator[None]:
    """Apply PolarBear's style to Matplotlib within the context."""
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise ImportError("figures need Matplotlib: pip install 'polarbear-anytime[plots]'") from error
    with mpl.rc_context(fname=STYLE_FILE):
        yield


def new_figure(width: float | None, height: float) -> tuple[Figure, Axes]:
    """Return a figure of this size in inches and its axes, with a layout that cuts nothing off."""
    figure = empty_figure(width, height)
    return figure, figure.add_subplot()


def empty_figure(width: float | None, height: float) -> Figure:
    """Return a figure of this size in inches without axes."""
    from matplotlib.figure import Figure

    width = WIDTH_INCHES if width is None else width
    if not width >= _NARROWEST:
        raise ValueError(f"expected a width of {_NARROWEST} inches or more, got {width!r}; make the figure wider")
    return Figure(figsize=(width, height), layout="constrained")


def lay_out(figure: Figure) -> Figure:
    """Place the axes of a figure so that all texts fit, without drawing it, and return the figure.

    `save` keeps this layout if nothing changes.
    """
    _avoid_ligatures(figure)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    for ax in figure.axes:  # as at the beginning of drawing: squares stay squares, and colour bars follow their axes
        locate = ax.get_axes_locator()
        ax.apply_aspect(locate(ax, None) if callable(locate) else None)  # type: ignore[arg-type,redundant-expr]
    figure.stale = False
    return figure


def _avoid_ligatures(figure: Figure) -> None:
    """Write "fi" as two letters: a ligature is no character, and a PDF file would embed its font a second time for it."""
    from matplotlib.text import Text

    if hasattr(Text, "set_fontfeatures"):  # Matplotlib 3.11; older versions have no ligatures
        for text in figure.findobj(Text):
            text.set_fontfeatures(("-liga",))


def save(figure: Figure, path: str | PathLike[str], *, force: bool = False) -> None:
    """Write a figure as pdf, svg or png, according to the suffix; equal figures give equal bytes.

    An existing file that is no figure of PolarBear is replaced only by `force`.
    """
    path = Path(path)
    ending = path.suffix.removeprefix(".").lower()
    if ending not in _METADATA:
        raise ValueError(f"expected a file that ends in .pdf, .svg or .png, got {str(path)!r}")
    layout, buffer = figure.get_layout_engine(), io.BytesIO()
    with styled():
        if not figure.stale:  # it has been laid out, and nothing has changed since
            figure.set_layout_engine(None)
        try:
            figure.savefig(buffer, format=ending, metadata=_METADATA[ending])
        finally:
            figure.set_layout_engine(layout)
    write_output(path, buffer.getvalue(), force=force)
