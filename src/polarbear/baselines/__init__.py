"""Classical measures of anytime performance, for comparison with rankings only.

In: best values so far, as arrays (instance, budget, algorithm) in which lower is better and NaN marks missing values; or
recorded runs. Out: a curve or surface per algorithm, or a number per run. Unlike rankings, all measures need a known
optimum, and bounds between which values count on a logarithmic scale. `BOUNDS` are the usual ones: precisions from 1e-8 to
1e2.

- `attainment`: `attained_share`, the share of the logarithmic distance from the upper to the lower bound that a value has
  covered; `eaf`, `eaf_difference` and `eaf_contour`, the share of runs that have reached each target by each budget.
- `ecdf`: `ecdf` and `ecdf_band`, the mean attained share at each budget, with a bootstrap interval.
- `aocc`: `aocc` and `aocc_of_runs`, the area over the convergence curve of each run.
- `aocc_comparison`: `compare_with_aocc`, which compares the algorithm with the highest mean AOCC with the recommendation.
"""

from polarbear.baselines.aocc import aocc, aocc_of_runs
from polarbear.baselines.aocc_comparison import AoccComparison, compare_with_aocc
from polarbear.baselines.attainment import BOUNDS, Bounds, attained_share, eaf, eaf_contour, eaf_difference, log_targets
from polarbear.baselines.ecdf import Band, ecdf, ecdf_band

__all__ = [
    "BOUNDS",
    "AoccComparison",
    "Band",
    "Bounds",
    "aocc",
    "aocc_of_runs",
    "attained_share",
    "compare_with_aocc",
    "eaf",
    "eaf_contour",
    "eaf_difference",
    "ecdf",
    "ecdf_band",
    "log_targets",
]
