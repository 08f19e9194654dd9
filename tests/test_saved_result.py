"""Results in files: a result that is loaded answers every question as it did before it was saved."""

import io
import json
import math
import zipfile
from collections import namedtuple

import numpy as np
import pandas as pd
import pytest

import polarbear as pb
from polarbear.findings import Code
from polarbear.opening import analyse, load
from polarbear.race.observations import ClusterLabel
from polarbear.saved_result import SavedRuns, encode_runs, read_runs_of_result
from tests.reporting.races import recorded_runs

NAMES = ("quick", "steady", "slow", "hopeless")


def mixed():
    """Runs that finished, were cut off, failed, or never found a value, with clusters and labels of several types."""
    rng = np.random.default_rng(0)
    ends = {"good": {"finished": True}, "poor": {}, "flaky": {}}
    runs = [
        pb.Trajectory(
            name,
            ("function", i, None) if i % 2 else i,
            [1, 7.5, 30],
            9 - np.arange(3) + place + rng.random(3),
            end=40 if name == "good" else 60 + i,
            cluster=("family", i % 10),
            failed=name == "flaky" and i % 4 == 0,
            **options,
        )
        for i in range(40)
        for place, (name, options) in enumerate(ends.items())
    ]
    return [
        *runs,
        pb.Trajectory("poor", 99, [], [], end=100, cluster=("family", 0)),
        pb.Trajectory("good", 99, [3], [1.0], end=math.inf, cluster=("family", 0)),
    ]


def table(*, rare=False):
    """Recorded rows in two dimensions with a kept column, rows that are skipped, and an algorithm that rarely ran."""
    rng = np.random.default_rng(1)
    rows = [
        {
            "algorithm_name": name,
            "function_name": f"f{i % 12}",
            "dimension": 2 + 3 * (i % 2),
            "instance": i,
            "evaluations": budget,
            "raw_y": 10 / budget + place * (1 if i % 2 else -1) + rng.random(),
            "noise": "high" if i % 3 else "low",
        }
        for i in range(48)
        for place, name in enumerate(["rare", "cma", "de"])
        for budget in (1, 10, 100)
        if name != "rare" or (rare and i < 5)
    ]
    return pd.DataFrame([*rows, {**rows[0], "evaluations": "x"}])


def of_table(*, rare=False):
    imported = pb.read_runs(table(rare=rare), keep=["noise"], cluster=["function"])
    return analyse(imported, clock="evaluations", draws=200, tolerance="0.1%", confidence=0.9, margin=0.1)


def of_objectives():
    rng = np.random.default_rng(7)
    rows = [
        {"algorithm_name": name, "instance": i, "evaluations": budget, "raw_y": x, "F2": y}
        for i in range(12)
        for name in "AB"
        for budget, (x, y) in enumerate(rng.random((9, 2)), 1)
    ]
    imported = pb.read_runs(pd.DataFrame(rows), indicator="hypervolume", reference=[0.9, 0.9])
    return analyse(imported, draws=200, budgets=[2, 5, 9])


def of_race(tmp_path):
    labels = {"cluster": ClusterLabel(("suite", 3), "function", "instance")}
    runs = [run for run in recorded_runs(NAMES) if run.instance < 24]
    runs = [pb.Trajectory(r.algorithm, r.instance, r.budgets, r.values, r.end, **labels) for r in runs]
    clusters = [run.in_cluster(ClusterLabel(("suite", run.instance % 12), "function", "instance")) for run in runs]
    features = [{"even": i % 2 == 0, "size": i, "unknown": None} for i in range(24)]
    with pb.Race(
        list(NAMES), None, pb.log_grid(10, 1000, 6), path=tmp_path / "my.race", features=features, draws=200
    ) as race:
        race.drive(pb.ReplayExecutor(clusters), max_instances=24, progress="none")
    return load(tmp_path / "my.race")


RESULTS = {
    "runs of every end": lambda _: analyse(mixed(), clock="seconds", draws=200, budgets="1..80:6"),
    "a model": lambda _: analyse(
        recorded_runs(NAMES), clock="evaluations", budgets=":6", draws=200, prior=pb.RandomWalk()
    ),
    "a table": lambda _: of_table(),
    "a table with a rare algorithm": lambda _: of_table(rare=True),
    "several objectives": lambda _: of_objectives(),
    "a race": of_race,
}


@pytest.fixture(scope="module", params=RESULTS)
def pair(request, tmp_path_factory):
    """A result, and the same from its file."""
    folder = tmp_path_factory.mktemp("saved")
    result = RESULTS[request.param](folder)
    result.save(folder / "result.npz")
    return result, load(folder / "result.npz")


def plain(data):
    """Data as JSON has them: without the difference between tuples and lists."""
    return json.loads(json.dumps(data))


def as_json(findings):
    return [plain(each.to_dict()) for each in findings]


