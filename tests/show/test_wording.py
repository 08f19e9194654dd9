"""The text of each finding and the words of each remedy, in both voices."""

import ast
import inspect
import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import typer
from jinja2 import UndefinedError

import polarbear as pb
from polarbear.cli.commands import app
from polarbear.driver.race import RunOptions
from polarbear.findings import (
    AddInstances,
    Code,
    Continue,
    Decide,
    Finding,
    GiveRuns,
    GoOnUntil,
    Include,
    InstallExtra,
    ReadWith,
    Remedy,
    RerunFailed,
    Restore,
    ShowPair,
    StopAt,
    UseBootstrap,
)
from polarbear.importers.reasons import Reason
from polarbear.opening import analyse
from polarbear.result import Result
from polarbear.running import Race
from polarbear.show.reading import ASSUMPTIONS
from polarbear.show.remedies import Python, Shell
from polarbear.show.wording import TEXTS, text_of
from tests.reporting.races import recorded_runs, small_race

# For each code the subjects and numbers of findings, in the singular and in the plural.
MISFIT = {"budget": 316.2, "first": 100.0, "last": 1000.0, "observed": 0.31, "modelled": 0.52, "errors": -6.1}
INFLUENCE = {"name": "de", "first": "cma", "second": "rs", "budget": 50.0, "rate": 0.53, "without": 0.7, "errors": 4.0}
STOPPED = {"instances": 64, "cost": 123456.7, "clock": "evaluations", "patience": 400, "further": 0, "undecided": []}
OPEN = [{"pair": ["cma", "de"], "budgets": 9, "start": 10.0, "stop": 90.0}]
FAILED = {"failed": 3, "runs": 24, "missing": False, "accepted": False, "traceback": "", "output": ""}
SKIPPED = {"reason": "WRONG_WIDTH", "details": {"columns": 3}, "files": ["a.csv"], "first": "", "count": 1}
CASES = {
    Code.UNRELIABLE_POSTERIOR: [
        ((), {"method": "hmc", "effective_draws": 31.4, "pareto_k": None, "r_hat": 1.23, "divergences": 1}),
        (
            (),
            {"method": "nested-laplace", "effective_draws": 12.0, "pareto_k": 0.91, "r_hat": None, "divergences": None},
        ),
    ],
    Code.FEW_INSTANCES: [
        ((), {"number": number, "clusters": clusters, "needed": 20}) for number in (1, 7) for clusters in (True, False)
    ],
    Code.FEW_AT_BUDGETS: [
        ((), {"start": 10.0, "stop": stop, "instances": number, "elsewhere": 1200})
        for stop, number in ((10.0, 1), (31.6, 9))
    ],
    Code.NOT_OBSERVED: [
        (("cma",), {"gaps": [{"algorithms": ["cma"], "gaps": [(None, None)]}]}),
        (
            ("cma", "de", "rs"),
            {
                "gaps": [
                    {"algorithms": ["cma", "de"], "gaps": [(None, 10.0), (100.0, None)]},
                    *({"algorithms": ["rs"], "gaps": [(10.0, 100.0)]} for _ in range(4)),
                ]
            },
        ),
    ],
    Code.NOT_CHECKED: [((), {})],
    Code.SAME_RESULTS: [(("cma", "de"), {}), (tuple("abcdefgh"), {})],
    Code.MODEL_MISFIT: [(("cma", "de"), {**MISFIT, "instances": 63.4, "more": more}) for more in (0, 1, 5)],
    Code.MODEL_INFLUENCE: [(("de",), {**INFLUENCE, "others": others}) for others in ([], ["cma"], list("abcdefgh"))],
    Code.DEPENDENT_BUDGETS: [((), {"prior": "Dirichlet(concentration=1.0)", "budgets": 30, "independent": 3.7})],
    Code.NEAREST_BUDGET: [((), {"budget": 57.0, "used": 10.0}), ((), {"budget": 12345.6, "used": 10000.0})],
    Code.LEFT_OUT: [(("cma",), {}), (("cma", "de"), {})],
    Code.BUDGETS_OUTSIDE: [((), {"share": share}) for share in (0.0, 0.0004, 0.75)],
    Code.SEPARATE_BUDGETS: [((), {"prior": "Dirichlet(concentration=1.0)"})],
    Code.SUMMED_RATINGS: [((), {"only_copies": each}) for each in (True, False)],
    Code.MEASURED_COPIES: [
        ((), {"instances": instances, "fewest": 2, "most": most, "enough": enough})
        for instances in (1, 40)
        for most, enough in ((2, True), (5, True), (5, False))
    ],
    Code.NO_COPIES: [((), {})],
    Code.SEARCHED: [((), {})],
    Code.CIRCLE: [(("cma", "de", "rs"), {})],
    Code.DROP_CONTRADICTED: [(("de", "cma"), {"probability": 0.97, "own": 0.01, "budget": 100.0})],
    Code.DROP_UNSUPPORTED: [(("de", "cma"), {"probability": 0.97, "own": 0.31, "budget": 100.0})],
    Code.DROP_IN_DOUBT: [(("de",), {"error": 0.3, "any": 0.4, "specialist": each}) for each in (True, False)],
    Code.DROP_ON_FEW: [(("de", "cma"), {"instances": number}) for number in (1, 5)],
    Code.DROPPED_FIRST_SOMEWHERE: [
        (names, {"algorithms": [{"name": each, "share": 0.2, "budget": 31.6} for each in names]})
        for names in (("a",), tuple("abc"), tuple("abcd"), tuple("abcdef"))
    ],
    Code.DROPPED_BY_USER: [(("cma",), {}), (("cma", "de"), {})],
    Code.SET_ASIDE: [(("cma",), {}), (("cma", "de"), {})],
    Code.NO_ROUND: [((), {"runs": number}) for number in (0, 1, 12)],
    Code.STOPPED: [
        (("cma", "de"), {**STOPPED, "reason": reason, "undecided": pairs, "further": further})
        for reason in (
            *("max_instances", "max_evaluations", "max_seconds", "instances ran out", "no drop likely"),
            *("pairs left undecided", "selected pairs decided", "interrupted", "callback", "paused"),
        )
        for pairs, further in (([], 0), (OPEN, 1), (OPEN * 5, 80))
    ],
    Code.NOT_RUN_YET: [(("cma",), {}), (("cma", "de"), {})],
    Code.ALGORITHM_FAILS: [(("cma",), {}), (("cma", "de"), {})],
    Code.FAILED_RUNS: [
        (("cma",), {**FAILED, "error": "ValueError: no"}),
        (("cma",), {**FAILED, "failed": 24, "missing": True, "error": "exit code 1", "output": "one\ntwo"}),
        (("cma",), {**FAILED, "failed": 1, "runs": 1, "error": "no message"}),
    ],
    Code.CHANGED_CODE: [(("cma",), {}), (("cma", "de"), {})],
    Code.SHARED_PROCESSOR: [((), {"waited": 9, "runs": 1200, "fair": 0.9, "worst": 0.42})],
    Code.RAN_ON_FEW: [(("cma",), {"instances": 64, "most": 8}), (("cma", "de"), {"instances": 64, "most": 8})],
    Code.GROUP_RULE: [
        (subject, {"feature": "dimension", "groups": groups})
        for subject in ((), ("de",), ("de", "rs"))
        for groups in (["2"], ["2", "5", "40"])
    ],
    Code.NO_GROUPS: [((), {"feature": "dimension"})],
    Code.SMALL_GROUPS: [((), {"groups": groups, "needed": 8}) for groups in (["2"], ["2", "5"])],
    Code.SINGLE_GROUPS: [((), {"feature": "seed", "single": 1234, "groups": 2000})],
    Code.OUTSIDE_GROUPS: [((), {"feature": "noise", "outside": number, "instances": 64}) for number in (1, 12)],
    Code.LEAKED_FEATURE: [
        ((), {"feature": "winner", "like": "winner"}),
        ((), {"feature": "f", "like": "best final value"}),
        (("cma",), {"feature": "f", "like": "final value"}),
        (("cma", "de"), {"feature": "f", "like": "difference of final values"}),
    ],
    Code.UNUSED_LEAKS: [((), {"features": ["f"]}), ((), {"features": ["f", "g"]})],
    Code.FEW_SHARED_INSTANCES: [((), {"counting": 12, "instances": 64})],
    Code.MISSING_FEATURES: [((), {"origin": "Features.csv", "without": 3, "instances": 64})],
    Code.UNUSED_ROWS: [((), {"origin": "Features.csv", "rows": rows}) for rows in (1, 1234)],
    Code.USELESS_FEATURES: [
        ((), {"why": "constant", "features": ["f", "g"]}),
        ((), {"why": "repeated", "features": ["f", "g"], "equal_to": ["h", "i"]}),
    ],
    Code.ONLY_KEPT: [((), {})],
    Code.REPLACED_FEATURES: [((), {"features": ["f"]}), ((), {"features": ["f", "g"]})],
    Code.DATA_SKIPPED: [
        ((), SKIPPED),
        ((), {**SKIPPED, "first": "line 17: 'cma,10'", "count": 1234}),
        ((), {**SKIPPED, "files": ["a.csv", "b.csv"], "count": 3}),
    ],
    Code.IRREGULAR_DATA: [
        ((), {**SKIPPED, "reason": "DUPLICATE_ROWS", "details": {}, "files": ["A.csv"], "count": 12})
    ],
    Code.ASSUMED: [
        ((), {"assumption": name, **numbers})
        for name, numbers in (
            ("OPEN_END", {"files": ["A.csv"]}),
            ("OPEN_END", {"files": ["A.csv", "b.csv"]}),
            ("VALUE_COLUMN", {"files": ["a.csv"], "column": "raw_y"}),
            ("DIRECTION", {"suite": "PBO", "maximise": True, "visible": True}),
            ("DIRECTION", {"suite": "PBO", "maximise": False, "visible": False}),
            ("BOTH_DIRECTIONS", {}),
            ("SEVERAL_SEEDS", {}),
            ("HISTORIES_READ", {}),
            ("ESTIMATED_COSTS", {}),
            ("KEPT_APART", {"algorithms": ["cma (1)", "cma (2)"]}),
            ("TAKEN_AS_REPETITIONS", {"algorithms": ["cma"]}),
            ("NOTHING_IN_COMMON", {}),
            ("SEVERAL_DIMENSIONS", {"dimensions": [2, 5, 40]}),
            ("REFERENCE_POINTS", {"points": 1}),
            ("REFERENCE_POINTS", {"points": 24}),
            ("BEYOND_REFERENCE", {"without": 3, "runs": 64}),
            ("NO_FUNCTION", {"unknown": 3, "blocks": 64}),
            ("ONE_INSTANCE", {"blocks": 64}),
            ("ONE_FUNCTION", {"blocks": 64}),
            ("CLUSTERS", {"clusters": 24, "kind": "function", "unit": "instance", "members": 360, "by_rule": True}),
            ("CLUSTERS", {"clusters": 1, "kind": "family", "unit": "run", "members": 360, "by_rule": False}),
            ("ONE_CLUSTER", {"members": 64, "kind": "class", "unit": "run", "label": "'a'"}),
        )
    ],
    Code.SPARSE_ALGORITHMS: [
        ((*counts,), {"usual": 48.5, "counts": counts}) for counts in ({"de": 3}, {"de": 3, "rs": 1})
    ],
    Code.RUNS_GO_ON: [
        ((), {"later": 12, "runs": 64, "stop": 1000.0, "clock": clock}) for clock in ("evaluations", "seconds", "")
    ],
    Code.RUN_ENDS: [
        ((), {"finished": finished, "cut": cut, "failed": failed, "stop": 1000.0})
        for finished in (0, 1, 12)
        for cut in (0, 1, 12)
        for failed in (0, 12)
        if finished or cut or failed
    ],
}

