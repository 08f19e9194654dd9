"""Posterior files: what is saved is loaded exactly, and other files are refused."""

import json
import math
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear import Diagnostics, Grid, Posterior
from tests.posterior.posteriors import dirichlet_posterior


@pytest.fixture
def posterior():
    return dirichlet_posterior()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "saved.posterior"


FIELDS = ("names", "joint", "diagnostics", "prior", "instances")

DIAGNOSTICS = [
    Diagnostics("nested-laplace", True, "Good.", 812.5, pareto_k=0.1 + 0.2),
    Diagnostics("hmc", False, "Bäd: «R-hat» 1.2.", 3.0, r_hat=math.nan, pareto_k=math.inf),
    Diagnostics("gibbs", True, "", 400.0, r_hat=1.003, hyperparameters=(("kappa", 2 / 3, 1e-300), ("σ", 1.0, 0.0))),
]


@pytest.mark.parametrize("diagnostics", DIAGNOSTICS, ids=lambda d: d.method)
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("axis", ["linear", "log"])
def test_a_posterior_is_loaded_exactly_as_it_was_saved(posterior, path, diagnostics, joint, axis):
    before = replace(
        posterior,
        diagnostics=diagnostics,
        joint=joint,
        grid=Grid([0.1, 1 / 3, 2.0, 1e300], axis),
        names=("größte", "b 'c' \"d\"", "名"),
    )
    before.save(path)
    after = Posterior.load(path)
    assert after.ratings.tobytes() == before.ratings.tobytes()
    assert after.grid == before.grid
    assert {name: repr(getattr(after, name)) for name in FIELDS} == {
        name: repr(getattr(before, name)) for name in FIELDS
    }
    assert isinstance(after.diagnostics.hyperparameters, tuple)
    assert repr(after) == repr(before)


def test_a_path_may_be_text_and_keeps_its_name(posterior, tmp_path):
    posterior.save(str(tmp_path / "no suffix"))
    assert [file.name for file in tmp_path.iterdir()] == ["no suffix"]
    assert Posterior.load(str(tmp_path / "no suffix")).names == posterior.names


def test_the_file_holds_no_pickle(posterior, path):
    posterior.save(path)
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    assert {name: array.dtype for name, array in arrays.items()} == {
        "ratings": np.float64,
        "budgets": np.float64,
        "about": np.uint8,
    }
    assert json.loads(arrays["about"].tobytes())["format"] == "polarbear-posterior"


