"""One self-contained page about a race or a posterior, with an explorer that answers queries in the browser.

In: a race, its result, or a posterior. Out: an HTML file.

`page_data` collects the data of the page in plain values: `posterior_data` those of a posterior, `race_data` those of a
race, and `sentences` the text. `draws` packs the draws with which the explorer computes. `page` joins the data with the
assets, and `report_file` writes the file, once or after each round.
"""

from polarbear.reporting.report_file import report

__all__ = ["report"]
