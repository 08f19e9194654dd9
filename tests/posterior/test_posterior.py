"""A posterior as a value: what it holds, what it refuses, and its file."""

import json
import math
import zipfile
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from polarbear import Diagnostics, Grid, Posterior, log_grid
from polarbear.posterior.posterior import ratings_from_utilities


def posterior_of(draws=50, times=4, algorithms=3, *, joint=True, seed=0):
    rng = np.random.default_rng(seed)
    return Posterior(
        ratings=rng.dirichlet(np.ones(algorithms), size=(draws, times)),
        names=tuple("ABCDEFGH"[:algorithms]),
        grid=log_grid(10, 1000, times),
        joint=joint,
        diagnostics=Diagnostics("nested-laplace", True, "All is well.", 40.0, pareto_k=0.3),
        prior="BSpline(...)",
        instances=12,
    )


@pytest.fixture
def posterior():
    return posterior_of()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "belief.posterior"


FIELDS = ("names", "joint", "diagnostics", "prior", "instances")

DIAGNOSTICS = [
    Diagnostics("nested-laplace", True, "Good.", 812.5, pareto_k=0.1 + 0.2),
    Diagnostics("hmc", False, "Bäd: «R-hat» 1.2.", 3.0, r_hat=math.nan, pareto_k=math.inf),
    Diagnostics("gibbs", True, "", 400.0, r_hat=1.003, hyperparameters=(("kappa", 2 / 3, 1e-300), ("σ", 1.0, 0.0))),
]


@pytest.mark.parametrize("diagnostics", DIAGNOSTICS, ids=lambda d: d.method)
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("axis", ["linear", "log"])
def test_what_is_saved_is_loaded_exactly(posterior, path, diagnostics, joint, axis):
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
        "times": np.float64,
        "about": np.uint8,
    }
    assert json.loads(arrays["about"].tobytes())["format"] == "polarbear-posterior"


class Bomb:
    """What must never be unpickled."""

    def __reduce__(self):
        return exec, ("raise SystemExit('unpickled')",)


def test_a_pickle_in_the_file_is_not_opened(posterior, path):
    posterior.save(path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    for name in arrays:
        with path.open("wb") as file:
            np.savez(file, **{**arrays, name: np.array([Bomb()], dtype=object)})
        with pytest.raises(ValueError, match="not a posterior file"):
            Posterior.load(path)


def test_a_missing_file_is_missing(path):
    with pytest.raises(FileNotFoundError, match=r"belief\.posterior"):
        Posterior.load(path)


def stored(file, **about):
    """A file with another description."""
    usual = {
        "format": "polarbear-posterior",
        "version": 1,
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
        },
    }
    text = json.dumps({**usual, **about}).encode()
    arrays = {"ratings": np.full((5, 2, 2), 0.5), "times": np.array([1.0, 2.0])}
    with file.open("wb") as handle:
        np.savez(handle, about=np.frombuffer(text, dtype=np.uint8), **arrays)


def test_the_file_format_is_what_these_tests_write(path):
    stored(path)
    assert Posterior.load(path).names == ("A", "B")


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"format": "another"}, "is not a posterior file that Posterior.save wrote"),
        ({"version": 3}, "has format version 3, this PolarBear reads versions up to 2; use"),
        ({"version": None}, "has format version None"),
        (
            {"names": ["A", "B", "C"]},
            r"damaged posterior file: ratings must have shape \(draw, 2 times, 3 algorithms\)",
        ),
        ({"names": None}, "damaged posterior file"),
        ({"axis": "cubic"}, "damaged posterior file: .*'linear' or 'log', got 'cubic'"),
        ({"diagnostics": {}}, "damaged posterior file"),
        ({"diagnostics": None}, "damaged posterior file"),
        ({"instances": "many"}, "damaged posterior file"),
    ],
)
def test_a_description_that_does_not_fit_is_refused(path, about, message):
    stored(path, **about)
    with pytest.raises(ValueError, match=f"belief.posterior .*{message}"):
        Posterior.load(path)


def foreign_files(path):
    """Ways in which a file is not ours."""
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
            np.savez(file, ratings=np.ones((1, 1, 2)), times=np.ones(1), about=np.frombuffer(about, dtype=np.uint8))
        yield path.read_bytes()


def test_foreign_files_are_refused_with_a_sentence(path):
    for content in foreign_files(path):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"belief\.posterior is not a posterior file"):
            Posterior.load(path)


def test_truncated_files_are_refused_with_a_sentence(posterior, path):
    posterior.save(path)
    whole = path.read_bytes()
    for length in np.linspace(0, len(whole) - 1, 40).astype(int):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"belief\.posterior is not a posterior file|damaged"):
            Posterior.load(path)


def loaded_or_told(path):
    try:
        return Posterior.load(path)
    except ValueError as error:
        return str(error)


def test_damaged_files_are_refused_with_a_sentence(posterior, path):
    """One byte after another turned: a sentence, or (in a part of the archive that nobody reads) the same posterior."""
    posterior.save(path)
    whole = path.read_bytes()
    refused = 0
    for place in range(0, len(whole), 17):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        result = loaded_or_told(path)
        if isinstance(result, str):
            refused += 1
            assert "belief.posterior is not a posterior file" in result or "damaged" in result
        else:
            np.testing.assert_array_equal(result.ratings, posterior.ratings)
            assert result.diagnostics == posterior.diagnostics
    assert refused > 0.9 * len(whole) / 17


def test_a_folder_is_no_posterior(tmp_path):
    with pytest.raises(ValueError, match="is not a posterior file"):
        Posterior.load(tmp_path)