REMEDIES = [
    *(Continue(), Continue(instances=300), Continue(cost=2.5e6, only=("cma", "it's"))),
    *(Decide("cma", "differential evolution"), Decide("cma", "de", 300)),
    *(GoOnUntil("pairs"), GoOnUntil("every-budget")),
    *(Restore("cma"), Restore("cma", rerun=True)),
    *(RerunFailed(("cma",)), RerunFailed(("cma",), acceptable=False)),
    *(UseBootstrap(), ShowPair("cma", "d e"), GiveRuns(), AddInstances(repeat=True), AddInstances(repeat=False)),
    *(Include(("cma", "d e")), StopAt(1234.5)),
    *(ReadWith("per", "dimension"), ReadWith("renumber", value=True, otherwise=ReadWith("per", "dimension"))),
    InstallExtra("parquet"),
]


def all_cases():
    return [
        pytest.param(code, subject, numbers, id=f"{code.name}-{place}")
        for code, cases in CASES.items()
        for place, (subject, numbers) in enumerate(cases)
    ]


def is_in_full_sentences(text, names=()):
    """Whether a text begins with a capital letter, a name or a number, ends as a sentence does, and has no gaps."""
    begins = text[0].isupper() or text[0].isdigit() or text.startswith(tuple(names))
    gaps = re.search(r"  | [.,;:)]|[,;:]\.|\.\.(?!\.)|[{}]|\bNone\b|\bnan\b|\(\s|\n", text)
    return bool(begins and text.endswith((".", "?")) and not gaps and text.count("(") == text.count(")"))


