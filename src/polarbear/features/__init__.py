"""Which algorithm for which problem: features of instances, where the best choice changes with them, and policies.

- `feature`, `table`, `reading`, `joining`, `own_features`: features of instances, from tables or from the runs.
- `scores`, `splits`, `tree`, `held_out`: what is at stake on each instance, a shallow tree of tested splits on the features,
  and its gain on instances that were not used to find it.
- `training_set`: scores and features of the same instances.
- `explanation`: `explain`, the splits in words.
- `dependence`, `tree_rows`: explanation, policy and leaders of each group from one tree, and the rows of its picture.
- `group_values`: how good each algorithm is in a group, from `fit_groups`.
- `policy`, `policy_file`, `python_source`: maps from budget and features to an algorithm.
- `gap_closed`: how much of the gap between the single best and the virtual best algorithm a policy closes.
"""
