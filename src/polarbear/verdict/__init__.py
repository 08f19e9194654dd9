"""The verdict on a posterior: which algorithm at which budget, what is eliminated or open, and how far to trust it.

The input is a posterior with its eliminations and its model check. The output is one `Summary`, which the terminal, Python,
the report and all exports show. Each step has a module:

- `remark`: a caveat with its status, from "solid" to "do not rely on it", and the next step.
- `advice`: the commands for next steps, on a race or on recorded runs.
- `standing`: the group of each algorithm: leads somewhere, not ruled out, or eliminated; or removed without being judged.
- `model_remarks`, `data_remarks`: what the model check and the data give reason to doubt.
- `leakage`: columns that were probably computed from the runs, so that they are not known before a run.
- `contents`, `rendering`, `summary`: all of it as plain parts, as text, Markdown, LaTeX and HTML, and `summarise`.
"""

from polarbear.verdict.advice import Advice
from polarbear.verdict.remark import Remark, Status
from polarbear.verdict.standing import Group, Standing
from polarbear.verdict.summary import Summary, summarise

__all__ = ["Advice", "Group", "Remark", "Standing", "Status", "Summary", "summarise"]