def test_the_runs_are_the_same(pair):
    result, loaded = pair
    assert loaded.runs == result.runs
    for here, there in zip(loaded.runs, result.runs, strict=True):
        for name in ("end", "failed", "finished", "maximise", "cluster", "ended"):
            assert getattr(here, name) == getattr(there, name)
        assert (type(here.instance), type(here.cluster)) == (type(there.instance), type(there.cluster))
        assert (here.archive is None) == (there.archive is None)
        if there.archive is not None:
            for name in ("budgets", "points", "reference"):
                np.testing.assert_array_equal(getattr(here.archive, name), getattr(there.archive, name))


def test_the_answer_is_the_same(pair):
    result, loaded = pair
    for name in ("clock", "maximise", "margin", "confidence", "dominance", "kept", "trust", "source"):
        expected = "runs" if name == "source" else getattr(result, name)
        assert getattr(loaded, name) == expected
    if result.race is None:  # the rounds of a race stay in its file
        assert str(loaded) == str(result)
        assert loaded.details() == result.details()
        assert as_json(loaded.findings) == as_json(result.findings)
    assert loaded.dropped == result.dropped
    assert loaded.candidates == result.candidates
    assert loaded.answer.ranges == result.answer.ranges
    assert loaded.answer.needs == result.answer.needs


def as_codes(result):
    return [each.code for each in result.findings]


def test_selections_are_the_same(pair):
    result, loaded = pair
    budgets = result.posterior.grid.budgets
    between = float((budgets[0] + budgets[-1]) / 2)  # looked up in the runs
    for query in ({}, {"budget": between}, {"budget": "final", "criterion": "mean-rank"}, {"machines": 2}):
        here, there = loaded.select(**query), result.select(**query)
        assert [each.members for each in here.candidates] == [each.members for each in there.candidates]
        for name in ("expected", "lower", "upper", "probability_best", "loss"):  # sums in another order in memory
            assert [getattr(each, name) for each in here.candidates] == pytest.approx(
                [getattr(each, name) for each in there.candidates], rel=1e-12, abs=1e-12
            )
        assert str(here) == str(there)
        assert here.details() == there.details()


def test_the_data_of_figures_are_the_same(pair):
    result, loaded = pair
    for what in ("ranges", "probabilities", "pairs"):
        assert str(loaded.to_table(what)) == str(result.to_table(what))
    here, there = loaded.collection, result.collection
    assert (here.unit, here.names, here.instances) == (there.unit, there.names, there.instances)
    np.testing.assert_array_equal(here.table.values, there.table.values)
    assert loaded.plot("quality").axes


@pytest.mark.parametrize("rare", [False, True])
def test_imported_columns_split_and_explain(tmp_path, rare):
    """Also beside an algorithm that is left out, whose runs have cells, too."""
    result = of_table(rare=rare)
    assert (Code.SPARSE_ALGORITHMS in as_codes(result)) == rare
    result.save(tmp_path / "result.npz")
    loaded = load(tmp_path / "result.npz")
    assert loaded.imported.cells == result.imported.cells
    assert loaded.imported.columns == result.imported.columns
    assert (loaded.imported.cluster, loaded.imported.clustering) == (("function",), result.imported.clustering)
    assert loaded.imported.about.formats == result.imported.about.formats
    for feature in ("dimension", "noise"):
        here, there = loaded.split(feature), result.split(feature)
        assert str(here) == str(there)
        assert plain(here.to_dict()["groups"]) == plain(there.to_dict()["groups"])
        assert len(here.results) == 2
    assert str(loaded.explain()) == str(result.explain())
    assert "dimension" in str(result.explain())


def test_the_features_of_a_race_split_and_explain(tmp_path):
    result = of_race(tmp_path)
    result.save(tmp_path / "result.npz")
    loaded = load(tmp_path / "result.npz")
    assert loaded.race is None
    assert loaded.features == result.features
    assert loaded.features[3] == {"even": False, "size": 3.0, "unknown": None}
    here, there = loaded.split("even"), result.split("even")
    assert list(here.results) == list(there.results)
    assert len(here.results) == 2
    assert [each.kept for each in here.results.values()] == [each.kept for each in there.results.values()]
    assert str(loaded.explain()) == str(result.explain())


def test_what_you_dropped_from_a_race_stays_dropped(tmp_path):
    rng = np.random.default_rng(0)
    runs = [pb.Trajectory(name, i, [1], [rng.random()], end=9) for i in range(8) for name in "abc"]
    with pb.Race(list("abc"), None, [2, 9], batch=pb.FixedBatch(8), draws=100, path=tmp_path / "my.race") as race:
        race.drive(pb.ReplayExecutor(runs), max_instances=8, progress="none")
        race.drop("a")
    result = load(tmp_path / "my.race")
    assert "a" not in result.kept
    result.save(tmp_path / "result.npz")
    loaded = load(tmp_path / "result.npz")
    assert (loaded.kept, loaded.candidates, loaded.dropped) == (result.kept, result.candidates, result.dropped)
    assert loaded.select().candidates == result.select().candidates