class Bomb:
    """An object that ends the process when it is unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('unpickled')",)


def test_a_pickle_in_the_file_is_not_loaded(posterior, path):
    posterior.save(path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for name in arrays:
        with path.open("wb") as file:
            np.savez(file, **{**arrays, name: np.array([Bomb()], dtype=object)})
        with pytest.raises(ValueError, match="not a posterior file"):
            Posterior.load(path)


def test_a_missing_file_raises_file_not_found(path):
    with pytest.raises(FileNotFoundError, match=r"saved\.posterior"):
        Posterior.load(path)


def write_file(file, **about):
    """Write a file with parts of its description replaced."""
    usual = {
        "format": "polarbear-posterior",
        "version": 3,
        "scope": None,
        "names": ["A", "B"],
        "axis": "linear",
        "joint": True,
        "prior": "p",
        "instances": 3,
        "diagnostics": {
            "method": "m",
            "reliable": True,
            "message": "",
            "effective_draws": 1.0,
            "pareto_k": None,
            "r_hat": None,
            "hyperparameters": [],
            "elbo": [],
        },
    }
    text = json.dumps({**usual, **about}).encode()
    arrays = {"ratings": np.full((5, 2, 2), 0.5), "budgets": np.array([1.0, 2.0])}
    with file.open("wb") as handle:
        np.savez(handle, about=np.frombuffer(text, dtype=np.uint8), **arrays)


def test_the_file_format_is_what_these_tests_write(path):
    write_file(path)
    assert Posterior.load(path).names == ("A", "B")


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"format": "another"}, "is not a posterior file that Posterior.save wrote"),
        (
            {"version": 2},
            "has format version 2, this PolarBear reads version 3; infer the posterior again from its runs",
        ),
        ({"version": None}, "has format version None"),
        (
            {"names": ["A", "B", "C"]},
            r"damaged posterior file: expected ratings of shape \(draw, 2 budgets, 3 algorithms\)",
        ),
        ({"names": None}, "damaged posterior file"),
        ({"axis": "cubic"}, "damaged posterior file: .*'linear' or 'log', got 'cubic'"),
        ({"diagnostics": {}}, "damaged posterior file"),
        ({"diagnostics": None}, "damaged posterior file"),
        ({"instances": "many"}, "damaged posterior file"),
    ],
)
def test_a_description_that_does_not_fit_is_refused(path, about, message):
    write_file(path, **about)
    with pytest.raises(ValueError, match=f"saved.posterior .*{message}"):
        Posterior.load(path)


def foreign_files(path):
    """Contents of files that are not posteriors."""
    yield b""
    yield b"not a posterior"
    yield b"PK\x03\x04 begins like an archive"
    np.save(path.with_suffix(".npy"), np.ones(3))
    yield path.with_suffix(".npy").read_bytes()
    with zipfile.ZipFile(path.with_suffix(".zip"), "w") as archive:
        archive.writestr("readme.txt", "hello")
    yield path.with_suffix(".zip").read_bytes()
    for about in (b"{", b"[1, 2]", b"3", b"\xff\xfe"):
        with path.open("wb") as file:
            np.savez(file, ratings=np.ones((1, 1, 2)), budgets=np.ones(1), about=np.frombuffer(about, dtype=np.uint8))
        yield path.read_bytes()


def test_other_files_are_refused_with_a_reason(path):
    for content in foreign_files(path):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"saved\.posterior is not a posterior file"):
            Posterior.load(path)


def test_truncated_files_are_refused_with_a_reason(posterior, path):
    posterior.save(path)
    whole = path.read_bytes()
    for length in np.linspace(0, len(whole) - 1, 25).astype(int):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"saved\.posterior is not a posterior file|damaged"):
            Posterior.load(path)


def load_or_message(path):
    try:
        return Posterior.load(path)
    except ValueError as error:
        return str(error)


def test_damaged_files_are_refused_with_a_reason(posterior, path):
    """One changed byte gives an error or, in parts of the archive that are not read, the same posterior."""
    posterior.save(path)
    whole = path.read_bytes()
    refused = 0
    for place in range(0, len(whole), 31):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        result = load_or_message(path)
        if isinstance(result, str):
            refused += 1
            assert "saved.posterior is not a posterior file" in result or "damaged" in result
        else:
            np.testing.assert_array_equal(result.ratings, posterior.ratings)
            assert result.diagnostics == posterior.diagnostics
    assert refused > 0.9 * len(whole) / 31


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="is not a posterior file"):
        Posterior.load(tmp_path)


def test_loaded_ratings_are_read_only(posterior, path):
    posterior.save(path)
    with pytest.raises(ValueError, match="read-only"):
        Posterior.load(path).ratings[0] = 0


@pytest.mark.parametrize("draws", [1, 7, 50, 1000])
def test_a_file_for_deployment_holds_thinned_draws_to_five_digits(posterior, path, draws):
    posterior.save(path, draws=draws)
    loaded, thinned = Posterior.load(path), posterior.thin(draws)
    assert loaded.ratings.dtype == np.float64
    np.testing.assert_allclose(loaded.ratings, thinned.ratings, rtol=2**-16)  # 16 binary digits, rounded
    np.testing.assert_allclose(loaded.ratings.sum(axis=-1), 1, rtol=2**-16)
    assert loaded.grid == posterior.grid
    for name in FIELDS:
        assert getattr(loaded, name) == getattr(posterior, name)
    with np.load(path) as archive:
        assert archive["ratings"].nbytes == 3 * loaded.ratings.size


def test_saving_for_deployment_does_not_change_the_posterior(posterior, path):
    before = posterior.ratings.tobytes()
    posterior.save(path, draws=5)
    assert posterior.ratings.tobytes() == before
    assert len(posterior.ratings) == 50


@pytest.mark.parametrize("draws", [0, -3])
def test_a_file_without_draws_is_refused_and_not_written(posterior, path, draws):
    with pytest.raises(ValueError, match=f"expected at least 1 draw, got {draws}"):
        posterior.save(path, draws=draws)
    assert not path.exists()


def test_a_file_for_deployment_is_small(path):
    dirichlet_posterior(draws=1500, budgets=50, algorithms=8).save(path, draws=1000)
    assert path.stat().st_size < 3.01 * 1000 * 50 * 8


def test_ratings_too_small_for_single_precision_become_zero(posterior, path):
    tiny = np.array([[[1.0, 1e-60, 1e-300]] * 4])
    replace(posterior, ratings=tiny).save(path, draws=1)
    np.testing.assert_array_equal(Posterior.load(path).ratings, [[[1, 0, 0]] * 4])


@pytest.fixture
def beliefs():
    """A posterior of beliefs about pairs, with clusters, tolerances, repeated runs and a missing run."""
    values = np.random.default_rng(0).random((9, 2, 3))
    values[3, :, 1] = np.nan
    clusters = pb.Clusters([f"problem {i // 2}" for i in range(9)], kind="problem", unit="run")
    choices = pb.Choices.from_values(values, grid=[1, 2], clusters=clusters, instances=list("rstuvwxyz"))
    return pb.fit(choices, draws=100, seed=5)


def test_beliefs_are_the_same_after_loading(beliefs, path):
    beliefs.save(path)
    loaded = Posterior.load(path)
    for a, b in [(0, 1), (1, 2), (2, 0)]:
        np.testing.assert_array_equal(loaded.win_rates(a, b), beliefs.win_rates(a, b))  # bit for bit
    np.testing.assert_array_equal(pb.dominance(loaded), pb.dominance(beliefs))
    np.testing.assert_array_equal(loaded.ratings, beliefs.ratings)
    assert (loaded.draws, loaded.scope) == (100, beliefs.scope)
    assert loaded.beliefs.sample.rankings.repeated is not None


def test_beliefs_of_a_group_are_the_same_after_loading(path):
    values = np.random.default_rng(0).random((9, 2, 3))
    choices = pb.Choices.from_values(values, grid=[1, 2])
    group = pb.fit_groups(choices, ["a", "b", "b"] * 3, draws=100)["a"].posterior
    group.save(path)
    np.testing.assert_array_equal(Posterior.load(path).win_rates(0, 2), group.win_rates(0, 2))


def test_a_file_of_beliefs_holds_no_draws(beliefs, path):
    beliefs.save(path)
    few = path.stat().st_size
    Posterior.load(path).thin(50).save(path, draws=50)
    assert abs(path.stat().st_size - few) < 20
    assert Posterior.load(path).draws == 50


def rewrite(path, **changes):
    """Replace arrays of a posterior file; None removes one."""
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files} | changes
    with path.open("wb") as file:
        np.savez(file, **{name: each for name, each in arrays.items() if each is not None})


@pytest.mark.parametrize(
    "changes",
    [
        {"own_keys": None},
        {"own_keys": np.zeros((8, 16), dtype=np.uint8)},
        {"own_keys": np.zeros(9)},
        {"own_losses": np.zeros((3, 9, 4))},
        {"own_ranks": np.zeros((9, 2, 4), dtype=int)},
        {"own_weights": np.zeros(9)},
        {"own_clusters": np.zeros(4, dtype=int)},
        {"own_problem": np.zeros(4, dtype=int)},
    ],
)
def test_damaged_beliefs_are_refused(beliefs, path, changes):
    beliefs.save(path)
    rewrite(path, **changes)
    with pytest.raises(ValueError, match=r"damaged posterior file"):
        Posterior.load(path)
