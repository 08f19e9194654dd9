"""The transcript of the documentation shows what the commands print today, apart from numbers and names."""

import re
from pathlib import Path

import pytest

TRANSCRIPT = Path(__file__).parents[2] / "docs" / "start" / "transcript.md"
OPTIMISERS = ("random search", "(1+1)-ES", "differential evolution", "Nelder-Mead", "timid (1+1)-ES")
RACED = ("random", "climber", "poor")


def template(text, names):
    """Return an output with N for each number and A for each name or list of names."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "A", text)
    text = re.sub(r"[▁▂▃▄▅▆▇█]+", "~", text)
    text = re.sub(r"\d[\d,]*(?:\.\d+)?", "N", text)
    text = re.sub(r"\b(?:over|below) (?=N %)", "", text)  # over 99 %, below 1 %
    return re.sub(r"A(?:, A)+", "A", text)


def templates(text, names):
    """Return the lines of an output with N for each number and A for each name or list of names."""
    return {" ".join(line.split()) for line in template(text, names).splitlines() if line.strip()}


def test_show_has_the_wording_of_the_transcript(finished, polarbear):
    shown = templates(TRANSCRIPT.read_text(), OPTIMISERS)
    heading, *_, last = polarbear("show", finished).out.replace(str(finished), "my.race").splitlines()
    printed = templates(f"{heading.replace(', tentative', '')}\n{last}", RACED)
    assert printed - shown == set()
    assert len(printed) == 2


@pytest.mark.parametrize(
    "command",
    [("select", "--budget", "50"), ("select", "--budget", "log-uniform", "--risk", "quantile:0.1")],
    ids=" ".join,
)
def test_sentences_have_the_wording_of_the_transcript(command, finished, polarbear):
    shown = " ".join(template(TRANSCRIPT.read_text(), OPTIMISERS).split())
    name, *options = command
    printed = " ".join(template(polarbear(name, finished, *options).out, RACED).split())
    # The transcript has sure answers. The race of the fixture has a prior of the paper, whose criterion is the share of
    # first places.
    printed = re.sub(r",? else A(?= |\.|,)", "", printed.replace("A, but unclear: ", "A: "))
    printed = printed.replace(
        "comes first on N % of instances", "wins on N % of instances against its strongest rival, A"
    )
    sentences = re.findall(r".+?\.(?= |$)", printed)
    assert len(sentences) >= 3
    for sentence in sentences:
        assert sentence.replace("less than ", "") in shown.replace("less than ", "")


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
