"""What reading recorded runs found, in words: data that were skipped, and assumptions that replace missing information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from polarbear.importers.imported import Assumption

# The files, why, and where it first occurred
SKIPPED = (
    "{% if files|length > 1 %}{{ files|length|count('file') }}, for example {% endif %}{{ files[0] }}: "
    "{{ why(reason, details) }}{% if first %}, first: {{ first }}{% endif %}"
    "{% if count > files|length %} ({{ count|count('time') }}{{ ' in all' if files|length > 1 }}){% endif %}."
)

ASSUMPTIONS: dict[Assumption, str] = {
    "OPEN_END": (
        "{{ files|names }} {{ 'ends' if files|length == 1 else 'end' }} without a line break. If a file was cut there, its "
        "last value is wrong."
    ),
    "VALUE_COLUMN": "The values of {{ files|names }} are those of the column {{ column }}.",
    "DIRECTION": (
        "The data of the suite {{ suite }} state no direction. They are assumed to be "
        "{{ 'maximised' if maximise else 'minimised' }}, since "
        "{% if visible %}best-so-far values {{ 'rise' if maximise else 'fall' }}{% else %}that is usual for this suite"
        "{% endif %}."
    ),
    "BOTH_DIRECTIONS": "Some runs minimise and others maximise. Compare them separately.",
    "SEVERAL_SEEDS": (
        "SMAC evaluated some configurations with several seeds. The value is the lowest cost of a single trial."
    ),
    "HISTORIES_READ": ("SMAC's run histories are read, which have all trials, and not the trajectories beside them."),
    "ESTIMATED_COSTS": (
        "The values of SMAC's trajectories are estimates: the mean cost of the incumbent over the instances and seeds "
        "evaluated until then, of which the lowest so far counts. If SMAC had several instances, validate the incumbents on "
        "all of them for costs that can be compared."
    ),
    "KEPT_APART": (
        "Folders hold different runs of one algorithm name on the same instances. They are kept apart, as "
        "{{ algorithms|length|count('algorithm') }}: {{ algorithms|names }}. Or are they repetitions of one algorithm?"
    ),
    "TAKEN_AS_REPETITIONS": (
        "Folders that differ only in a number hold runs of one algorithm name on the same instances. They count as "
        "repetitions of {{ algorithms|names }}. Different algorithms need different names."
    ),
    "NOTHING_IN_COMMON": (
        "No two algorithms have a run on the same block (suite, function, dimension, instance, run), so that nothing can be "
        "compared. Perhaps only their run numbers differ."
    ),
    "SEVERAL_DIMENSIONS": (
        "Runs in {{ dimensions|length }} dimensions, {{ dimensions|first }} to {{ dimensions|last }}, are compared at the "
        "same budgets. Divide budgets by the dimension, or compare one dimension alone."
    ),
    "REFERENCE_POINTS": (
        "Values are hypervolumes, with {{ points|count('reference point') }} from the data of all algorithms."
    ),
    "BEYOND_REFERENCE": (
        "{{ without }} of {{ runs|count('run') }} have no point that is better than the reference point in every objective. "
        "Their hypervolume is zero."
    ),
    "NO_FUNCTION": "{{ unknown }} of {{ blocks }} blocks name no function. Each of their instances counts as one.",
    "ONE_INSTANCE": "All {{ blocks }} blocks are repetitions of one instance. Answers hold for new runs on it.",
    "ONE_FUNCTION": "All {{ blocks }} blocks are instances of one function. Answers hold for new instances of it.",
    "CLUSTERS": (
        "The clusters are {{ clusters|count(kind) }} with {{ members|count(unit) }}. Answers hold for new {{ kind|plural }}"
        "{% if by_rule %}; answers for new {{ unit|plural }} of these need smaller clusters{% endif %}."
    ),
    "ONE_CLUSTER": (
        "All {{ members }} blocks are of one {{ kind }}, {{ label }}, from which nothing follows about new "
        "{{ kind|plural }}. Answers for new {{ unit|plural }} of this one need smaller clusters."
    ),
}

ASSUMED = "".join(f"{{% if assumption == '{name}' %}}{text}{{% endif %}}" for name, text in ASSUMPTIONS.items())


def why(reason: str, details: Mapping[str, Any]) -> str:
    """Return why data were skipped."""
    from polarbear.importers.reasons import (
        Reason,  # with all importers, which a choice from a saved posterior does not need
    )

    return Reason[reason].sentence(**details)
