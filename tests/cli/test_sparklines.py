"""Curves in the terminal: the right heights, within its width, and in letters where blocks cannot be encoded."""

import math

import pytest

from polarbear.cli.sparklines import Curves, format_curves, sparkline

RAMP = [k / 119 for k in range(120)]
PLACES = [f"at {k}" for k in range(120)]
CURVES = Curves("P(best) from 1 to 10", {"cma": RAMP, "a rather\nlong name of an algorithm": [0.1] * 120}, PLACES)


def test_each_height_has_its_block():
    assert sparkline([k / 8 for k in range(8)], 8) == "▁▂▃▄▅▆▇█"
    assert sparkline([1.0, math.nan, 0.0], 10) == "█ ▁"


def test_many_values_are_averaged():
    assert sparkline([0.0, 0.0, 1.0, 1.0, 0.0, 1.0], 3) == "▁█▅"
    assert sparkline([], 5) == ""


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_lines_keep_to_the_width_and_stand_below_each_other(columns):
    title, *lines = format_curves(CURVES, columns=columns, encoding="utf-8")
    assert title == CURVES.title
    # A name, eight characters of a curve and its peak are the least that can be shown.
    assert all(len(line) <= max(columns, 28 + 2 + 8 + 30) for line in lines)
    assert lines[0].index("▁") == lines[1].index("▁")
    assert lines[0].endswith("  peak over 99 % at 119")
    assert lines[1].endswith("  peak 10 % at 0")
    assert lines[1].startswith("a rather long name of an ...")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "no such encoding"])
def test_where_there_are_no_blocks_letters_are_used(encoding):
    lines = format_curves(CURVES, columns=80, encoding=encoding)
    assert all(line.isascii() for line in lines)
    assert "+" in lines[1] or "=" in lines[1]
