"""Large files: memory and work do not grow with what the runs do not need, and archives have limits in total."""

import gc
import io
import json
import tracemalloc
import zipfile

import pytest

from polarbear.importers import allowance, json_stream, read_runs
from polarbear.importers.iohprofiler_index import listed_runs, scan_index
from polarbear.importers.json_stream import JsonStream
from polarbear.importers.reasons import UnreadableError
from polarbear.importers.sources import Folder

TABLE = "algorithm_name,evaluations,raw_y\na,1,5.0\na,9,3.0\n"


def write_ioh(folder, runs, paths=("data.dat",), rows="1 5.0\n9 3.0\n"):
    """Write an index with one scenario per path and the data to which they refer; return the path of the index."""
    scenarios = [{"dimension": 5, "path": path, "runs": runs} for path in paths]
    index = {"suite": "s", "function_id": 1, "algorithm": {"name": "a"}, "scenarios": scenarios}
    (folder / "index.json").write_text(json.dumps(index))
    (folder / "data.dat").write_text(f"evaluations raw_y\n{rows}" * len(runs))
    return folder / "index.json"


def peak_memory(path):
    """Return the most bytes that reading a path takes, and what was read."""
    read_runs(path)  # imports and caches
    tracemalloc.start()
    try:
        imported = read_runs(path)
        return tracemalloc.get_traced_memory()[1], imported
    finally:
        tracemalloc.stop()


def test_an_index_is_never_in_memory_as_a_whole(tmp_path):
    runs = [{"instance": number, "evals": 9, "best": {"evals": 9, "x": [0.123456789] * 4_000}} for number in range(20)]
    path = write_ioh(tmp_path, runs)
    peak, imported = peak_memory(path)
    assert len(imported.runs) == 20
    assert peak < path.stat().st_size < 1.2e6  # its objects take twice as much


def test_short_runs_take_little_memory_and_no_garbage_collection(tmp_path):
    rows = "".join(f"a{number % 3},{number // 3},1,{number % 7}.5\n" for number in range(2000))
    (tmp_path / "runs.csv").write_text(f"algorithm_name,instance,evaluations,raw_y\n{rows}")
    collections = []
    gc.collect()
    gc.callbacks.append(lambda phase, _: collections.append(phase))
    try:
        peak, imported = peak_memory(tmp_path / "runs.csv")
    finally:
        gc.callbacks.pop()
    assert len(imported.runs) == 2000
    assert peak / 2000 < 1500
    assert len(collections) <= 4  # one after each of the two imports, rather than dozens during each
    assert gc.isenabled()


def test_short_runs_of_an_index_take_less_than_800_bytes_each(tmp_path):
    """An index of 90 MB may list 505,000 runs. With 800 bytes each they stay below 500 MB."""
    peak, imported = peak_memory(write_ioh(tmp_path, [{"instance": number // 5} for number in range(1000)]))
    assert len(imported.runs) == 1000
    assert {run.cluster for run in imported.runs} == {("s", 1, 5, number) for number in range(200)}
    assert peak / 1000 < 800
    assert not hasattr(imported.runs[0], "__dict__")
    assert imported.runs[0].budgets is imported.runs[999].budgets


@pytest.mark.parametrize("block", [1, 7, 100_000])
def test_json_is_the_same_whatever_part_of_it_is_in_memory(monkeypatch, block):
    value = {"a": [1, 2.5, -1e-9, 'x\\"y\n', {}, []], "ü": {"deep": [[[]]], "n": None}, "t": [True, False], "": 12}
    monkeypatch.setattr(json_stream, "_BLOCK", block)
    for indent in (None, 2):
        stream = JsonStream(io.BytesIO(json.dumps(value, indent=indent, ensure_ascii=False).encode()))
        read = {key: list(stream.elements()) if stream.next() == "[" else stream.value() for key in stream.members()}
        stream.end()
        assert read == value
    stream = JsonStream(io.BytesIO(b'[inf, {"x": -inf},\nnan,"inf, nan"]'), cpp_numbers=True)
    assert repr(list(stream.elements())) == "[inf, {'x': -inf}, nan, 'inf, nan']"


def walk(stream):
    """Take everything from a stream, step by step."""
    if stream.next() == "[":
        list(stream.elements())
    else:
        for _ in stream.members():
            stream.value()
    stream.end()


@pytest.mark.parametrize(
    "text", ["", "{", '{"a" 1}', '{"a": 1,}', '{"a": [1 2]}', '{"a": 1} x', '{"a": tru}', "{1: 2}", "[1,]"]
)
def test_broken_json_is_refused(text):
    stream = JsonStream(io.BytesIO(text.encode()))
    with pytest.raises(UnreadableError, match="is not complete JSON"):
        walk(stream)


def test_a_value_without_end_is_refused_in_time(monkeypatch):
    monkeypatch.setattr(json_stream, "LARGEST", 1000)
    for cpp_numbers in (False, True):
        with pytest.raises(UnreadableError, match="is not complete JSON"):
            JsonStream(io.BytesIO(b'"' + b"x" * 10**6), cpp_numbers=cpp_numbers).value()


def test_the_order_of_keys_in_an_index_does_not_matter(tmp_path):
    path = write_ioh(tmp_path, [{"instance": 1, "evals": 9}, {"instance": 2, "evals": 9}])
    index = json.loads(path.read_text())
    path.write_text(json.dumps({key: index[key] for key in reversed(index)} | {"version": "0.3"}))
    assert len(read_runs(path).runs) == 2
    scan = scan_index(Folder(tmp_path), "index.json")
    assert [(scenario.runs, list(runs)) for scenario, runs in listed_runs(Folder(tmp_path), "index.json", scan)] == [
        (2, index["scenarios"][0]["runs"])
    ]
    path.write_text(path.read_text().replace('"version"', '"scenarios": [], "version"'))
    with pytest.raises(ValueError, match="it has 'scenarios' twice"):
        read_runs(path)


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members:
            file.writestr(name, content)
    return buffer.getvalue()


def test_archives_in_an_archive_share_its_limit(tmp_path, monkeypatch):
    """Each of them keeps to the limit, and all of them together do not."""
    monkeypatch.setattr(allowance, "SMALL", 50_000)
    monkeypatch.setattr(allowance, "RATIO", 10)
    inner = [
        (f"{name}.zip", zipped([(f"{name}.csv", TABLE.replace("a,", f"{name},") + "\n" * 20_000)])) for name in "abcd"
    ]
    (tmp_path / "runs.zip").write_bytes(zipped(inner))
    imported = read_runs(tmp_path / "runs.zip")
    assert imported.algorithms == {"a": 1, "b": 1}
    assert {each.where for each in imported.skipped} == {"runs.zip:c.zip", "runs.zip:d.zip"}
    assert "expands more than 10-fold" in str(imported.skipped[0])


def test_an_index_cannot_name_the_same_data_again_and_again(tmp_path, monkeypatch):
    monkeypatch.setattr(allowance, "SMALL", 10_000)
    path = write_ioh(tmp_path, [{"instance": 1}], ["data.dat"] * 500, "1 5.0\n" * 1000)
    members = [(name, (tmp_path / name).read_text()) for name in (path.name, "data.dat")]
    archive = tmp_path / "runs.zip"
    archive.write_bytes(zipped(members))
    monkeypatch.setattr(allowance, "RATIO", (sum(len(text) for _, text in members) + 100) // archive.stat().st_size + 1)
    imported = read_runs(archive)
    assert any("the same data again and again" in str(each) for each in imported.skipped)
    assert imported.about.rows < 100_000
