"""The fourth case study: public results of five methods on twelve antigens."""

import json
from concurrent.futures import Future
from contextlib import nullcontext

import numpy as np
import pytest

import polarbear as pb
from case_studies.antbo import replayed, study
from case_studies.antbo.record import record, runs_of
from case_studies.antbo.recorded import FILE, METHODS, Recording
from case_studies.antbo.replayed import ReplayedRace

HEADER = "Method,Antigen,Seed,Num BB Evals,Best Binding Energy\n"


@pytest.fixture(scope="module")
def recorded():
    return Recording.load()


@pytest.fixture(scope="module")
def posteriors(recorded):
    return study.infer(recorded)


def test_the_recording_has_ten_seeds_of_twelve_antigens(recorded):
    assert recorded.values.shape == (120, 200, 5)
    assert len(set(recorded.antigens)) == 12
    assert len(set(zip(recorded.antigens, recorded.seeds, strict=True))) == 120
    runs = recorded.trajectories()
    assert len(runs) == 600
    assert {run.end for run in runs} == {179, 198, 199, 200}  # as the tables end
    assert {run.cluster for run in runs} == set(recorded.antigens)
    assert all((np.diff(run.values) < 0).all() for run in runs)


def test_the_data_are_small_and_come_with_their_licence():
    assert FILE.stat().st_size < 100_000
    assert "Permission is hereby granted, free of charge" in FILE.with_name("antbo_LICENSE").read_text()


def test_the_answer_generalises_to_new_antigens_or_to_new_runs(posteriors):
    assert [str(each.scope) for each in posteriors.values()] == [
        "to new antigens, based on 12 antigens with 120 repetitions",
        "to new runs on these 12 antigens, based on 120 repetitions",
    ]
    new_antigens, new_runs = (pb.pareto_set(each, confidence=0.95) for each in posteriors.values())
    assert set(new_runs) < set(new_antigens) == set(METHODS.values()) - {"COMBO"}  # the wider scope eliminates less


def test_the_leader_changes_with_the_budget(posteriors):
    for posterior in posteriors.values():
        leaders = [study.leader_at(posterior, evaluations).split(" (")[0] for evaluations in (20, 38, 100, 198)]
        assert leaders == ["HEBO", "AntBO SSK", "AntBO SSK", "HEBO"]


def test_a_race_is_replayed_with_antigens_as_clusters(monkeypatch):
    few = pb.Grid([20, 38, 198], "log")
    monkeypatch.setattr(replayed, "grid", lambda: few)
    one, again = (replayed.race("new runs on these antigens", order=1) for _ in range(2))
    assert one == again
    assert "COMBO" in one.dropped
    assert 0 < one.saved_share < 1


def test_the_page_has_the_answers_of_both_scopes(tmp_path, monkeypatch, posteriors):
    races = [ReplayedRace(scope, order, ("COMBO",), "finished", 0.2) for scope in posteriors for order in (0, 1)]
    done = []
    for each in races:
        done.append(Future())
        done[-1].set_result(each)
    drawn = []
    monkeypatch.setattr(study.Page, "add_figure", lambda page, figure, name, caption: drawn.append(name))
    monkeypatch.setattr(study, "processes", nullcontext)
    monkeypatch.setattr(study, "race_all", lambda pool, orders: done)
    monkeypatch.setattr(study, "infer", lambda recorded: posteriors)
    study.reproduce(tmp_path, scale="quick", workers=1).write("polarbear reproduce antbo")
    results = json.loads((tmp_path / "results.json").read_text())
    rows = {row[0]: row[1:] for row in results["tables"][0]["rows"]}
    assert rows["eliminated in replayed races"] == ["COMBO in 2 of 2"] * 2
    assert rows["evaluations saved by replayed races, median"] == ["20 %; every pair decided in 2 of 2"] * 2
    assert all(each.startswith("COMBO by ") for each in rows["eliminated, with the probability"])
    assert results["compared"][1]["ours"] == "12"
    assert drawn == ["posterior", "leaders", "values"]


def write_tables(folder, runs):
    """Write a table per method from {(antigen, seed): [(evaluations, energy), ...]}."""
    for method in METHODS:
        rows = [
            f"{method},{antigen},{seed},{at}.0,{energy}"
            for (antigen, seed), events in runs.items()
            for at, energy in events
        ]
        (folder / f"{method}_optim_res.csv").write_text(HEADER + "\n".join(rows) + "\n")


def test_tables_are_recorded_on_what_all_methods_ran(tmp_path):
    write_tables(tmp_path, {("A", 42): [(2, -50.0), (3, -53.08000183105469)], ("B", 42): [(1, -1.0)]})
    only_one = tmp_path / "HEBO_optim_res.csv"
    only_one.write_text(only_one.read_text().replace("HEBO,B", "HEBO,C"))
    assert record(tmp_path, tmp_path / "runs.npz") == (1, 200, 5)
    recorded = Recording.load(tmp_path / "runs.npz")
    assert (recorded.antigens, recorded.seeds, recorded.names) == (("A",), (42,), tuple(METHODS.values()))
    (run, *_) = recorded.trajectories()
    assert run.at([1, 2, 3, 4]).tolist() == pytest.approx([np.inf, -50, -53.08, np.nan], nan_ok=True)
    assert run.values[-1] == -53.08  # not the single-precision number of the table


@pytest.mark.parametrize("events", [[(1, -1.0), (3, -2.0)], [(1, -2.0), (2, -1.0)]])
def test_gaps_and_rising_energies_are_reported(tmp_path, events):
    write_tables(tmp_path, {("A", 42): events})
    with pytest.raises(ValueError, match="expected a best energy for each evaluation of"):
        runs_of(tmp_path / "HEBO_optim_res.csv")


def test_tables_without_a_common_run_are_reported(tmp_path):
    write_tables(tmp_path, {("A", 42): [(1, -1.0)]})
    other = tmp_path / "HEBO_optim_res.csv"
    other.write_text(other.read_text().replace(",A,", ",B,"))
    with pytest.raises(ValueError, match="expected an antigen and a seed that all of"):
        record(tmp_path, tmp_path / "runs.npz")
