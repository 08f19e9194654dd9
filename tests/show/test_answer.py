"""The answer in words: on one screen, complete, and the same in Markdown, LaTeX and HTML."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

import polarbear as pb
from polarbear.answer import Answer
from polarbear.answer.forecast import NextStep
from polarbear.answer.need import Need
from polarbear.answer.ranges import Range
from polarbear.answer.worst_case import WorstCase
from polarbear.findings import Code, Decide, Finding
from polarbear.opening import analyse
from polarbear.show.answer import Facts, Words, ends_of, format_budget, word_answer
from polarbear.show.environment import escape_markdown, wrap
from polarbear.show.remedies import Python, Shell
from polarbear.wording import shorten_names

# The example of the plan: an answer with every kind of statement.

RANGES = (
    Range("best", 100, 1639.4, 0, 9, ("MXNES",), (0.93,)),
    Range("best", 1639.4, 19477.2, 10, 19, ("CSA",), (0.91,)),
    Range("unclear", 19477.2, 30548.1, 20, 22, ("XNES", "CSA"), (0.52, 0.46)),
    Range("best", 30548.1, 60000, 23, 29, ("XNES",), (0.9,)),
)
NAMES = ("MXNES", "CSA", "XNES", "MSR", "TPA")
EXAMPLE = Answer(
    ranges=RANGES,
    all_ranges=RANGES,
    single=WorstCase(("CSA",), 411.0, "MXNES", 0.9),
    team=WorstCase(("CSA", "MXNES"), 60000.0, "XNES", 0.75),
    needs=(
        Need("MXNES", "CSA", 411.0, 0.79, 0.66, 0.88, 30),
        Need("XNES", "CSA", 60000.0, 0.81, 0.41, 1.67, 30),
    ),
    elsewhere=("MSR", "TPA"),
    same={},
    step=NextStep(19477.2, 30548.1, ("CSA", "XNES"), 150),
    names=NAMES,
    budgets=np.geomspace(100, 60000, 30),
    probability=np.full((30, 5), 0.2),
)
FACTS = Facts("30 instances", "instance", 100, 60000, "evaluations", "lower", "", "firm")
DROPPED = {"LPXNES": "CSA", "RS": "CSA"}
SHELL, PYTHON = Shell("race", "ma-bbob.race"), Python("race")
TEXT = """\
Best algorithm by budget (30 instances, 100 to 60,000 evaluations, lower is better)
  100 to 1,639      MXNES
  1,640 to 19,477   CSA
  19,478 to 30,548  unclear: probably XNES (52 %), else CSA
  30,549 to 60,000  XNES

If you want one algorithm: CSA. It is weakest at 411: there MXNES wins on up to 90 % of instances
  and reaches its quality with 0.79 of the evaluations (0.66 to 0.88).
With two, CSA and MXNES, no rival wins on more than 75 %.
At 60,000, XNES and CSA need about the same evaluations for the same quality (0.41 to 1.67).
Drop LPXNES and RS: CSA beats each of them at every budget.
Kept, though best at no budget: MSR and TPA.

Next: about 150 more instances should narrow 19,478 to 30,548 (CSA or XNES).
  polarbear race ma-bbob.race --decide CSA XNES
