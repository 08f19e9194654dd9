"""The text of each finding: one table by code.

Each text is a Jinja2 template over the subject and the numbers of the finding. A text never names a command or a call; these
belong to the remedy, see `polarbear.show.remedies`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from polarbear.findings import Code
from polarbear.show.environment import environment
from polarbear.show.reading import ASSUMED, SKIPPED, why

if TYPE_CHECKING:
    from jinja2 import Template

    from polarbear.findings import Finding

TEXTS: dict[Code, str] = {
    Code.UNRELIABLE_POSTERIOR: (
        "The posterior is not reliable: {{ method }} reached {{ effective_draws|roughly }} effective draws"
        "{% if pareto_k is not none %}, Pareto k {{ pareto_k|roughly }} (good below 0.7){% endif %}"
        "{% if r_hat is not none %}, R-hat {{ r_hat|roughly }} (good below 1.01){% endif %}"
        "{% if divergences %}, {{ divergences|count('divergence') }}{% endif %}."
    ),
    Code.FEW_INSTANCES: (
        "The answer rests on {{ number|count('independent cluster' if clusters else 'independent instance') }}"
        "{% if number == 1 %}: a single one shows nothing about others{% endif %}. It is firm from {{ needed }} on."
    ),
    Code.FEW_AT_BUDGETS: (
        "At most {{ instances|count('instance') }} compare algorithms {{ budgets(start, stop) }}, and {{ elsewhere }} "
        "elsewhere."
    ),
    Code.NOT_OBSERVED: (
        "No rival was observed together with "
        "{% for each in gaps[:3] %}{{ each.algorithms|names }} "
        "{% for before, after in each.gaps %}"
        "{% if before is none and after is none %}at any budget{% elif before is none %}before {{ after|number }}"
        "{% elif after is none %}after {{ before|number }}"
        "{% else %}between {{ before|number }} and {{ after|number }}{% endif %}"
        "{{ ' and ' if not loop.last }}{% endfor %}{{ '; ' if not loop.last }}{% endfor %}"
        "{% if gaps|length > 3 %}; {{ (gaps|length - 3)|count('more group') }} of algorithms elsewhere{% endif %}. "
        "Nothing is claimed there."
    ),
    Code.NOT_CHECKED: "The posterior was not checked against its runs. Skipped and failed runs are unknown.",
    Code.SAME_RESULTS: "{{ subject|names }} tie on every instance and count as one.",
    Code.MODEL_MISFIT: (
        "Outcomes contradict the model (Plackett-Luce): {{ subject[0] }} beat {{ subject[1] }} on {{ observed|share }} of "
        "{{ instances|roughly }} instances at {{ budget|number }}, and the posterior expects {{ modelled|share }}"
        "{% if more %}; {{ more|count('more pair') }} {{ 'contradicts' if more == 1 else 'contradict' }} it{% endif %}."
    ),
    Code.MODEL_INFLUENCE: (
        "A pair's win rate depends on a third algorithm, which the model (Plackett-Luce) excludes: at {{ budget|number }}, "
        "{{ first }} beats {{ second }} on {{ rate|share }} of instances with {{ subject[0] }} and on {{ without|share }} "
        "without it{% if others %}; leaving out {{ others|names('or') }} changes win rates, too{% endif %}."
    ),
    Code.DEPENDENT_BUDGETS: (
        "The prior {{ prior }} counts the rankings of an instance at {{ budgets }} budgets as independent. They resemble "
        "each other, as if there were only {{ independent|roughly }}. Probabilities are too close to 0 and 1."
    ),
    Code.NEAREST_BUDGET: (
        "Without runs, {{ budget|number }} cannot be looked up; the recommendation is for the grid budget below, "
        "{{ used|number }}."
    ),
    Code.LEFT_OUT: (
        "{{ subject|names }} {{ 'is' if subject|length == 1 else 'are' }} left out, since no rival was observed together "
        "with {{ 'it' if subject|length == 1 else 'them' }} at these budgets."
    ),
    Code.BUDGETS_OUTSIDE: (
        "{% if share < 0.01 %}Less than 1 %{% else %}Only {{ share|share }}{% endif %} of the budgets lie within the grid. "
        "The others are left out."
    ),
    Code.SEPARATE_BUDGETS: (
        "The prior {{ prior }} treats each budget alone. Over several budgets, expected values of linear preferences hold, "
        "but probabilities and expected losses treat the budgets as independent."
    ),
    Code.SUMMED_RATINGS: (
        "A portfolio has the sum of its members' ratings, as if all runs were independent"
        "{% if only_copies %}; for this preference, the best choice is the best algorithm on every machine{% endif %}."
    ),
    Code.MEASURED_COPIES: (
        "This was measured on the {{ instances|count('instance') }} on which the runs of all candidates were repeated, with "
        "{{ fewest }}{% if most != fewest %} to {{ most }}{% endif %} runs on each"
        "{% if not enough %}; further copies add nothing there{% endif %}."
    ),
    Code.NO_COPIES: (
        "Copies of one algorithm are left out. Repeated runs of all candidates would measure what copies add."
    ),
    Code.SEARCHED: (
        "There are too many portfolios to compare them all. This is the best one that the search found, and probabilities "
        "and expected losses compare it with the others that the search visited."
    ),
    Code.CIRCLE: "{{ subject|names }} beat each other in a circle at every budget. No data drop one of them.",
    Code.DROP_CONTRADICTED: (
        "{{ subject[1] }} beats {{ subject[0] }} under the posterior ({{ probability|sure }}), but the outcomes of these "
        "two alone contradict it ({{ own|sure }} at {{ budget|number }})."
    ),
    Code.DROP_UNSUPPORTED: (
        "{{ subject[1] }} beats {{ subject[0] }} under the posterior ({{ probability|sure }}), but the outcomes of these "
        "two alone do not support it ({{ own|sure }} at {{ budget|number }})."
    ),
    Code.DROP_IN_DOUBT: (
        "Given all runs so far, dropping {{ subject[0] }} was wrong with a probability of {{ error|sure }}."
        "{% if specialist %} Another algorithm beats it at every budget, but it may come first often enough to be kept as "
        "a specialist.{% endif %}"
    ),
    Code.DROP_ON_FEW: (
        "{{ subject[0] }} is dropped because of {{ subject[1] }}, but only {{ instances|count('instance') }} "
        "{{ 'compares' if instances == 1 else 'compare' }} the two."
    ),
    Code.DROPPED_FIRST_SOMEWHERE: (
        "{% for each in algorithms[:3] %}{{ each.name }} is dropped, but came first on {{ each.share|share }} of instances "
        "at {{ each.budget|number }}{{ '; ' if not loop.last }}{% endfor %}"
        "{% if algorithms|length > 3 %}; {{ (algorithms|length - 3)|count('more dropped algorithm') }} came first, "
        "too{% endif %}. Portfolios may need such specialists."
    ),
    Code.DROPPED_BY_USER: "You dropped {{ subject|names }}. The answer is among the others.",
    Code.SET_ASIDE: "{{ subject|names }} {{ 'was' if subject|length == 1 else 'were' }} set aside without being judged.",
    Code.NO_ROUND: "No round of the race has ended yet.",
    Code.STOPPED: (
        "{% if reason == 'max_instances' %}The race stopped at its limit of {{ instances|count('instance') }}."
        "{% elif reason == 'max_evaluations' %}The race stopped at its limit of {{ cost|roughly }} {{ clock }}."
        "{% elif reason == 'max_seconds' %}The race stopped at its limit of time."
        "{% elif reason == 'instances ran out' %}The race has used all {{ instances }} instances."
        "{% elif reason == 'no drop likely' %}The race stopped, since it is unlikely to drop another algorithm."
        "{% elif reason == 'pairs left undecided' %}The race left pairs undecided that would each need more than "
        "{{ patience|count('further instance') }}."
        "{% elif reason == 'selected pairs decided' %}Every pair of {{ subject|names }} is decided."
        "{% elif reason == 'interrupted' %}The race was interrupted."
        "{% else %}The race is not finished.{% endif %}"
        "{% if undecided %} {{ undecided|length|count('pair') }} {{ 'is' if undecided|length == 1 else 'are' }} undecided: "
        "{% for each in undecided[:3] %}{{ each.pair|names }} {{ budgets(each.start, each.stop) }}"
        "{{ '; ' if not loop.last }}{% endfor %}"
        "{% if undecided|length > 3 %}; and {{ (undecided|length - 3)|count('more pair') }}{% endif %}.{% endif %}"
        "{% if further %} About {{ further|count('more instance') }} should decide all of them.{% endif %}"
    ),
    Code.NOT_RUN_YET: "{{ subject|names }} {{ 'has' if subject|length == 1 else 'have' }} not run yet.",
    Code.ALGORITHM_FAILS: (
        "The race is paused: {{ subject|names }} failed in every run of the first round and "
        "{{ 'is' if subject|length == 1 else 'are' }} not judged."
    ),
    Code.FAILED_RUNS: (
        "{% if failed == runs %}All {{ runs|count('run') }} of {{ subject[0] }} failed"
        "{% else %}{{ failed }} of {{ runs|count('run') }} of {{ subject[0] }} failed{% endif %} and "
        "{{ 'are missing' if missing else 'rank last' }}; the first error: {{ error }}"
        "{% if output %} (last output: {{ output.splitlines()[-1] }}){% endif %}."
    ),
    Code.CHANGED_CODE: (
        "The code of {{ subject|names }} changed after some of its runs were stored, so that its runs may come from "
        "different versions. A new name would race the new code from the start."
    ),
    Code.SHARED_PROCESSOR: (
        "{{ waited }} of {{ runs|count('run') }} had the processor for less than {{ fair|share }} of their time (the worst "
        "for {{ worst|share }}), and budgets are in seconds. Unless algorithms wait on purpose, use fewer workers or an "
        "idle machine."
    ),
    Code.RAN_ON_FEW: (
        "{{ subject|names }} ran on at most {{ most }} of {{ instances|count('instance') }}. Comparisons with "
        "{{ 'it' if subject|length == 1 else 'them' }} rest on these."
    ),
    Code.GROUP_RULE: (
        "With groups by {{ feature }} ({{ groups|names }}), an algorithm is dropped only if it is beaten at every budget on "
        "all instances together and within every group."
        "{% if subject %} {{ subject|names }} {{ 'is' if subject|length == 1 else 'are' }} kept by the groups alone."
        "{% endif %}"
    ),
    Code.NO_GROUPS: "No instance has the feature {{ feature }}, which defines the groups of the race.",
    Code.SMALL_GROUPS: (
        "{{ groups|names }}: fewer than {{ needed }} independent instances. The answer for all instances stands for "
        "{{ 'it' if groups|length == 1 else 'them' }}."
    ),
    Code.SINGLE_GROUPS: "{{ single|number }} of {{ groups|number }} groups by {{ feature }} have a single instance.",
    Code.OUTSIDE_GROUPS: (
        "{{ outside|number }} of {{ instances|count('instance') }} {{ 'has' if outside == 1 else 'have' }} no value of "
        "{{ feature }} and {{ 'is' if outside == 1 else 'are' }} in no group."
    ),
    Code.LEAKED_FEATURE: (
        "The feature {{ feature }} "
        "{% if like == 'winner' %}names the algorithm with the best final value of each instance"
        "{% else %}orders the instances as the {{ like }}"
        "{% if subject %} of {{ subject|names }}{% endif %} does{% endif %}. "
        "If it was computed from the runs, it is not known before a run, and answers that rest on it do not hold for new "
        "instances."
    ),
    Code.UNUSED_LEAKS: (
        "{{ features|names }} {{ 'was' if features|length == 1 else 'were' }} probably computed from the runs; the answer "
        "does not use {{ 'it' if features|length == 1 else 'them' }}."
    ),
    Code.FEW_SHARED_INSTANCES: (
        "All candidates ran on only {{ counting|number }} of {{ instances|count('instance') }}; the answer rests on these."
    ),
    Code.MISSING_FEATURES: (
        "{{ origin }} has no features of {{ without }} of {{ instances|count('instance') }}; they count as missing."
    ),
    Code.UNUSED_ROWS: (
        "{{ rows|count('row') }} of {{ origin }} {{ 'describes an instance' if rows == 1 else 'describe instances' }} "
        "without runs, and {{ 'has' if rows == 1 else 'have' }} no effect."
    ),
    Code.USELESS_FEATURES: (
        "Left out, since "
        "{% if why == 'constant' %}they are the same on all instances: {{ features|names }}"
        "{% else %}they repeat {{ equal_to|unique|list|names }}: {{ features|names }}{% endif %}."
    ),
    Code.ONLY_KEPT: (
        "The algorithms did not all run on enough of the same instances; only the kept algorithms are compared here."
    ),
    Code.REPLACED_FEATURES: (
        "The table replaces {{ features|names }}, of which the runs or an earlier table have other values."
    ),
    Code.DATA_SKIPPED: f"Data were skipped: {SKIPPED}",
    Code.IRREGULAR_DATA: SKIPPED,
    Code.ASSUMED: ASSUMED,
    Code.SPARSE_ALGORITHMS: (
        "Left out, since the others ran on a median of {{ usual|number }} instances: "
        "{% for name, number in counts.items() %}{{ name }} ({{ number }}){{ ', ' if not loop.last }}{% endfor %}."
    ),
    Code.RUNS_GO_ON: (
        "{{ later|number }} of {{ runs|count('run') }} go on after {{ stop|number }}{{ ' ' ~ clock if clock }}, where "
        "others were cut off."
    ),
    Code.RUN_ENDS: (
        "Of the runs, "
        "{% if finished %}{{ finished|number }} finished and "
        "{{ 'keeps its value' if finished == 1 else 'keep their value' }}"
        "{{ ', ' if cut or failed }}{% endif %}"
        "{% if cut %}{{ cut|number }} {{ 'was' if cut == 1 else 'were' }} cut off before {{ stop|number }} and "
        "{{ 'is' if cut == 1 else 'are' }} unknown afterwards{{ ', ' if failed }}{% endif %}"
        "{% if failed %}{{ failed|number }} failed{% endif %}."
    ),
}


def text_of(finding: Finding) -> str:
    """Return the text of a finding.

    Examples
    --------
    >>> from polarbear.findings import Finding
    >>> text_of(Finding(Code.CIRCLE, "note", ("a", "b", "c")))
    'a, b and c beat each other in a circle at every budget. No data drop one of them.'
    """
    return _template(finding.code).render(subject=finding.subject, **finding.numbers)


@cache
def _template(code: Code) -> Template:
    return environment().from_string(TEXTS[code], globals={"why": why})