def test_a_file_without_runs_is_a_posterior(tmp_path):
    result = analyse(recorded_runs(NAMES), budgets=":4", draws=100)
    result.save(tmp_path / "short.npz", draws=50)
    result.posterior.save(tmp_path / "posterior.npz")
    for name in ("short.npz", "posterior.npz"):
        assert read_runs_of_result(tmp_path / name) is None
        assert load(tmp_path / name).source == "posterior"


def test_another_file_is_replaced_by_force_only(tmp_path):
    result = analyse(recorded_runs(NAMES), budgets=":4", draws=100)
    (tmp_path / "result.npz").write_text("mine")
    with pytest.raises((ValueError, FileExistsError)):
        result.save(tmp_path / "result.npz")
    assert (tmp_path / "result.npz").read_text() == "mine"
    result.save(tmp_path / "result.npz", force=True)
    result.save(tmp_path / "result.npz")
    assert load(tmp_path / "result.npz").runs == result.runs


# Files that are refused


def change(path, **changes):
    """Replace arrays of a file, and items of its description of the runs; None removes one."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    about = json.loads(arrays["about"].tobytes())
    for name, value in changes.items():
        place = arrays if name.startswith("runs_") else about["result"]
        place[name] = value
        if value is None:
            del place[name]
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    path.write_bytes(buffer.getvalue())


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "result.npz"
    analyse(mixed(), clock="seconds", draws=100, budgets="1..80:4").save(path)
    assert load(path).runs
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"runs_labels": None},
        {"runs_end": None},
        {"labels": None},
        {"labels": []},
        {"labels": {"is": "Block"}},
        {"noticed": [3]},
        {"noticed": None},
        {"clock": None},
        {"margin": "small"},
        {"rules": [1]},
        {"features": {"is": "Mapping", "items": [3]}},
        {"imported": {}},
        {"dropped": {"is": "Mapping", "items": [["slow"]]}},
        {"dropped": {"is": "Mapping", "items": [["slow", {"is": "Mapping", "items": [["x", 1]]}]]}},
        {"kept": None},
        {"runs_labels": np.full((200, 3), 10**6)},
        {"runs_lengths": np.array([1, 2])},
    ],
    ids=lambda changes: " ".join(changes),
)
def test_a_damaged_file_is_refused(saved, changes):
    change(saved, **changes)
    with pytest.raises(ValueError, match=r"^.*result\.npz is a damaged file of a result: [^\n]*$"):
        load(saved)


@pytest.mark.parametrize("name", ["labels", "noticed", "rules", "features"])
@pytest.mark.parametrize("kind", ["os.system", "Trajectory", None])
def test_unknown_kinds_are_refused(saved, name, kind):
    unknown = {"is": kind, "path": "x"}
    change(saved, **{name: unknown if name in ("rules", "features") else [unknown]})
    with pytest.raises(ValueError, match=r"damaged file of a result: .* is not a known part of a"):
        load(saved)


def test_a_cut_file_is_refused(saved):
    content = saved.read_bytes()
    saved.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"^.*result\.npz .*damaged$"):
        load(saved)
    assert zipfile.is_zipfile(io.BytesIO(content))


def test_labels_that_no_file_can_hold_are_refused(tmp_path):
    Point = namedtuple("Point", "x y")
    runs = [pb.Trajectory(name, Point(i, 0), [1], [float(name == "b")], end=9) for i in range(9) for name in "ab"]
    result = analyse(runs, budgets=[2, 9], draws=100)
    with pytest.raises(ValueError, match=r"expected .* text, numbers or tuples of them, got Point\(x=0, y=0\)"):
        result.save(tmp_path / "result.npz")
    assert not (tmp_path / "result.npz").exists()


def test_an_archive_may_have_no_reference_point_yet():
    archives = [
        pb.observe.archive.Archive.of([1, 2], [[1, 2], [2, 1]], reference) for reference in (None, np.array([3.0, 3.0]))
    ]
    runs = tuple(
        pb.Trajectory("a", i, [1, 2], [1.0, 2.0], maximise=True, archive=archive)
        for i, archive in enumerate([None, *archives])
    )
    about, arrays = encode_runs(SavedRuns(runs, None))
    from polarbear.saved_result import _decode_runs

    own = {name.removeprefix("runs_"): each for name, each in arrays.items()}
    found = [run.archive for run in _decode_runs(json.loads(json.dumps(about))["result"], own)]
    assert found[0] is None
    assert found[1].reference is None
    assert found[2].reference.tolist() == [3, 3]
    assert found[2].points.tolist() == [[1, 2], [2, 1]]