Details: add --details    Page: polarbear report ma-bbob.race"""


def words_of(answer=EXAMPLE, facts=FACTS, *, dropped=None, findings=(), voice=SHELL, remedy=None, **changes):
    return word_answer(
        replace(answer, **changes),
        facts,
        dropped=DROPPED if dropped is None else dropped,
        findings=findings,
        voice=voice,
        remedy=remedy,
    )


def text_of(*args, **options):
    """The answer as one line, to look for sentences wherever they are wrapped."""
    return " ".join(str(words_of(*args, **options)).split())


def test_the_example_of_the_plan():
    assert str(words_of(remedy=Decide("CSA", "XNES"))) == TEXT


def test_recordings_have_no_command_and_python_its_own():
    assert "polarbear race" not in str(words_of())
    said = str(words_of(voice=PYTHON, remedy=Decide("CSA", "XNES"))).splitlines()
    assert said[-2:] == [
        "  race.run(decide=('CSA', 'XNES'))",
        'Details: print(result.details())    Page: result.report("page.html")',
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"trust": "tentative"}, "Best algorithm by budget, tentative (30 instances, 100 to"),
        ({"trust": "unreliable"}, "Best algorithm by budget, unreliable (30 instances"),
        ({"direction": ""}, "60,000 evaluations)"),
        ({"clock": "", "direction": "higher"}, "100 to 60,000, higher is better)"),
        ({"tolerance": "1e-08"}, "lower is better, values within 1e-08 tie)"),
        ({"stop": 100}, "(30 instances, 100 evaluations, lower is better)"),
        ({"instances": "6 data sets with 54 splits"}, "(6 data sets with 54 splits, 100 to"),
    ],
)
def test_the_heading_says_what_was_compared(changes, expected):
    assert expected in words_of(facts=replace(FACTS, **changes)).heading


@pytest.mark.parametrize(
    ("kind", "names", "probabilities", "expected"),
    [
        ("no results", (), (), "no results yet on most instances"),
        ("not observed", (), (), "not observed"),
        ("alone", ("CSA",), (1.0,), "only CSA was observed"),
        ("best", ("CSA",), (0.9,), "CSA"),
        ("equal", ("CSA", "XNES"), (0.5, 0.5), "equal: CSA and XNES"),
        ("tied", ("CSA", "XNES"), (0.5, 0.5), "tied on 62 % of instances: CSA and XNES"),
        ("several", ("CSA", "XNES", "CSA"), (), "CSA, then XNES, then CSA"),
        ("several", tuple("abcdefgh"), (), "a, then b, then c, then d, then e, then 3 others"),
        ("unclear", ("CSA", "XNES"), (0.57, 0.4), "unclear: probably CSA (57 %), else XNES"),
        ("unclear", ("CSA", "XNES", "TPA"), (0.49, 0.3, 0.2), "unclear: CSA (49 %), else XNES or TPA"),
        ("unclear", ("CSA",), (0.97,), "unclear: probably CSA (97 %)"),
    ],
)
def test_what_a_range_says(kind, names, probabilities, expected):
    one = Range(kind, 100, 200, 0, 5, names, probabilities, 0.62 if kind == "tied" else None)
    ((where, choice),) = words_of(ranges=(one,)).rows
    assert (where, choice) == ("100 to 200", expected)


def test_what_is_said_about_one_algorithm():
    clear = WorstCase(("CSA",), 411.0, "MXNES", 0.52)
    assert "CSA. No rival is clearly better at any budget (at most 52 %)." in text_of(single=clear, team=None)
    same = Need("MXNES", "CSA", 411.0, 0.9, 0.6, 1.2, 30)
    text = text_of(needs=(same,))
    assert "wins on up to 90 % of instances, but both need about the same evaluations for the same quality" in text
    slower = Need("CSA", "MXNES", 411.0, 0.7, 0.5, 0.9, 30)  # on most instances, the rival is not faster
    assert "wins on up to 90 % of instances. With two" in text_of(needs=(slower,))
    assert "If you want one algorithm" not in text_of(single=None, team=None, needs=())


def test_what_is_needed_at_the_last_budget_is_not_taken_for_the_worst_one():
    """The rival at the worst budget is another one, and that budget is the last."""
    single = WorstCase(("CSA",), 60000.0, "MXNES", 0.7)
    last = Need("XNES", "CSA", 60000.0, 0.5, 0.4, 0.6, 30)
    text = text_of(single=single, needs=(last,))
    assert "there MXNES wins on up to 70 % of instances. With two" in text
    assert "At 60,000, XNES needs 0.50 of the evaluations of CSA for the same quality (0.40 to 0.60)." in text
    clear = WorstCase(("CSA",), 60000.0, "XNES", 0.52)
    assert "At 60,000, XNES needs 0.50 of the evaluations" in text_of(single=clear, needs=(last,))


def test_one_kept_algorithm_needs_one_sentence():
    only = {"ranges": RANGES[:1], "single": None, "team": None, "needs": (), "elsewhere": (), "step": None}
    text = text_of(names=("MXNES",), dropped={"RS": "MXNES"}, **only)
    assert "Only MXNES is kept: choose it at every budget. Drop RS: MXNES beats it at every budget." in text
    assert "MXNES is the only algorithm." in text_of(names=("MXNES",), dropped={}, **only)
    text = text_of(names=("MXNES",), dropped={}, same={"MXNES": ("RS",)}, **only)
    assert "MXNES and RS tie on every instance and count as one." in text
    assert "the only algorithm" not in text


def test_algorithms_that_are_the_same_are_named():
    assert "CSA and CSA2 tie on every instance and count as one." in text_of(same={"CSA": ("CSA2",)})
    groups = {f"n{k}": (f"m{k}", f"o{k}") for k in range(5)}
    text = text_of(same=groups)
    assert "n0, m0 and o0; n1, m1 and o1; and 9 others tie on every instance and count as one each." in text


def test_who_beats_the_dropped_ones():
    dropped = {**{f"x{k}": "CSA" for k in range(7)}, "y": "XNES"}
    assert "Drop x0, x1, x2, x3, x4 and 3 others: CSA or XNES beats each of them at every budget." in text_of(
        dropped=dropped
    )


# Findings


UNRELIABLE = Finding(
    Code.DROP_CONTRADICTED, "unreliable", ("RS", "CSA"), {"probability": 0.97, "own": 0.0, "budget": 9}
)
FEW = Finding(Code.FEW_INSTANCES, "tentative", numbers={"number": 9, "clusters": False, "needed": 30})
CIRCLE = Finding(Code.CIRCLE, "note", ("a", "b", "c"))
CHANGED = Finding(Code.CHANGED_CODE, "tentative", ("RS",))


def test_findings_that_make_an_answer_unreliable_come_first_and_one_other_is_printed():
    words = words_of(findings=[CIRCLE, CHANGED, UNRELIABLE, FEW, CIRCLE], team=None, needs=())
    assert [each.partition(":")[0] for each in words.warnings] == ["Unreliable"]
    assert [each for each in words.sentences if each.startswith("Note")] == [
        "Note: The code of RS changed after some of its runs were stored, so that its runs may come from different "
        "versions. A new name would race the new code from the start."
    ]
    assert "and 2 more notes" in words.footer  # few instances are in the heading
    lines = str(words).splitlines()
    assert lines.index(next(line for line in lines if line.startswith("Unreliable"))) < lines.index(
        next(line for line in lines if line.startswith("If you want"))
    )


def test_a_single_instance_is_warned_of():
    single = replace(FEW, severity="unreliable", numbers={"number": 1, "clusters": False, "needed": 30})
    assert len(words_of(findings=[single]).warnings) == 1
    assert words_of(findings=[FEW]).warnings == ()
    assert "more note" not in words_of(findings=[FEW]).footer


@pytest.mark.parametrize("number", [1, 3, 5, 20])
def test_many_warnings_fit_on_the_screen_and_all_are_counted(number):
    words = words_of(findings=[UNRELIABLE] * number)
    printed = [each for each in words.warnings if each.startswith("Unreliable: ")]
    rest = re.search(r"Unreliable for (\d+) more reasons?\.", " ".join(words.warnings))
    assert len(printed) + (int(rest[1]) if rest else 0) == number
    assert words.fits


def test_what_does_not_fit_is_left_out_in_this_order():
    """First the note, then what is needed at the last budget, then names in lists."""
    note = replace(CHANGED, subject=tuple(f"an algorithm with a long name {k}" for k in range(5)))
    plain = words_of(findings=[note, CIRCLE], team=None, needs=(), elsewhere=())
    assert any(each.startswith("Note") for each in plain.sentences)
    long = {f"a long name that is number {k}": "CSA" for k in range(4)}
    crowded = words_of(findings=[note, CIRCLE], dropped=long)
    assert not any(each.startswith("Note") for each in crowded.sentences)
    assert any(each.startswith("At 60,000") for each in crowded.sentences)
    assert "and 2 more notes" in crowded.footer
    more = words_of(findings=[note, UNRELIABLE], dropped=long, remedy=Decide("CSA", "XNES"))
    assert not any(each.startswith("At 60,000") for each in more.sentences)
    assert all(each.fits for each in (plain, crowded, more))


# Budgets


@given(start=st.floats(1, 1e6), width=st.floats(1, 100))
def test_a_range_of_evaluations_has_whole_ends_inside(start, width):
    first, last = (int(each.replace(",", "")) for each in ends_of(start, start + width, "evaluations"))
    assert start - 1e-6 <= first <= last <= start + width + 1e-6


def test_a_range_between_two_whole_numbers_keeps_its_ends():
    assert ends_of(2.2, 2.6, "evaluations per dimension") == ("2.2", "2.6")
    assert ends_of(0.5, 2.25, "evaluations") == ("0.5", "2")
    assert format_budget(0.5, "evaluations") == "0.5"
    assert format_budget(1234567.8, "evaluations") == "1,234,568"
    assert format_budget(1234567.8, "seconds") == "1,230,000"


# Real results


TAGS = {"table", "caption", "thead", "tbody", "tr", "th", "td", "p", "code"}
LATEX = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", r"\&": "&", r"\%": "%", r"\$": "$", r"\#": "#", r"\_": "_",
    r"\{": "{", r"\}": "}",
}  # fmt: skip


class Reader(HTMLParser):
    """Collects the text of HTML, and the tags that should not be there."""

    def __init__(self):
        super().__init__()
        self.text, self.foreign = "", []

    def handle_starttag(self, tag, attrs):
        self.foreign += [tag] if tag not in TAGS or any(name != "style" for name, _ in attrs) else []

    def handle_data(self, data):
        self.text += data


def in_one_line(text):
    return " ".join(text.split())


def check_on_one_screen(text, exempt=()):
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) <= 15, text
    assert all(len(line) <= 100 or line.strip() in exempt for line in lines), text
    assert all(line == line.rstrip() for line in lines)
    for line in lines:
        assert not line.lstrip().startswith("%")


def check_formats(words):
    statements = [words.heading, *(cell for row in words.rows for cell in row), *words.warnings, *words.sentences]
    statements = [in_one_line(each) for each in statements]
    page = Reader()
    page.feed(words.to_html())
    assert page.foreign == []
    assert all(each in in_one_line(page.text) for each in [*statements, in_one_line(words.step)])
    markdown = words.to_markdown()
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in rows)
    assert len(rows) == len(words.rows) + 2
    plain = in_one_line(re.sub(r"\\([^\sA-Za-z0-9])", r"\1", markdown))
    assert all(re.sub(r"\\([^\sA-Za-z0-9])", r"\1", each) in plain for each in statements)
    latex = words.to_latex()
    bare = re.sub(r"\\(begin|end)\{tabular\}(\{ll\})?|\\(top|mid|bottom)rule|\\\\$", "", latex, flags=re.MULTILINE)
    assert len(re.findall(r"(?<!\\)&", bare)) == len(words.rows) + 1
    found = bare.replace("\n", " ")
    for escaped in LATEX:
        found = found.replace(escaped, "")
    assert not re.search(r"[\\%$#_{}~^<>|]", found.replace(" & ", "")), found
    pattern = "|".join(re.escape(each) for each in LATEX)
    plain = in_one_line(re.sub(pattern, lambda match: LATEX[match[0]], bare))
    assert all(each in plain for each in statements)


def check_nobody_vanishes(result, words):
    """Every algorithm is on some line, or counted by "12 others"."""
    names = list(dict.fromkeys([*result.answer.names, *result.dropped, *sum(result.answer.same.values(), ())]))
    assert set(names) == set(result.posterior.names)
    short = shorten_names(names, width=24)
    sentences = [each for each in words.sentences if not each.startswith("Note")]
    text = "\n".join([*(choice for _, choice in words.rows), *sentences])
    counted = sum(int(number.replace(",", "")) for number in re.findall(r"([\d,]+) others?\b", text))
    missing = [name for name in names if in_one_line(short.get(name, name)) not in text]
    assert len(missing) <= counted, (missing, text)


def check_result(result):
    for words in (result.words(), result.words(shell=True)):
        check_on_one_screen(str(words))
        check_formats(words)
        check_nobody_vanishes(result, words)
    if result.clock == "evaluations":
        budgets = [where for where, _ in words.rows]
        budgets += re.findall(
            r"(?:weakest at|^At|narrow) (\S+)", "\n".join([*words.sentences, words.step]), re.MULTILINE
        )
        assert not any("." in each.rstrip(".:,") for each in budgets)


STYLES = {
    "short": lambda k: f"a{k}",
    "one letter": lambda k: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[k],
    "long": lambda k: f"differential evolution with population {10 * k} and restarts, tolerance 1e-{k:02}, ok"[:80],
    "long and alike": lambda k: f"{'x' * 39}{k:02}{'y' * 39}",
    "one long word": lambda k: f"{'ab' * 30}{k}",
    "html": lambda k: f"<script>alert({k})</script> & 'q' \"{k}\"",
    "latex": lambda k: f"50%_ES {{#{k}}} $x^{k}$ ~\\input{{f}} & <{k}>",
    "markdown": lambda k: f"`a`*{k}*|_b_|[c](d) \\ {k}",
    "unicode": lambda k: f"Ünïcødé αβγ {k} 進化 😀",
    "percent": lambda k: f"rate {k} % of all",
}


def simulated(kind, algorithms, *, name=STYLES["short"], instances=12, clusters=False, seed=0, maximise=False):
    """Runs of algorithms at eight budgets."""
    rng = np.random.default_rng(seed)
    at = np.geomspace(10, 5000, 8)
    level = {
        "crossing": np.linspace(1.5, -1.5, 8)[:, None] * rng.normal(size=algorithms),
        "decided": 3.0 * np.arange(algorithms) + np.zeros((8, 1)),
        "undecided": np.zeros((8, algorithms)),
        "twins": np.zeros((8, algorithms)),
        "ended": np.linspace(1, -1, 8)[:, None] * rng.normal(size=algorithms),
    }[kind]
    runs = []
    for i in range(instances):
        noise = rng.normal(size=(1, algorithms)) + 0.2 * rng.normal(size=(8, algorithms))
        values = 100.0 - 10 * np.arange(8)[:, None] + level + noise
        for k in range(algorithms):
            own = values[:, k // 2 if kind == "twins" else k]
            own = np.minimum.accumulate(own)
            budget = at[rng.integers(3, 8)] if kind == "ended" and k % 3 == 0 else at[-1]
            kept = at <= budget
            runs.append(
                pb.Trajectory(
                    name(k),
                    i,
                    at[kept],
                    -own[kept] if maximise else own[kept],
                    end=budget,
                    maximise=maximise,
                    cluster=i // 3 if clusters else None,
                )
            )
    return runs


@settings(max_examples=25, phases=[Phase.explicit, Phase.generate], suppress_health_check=[HealthCheck.too_slow])
@given(
    kind=st.sampled_from(["crossing", "decided", "undecided", "twins", "ended"]),
    algorithms=st.sampled_from([2, 3, 5, 9]),
    style=st.sampled_from(list(STYLES)),
    clock=st.sampled_from(["evaluations", "seconds", None]),
    clusters=st.booleans(),
    maximise=st.booleans(),
    seed=st.integers(0, 99),
)
@example("crossing", 9, "long and alike", "evaluations", True, False, 1)
@example("twins", 12, "long", "seconds", False, True, 2)
@example("undecided", 9, "html", "evaluations", False, False, 3)
@example("decided", 9, "latex", "seconds", False, False, 4)
def test_whatever_the_result_it_fits_on_one_screen_and_nobody_vanishes(
    kind, algorithms, style, clock, clusters, maximise, seed
):
    runs = simulated(kind, algorithms, name=STYLES[style], clusters=clusters, seed=seed, maximise=maximise)
    check_result(analyse(runs, clock=clock, budgets=":8", draws=100))


@pytest.mark.parametrize(("kind", "style"), [("crossing", "long"), ("undecided", "html"), ("twins", "latex")])
def test_forty_algorithms_fit_on_one_screen(kind, style):
    check_result(
        analyse(simulated(kind, 40, name=STYLES[style], instances=6), clock="evaluations", budgets=":3", draws=100)
    )


@pytest.mark.parametrize("instances", [1, 2, 40])
def test_any_number_of_instances(instances):
    check_result(analyse(simulated("crossing", 4, instances=instances), clock="seconds", budgets=":8", draws=100))


def test_budgets_without_observations_have_no_choice_and_no_error():
    runs = simulated("crossing", 3)
    result = analyse(runs, clock="evaluations", budgets=pb.Grid([10, 100, 1000, 5000, 6000, 9000], "log"), draws=100)
    check_result(result)
    assert result.answer.single is None


# Parts


def test_names_in_code_cannot_leave_it():
    words = words_of(remedy=Decide("a`b", "<script>"))
    assert "`` polarbear race ma-bbob.race --decide 'a`b' '<script>' ``" in words.to_markdown()
    assert "<script>" not in words.to_html()


@given(st.text(min_size=1, max_size=300))
def test_wrapped_text_is_the_same_text(text):
    plain = "  " + in_one_line(text)
    wrapped = wrap(text, 2, 40)
    assert in_one_line(wrapped) == in_one_line(plain)
    words = max(map(len, re.split(r"[ \t\n\v\f\r]+", text)))  # where textwrap breaks lines
    assert all(len(line) <= max(40, words + 3) for line in wrapped.split("\n"))


@pytest.mark.parametrize("width", range(20, 60))
def test_a_number_and_its_percent_sign_stay_on_one_line(width):
    text = wrap("wins on up to 90 % of instances, and on 5 % or 100 % of all, at most 12 % of the time", 2, width)
    assert len(re.findall(r"\d %", text)) == 4


@given(st.text(alphabet="ab <>&|*_`[]\\~$#-", max_size=40))
def test_markdown_escapes_what_it_would_read(text):
    escaped = escape_markdown(text)
    assert re.sub(r"\\([^\sA-Za-z0-9])", r"\1", escaped.replace("\\\\", "\0")).replace("\0", "\\") == text
    assert not re.search(r"(?<!\\)(?:\\\\)*[<>&|*_`\[\]]", escaped.replace("\\\\", ""))


def test_blank_parts_leave_no_blank_lines():
    text = str(Words("Heading", (("1 to 2", "a"),), (), ()))
    assert text == "Heading\n  1 to 2  a"


# The headline of the page


@pytest.mark.parametrize(
    ("changes", "trust", "headline"),
    [
        ({}, "firm", "CSA; MXNES from 100 to 1,639; unclear from 19,478 to 30,548; XNES from 30,549 to 60,000"),
        ({"ranges": RANGES[1:2]}, "firm", "CSA"),
        ({"ranges": RANGES[1:3]}, "tentative", "CSA; unclear from 19,478 to 30,548 (tentative)"),
        (
            {"ranges": (Range("equal", 100, 100, 0, 0, ("CSA", "XNES"), (0.5, 0.5)),)},
            "unreliable",
            "CSA; equal: CSA and XNES at 100 (unreliable)",
        ),
    ],
)
def test_the_headline_names_the_choice_and_says_where_it_is_open(changes, trust, headline):
    assert words_of(facts=replace(FACTS, trust=trust), **changes).headline == headline
