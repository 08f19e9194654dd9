"""Command `select`: choose what to deploy."""

from pathlib import Path
from typing import Annotated, Any

import typer

from polarbear.cli import options, terminal
from polarbear.output_file import check_output


def select(
    file: options.AnySource,
    budget: options.Budget = None,
    machines: Annotated[
        int, typer.Option(min=1, max=1000, help="How many algorithms run side by side; the best result counts.")
    ] = 1,
    distinct: Annotated[bool, typer.Option("--distinct", help="Another algorithm on each machine.")] = False,
    risk: Annotated[str | None, typer.Option(help="best, expected, loss, or quantile:0.1.")] = None,
    criterion: Annotated[str | None, typer.Option(help="rival, first, mean-rank, top:3, or against:NAME.")] = None,
    only: options.Only = None,
    by: options.By = None,
    features: options.Features = None,
    given: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE=VALUE", help="Choose for an instance with this feature; repeatable."),
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Also print all candidates and notes.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the candidates: .csv, .tex, .parquet or .json.")
    ] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Choose what to deploy for a budget. Nothing is run.

    Two lines are printed: the choice with its reason, and the runner-up. By default every budget is equally likely.
    """
    if output is not None:  # by force: an earlier table is known only by the columns of the new one
        check_output(output, inputs=[file, features], force=True)
        _format(output)
    result, tables = options.load_with_features(file, features)
    if given or (features is not None and by is None):
        others = {"--machines": machines > 1, "--criterion": criterion, "--by": by, "--only": only, "--output": output}
        if wrong := [name for name, value in others.items() if value]:
            option = "--given" if given else "--features"
            raise ValueError(f"expected no {wrong[0]} with {option}, got both; leave one of them out")
        policy = result.policy(*tables, budget=budget, risk=risk)
        _print_policy(policy, _parse_given(given), as_json=as_json)
        return
    query: dict[str, Any] = {"machines": machines, "risk": risk, "criterion": criterion, "distinct": distinct}
    choice = result.select(budget, only=only, **query)
    data, text = choice.to_dict(), [str(choice)]
    if by is not None:
        groups = result.split(by, *tables).select(budget, only=only, **query)
        data |= groups.to_dict()
        text.append(str(groups))
    if details:
        text.append(choice.details())
    if output is not None:
        from polarbear.exports import write_table

        write_table(choice.to_table(), output, _format(output), caption=str(choice), force=force)
    if as_json:
        terminal.print_json(data)
    else:
        terminal.print_result("\n\n".join(text))


def _format(output: Path) -> Any:
    kind = output.suffix.removeprefix(".").lower()
    if kind not in ("csv", "tex", "parquet", "json"):
        raise ValueError(f"expected a file ending in .csv, .tex, .parquet or .json, got {output}; change the ending")
    return kind


def _print_policy(policy: Any, given: dict[str, Any], *, as_json: bool) -> None:
    """Print the choice for an instance with its group, as a sentence or as JSON."""
    from polarbear.show.wording import text_of

    found = policy.find_group(given)
    sentence = policy.explain_choice(None, **given)
    if not as_json:
        terminal.print_result(sentence)
        for finding in policy.findings:
            terminal.print_note(text_of(finding))
        return
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
            "unused": policy.describe_unused(given),
            "findings": [each.to_dict() for each in policy.findings],
        }
    )


def _parse_given(given: list[str] | None) -> dict[str, Any]:
    """Return the features that were given as name=value."""
    pairs = [options.split_pair("--given", each, "dimension=40") for each in given or ()]
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"expected each feature once with --given, got {twice[0]!r} twice; leave one out")
    return dict(pairs)
