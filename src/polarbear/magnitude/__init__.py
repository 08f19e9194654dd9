"""How much better one algorithm is than another, in original units and in budget.

Rankings say which algorithm is better; these quantities say by how much. They need the values of the runs, which a race or
recorded runs hold and a saved posterior does not.

- `collection`: the runs behind every quantity, by algorithm and instance, with the weights of the instances.
- `instance_weights`, `quantiles`: draws of the weights, and weighted quantiles of values that may be censored.
- `quality`: median and quartiles of the best value so far, over the budgets.
- `gap`: the share of instances on which one algorithm is better by more than a tolerance.
- `speed_up`: the share of its rival's budget that an algorithm needs for the same quality.
- `instances_won`, `instance_curves`: the instances that each algorithm of a pair wins, and the runs on one instance.
- `summary`: one or two sentences for people.
"""
