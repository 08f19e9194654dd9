"""Names of algorithms: defaults, and what is refused."""

import pytest

from polarbear.observe.names import check_names


def test_default_names_are_letters_or_numbered():
    assert check_names(None, 26)[-1] == "Z"
    assert check_names(None, 27)[:2] == ("A1", "A2")
    assert len(set(check_names(None, 200))) == 200


def test_names_may_come_from_an_iterator():
    assert check_names((name for name in "ab"), 2) == ("a", "b")


@pytest.mark.parametrize(
    ("names", "count", "message"),
    [
        (["a"], 1, "at least two algorithms to compare, got 1"),
        (["a", "b", "a"], 3, "got 'a' more than once"),
        (["a", "b"], 3, "expected 3 names, one for each algorithm, got 2: a, b"),
        ("ab", 2, "the single string 'ab'"),
        (["a", 3], 2, "strings, got 3"),
    ],
)
def test_errors_say_what_was_expected(names, count, message):
    with pytest.raises(ValueError, match=message):
        check_names(names, count)
