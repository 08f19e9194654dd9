"""One self-contained page about a race or a posterior, with an explorer that answers any later wish in the browser.

`contents` says what the page tells, in plain values: `belief` what follows from a posterior, `history` what follows from a
race, `words` the sentences. `draws` packs what the explorer computes with. `page` joins that with the assets, and
`writing` puts it into a file, once or after each round.
"""

from polarbear.reporting.report_file import report

__all__ = ["report"]
