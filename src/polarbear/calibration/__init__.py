"""Is the uncertainty honest? Simulated trajectories with a known truth, coverage of intervals, wrong eliminations."""
