"""Plurals, and names that are shortened in tables and found again."""

import numpy as np
import pytest

from polarbear.observe import Clusters, Rankings
from polarbear.observe.scope import count_instances, scope_of
from polarbear.wording import find_names, plural, shorten_names, with_noun, with_unit

NAMES = [
    f"{kind} with restarts and a long description (population {size})" for kind in ("DE", "ES") for size in (10, 40)
]


def test_every_shortened_name_is_found_again():
    short = shorten_names(NAMES, width=32)
    assert len(short) == len(NAMES)
    assert find_names("--only", short.values(), NAMES) == NAMES
    assert find_names("--only", NAMES, NAMES) == NAMES


@pytest.mark.parametrize("given", ["DE with ...10)", "DE with …10)"])
def test_a_name_that_was_shortened_beside_other_names_is_found_by_its_ends(given):
    assert find_names("--only", [given], [*NAMES, "something else"]) == [NAMES[0]]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("DE...", "which may be any of DE with restarts and a long description .population 10., DE"),
        ("ES with restarts and a long description (population 11)", "did you mean 'ES with"),
        ("DE", "choose among DE with restarts and a long description .population 10., DE [^E]*$"),
        ("cma", "expected names of algorithms for --only, got 'cma'; choose among DE"),
    ],
)
def test_other_names_are_refused_with_suggestions(given, message):
    with pytest.raises(ValueError, match=message):
        find_names("--only", [given], NAMES)


@pytest.mark.parametrize(
    ("singular", "several"),
    [
        ("category", "categories"),
        ("family", "families"),
        ("class", "classes"),
        ("box", "boxes"),
        ("batch", "batches"),
        ("mesh", "meshes"),
        ("day", "days"),
        ("size", "sizes"),
        ("evaluation per dimension", "evaluations per dimension"),
        ("class of this family", "classes of this family"),
        ("run on this class", "runs on this class"),
    ],
)
def test_plurals_and_singulars(singular, several):
    assert plural(singular) == several
    assert with_noun(1, singular) == f"1 {singular}"
    assert with_noun(2, singular) == f"2 {several}"
    assert with_unit(1, several) == f"1 {singular}"
    assert with_unit(2, several) == f"2 {several}"


def test_letters_and_abbreviations_are_no_words():
    assert [plural(each) for each in ("f", "x", "y")] == ["fs", "xs", "ys"]
    assert [with_unit(1, each) for each in ("s", "ms", "CPU time", "")] == ["1 s", "1 ms", "1 CPU time", "1"]


def test_clusters_of_any_noun_are_counted():
    clusters = Clusters([0, 1, 1], kind="family", unit="class")
    assert repr(clusters) == "Clusters(3 classes of 2 families)"
    assert count_instances(3, clusters) == "2 families with 3 instances"
    ranks = Rankings(np.array([[[0, 1]]] * 3), ("a", "b"), [1.0], clusters=clusters)
    assert str(scope_of(ranks, 3, generalise_to="instances")).startswith("to new classes of these 2 families")
