"""The classical ways of looking at anytime performance, shown beside ours for comparison only.

All of them need what rankings do without: a known optimum, and bounds between which values count, on a logarithmic scale.
`BOUNDS` are the usual ones, precisions from 1e-8 to 1e2. Values are arrays (instance, time, algorithm) of the best so far,
lower is better, NaN where nothing was observed.

- `attained`: which share of the (logarithmic) way from the upper to the lower bound was gone.
- `ecdf`, `ecdf_band`: its mean over instances at each time, with a bootstrap interval.
- `eaf`, `eaf_difference`, `eaf_contour`: how often each target was reached by each time.
- `aocc`, `aocc_of_runs`: the area over the convergence curve of each instance.
- `aocc_verdict`: would AOCC have chosen differently?
"""

from polarbear.baselines.aocc import aocc, aocc_of_runs
from polarbear.baselines.attainment import BOUNDS, Bounds, attained, eaf, eaf_contour, eaf_difference, log_targets
from polarbear.baselines.ecdf import Band, ecdf, ecdf_band
from polarbear.baselines.verdict import AoccVerdict, aocc_verdict

__all__ = [
    "BOUNDS",
    "AoccVerdict",
    "Band",
    "Bounds",
    "aocc",
    "aocc_of_runs",
    "aocc_verdict",
    "attained",
    "eaf",
    "eaf_contour",
    "eaf_difference",
    "ecdf",
    "ecdf_band",
    "log_targets",
]
