"""Export of results: tables of runs, posteriors, pairs and selections, and the decisions of a race.

Runs, a `Posterior`, a `Selection` or a `RaceResult` come in. Tables go out as CSV, JSON, LaTeX or Parquet, and the decisions
as plain values for JSON.

- `tables`: `runs_table`, `posterior_table`, `pairwise_table` and `selection_table`.
- `decisions`: the status of a race (`account`) and its decisions round by round (`decisions`).
- `files`, `latex`: tables as text and files; LaTeX with booktabs. `json_types`: values as JSON writes them.
"""

from polarbear.exports.decisions import account, decisions, format_error_bound
from polarbear.exports.files import FORMATS, as_text, write_table
from polarbear.exports.latex import latex
from polarbear.exports.tables import comparisons_by_name, pairwise_table, posterior_table, runs_table, selection_table

__all__ = [
    "FORMATS",
    "account",
    "as_text",
    "comparisons_by_name",
    "decisions",
    "format_error_bound",
    "latex",
    "pairwise_table",
    "posterior_table",
    "runs_table",
    "selection_table",
    "write_table",
]
