"""Export of results: tables as text and files, and the decisions of a race.

A table, a `Posterior` or a `RaceResult` comes in. Tables go out as CSV, JSON, LaTeX or Parquet, and the decisions as plain
values for JSON. The results define their own tables, see `polarbear.table`.

- `pairwise`: the pairs of a posterior, summarised over time.
- `decisions`: the status of a race (`account`) and its decisions round by round (`decisions`).
- `files`, `latex`: tables as text and files; LaTeX with booktabs. `json_types`: values as JSON writes them.
"""

from polarbear.exports.decisions import account, decisions
from polarbear.exports.files import FORMATS, as_text, write_table
from polarbear.exports.pairwise import comparisons_by_name, pairwise_table
from polarbear.latex import latex

__all__ = [
    "FORMATS",
    "account",
    "as_text",
    "comparisons_by_name",
    "decisions",
    "latex",
    "pairwise_table",
    "write_table",
]