# Texts


@pytest.mark.parametrize("code", list(Code))
def test_every_code_has_a_text_and_a_case(code):
    assert code in TEXTS
    assert CASES.get(code), f"add findings with the code {code.name} to CASES"


def test_there_is_no_text_without_a_code():
    assert set(TEXTS) == set(CASES) == set(Code)


@pytest.mark.parametrize(("code", "subject", "numbers"), all_cases())
def test_findings_are_worded_in_full_sentences(code, subject, numbers):
    files = numbers.get("files", ())
    groups = [str(each) for each in numbers.get("groups", ())] if code is Code.SMALL_GROUPS else []
    names = [*subject, *files, *groups, *numbers.get("features", ())]
    text = text_of(Finding(code, "note", tuple(subject), numbers))
    assert is_in_full_sentences(text, names), text
    for one in re.findall(r"(?<![\d,.])1 ([a-z]+)", text):
        assert not one.endswith("s") or one in ("is", "was", "has"), text


@pytest.mark.parametrize(("code", "subject", "numbers"), all_cases())
def test_texts_name_no_command_and_no_call(code, subject, numbers):
    text = text_of(Finding(code, "note", tuple(subject), numbers))
    assert not re.search(r"--\w|polarbear |pb\.|result\.|race\.\w+\(", text)


