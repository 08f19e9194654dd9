"""What others read: tables of runs, posteriors and decisions, as CSV, Parquet, JSON, LaTeX and netCDF."""

from polarbear.exports.decisions import account, at_most, decisions
from polarbear.exports.files import FORMATS, as_text, write_table
from polarbear.exports.latex import latex
from polarbear.exports.tables import pairwise_table, posterior_table, runs_table, selection_table

__all__ = [
    "FORMATS",
    "account",
    "as_text",
    "at_most",
    "decisions",
    "latex",
    "pairwise_table",
    "posterior_table",
    "runs_table",
    "selection_table",
    "write_table",
]
