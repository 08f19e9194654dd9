"""The transcript of the documentation shows what the commands print today, apart from numbers and names."""

import re
from pathlib import Path

import pytest

TRANSCRIPT = Path(__file__).parents[2] / "docs" / "start" / "transcript.md"
OPTIMISERS = ("random search", "(1+1)-ES", "differential evolution", "Nelder-Mead", "timid (1+1)-ES")
RACED = ("random", "climber", "poor")


def templates(text, names):
    """Return the lines of an output with N for each number and A for each name or list of names."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "A", text)
    text = re.sub(r"[▁▂▃▄▅▆▇█]+", "~", text)
    text = re.sub(r"\d[\d,]*(?:\.\d+)?", "N", text)
    text = re.sub(r"\b(?:over|below) (?=N %)", "", text)  # over 99 %, below 1 %
    text = re.sub(r"A(?:, A)+", "A", text)
    return {" ".join(line.split()) for line in text.splitlines() if line.strip()}


@pytest.mark.parametrize(
    "command",
    [
        ("show",),
        ("select", "--budget", "50"),
        ("select", "--budget", "log-uniform", "--risk", "quantile"),
        ("export", "selection", "--budget", "50", "--format", "tex"),
    ],
    ids=" ".join,
)
def test_lines_have_the_wording_of_the_transcript(command, finished, polarbear):
    shown = templates(TRANSCRIPT.read_text(), OPTIMISERS)
    name, *options = command
    output = polarbear(name, finished, *options).out
    if name == "show":  # of which other lines depend on the race
        heading, *_, last = output.replace(str(finished), "my.race").splitlines()
        output = f"{heading.replace(', tentative', '')}\n{last}"
    # The race of the fixture has a prior of the paper, whose criterion is the share of first places.
    printed = templates(output.replace("comes first", "beats its strongest rival"), RACED)
    printed = {line for line in printed if "too close to call" not in line}  # the transcript has sure answers
    assert printed - shown == set()
    assert len(printed) >= 2


def test_progress_has_the_wording_of_the_transcript(finished_outcome):
    shown = templates(TRANSCRIPT.read_text(), OPTIMISERS)
    rounds = [line for line in finished_outcome[0].err.splitlines() if line.startswith("round ")]
    assert rounds
    # A line that also reports an elimination begins like the others.
    beginnings = {line.split(" evaluations")[0] for line in shown if line.startswith("round ")}
    assert {line.split(" evaluations")[0] for line in templates("\n".join(rounds), RACED)} <= beginnings


def test_another_wording_is_noticed():
    shown = templates("Candidates: random search, Nelder-Mead (2 of 4)", OPTIMISERS)
    assert templates("Candidates: climber (1 of 3)", RACED) == shown
    assert templates("Remaining: climber (1 of 3)", RACED) != shown