@pytest.mark.parametrize("name", ASSUMPTIONS)
def test_every_assumption_has_a_case(name):
    assert name in [numbers["assumption"] for _, numbers in CASES[Code.ASSUMED]]


def test_every_reason_for_which_data_are_skipped_has_a_text():
    details = {
        **dict.fromkeys(
            ("problem", "kind", "reference", "other", "original", "budget", "value", "measure", "key"), "x"
        ),
        **dict.fromkeys(("columns", "existing", "names"), ("x", "y")),
        **dict.fromkeys(("limit", "megabytes", "number", "gigabytes", "ratio", "minutes"), 12),
        "column": "x",
    }
    for reason in Reason:
        numbers = {**SKIPPED, "reason": reason.name, "details": details, "files": ["A.csv"]}
        for code in (Code.DATA_SKIPPED, Code.IRREGULAR_DATA):
            text = text_of(Finding(code, "note", (), numbers))
            assert text.endswith(".")
            assert "{" not in text


def test_a_number_that_is_missing_is_an_error():
    with pytest.raises(UndefinedError, match="'feature' is undefined"):
        text_of(Finding(Code.NO_GROUPS, "note"))


# Remedies


def test_every_remedy_is_said_in_both_voices():
    assert {type(each) for each in REMEDIES} == set(get_args(Remedy))
    for each in REMEDIES:
        for source in ("race", "runs"):
            said = [Shell(source, "my.race").say(each), Python(source).say(each)]
            assert all(said), each
            assert len(set(said)) == 2 or isinstance(each, InstallExtra)
            assert not any("None" in one for one in said)


def commands_and_options(said):
    """The command that a remedy names, and all options, also those after "or"."""
    words = shlex.split(said.replace(",", " "))
    return words[1], {word for word in words if word.startswith("--")}


@pytest.mark.parametrize("remedy", REMEDIES, ids=str)
def test_the_commands_that_remedies_name_exist(remedy):
    program = typer.main.get_command(app)
    for source in ("race", "runs"):
        said = Shell(source, "my.race").say(remedy)
        if said.startswith("polarbear"):
            name, options = commands_and_options(said)
            known = {option for each in program.get_command(None, name).params for option in each.opts}
            assert options <= known


def calls_in(said):
    """The calls that a remedy names, each as the function and its keywords."""
    for part in re.split(r"; |, or (?:accept them: )?", said):
        try:
            call = ast.parse(part, mode="eval").body
        except SyntaxError:
            continue
        while isinstance(call, ast.Call):
            yield ast.unparse(call.func), {each.arg for each in call.keywords}
            call = next((each.value for each in call.keywords if isinstance(each.value, ast.Call)), None)


def parameters_of(name):
    root, *path = name.split(".")
    function = {"race": Race, "result": Result, "pb": pb}[root]
    for each in path:
        function = getattr(function, each)
    further = {Race.run: RunOptions.__annotations__, analyse: inspect.signature(pb.read_runs).parameters}
    further[Race] = further[Race.open] = inspect.signature(pb.Settings).parameters
    return {*inspect.signature(function).parameters, *further.get(function, ())}


@pytest.mark.parametrize("remedy", REMEDIES, ids=str)
def test_the_calls_that_remedies_name_exist(remedy):
    for source in ("race", "runs"):
        calls = list(calls_in(Python(source).say(remedy)))
        assert calls or remedy == AddInstances(repeat=False) or isinstance(remedy, InstallExtra)
        for name, keywords in calls:
            assert keywords <= parameters_of(name)


