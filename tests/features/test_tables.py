"""Tables of features: reading, matching with instances, and findings on what is useless or leaks."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.features.joining import join_features
from polarbear.features.training_set import make_training_set
from polarbear.findings import Code, Finding
from polarbear.importers.imported import About, Block, Imported
from polarbear.race.instance_features import group_label, level_name, parse_value, plain_features
from tests.features.two_kinds import GRID, two_kinds

CSV = "instance;size;kind;rotated\n0;3;a;true\n1;;b;False\n2;40;?;yes\n"
ARFF = "@relation x\n@attribute instance_id string\n@attribute repetition numeric\n@attribute 'size' numeric\n@data\n"


def features_by_name(table, instances):
    return {each.name: each for each in join_features(table, instances).features}


def test_files_frames_and_mappings_give_the_same_features(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text(CSV)
    pandas = pytest.importorskip("pandas", reason="tables of pandas")
    polars = pytest.importorskip("polars", reason="tables of polars")
    mapping = {"instance": [0, 1, 2], "size": [3, None, 40], "kind": ["a", "b", None], "rotated": [True, False, True]}
    polars.DataFrame(mapping).write_parquet(tmp_path / "features.parquet")
    for source in (path, mapping, pandas.DataFrame(mapping), polars.DataFrame(mapping), tmp_path / "features.parquet"):
        found = features_by_name(pb.read_features(source), (2, 1, 0))
        np.testing.assert_array_equal(found["size"].values, [40, np.nan, 3])
        assert found["rotated"].levels == ("false", "true")
        np.testing.assert_array_equal(found["kind"].values, [np.nan, 1, 0])


def test_the_first_repetition_of_an_aslib_instance_counts(tmp_path):
    path = tmp_path / "feature_values.arff"
    path.write_text(ARFF + "a_1,1,5\na_1,2,6\nb,1,?\n")
    instances = [Block("x", None, None, name, 1) for name in ("b", "a_1", "c")]
    joined = join_features(pb.read_features({"instance": ["a_1", "b", "c"], "x": [1, 2, 3]}), instances)
    assert joined.features[0].values.tolist() == [2, 1, 3]
    table = pb.read_features(path)
    assert table.columns["size"] == (5.0, None)


def test_recorded_runs_are_matched_by_any_of_their_fields():
    instances = [Block("bbob", f, d, i, 1) for f in (1, 2, 15) for d in (2, 5) for i in (1, 2)]
    table = pb.read_features({"function": [15, 1, 2], "multimodal": [True, False, False]})
    found = features_by_name(table, instances)
    assert found["multimodal"].values.tolist() == [0] * 8 + [1] * 4
    both = pb.read_features({"function": [1, 1, 2, 2], "dimension": [2, 5, 2, 5], "x": [1, 2, 3, 4]})
    np.testing.assert_array_equal(features_by_name(both, instances)["x"].values[[0, 2, 5, 8]], [1, 2, 3, np.nan])


def test_long_numbers_of_instances_are_distinguished():
    table = pb.read_features({"instance": [1234567, 1234568], "x": [1, 2]})
    assert features_by_name(table, (1234568, 1234567))["x"].values.tolist() == [2, 1]


def test_listed_instances_are_matched_by_path_name_or_index():
    listed = ["/data/one.mps", "/data/two.mps"]
    for names in (["/data/one.mps", "/data/two.mps"], ["one.mps", "two.mps"], ["one", "two"]):
        table = pb.read_features({"instance": names, "x": [1, 2]}, instances=listed)
        assert features_by_name(table, (1, 0))["x"].values.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("value", "level"),
    [
        *((each, "true") for each in (True, np.True_, "true", "Yes")),
        *((each, "false") for each in (False, "no")),
        *((each, each) for each in ("none", "None", "smooth", "1_0")),
        *((each, "5") for each in (5, 5.0, "5", " 5.0 ", np.float32(5))),
        *((each, None) for each in (None, "", "?", "NA", "NaN", "null", float("nan"), float("inf"), 10**400)),
    ],
)
def test_a_value_is_the_same_in_a_race_in_a_table_and_in_a_policy(value, level):
    assert group_label(plain_features({"kind": value}), "kind") == level
    assert group_label({"kind": value}, "kind") == level
    cell = pb.read_features({"instance": [0], "kind": [value]}).columns["kind"][0]
    assert (None if cell is None else level_name(cell)) == level
    cell = parse_value(value)
    assert (None if cell is None else level_name(cell)) == level


def test_useless_columns_and_missing_instances_are_named():
    table = pb.read_features({"instance": [0, 1, 7], "x": [1, 2, 3], "same": [1, 2, 3], "one": [4, 4, 4]})
    joined = join_features(table, (0, 1, 2))
    assert [each.name for each in joined.features] == ["x"]
    origin = "a mapping of 4 columns"
    assert joined.findings == (
        Finding(Code.MISSING_FEATURES, "tentative", numbers={"origin": origin, "without": 1, "instances": 3}),
        Finding(Code.UNUSED_ROWS, "note", numbers={"origin": origin, "rows": 1}),
        Finding(Code.USELESS_FEATURES, "note", numbers={"why": "constant", "features": ["one"]}),
        Finding(Code.USELESS_FEATURES, "note", numbers={"why": "repeated", "features": ["same"], "equal_to": ["x"]}),
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"instance": [0, 0], "x": [1, 2]}, "expected one row of features per instance, got two for instance '0'"),
        ({"instance": ["a"], "x": [1]}, "got features of unknown instances only, such as instance 'a'"),
        ({"name": [0], "x": [1]}, "expected a column instance"),
        ({"instance": [0, 1], "x": [1]}, "expected columns of equal length"),
    ],
)
def test_faulty_tables_are_refused(table, message):
    with pytest.raises(ValueError, match=message):
        join_features(pb.read_features(table), (0, 1, 2))


def test_faulty_files_are_refused(tmp_path):
    path = tmp_path / "features.csv"
    path.write_text("instance,x,x\n0,1,2\n")
    with pytest.raises(ValueError, match="got 'x' twice"):
        pb.read_features(path)
    path.write_text("instance,x\n0\n")
    with pytest.raises(ValueError, match="expected 2 cells in every row"):
        pb.read_features(path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        pb.read_features(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="got int"):
        pb.read_features(3)
    (tmp_path / "x.arff").write_text("nothing")
    with pytest.raises(ValueError, match="expected an ARFF table"):
        pb.read_features(tmp_path / "x.arff")


def test_features_that_were_computed_from_the_runs_are_reported():
    runs, table = two_kinds(20)
    values = pb.collect_runs(runs, grid=GRID).table.values[:, -1]
    names = np.array(["first", "second", "third"])
    leaking = {
        "instance": range(20),
        "score": np.exp(values[:, 0]),
        "best": values.min(axis=1),
        "margin": 2 * (values[:, 1] - values[:, 0]),
        "winner": names[values.argmin(axis=1)],
        "label": names[np.arange(20) % 3],
        "size": table["size"],
    }
    training = make_training_set(runs, leaking, preference=None, among=None, grid=GRID)
    expected = {
        ("score", "final value"): ("first",),
        ("best", "best final value"): (),
        ("margin", "difference of final values"): ("first", "second"),
        ("winner", "winner"): (),
    }
    assert training.findings_on(leaking) == tuple(
        Finding(Code.LEAKED_FEATURE, "unreliable", subject, {"feature": feature, "like": like})
        for (feature, like), subject in expected.items()
    )


def test_recorded_runs_bring_their_fields_and_kept_columns_along():
    blocks = [Block("bbob", f, d, 1, 1) for f in (1, 2) for d in (2, 10)]
    runs = tuple(pb.Trajectory(name, block, [1], [1.0], end=9) for block in blocks for name in "ab")
    cells = {"noisy": tuple(frozenset({"yes" if run.instance.function == 1 else "no"}) for run in runs)}
    imported = Imported(runs, (), About("x", ("csv",), 1, 1), cells=cells)
    found = features_by_name(pb.features_of(imported), tuple(blocks))
    assert found["function"].kind == "category"
    assert found["dimension"].values.tolist() == [2, 10, 2, 10]
    assert found["noisy"].values.tolist() == [1, 1, 0, 0]
    assert set(found) == {"function", "dimension", "noisy"}  # the suite is constant


def test_a_table_that_replaces_stored_features_is_noticed():
    runs = [pb.Trajectory(name, i, [1], [float(i)], end=9) for name in "ab" for i in range(12)]
    stored = {"instance": range(12), "kind": ["x", "y"] * 6}
    swapped = {"instance": range(12), "kind": ["y", "x"] * 6}
    tables = [pb.read_features(stored), pb.read_features(swapped)]
    found = make_training_set(runs, tables, preference=None, among=None, grid=[1, 9])
    assert found.findings == (Finding(Code.REPLACED_FEATURES, "tentative", numbers={"features": ["kind"]}),)
    same = make_training_set(runs, tables[:1] * 2, preference=None, among=None, grid=[1, 9])
    assert same.findings == ()


def test_a_leaking_feature_that_the_answer_does_not_use_is_no_reason_to_doubt_it():
    runs, table = two_kinds(40)
    values = pb.collect_runs(runs, grid=GRID).table.values[:, -1]
    answer = pb.explain(runs, {**table, "score {raw}": values[:, 2]}, grid=GRID)
    assert answer.tree.features == {"size"}
    expected = Finding(Code.UNUSED_LEAKS, "note", numbers={"features": ["score {raw}"]})
    assert answer.findings == (expected,)
    assert str(answer).endswith("\nNote: score {raw} was probably computed from the runs; the answer does not use it.")


def test_missing_values_of_nullable_columns_are_missing(tmp_path):
    pandas = pytest.importorskip("pandas", reason="tables of pandas")
    frame = pandas.DataFrame({"instance": range(3), "x": pandas.Series([1.5, None, 3], dtype="Float64")})
    assert pb.read_features(frame).columns["x"] == (1.5, None, 3.0)
    (tmp_path / "latin.csv").write_bytes(b"instance,kind\n0,\xff\n")
    with pytest.raises(ValueError, match=r"expected text in UTF-8 in .*latin\.csv"):
        pb.read_features(tmp_path / "latin.csv")