def test_ratings_are_read_only_and_its_own(posterior):
    given = np.full((5, 4, 3), 1 / 3)
    ours = replace(posterior, ratings=given)
    given[:] = 0
    assert (ours.ratings == 1 / 3).all()
    with pytest.raises(ValueError, match="read-only"):
        ours.ratings[0] = 0
    with pytest.raises(FrozenInstanceError):
        ours.names = ("X", "Y", "Z")


def test_loaded_ratings_are_read_only(posterior, path):
    posterior.save(path)
    with pytest.raises(ValueError, match="read-only"):
        Posterior.load(path).ratings[0] = 0


@pytest.mark.parametrize("shape", [(4, 3), (0, 4, 3), (5, 3, 4), (5, 4, 2), (5, 4, 3, 1), ()])
def test_ratings_of_another_shape_are_refused(posterior, shape):
    with pytest.raises(ValueError, match=r"shape \(draw, 4 times, 3 algorithms\), got "):
        replace(posterior, ratings=np.ones(shape))


@pytest.mark.parametrize("draws", [1, 2, 7, 49])
def test_thinning_keeps_different_draws_evenly_spread(posterior, draws):
    thinned = posterior.thin(draws)
    index = [int(np.flatnonzero((posterior.ratings == draw).all(axis=(1, 2)))[0]) for draw in thinned.ratings]
    assert len(set(index)) == draws
    assert index == sorted(index)
    assert max(np.diff([*index, 50]), default=0) <= math.ceil(50 / max(draws - 1, 1))
    assert thinned.diagnostics == posterior.diagnostics


def test_thinning_to_more_draws_than_there_are_changes_nothing(posterior):
    assert posterior.thin(50) is posterior
    assert posterior.thin(1000) is posterior
    with pytest.raises(ValueError, match="draws must be at least 1, got 0"):
        posterior.thin(0)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_a_summary_is_mean_and_quantiles(posterior, level):
    summary = posterior.summary(level)
    np.testing.assert_allclose(summary.mean, posterior.ratings.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose(summary.lower, np.quantile(posterior.ratings, 0.5 - level / 2, axis=0), rtol=1e-12)
    np.testing.assert_allclose(summary.upper, np.quantile(posterior.ratings, 0.5 + level / 2, axis=0), rtol=1e-12)
    assert summary.level == level
    assert posterior.summary().level == 0.95


@pytest.mark.parametrize("level", [0, 1, -0.1, 95, math.nan])
def test_a_level_that_is_no_probability_is_refused(posterior, level):
    with pytest.raises(ValueError, match="level must lie between 0 and 1, got "):
        posterior.summary(level)


def test_arviz_gets_a_tree_with_named_axes(posterior):
    tree = posterior.to_arviz()
    assert type(tree).__name__ == "DataTree"
    ratings = tree["/posterior"]["ratings"]
    assert ratings.dims == ("chain", "draw", "time", "algorithm")
    assert ratings.shape == (1, 50, 4, 3)
    np.testing.assert_array_equal(ratings.values[0], posterior.ratings)
    np.testing.assert_array_equal(ratings["time"], posterior.grid.times)
    assert ratings["algorithm"].values.tolist() == ["A", "B", "C"]
    assert float(ratings.sel(algorithm="B", draw=7)[0, 2]) == posterior.ratings[7, 2, 1]
    assert tree["/posterior"].attrs["diagnostics"] == "All is well."


def test_the_representation_says_whether_it_is_reliable(posterior):
    assert repr(posterior) == "Posterior(3 algorithms, 4 times, 12 instances, 50 draws, BSpline(...), reliable)"
    doubtful = replace(posterior, diagnostics=replace(posterior.diagnostics, reliable=False))
    assert "NOT reliable" in repr(doubtful)


def test_ratings_of_utilities_are_their_softmax():
    utilities = np.random.default_rng(0).normal(scale=3, size=(4, 3, 6))
    utilities[0, :, 0] = [1e5, 0, -1e5]
    ratings = ratings_from_utilities(utilities)
    assert ratings.shape == (6, 4, 3)
    expected = np.exp(utilities[1:]) / np.exp(utilities[1:]).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(ratings[:, 1:], np.moveaxis(expected, -1, 0), rtol=1e-13)
    np.testing.assert_allclose(ratings[0, 0], [1, 0, 0], atol=1e-250)
    assert ratings[0, 0, 1] > ratings[0, 0, 2] > 0  # too small for softmax, and still in order
    np.testing.assert_allclose(ratings.sum(axis=-1), 1, rtol=1e-14)


@pytest.mark.parametrize("draws", [1, 7, 49, 50, 1000])
def test_a_file_for_deployment_holds_some_draws_to_five_digits(posterior, path, draws):
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


def test_saving_for_deployment_leaves_the_posterior_alone(posterior, path):
    before = posterior.ratings.tobytes()
    posterior.save(path, draws=5)
    assert posterior.ratings.tobytes() == before
    assert len(posterior.ratings) == 50


@pytest.mark.parametrize("draws", [0, -3])
def test_a_file_without_draws_is_refused_and_not_written(posterior, path, draws):
    with pytest.raises(ValueError, match=f"draws must be at least 1, got {draws}"):
        posterior.save(path, draws=draws)
    assert not path.exists()


def test_a_file_for_deployment_is_small(path):
    posterior_of(draws=1500, times=50, algorithms=8).save(path, draws=1000)
    assert path.stat().st_size < 3.01 * 1000 * 50 * 8


def test_ratings_too_small_for_single_precision_become_zero(posterior, path):
    tiny = np.array([[[1.0, 1e-60, 1e-300]] * 4])
    replace(posterior, ratings=tiny).save(path, draws=1)
    np.testing.assert_array_equal(Posterior.load(path).ratings, [[[1, 0, 0]] * 4])
