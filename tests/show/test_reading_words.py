"""What reading recorded runs found, in words: skipped data, assumptions, and the options that are their remedies."""

from typing import get_args

import pytest

from polarbear.findings import Code, Finding, InstallExtra, ReadWith
from polarbear.importers import Reason, Skipped, read_runs
from polarbear.importers.imported import Assumption, assumed
from polarbear.importers.reasons import advise
from polarbear.show.reading import ASSUMPTIONS
from polarbear.show.remedies import Python, Shell
from polarbear.show.wording import text_of

CLUSTERS = {"members": 120, "unit": "run", "kind": "instance"}

# The numbers of each assumption, and its text
ASSUMED = {
    "OPEN_END": (
        {"files": ["a.csv"]},
        "a.csv ends without a line break. If a file was cut there, its last value is wrong.",
    ),
    "VALUE_COLUMN": (
        {"files": ["a.dat", "b.dat"], "column": "current_y"},
        "The values of a.dat and b.dat are those of the column current_y.",
    ),
    "DIRECTION": (
        {"suite": "PBO", "maximise": True, "visible": True},
        "The data of the suite PBO state no direction. They are assumed to be maximised, since best-so-far values rise.",
    ),
    "BOTH_DIRECTIONS": ({}, "Some runs minimise and others maximise. Compare them separately."),
    "SEVERAL_SEEDS": ({}, "SMAC evaluated some configurations with several seeds. The value is the lowest cost of a"),
    "HISTORIES_READ": (
        {},
        "SMAC's run histories are read, which have all trials, and not the trajectories beside them.",
    ),
    "ESTIMATED_COSTS": ({}, "The values of SMAC's trajectories are estimates: the mean cost of the incumbent over the"),
    "KEPT_APART": (
        {"algorithms": ["DE (new)", "DE (old)"]},
        "Folders hold different runs of one algorithm name on the same instances. They are kept apart, as 2 algorithms: "
        "DE (new) and DE (old).",
    ),
    "TAKEN_AS_REPETITIONS": (
        {"algorithms": ["DE"]},
        "Folders that differ only in a number hold runs of one algorithm name on the same instances. They count as "
        "repetitions of DE.",
    ),
    "NOTHING_IN_COMMON": (
        {},
        "No two algorithms have a run on the same block (suite, function, dimension, instance, run)",
    ),
    "SEVERAL_DIMENSIONS": (
        {"dimensions": [2, 3, 10]},
        "Runs in 3 dimensions, 2 to 10, are compared at the same budgets. Divide budgets by the dimension, or",
    ),
    "REFERENCE_POINTS": (
        {"points": 1},
        "Values are hypervolumes, with 1 reference point from the data of all algorithms.",
    ),
    "BEYOND_REFERENCE": (
        {"without": 2, "runs": 4},
        "2 of 4 runs have no point that is better than the reference point",
    ),
    "NO_FUNCTION": (
        {"unknown": 3, "blocks": 5},
        "3 of 5 blocks name no function. Each of their instances counts as one.",
    ),
    "ONE_INSTANCE": ({"blocks": 5}, "All 5 blocks are repetitions of one instance. Answers hold for new runs on it."),
    "ONE_FUNCTION": (
        {"blocks": 5},
        "All 5 blocks are instances of one function. Answers hold for new instances of it.",
    ),
    "CLUSTERS": (
        {**CLUSTERS, "clusters": 3, "by_rule": True},
        "The clusters are 3 instances with 120 runs. Answers hold for new instances; answers for new runs of these need "
        "smaller clusters.",
    ),
    "ONE_CLUSTER": (
        {**CLUSTERS, "kind": "lab", "label": "'same'"},
        "All 120 blocks are of one lab, 'same', from which nothing follows about new labs.",
    ),
}


