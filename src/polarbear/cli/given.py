"""The answer of `select --given`: what to choose for an instance with given features."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.cli import terminal
from polarbear.cli.features import read_feature_data
from polarbear.cli.recorded_runs import Reading
from polarbear.wording import find_names

if TYPE_CHECKING:
    from polarbear.features.policy import Policy
    from polarbear.selection import Preference, Risk


@dataclass(frozen=True)
class FeatureQuery:
    """A preference over budgets, an attitude to risk, the candidates if they were named, and features of the instance."""

    preference: "Preference"
    risk: "Risk | None"
    among: list[str] | None
    given: dict[str, Any]


@dataclass(frozen=True)
class Choice:
    """The answer: the policy that gave it, and the query."""

    policy: "Policy"
    query: FeatureQuery


def choose_for_instance(
    path: Path, reading: Reading, features: Path | None, query: FeatureQuery, *, quiet: bool
) -> Choice:
    """Return the choice for an instance with the features of the query."""
    from polarbear.features.policy_fit import policy_for_query

    data = read_feature_data(path, reading, features, quiet=quiet)
    among = None if query.among is None else find_names("--among", query.among, data.names)
    return Choice(policy_for_query(data.runs, data.tables, query.preference, query.risk, among=among), query)


def print_choice(choice: Choice, *, as_json: bool, quiet: bool) -> None:
    """Print the choice with its group, as a sentence or as JSON."""
    from polarbear.show.wording import text_of

    policy, given = choice.policy, choice.query.given
    found = policy.find_group(given)
    sentence = policy.explain_choice(None, **given)
    if as_json:
        unused = policy.describe_unused(given)
        terminal.print_json(
            {
                "choice": [found.leaf.whole],
                "sentence": sentence,
                "group": [*map(str, found.conditions)],
                "instances": found.leaf.instances,
                "note": found.leaf.note,
                "share": found.leaf.share,
                "probability_best": found.leaf.probability,
                "asks_for": list(policy.used),
                "remarks": [*([unused] if unused else []), *(text_of(each) for each in policy.findings)],
            }
        )
        return
    terminal.print_result(sentence)
    for finding in policy.findings:
        terminal.print_remark(text_of(finding), quiet=quiet)
