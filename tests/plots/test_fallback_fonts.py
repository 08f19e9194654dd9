"""Names in scripts that the font of the figures lacks are drawn with another installed font."""

import warnings

import pytest
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font

from polarbear.plots.lettering import show_literally
from polarbear.plots.style import save, styled


@pytest.fixture
def rare_letter():
    """A letter that Matplotlib's font STIX has and its default font has not."""
    known = get_font(findfont("DejaVu Sans")).get_charmap()
    return next(chr(code) for code in get_font(findfont("STIXGeneral")).get_charmap() if code not in known)


def draw(text, path):
    with styled():
        figure = Figure(figsize=(3, 1))
        label = show_literally(figure.text(0.1, 0.5, text))
        save(figure, path)
    return label


def test_a_letter_that_the_font_lacks_comes_from_another_font(rare_letter, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        label = draw(f"CMA {rare_letter}", tmp_path / "a.png")
    assert len(label.get_fontfamily()) == 2


def test_other_names_keep_their_font(tmp_path):
    for name in ("CMA-ES", "Müller's µ-ES", "σ → 0"):
        assert len(draw(name, tmp_path / "a.png").get_fontfamily()) == 1