def test_names_are_quoted_for_the_shell_and_for_python():
    remedy = Decide("it's", "d e")
    assert Shell("race", "my.race").say(remedy) == """polarbear race my.race --decide 'it'"'"'s' 'd e'"""
    assert Python("race").say(remedy) == """race.run(decide=("it's", 'd e'))"""


def test_without_a_file_the_shell_has_no_command():
    assert {Shell("runs", "").say(each) for each in REMEDIES if not isinstance(each, InstallExtra)} == {""}


def test_a_race_of_a_python_program_is_continued_in_python():
    voice = Shell("race", "my.race", continues=False)
    assert voice.say(Continue(instances=300)) == Python("race").say(Continue(instances=300))
    assert voice.say(ShowPair("a", "b")).startswith("polarbear plot my.race")


def test_a_saved_posterior_cannot_be_fitted_again_by_a_command():
    assert Shell("posterior", "my.npz").say(UseBootstrap()) == ""


def test_the_footer_names_what_exists():
    assert "polarbear report my.race" in Shell("race", "my.race").footer(0)
    assert typer.main.get_command(app).get_command(None, "report") is not None
    assert [name for name, _ in calls_in(Python("race").footer(0).split("Page: ")[1])] == ["result.report"]
    assert callable(Result.report)


@pytest.mark.parametrize("voice", [Shell("race", "my.race"), Python("race")], ids=["shell", "python"])
def test_the_footer_counts_further_notes(voice):
    assert "note" not in voice.footer(0)
    assert "and 1 more note:" in voice.footer(1)
    assert "and 7 more notes:" in voice.footer(7)


# Findings are data


@pytest.fixture(scope="module")
def collected():
    """Findings of recorded runs, of fits with a model, and of a race."""
    rng = np.random.default_rng(0)
    names = ("quick", "steady", "slow", "hopeless")
    few = recorded_runs(names, instances=6)
    twins = [*few, *(run.under_name("twin") for run in few if run.algorithm == "quick")]
    ends = [
        pb.Trajectory(name, i, [10, 20], [3.0 + rng.random(), rng.random()], end=budget, **options)
        for i in range(24)
        for name, budget, options in (
            ("a", 900, {}),
            ("b", 50, {"finished": i % 2 == 0}),
            ("c", 80 if i % 3 else 900, {}),
        )
    ]
    sparse = [*recorded_runs(names), *(run.under_name("rare") for run in few[:4])]
    results = [
        analyse(few, prior=pb.RandomWalk(), draws=400, clock="evaluations"),
        analyse(twins, clock="seconds"),
        analyse(ends, clock="evaluations", budgets="10..500"),
        analyse(ends[:3], clock="evaluations"),
        analyse(sparse, prior=pb.Dirichlet(), draws=400),
    ]
    with small_race() as race:
        results.append(race.result)
    return [each for result in results for each in result.findings]


def test_findings_hold_no_prose(collected):
    assert len({each.code for each in collected}) >= 6

    def strings(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for key, each in value.items():
                yield from strings(key)
                yield from strings(each)
        elif isinstance(value, list | tuple):
            for each in value:
                yield from strings(each)

    for each in collected:
        for text in strings(dict(each.numbers)):
            assert ". " not in text
            assert "--" not in text


def test_findings_of_real_data_are_worded_and_are_json(collected):
    for each in collected:
        names = [*each.subject, *each.numbers.get("files", ())]
        assert is_in_full_sentences(text_of(each), names), text_of(each)
        stored = json.loads(json.dumps(each.to_dict(), allow_nan=False))
        assert (stored["code"], stored["severity"]) == (each.code.name.lower(), each.severity)
        assert (stored["remedy"] is None) == (each.remedy is None)
        if each.remedy is not None:
            assert stored["remedy"]["kind"] == type(each.remedy).__name__
            assert Python("runs").say(each.remedy)


def test_only_rooms_above_show_import_it():
    """The import linter reads this list; answers and findings lie below the words."""
    project = tomllib.loads((Path(pb.__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    place = {name.strip(): row for row, layer in enumerate(layers) for name in layer.split("|")}
    order = ["polarbear.cli", "polarbear.result", "polarbear.show", "polarbear.answer", "polarbear.race"]
    assert [place[name] for name in order] == sorted(place[name] for name in order)
    assert place["polarbear.show"] < place["polarbear.answer"] < place["polarbear.findings"]
