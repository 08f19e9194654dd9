"""The answer of a posterior as numbers and names: ranges of budgets, worst cases, and the next step.

In: a posterior, the kept algorithms, and the runs if they are known. Out: an `Answer`, which `polarbear.show` words.
"""

from polarbear.answer.answer import Answer, find_answer, find_ranges

__all__ = ["Answer", "find_answer", "find_ranges"]
