"""A choice in words: two lines with the choice, its reason and the runner-up, and the details behind them."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code
from polarbear.show.selection import Choice
from polarbear.show.wording import text_of
from tests.selection.posteriors import posterior_of, random_posterior
from tests.selection.test_measured_copies import posterior_of_repetitions
from tests.selection.test_rivals import NAMES, values_of


@cache
def rivals():
    """cma beats de on 20 of 30 instances and ties on 2; rs comes last on all but one."""
    choices = pb.Choices.from_values(values_of(), grid=[100, 1000], names=NAMES)
    return pb.fit(choices, draws=400, seed=0)


@cache
def ratings(**options):
    """cma is best in 8 of 10 draws, by 0.2; else de, by 0.1."""
    return posterior_of([[[0.4, 0.6]]] * 8 + [[[0.55, 0.45]]] * 2, pb.Grid([1000.0]), names=["de", "cma"], **options)


def level():
    """Nobody is better than another."""
    values = np.random.default_rng(0).normal(size=(12, 1, 3))
    return pb.fit(pb.Choices.from_values(values, grid=[50], names=NAMES), draws=400)


def repeated():
    """A gains most by copies."""
    values = np.array([2.0, 0.01, 0.01]) * np.random.default_rng(3).normal(size=(40, 3, 3, 3)) - np.array([1, 0, 0])
    return posterior_of_repetitions(values)


def same():
    return pb.fit(pb.Choices.from_values(np.ones((20, 3, 3)), grid=[1, 2, 3]), draws=100)


def plain(text):
    """A text without its line breaks."""
    return " ".join(str(text).split())


@pytest.mark.parametrize(
    ("posterior", "query", "words"),
    [
        pytest.param(
            rivals,
            {"preference": 1000, "among": NAMES},
            "cma: best with {best} for a budget of 1,000. It wins on {value} of instances against its strongest "
            "rival, de ({interval}). Runner-up: de, best with {second}. Expected loss of cma: less than 0.1 "
            "percentage points.",
            id="sure",
        ),
        pytest.param(
            level,
            {"preference": 50, "among": NAMES},
            "{name}, but unclear: best with {best} for a budget of 50, else {others}. It wins on {value} of "
            "instances against its strongest rival, {rival} ({interval}). Runner-up: {runner_up}, best with "
            "{second}. Expected loss of {name}: {loss} percentage points.",
            id="unclear",
        ),
        pytest.param(
            rivals,
            {"preference": (100, 1000)},
            "cma: the only candidate for a budget between 100 and 1,000. It is expected to beat de on {beats} of instances.",
            id="only candidate",
        ),
        pytest.param(
            same,
            {"preference": 2},
            "A = B = C: the only candidate for a budget of 2. No other algorithm is known.",
            id="alone",
        ),
        pytest.param(
            rivals,
            {"preference": 100, "among": NAMES, "portfolio": 2},
            "cma + de: best with over 99 % for a budget of 100. Its best member comes first on {value} of "
            "instances ({interval}), and beats cma alone on {single}. Runner-up: cma + rs, best with below 1 %.",
            id="portfolio by first places",
        ),
        pytest.param(
            ratings,
            {"preference": 1000, "portfolio": 3},
            "3 x cma: best with 80 % for a budget of 1,000. Its rating is 1.71 (1.35 to 1.8), and it beats cma "
            "alone on 83 %. Runner-up: 3 x de, best with 20 %. Expected loss of 3 x cma: 0.06.",
            id="portfolio by ratings",
        ),
        pytest.param(
            repeated,
            {"preference": 1, "portfolio": 2, "among": ["A", "B", "C"]},
            "2 x A: best with over 99 % for a budget of 1. Its best member beats an independent run of every "
            "candidate on {value} of instances ({interval}), and beats A alone on {single}. Runner-up: A + B, "
            "best with below 1 %.",
            id="portfolio by repeated runs",
        ),
        pytest.param(
            ratings,
            {"criterion": "mean-rank", "preference": 1000},
            "cma: best with 80 % for a budget of 1,000, judged by the mean rank. It has a mean rank of 1.43 among"
            " 2 (1.40 to 1.55). Runner-up: de, best with 20 %. Expected loss of cma: 0.02 ranks.",
            id="mean rank",
        ),
        pytest.param(
            ratings,
            {"criterion": "top:1", "preference": 1000},
            "cma: best with 80 % for a budget of 1,000, judged by the probability of being in the top 1. It is in"
            " the top 1 on 57 % of instances (45 to 60 %). Runner-up: de, best with 20 %. Expected loss of cma: 2"
            " percentage points.",
            id="top k",
        ),
        pytest.param(
            ratings,
            {"criterion": "against:de", "preference": 1000, "risk": "quantile:0.5"},
            "cma: best with 80 % for a budget of 1,000, judged by the win rate against de, by the 50 % quantile "
            "of the value. It beats de on 57 % of instances (45 to 60 %). Runner-up: de, best with 20 %. Expected"
            " loss of cma: 1 percentage point.",
            id="against",
        ),
        pytest.param(
            ratings,
            {"preference": pb.Custom(lambda curve: 2 * curve[..., 0])},
            "cma: best with 80 % for the preference that you gave. Its value is 1.14 (0.9 to 1.2). Runner-up: de,"
            " best with 20 %. Expected loss of cma: 0.04.",
            id="custom",
        ),
    ],
)
def test_the_two_lines_of_a_choice(posterior, query, words):
    fitted = posterior()
    choice = pb.select(fitted, **query)
    best, rival = choice.candidates[0], choice.rival
    rest = [each for each in choice.candidates[1:] if each.probability_best >= 0.01]
    numbers = {
        "name": choice.name,
        "best": f"{100 * best.probability_best:.0f} %",
        "value": f"{100 * best.expected:.0f} %",
        "interval": f"{100 * best.lower:.0f} to {100 * best.upper:.0f} %",
        "loss": f"{100 * best.loss:.2g}",
        "others": " or ".join(each.name for each in rest),
        "runner_up": choice.runner_up,
        "second": f"{100 * choice.candidates[1].probability_best:.0f} %" if choice.runner_up else "",
        "rival": rival.name if rival else "",
        "beats": f"{100 * rival.expected:.0f} %" if rival else "",
        "single": f"{100 * (choice.win_rate_against_best_single or 0):.0f} %",
    }
    assert plain(choice) == words.format(**numbers)
    assert max(map(len, str(choice).splitlines())) <= 100
    assert choice.probability == best.probability_best


def test_an_unreliable_choice_says_so_first():
    first, *rest = pb.select(ratings(reliable=False), 1000).lines()
    (finding,) = [each for each in pb.select(ratings(reliable=False), 1000).findings if each.severity == "unreliable"]
    assert first == f"Unreliable: {text_of(finding)}"
    assert finding.code is Code.UNRELIABLE_POSTERIOR
    assert rest == pb.select(ratings(), 1000).lines()


def test_a_choice_states_the_range_in_which_the_answer_names_an_algorithm(monkeypatch):
    levels = {"a": 1.0, "b": 2.0, "c": 3.0}
    runs = [pb.Trajectory(name, i, [1], [value], end=1000) for i in range(40) for name, value in levels.items()]
    result = pb.analyse(runs, budgets="10..1000:5", draws=200)
    assert result.select(100).within == ("a", 10, 1000)
    assert "within" not in str(result.select(100))
    (whole,) = result.answer.ranges
    part = replace(whole, names=("c",), start=50, stop=500)  # as if the ranges had been made simpler
    monkeypatch.setattr("polarbear.result.find_ranges", lambda *_, **__: (part,))
    choice = result.select(100)
    assert (choice.name, choice.within) == ("a", ("c", 50, 500))
    assert choice.to_dict()["range"] == {"name": "c", "start": 50, "stop": 500}
    assert "for a budget of 100, within the range of c from 50 to 500." in plain(choice)
    for other in (result.select(600), result.select(), result.select(100, risk="best"), result.select(100, machines=2)):
        assert (other.within, other.to_dict()["range"]) == (None, None)


def test_a_choice_that_the_answer_names_is_not_called_unclear():
    near = pb.select(level(), 50)
    assert not near.is_sure
    assert "but unclear" in plain(near)
    named = Choice.of(near, (near.name, 5, 50))
    assert "; the answer names it from 5 to 50." in plain(named)
    assert "unclear" not in plain(named)


def test_details_are_the_candidates_their_meaning_and_all_findings():
    choice = pb.select(ratings(), 1000)
    assert choice.details() == "\n".join(
        [
            "Candidates",
            "  choice  comes first  95 % interval  best choice       loss",
            "  cma            57 %  45 to 60 %            80 %   2 points",
            "  de             43 %  40 to 55 %            20 %  16 points",
            "",
            "Meaning",
            "  The query: a budget of 1,000; judged by the probability of coming first, and by the expected value.",
            "",
            "Notes",
            "  - The answer rests on 12 independent instances. It is firm from 30 on.",
        ]
    )


def test_details_of_a_rival_state_what_was_observed():
    details = plain(pb.select(rivals(), 1000, "quantile:0.1", among=NAMES).details())
    expected = 100 * rivals().expected_win_rate(0, 1)[1]
    assert (
        "The query: a budget of 1,000; judged by the win rate against the strongest rival, and by the 10 % quantile of the "
        f"value. cma is expected to beat de on {expected:.0f} % of new instances; it won 70 % of the 30 observed instances. "
        "The expected loss is by how much the strongest rival wins more than half."
    ) in details
    assert "observed" not in pb.select(rivals(), "uniform", among=NAMES).details()


def test_details_of_a_portfolio_explain_the_comparison_with_one_of_its_members():
    shared = "Where a run of cma is the best, the comparison with it alone counts one half."
    assert shared in plain(pb.select(ratings(), 1000, portfolio=3).details())
    assert "counts one half" not in pb.select(ratings(), 1000).details()


def test_long_tables_are_cut():
    choice = pb.select(random_posterior(), risk=pb.Quantile(0.05), portfolio=3)
    candidates = choice.details().split("\n\n")[0].splitlines()
    assert len(choice.candidates) == 20
    assert candidates[-1].strip() == "... and 10 more candidates"
    assert len(candidates) == 2 + 10 + 1


def test_tables_show_the_quantile_and_the_unit_of_the_criterion():
    heads, rows = pb.select(ratings(), 1000, pb.Quantile(0.1), criterion="mean-rank").shown_table()
    assert heads == ["choice", "mean rank", "90 % quantile", "95 % interval", "best choice", "loss"]
    assert rows[0] == ["cma", "1.43", "1.55", "1.40 to 1.55", "80 %", "0.02 ranks"]
    heads, rows = pb.select(ratings(), 1000, pb.Quantile(0.1), criterion="against:de").shown_table()
    assert heads[:3] == ["choice", "beats de", "10 % quantile"]
    assert rows == [  # in the worst tenth of the draws, cma loses to de
        ["de", "50 %", "50 %", "50 %", "20 %", "8 points"],
        ["cma", "57 %", "45 %", "45 to 60 %", "80 %", "1 point"],
    ]
    heads, rows = pb.select(ratings(), pb.Custom(lambda curve: 2 * curve[..., 0]), criterion="top:1").shown_table()
    assert (heads[1], rows[0][1]) == ("value", "1.14")
    heads, rows = pb.select(rivals(), 1000, pb.Quantile(0.1), among=NAMES).shown_table()
    assert heads == ["choice", "beats its strongest rival", "10 % quantile", "95 % interval", "best choice", "loss"]
    assert pb.select(repeated(), 1, portfolio=2, among=["A", "B", "C"]).shown_table()[0][1] == "beats all candidates"


def test_a_notebook_shows_the_lines_and_the_table():
    html = pb.select(ratings(), 1000)._repr_html_()
    assert "cma: best with 80 % for a budget of 1,000." in html
    assert html.count("<tr>") == 3
    assert repr(pb.select(ratings(), 1000)) == "Choice('cma', best with 0.80)"
