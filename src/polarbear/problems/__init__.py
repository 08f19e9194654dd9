"""Instance generators that need nothing but NumPy: random problems of the kind on which black-box optimisers are compared.

`MixedProblems` draws problems that have no name in any benchmark: rotated, shifted mixtures of classical functions, after
the affine combinations of Vermetten, Ye, Bäck and Doerr, "MA-BBOB: A problem generator for black-box optimization using
affine combinations and shifts" (2025). The functions are those of Hansen, Finck, Ros and Auger, "Real-parameter black-box
optimization benchmarking: noiseless functions definitions" (2009), written from their formulae, without the benchmark's
irregularity transformations.
"""

from polarbear.problems.functions import FUNCTIONS
from polarbear.problems.mixed import MixedProblems, Problem

__all__ = ["FUNCTIONS", "MixedProblems", "Problem"]
