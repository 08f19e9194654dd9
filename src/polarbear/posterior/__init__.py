"""The posterior and what follows from it: relations between algorithms, eliminations, and evidence without a model.

In: draws of ratings and win rates that `polarbear.inference` computed, or a posterior file.
Out: probabilities that one algorithm beats another (`relations`), the algorithms that are eliminated (`elimination`), and
e-values of observed outcomes (`evidence`).
"""
