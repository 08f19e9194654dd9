"""One self-contained page about a race or a posterior, with an explorer that answers queries in the browser.

In: a race, its result, or a posterior. Out: an HTML file.

- `subject`: what the page is about, from which every section collects its data.
- `sections`: the list of sections, each with its data function and its scripts.
- `page_data`: the data of the page in plain values; `sentences` writes the text, and `draws` packs the posterior draws.
- `header`: the answer as HTML, which needs no scripts. `page` joins it and the data with the markup, style and scripts in
  `assets`.
- `report_file`: writes the file, once or after each round; `title` finds its heading.

To add a section, write a data function and add one entry to `sections.SECTIONS`, then add its markup
`assets/<name>.html` and its script `assets/<name>.js` with `sections.<name> = (data, page) => …`. Nothing else changes: the
table of contents takes the attribute `data-contents` of its heading, or the heading itself.
`assets/chart.js` and `assets/elements.js` hold what figures and text are built from.
"""

from polarbear.reporting.report_file import report

__all__ = ["report"]