@pytest.mark.parametrize("name", get_args(Assumption))
def test_every_assumption_has_a_text(name):
    numbers, expected = ASSUMED[name]
    text = text_of(assumed(name, **numbers))
    assert text.startswith(expected)
    assert text.endswith((".", "?"))
    assert set(ASSUMPTIONS) == set(get_args(Assumption))


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        (
            {"reason": "NO_VALUE", "files": ["a.csv"], "first": "line 4: 'cma'", "count": 3},
            "Data were skipped: a.csv: rows without a value, first: line 4: 'cma' (3 times).",
        ),
        (
            {"reason": "EMPTY", "files": ["a.csv", "b.csv", "c.csv"], "first": "", "count": 3},
            "Data were skipped: 3 files, for example a.csv: is empty.",
        ),
        (
            {"reason": "NO_VALUE", "files": ["a.csv", "b.csv"], "first": "line 4", "count": 1200},
            "Data were skipped: 2 files, for example a.csv: rows without a value, first: line 4 (1,200 times in all).",
        ),
        (
            {"reason": "WRONG_WIDTH", "details": {"columns": 3}, "files": ["a.csv"], "first": "", "count": 1},
            "Data were skipped: a.csv: rows without 3 columns.",
        ),
        (
            {"reason": "NO_USABLE_RUN", "details": {"names": ["de", "pso"]}, "files": ["a"], "first": "", "count": 1},
            "Data were skipped: a: algorithms without a usable run, left out altogether: de, pso.",
        ),
    ],
)
def test_skipped_data_are_counted_with_an_example(numbers, expected):
    assert text_of(Finding(Code.DATA_SKIPPED, "tentative", numbers={"details": {}, **numbers})) == expected


def test_long_lists_of_names_are_counted():
    names = [f"algorithm {number}" for number in range(30)]
    assert Reason.NO_USABLE_RUN.sentence(names=names).endswith("algorithm 18, algorithm 19 and 10 more")


def test_findings_of_an_import_have_a_text_without_options(tmp_path):
    rows = "".join(f"{name},{d},1,{d}.0\n" for name in ("cma", "de") for d in (2, 10))
    (tmp_path / "r.csv").write_text(f"algorithm_name,dimension,evaluations,raw_y\n{rows}de,2,x,1\nde,10,9,0.5")
    found = {text_of(each): each for each in read_runs(tmp_path).findings}
    assert [each.partition(" ")[0] for each in found] == ["Data", "r.csv", "Runs"]
    assert not [each for each in found if "--" in each or "=" in each]


@pytest.mark.parametrize(
    ("remedy", "typed", "called"),
    [
        (ReadWith("clock", "seconds"), "--clock seconds", "clock='seconds'"),
        (ReadWith("renumber", value=True), "--renumber", "renumber=True"),
        (ReadWith("maximise", value=False), "--minimise", "maximise=False"),
        (ReadWith("reference"), "--reference ...", "reference=..."),
        (ReadWith("columns", {"raw_y": "my loss"}), "--column 'raw_y=my loss'", "columns={'raw_y': 'my loss'}"),
        (
            ReadWith("per", "dimension", ReadWith("where", {"dimension": 2})),
            "--per dimension, or --where dimension=2",
            "per='dimension'), or where={'dimension': 2}",
        ),
    ],
)
def test_an_option_of_reading_is_a_remedy_in_both_voices(remedy, typed, called):
    assert Shell("runs", "runs.csv").say(remedy) == f"polarbear show runs.csv {typed}"
    whole = Python("runs").say(remedy)
    assert whole.startswith("pb.analyse(path, ")
    assert called in whole


def test_an_extra_is_installed_in_the_same_way_everywhere():
    said = {voice.say(InstallExtra("parquet")) for voice in (Shell("runs", "a"), Python("runs"))}
    assert said == {"pip install 'polarbear-anytime[parquet]'"}
    assert advise(InstallExtra("parquet")) == f"; {said.pop()}"


def test_the_reports_of_an_error_name_options_for_both_voices():
    report = Skipped("a.info", Reason.NO_SECONDS, {"kind": "COCO"}, remedy=Reason.NO_SECONDS.remedy)
    assert str(report) == (
        "a.info: holds evaluations and no seconds, as all COCO data do; read with clock='evaluations' (--clock evaluations)"
    )
