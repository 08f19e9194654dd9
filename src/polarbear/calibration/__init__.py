"""Calibration studies: coverage of intervals, wrong eliminations, and prediction of recorded runs.

In: settings of a study (cells): a prior, and a simulated truth or recorded runs.
Out: outcomes per cell and replicate, and their summary. `python -m polarbear.calibration` runs the studies.

Modules: `truths` (true utilities), `simulator` (trajectories from a truth), `matching` (simulation settings that resemble
recorded runs), `beliefs` (priors by name), `coverage`, `races` and `prediction` (the three measurements), `rank_tests` (the
baseline of `races`), `fitness` (candidates for a Pareto set), `study` (replicates on several processes).
"""
