"""Calibration studies: coverage of intervals, wrong drops, and how often other answers are right.

In: settings of a study (cells): a prior, and a simulated truth.
Out: outcomes per cell and replicate, and their summary. `python -m polarbear.calibration` runs the studies.

Modules: `truths` (true utilities), `simulator` (trajectories from a truth), `matching` (simulation settings that resemble
recorded runs), `beliefs` (priors by name), `coverage`, `races`, `versions`, `groups`, `features` and `fitness` (the
measurements), `rank_tests` (another rule for `races`), `study` (replicates on several processes).
"""
