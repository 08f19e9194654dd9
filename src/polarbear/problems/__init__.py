"""Instance generators: random problems of the kind on which black-box optimisers are compared.

In: an index and a seed. Out: a problem to minimise, as a callable with bounds.

- `mixed`: `MixedProblems` draws problems that belong to no benchmark and need only NumPy: rotated, shifted mixtures of
  classical functions, after the affine combinations of Vermetten, Ye, Bäck and Doerr, "MA-BBOB: A problem generator for
  black-box optimization using affine combinations and shifts" (2025).
- `functions`: the functions of Hansen, Finck, Ros and Auger, "Real-parameter black-box optimization benchmarking: noiseless
  functions definitions" (2009), written from their formulae, without the benchmark's irregularity transformations.
- `ma_bbob`: the problems of MA-BBOB, with `ioh`.
- `gp_bbob`: the problems of GP-BBOB (the paper's appendix C), with `ioh`.
- `balanced`: `balanced`, a list of problems in an order in which groups take turns.
- `repeated`: `Repeated`, a list of problems in which each one comes several times.
"""

from polarbear.problems.balanced import balanced
from polarbear.problems.functions import FUNCTIONS
from polarbear.problems.mixed import MixedProblems, Problem
from polarbear.problems.repeated import Repeated

__all__ = ["FUNCTIONS", "MixedProblems", "Problem", "Repeated", "balanced"]
