import json

import numpy as np
import pytest

from case_studies.__main__ import main
from case_studies.page import Page, Table


def test_a_page_holds_comparisons_and_tables_and_escapes_their_text(tmp_path):
    page = Page(tmp_path / "out", "A <study>", "about it")
    page.compare("rounds", 51, "20 & more", "fewer")
    page.tables.append(Table("savings", "a note", ("algorithm", "share"), [("<b>", 3)]))
    page.results["ratings"] = np.arange(3.0)
    html = page.write("polarbear reproduce something").read_text()
    for text in (
        "A &lt;study&gt;",
        "20 &amp; more",
        "<td>51</td>",
        "<td>&lt;b&gt;</td>",
        "polarbear reproduce something",
    ):
        assert text in html
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["ratings"] == [0, 1, 2]
    assert results["compared"][0] == {"quantity": "rounds", "paper": "51", "ours": "20 & more", "remark": "fewer"}
    assert results["made"]["versions"]["numpy"] == np.__version__


def test_figures_are_written_for_the_screen_and_for_print(tmp_path):
    from polarbear.plots.style import new_figure

    figure, ax = new_figure(3.0, 2.0)
    ax.plot([1, 2], [2, 1])
    page = Page(tmp_path, "t", "i")
    page.add_figure(figure, "curve", "a curve")
    assert (tmp_path / "curve.png").stat().st_size > 500
    assert (tmp_path / "curve.pdf").stat().st_size > 500
    page.write("c")
    assert "<img src='curve.png'" in (tmp_path / "index.html").read_text()


def test_an_unknown_study_is_refused_with_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        main(["lunch"])
    assert "ma-bbob" in capsys.readouterr().err
