"""Export of results: tables as text and files, and the decisions of a race.

A table or a `Posterior` comes in. Tables go out as CSV, JSON, LaTeX or Parquet. The results define their own tables, see
`polarbear.table`.

- `pairwise`: the pairs of a posterior, summarised over time.
- `files`, `latex`: tables as text and files; LaTeX with booktabs. `json_types`: values as JSON writes them.
"""

from polarbear.exports.files import FORMATS, as_text, write_table
from polarbear.exports.pairwise import comparisons_by_name, pairwise_table
from polarbear.latex import latex

__all__ = [
    "FORMATS",
    "as_text",
    "comparisons_by_name",
    "latex",
    "pairwise_table",
    "write_table",
]
