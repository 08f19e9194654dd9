"""Several objectives on the command line: --objective, --indicator and --reference."""

import pytest

NAMES = "algorithm_name,instance,evaluations,raw_y,F2"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """`wide` finds both ends of the front, `narrow` the best first objective alone."""
    fronts = {"wide": [(0.9, 0.1), (0.1, 0.9)], "narrow": [(0.5, 0.95), (0.05, 0.95)]}
    rows = [
        f"{name},{instance},{budget},{x + instance / 100},{y}"
        for instance in range(1, 31)
        for name, front in fronts.items()
        for budget, (x, y) in zip((1, 10), front, strict=True)
    ]
    path = tmp_path_factory.mktemp("objectives") / "runs.csv"
    path.write_text("\n".join([NAMES, *rows]) + "\n")
    return path


def test_further_objectives_are_refused(polarbear, table):
    outcome = polarbear("show", table)
    assert outcome.code != 0
    assert "expected one objective, got 'raw_y', 'F2' in runs.csv" in outcome.err
    assert "--indicator hypervolume" in outcome.err
    assert "--objective raw_y" in outcome.err


@pytest.mark.parametrize(
    ("options", "best"),
    [
        (["--objective", "raw_y"], "narrow"),
        (["--objective", "F2"], "wide"),
        (["--indicator", "hypervolume"], "wide"),
        (["--indicator", "hypervolume", "--objective", "raw_y", "--objective", "F2"], "wide"),
        (["--indicator", "hypervolume", "--reference", "2,2"], "wide"),
    ],
)
def test_the_answer_depends_on_the_objectives(polarbear, table, tmp_path, options, best):
    study = tmp_path / "study.npz"
    shown = polarbear("show", table, "--budgets", "5..:2", "--save", study, "--json", *options)
    assert shown.code == 0, shown.err
    outcome = polarbear("select", study, "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.data["choice"] == [best]
    assert shown.data["ranges"][-1]["names"] == [best]


def test_the_origin_of_reference_points_is_printed(polarbear, table):
    show = ["show", table, "--details", "--indicator", "hypervolume"]
    assert "30 reference points from the data" in " ".join(polarbear(*show).out.split())
    assert "reference point" not in polarbear(*show, "--reference", "2,2").out


def test_a_reference_that_is_no_list_of_numbers_is_refused(polarbear, table):
    outcome = polarbear("show", table, "--indicator", "hypervolume", "--reference", "2;2")
    assert outcome.code != 0
    assert "expected --reference with numbers such as 1.1,1.1, got '2;2'" in outcome.err


def test_race_files_have_one_value(polarbear, finished):
    outcome = polarbear("show", finished, "--indicator", "hypervolume")
    assert outcome.code != 0
    assert "expected recorded runs for indicator, got the race file" in outcome.err
