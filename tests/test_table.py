"""Tables of results as data frames and as HTML."""

import subprocess
import sys

import numpy as np
import pytest

from polarbear.table import as_frame, as_html

TABLE = {"name": ["a", "b"], "value": np.array([0.5, 1.0]), "best": np.array([True, False]), "n": np.array([1, 2])}


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_has_the_columns_and_types_of_the_table(backend):
    frame = as_frame(TABLE, backend)
    assert type(frame).__module__.startswith(backend)
    columns = {"pandas": lambda: frame.to_dict("list"), "polars": lambda: frame.to_dict(as_series=False)}
    assert columns.get(backend, lambda: frame.to_pydict())() == {name: list(column) for name, column in TABLE.items()}


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_table_without_rows_keeps_its_columns(backend):
    frame = as_frame({"value": np.array([], dtype=float), "name": []}, backend)
    assert (frame.shape, list(getattr(frame, "column_names", frame.columns))) == ((0, 2), ["value", "name"])


def test_an_unknown_library_is_refused():
    with pytest.raises(ValueError, match="expected backend='pandas', 'polars' or 'pyarrow', got 'modin'"):
        as_frame(TABLE, "modin")


def test_a_library_that_is_not_installed_is_named():
    code = """
import sys
sys.modules["pandas"] = None  # as if it were not installed; in a process of its own, because narwhals keeps what it found
from polarbear.table import as_frame
try:
    as_frame({"name": ["a"]})
except ImportError as error:
    print(error)
"""
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    advice = "pip install pandas, or choose another backend of pandas, polars, pyarrow"
    assert printed == f"to_frame(backend='pandas') needs pandas: {advice}\n"


def test_html_is_escaped_and_rounded():
    html = as_html({"my_name": ["<b>", "x"], "value": [0.123456, 2e-9]}, title="a & b", notes=("<i>",))
    assert html == (
        "<p>a &amp; b</p><table><tr><th>my name</th><th>value</th></tr><tr><td>&lt;b&gt;</td><td>0.123</td></tr>"
        "<tr><td>x</td><td>2e-09</td></tr></table><p>&lt;i&gt;</p>"
    )


def test_long_tables_are_shortened():
    html = as_html({"n": np.arange(1021)}, title="")
    assert html.count("<tr>") == 21
    assert html.endswith("<p>... and 1,001 more rows</p>")
