"""Automated design: a proposer and a race take turns until nothing new survives.

In: a race, and a function that proposes algorithms. Out: an `AnytimeConfiguration`, which says what to use at which budget.

- `state`: `DesignState`, what a proposer sees, and the type of proposers.
- `loop`: `design` alternates between proposer and race.
- `repetition`: makes the proposals of an interrupted design again.
- `members`: compares the members of the Pareto set with each other.
- `pruning`: limits the size of the Pareto set.
- `anytime_configuration`: `AnytimeConfiguration`, the answer, in stages of budgets.
- `parameter_space`: `ParameterSpace`, a proposer that samples and mutates configurations.
- `fitness`: the probability that a candidate enters the Pareto set, for loops that ask for a fitness.
"""
