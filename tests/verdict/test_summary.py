"""The summary: one verdict with its reasons, the same in every form."""

import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

import polarbear as pb
from polarbear.checks.model_check import model_check
from polarbear.verdict import Advice, Remark
from polarbear.verdict.model_remarks import model_remarks
from polarbear.verdict.rendering import as_text
from polarbear.verdict.summary import collect

NAMES = ("early", "late", "middling", "poor")
GRID = pb.log_grid(10, 1000, 7)


def choices_of(instances=120, *, noise=1.0, seed=0):
    """`early` is best at first and `late` in the end; `middling` is never best and `poor` last."""
    ramp = np.linspace(-2, 2, len(GRID))
    means = np.stack([ramp, -ramp, np.full(len(GRID), 1.0), np.full(len(GRID), 4.0)], axis=1)
    values = means + noise * np.random.default_rng(seed).normal(size=(instances, len(GRID), 4))
    return pb.Choices.from_values(values, grid=GRID, names=NAMES)


@pytest.fixture(scope="module")
def choices():
    return choices_of()


@pytest.fixture(scope="module")
def posterior(choices):
    return pb.fit(choices, draws=1000)


@pytest.fixture(scope="module")
def summary(posterior, choices):
    return pb.summarise(posterior, choices=choices, unit="evaluations")


def test_every_algorithm_has_one_standing(summary):
    assert sorted(each.name for each in summary.standings) == sorted(NAMES)
    groups = {each.name: each.group for each in summary.standings}
    assert groups["early"] == groups["late"] == "leads somewhere"
    assert groups["middling"] == "not ruled out"
    assert groups["poor"] == "eliminated"
    assert summary.headline == "Two algorithms lead somewhere, one is not ruled out, one is eliminated."


def test_reasons_say_what_is_known(summary):
    reasons = {each.name: each.reason for each in summary.standings}
    change = summary.overview.stretches[0].stop
    assert reasons["early"] == f"best choice from 10 to {change:.3g}"
    assert reasons["middling"].startswith("never clearly the best choice (at most ")
    assert "but no other algorithm beats it at every budget: at " in reasons["middling"]
    assert reasons["poor"].startswith("beaten by ")
    assert (
        "at every budget (over 99 % sure; over 99 % from the outcomes of these two alone; wrong with "
        in reasons["poor"]
    )


def test_a_result_without_remarks_is_solid(summary):
    assert (summary.status, summary.remarks) == ("solid", ())
    assert summary.status_sentence == "Status: solid. No check gives reason to doubt it."


def test_without_the_choices_nothing_is_checked_and_the_status_says_so(posterior):
    for advice, step in ((None, "pb.summarise(posterior, choices=choices)"), (Advice("posterior", "my.npz"), "")):
        summary = pb.summarise(posterior, advice=advice)
        (remark,) = (each for each in summary.remarks if "was not checked against" in each.text)
        assert (summary.status, remark.status, remark.command) == ("provisional", "provisional", step)


def test_all_forms_have_the_same_answer_and_the_same_remarks(posterior, choices):
    given = [
        Remark("solid", "For information."),
        Remark("provisional", "Few runs."),
        Remark("do not rely on it", "A & B clash.", "polarbear fix 'A b'"),
    ]
    summary = pb.summarise(posterior, choices=choices, unit="evaluations", remarks=given)
    reasons = ["A & B clash.", "Few runs.", "For information."]
    assert [each.text for each in summary.remarks] == reasons
    assert summary.status == "do not rely on it"
    assert summary.status_sentence == "Status: do not rely on it. A & B clash."
    rows = summary.overview.rows("evaluations")
    data = json.loads(json.dumps(summary.as_dict()))
    assert [each["text"] for each in data["remarks"]] == reasons
    assert (data["status"], data["headline"], data["answer"]) == (summary.status, summary.headline, summary.answer)
    html = summary._repr_html_()
    status = "<strong>Status: do not rely on it.</strong></p>"
    assert f"{status}<ul><li>Do not rely on it: A &amp; B clash. Next step: <code>polarbear fix" in html
    quoted = r"\textquotesingle{}A b\textquotesingle{}"
    assert rf"A \& B clash. Next step: \texttt{{polarbear fix {quoted}}}" in summary.to_latex()
    assert "- Do not rely on it: A & B clash. Next step: `polarbear fix 'A b'`" in summary.to_markdown()
    text = str(summary)
    assert "Status: do not rely on it. A & B clash.\n  Next step: polarbear fix 'A b'\n- Provisional: Few runs." in text
    for form in (text, summary.to_markdown(), summary.to_latex(), html):
        assert form.index("Provisional: Few runs.") < form.index("For information.")
    for form in (text, summary.to_markdown(), html):
        for row in rows:
            assert all(cell in form for cell in row)


def test_all_forms_list_the_same_standings_with_their_next_steps():
    """`good` beats `poor`, and probably `fair`, at every budget."""
    values = np.random.default_rng(0).normal([0, 0.5, 4], size=(30, 3, 3))
    choices = pb.Choices.from_values(values, grid=[1, 2, 3], names=["good", "fair", "poor"])
    summary = pb.summarise(pb.fit(choices, draws=300), advice=Advice("race", "my_own.race"))
    assert [each.group for each in summary.standings] == ["leads somewhere", "not ruled out", "eliminated"]
    commands = [each.command for each in summary.standings if each.command]
    assert commands
    text, markdown, tex = (
        str(summary),
        summary.to_markdown(),
        summary.to_latex().replace(r"\_", "_").replace("-{}-", "--"),
    )
    forms = (" ".join(text.split()), markdown, tex.replace(r"\%", "%"), summary._repr_html_().replace("&gt;", ">"))
    for form in forms:
        places = [form.index(heading) for heading in ("Leads somewhere", "Not ruled out", "Eliminated")]
        assert places == sorted(places)
        assert all(command in form for command in commands)
        assert all(each.reason in form for each in summary.standings)


def test_lists_are_cut(summary):
    text = as_text(summary, most=1)
    assert "  ... and 1 more\n" in text
    assert text.count("The change from") <= 1


def test_few_data_are_provisional_and_a_single_instance_is_not_to_be_relied_on():
    few = pb.summarise(pb.fit(choices_of(5), draws=300))
    assert few.status == "provisional"
    assert few.remarks[0].text == "Few data: the answer is based on 5 instances."
    single = pb.summarise(pb.fit(choices_of(1), draws=300))
    assert single.status == "do not rely on it"
    assert "shows nothing about others" in single.status_sentence


def test_an_unreliable_posterior_is_not_to_be_relied_on(posterior):
    diagnostics = replace(posterior.diagnostics, reliable=False, message="did not converge.")
    summary = pb.summarise(replace(posterior, diagnostics=diagnostics))
    assert summary.status_sentence == "Status: do not rely on it. The posterior is not reliable: did not converge."


def test_equal_algorithms_are_too_close_to_call():
    values = np.random.default_rng(1).normal(size=(30, len(GRID), 2))
    values = np.concatenate([values, values[..., ::-1]])  # each wins exactly half of the instances at each time
    summary = pb.summarise(pb.fit(pb.Choices.from_values(values, grid=GRID, names=["a", "b"]), draws=500))
    assert summary.headline == "No algorithm clearly leads at any budget, two are not ruled out."
    assert summary.answer == "At every budget: too close to call."
    assert summary.status == "provisional"
    assert "No algorithm is clearly the best choice at any budget." in [each.text for each in summary.remarks]


def test_doubtful_eliminations_say_so_and_name_the_next_step(posterior, choices):
    """A misfit of the pair's own outcomes outweighs the probability under the posterior."""
    check = model_check(posterior, choices)
    column, row = NAMES.index("poor"), NAMES.index("early")
    own = check.own.copy()
    own[3, row, column] = 0.01
    decisions = [pb.Dominated("poor", "early", 0.99)]
    check = replace(check, own=own)
    found = collect(
        posterior,
        candidates=NAMES[:3],
        decisions=decisions,
        cycles=(),
        check=check,
        unit="",
        advice=Advice("race", "my.race"),
        remarks=(),
        effort="",
        error_bounds={"poor": 0.013},
    )
    (poor,) = found.group("eliminated")
    assert poor.status == "do not rely on it"
    assert poor.reason.endswith(
        "1 % from the outcomes of these two alone; wrong with a probability of at most 1.3 %, whatever the model)"
    )
    assert found.headline.endswith("one is eliminated (do not rely on it).")
    assert found.status == "do not rely on it"
    assert found.remarks[0].command == "polarbear readmit my.race poor"
    runs = model_remarks(check, check.check_eliminations(decisions), Advice("runs", "runs.csv --where dimension=5"))
    assert runs[0].command == "polarbear plot runs.csv --where dimension=5 --figure pair --pair early poor"


def test_a_model_that_does_not_hold_is_reported_once_with_another_prior():
    cycle = np.tile([[[1, 2, 3]], [[3, 1, 2]], [[2, 3, 1]]], (40, 1, 1))
    choices = pb.Choices.from_values(cycle, grid=[1], per_instance=True)
    posterior = pb.fit(choices, prior=pb.Dirichlet())
    check = model_check(posterior, choices)
    (remark,) = model_remarks(check, (), Advice("runs", "runs.csv"))
    assert remark.text.startswith("Rankings contradict the model (Plackett-Luce): ")
    assert remark.command == "polarbear analyse runs.csv --prior BayesianBootstrap"
    assert remark.status == "provisional"


@pytest.mark.parametrize(
    ("advice", "pair", "prior", "more"),
    [
        (
            Advice("race", "my.race"),
            "polarbear resume my.race --only a --only 'b c'",
            "polarbear resume my.race --set race.prior=BayesianBootstrap",
            "polarbear resume my.race --max-instances 8",
        ),
        (
            Advice("race"),
            "race.run(only=['a', 'b c'])",
            "pb.fit(choices, prior=pb.BayesianBootstrap())",
            "race.run(max_instances=8)",
        ),
        (Advice("runs", "x.csv"), "", "polarbear analyse x.csv --prior BayesianBootstrap", None),
        (Advice(), "", "pb.fit(choices, prior=pb.BayesianBootstrap())", None),
    ],
)
def test_advice_is_a_command_or_a_call(advice, pair, prior, more):
    assert advice.settle_pair("a", "b c") == pair
    assert advice.use_bootstrap() == prior
    if more is not None:
        assert advice.continue_race("--max-instances 8", "max_instances=8") == more


def test_a_pair_is_settled_beyond_the_limit_that_stopped_the_race():
    """Without a higher limit, the command would run nothing."""
    limit = ("--max-instances 8", "max_instances=8")
    assert Advice("race", limit=limit).settle_pair("a", "b") == "race.run(only=['a', 'b'], max_instances=8)"
    command = Advice("race", "my.race", limit=limit).settle_pair("a", "b")
    assert command == "polarbear resume my.race --only a --only b --max-instances 8"


def test_no_step_is_suggested_that_would_run_nothing():
    open_pairs = [frozenset(("a", "b"))]
    advice = Advice("race", "my.race", open_pairs=open_pairs)
    assert advice.settle_pair("b", "a") == "polarbear resume my.race --only b --only a"
    assert advice.settle_pair("a", "c") == ""


def test_a_prior_that_counts_correlated_times_as_independent_is_named():
    rng = np.random.default_rng(0)
    values = -rng.gumbel([0, 0.6, 0], size=(60, 1, 3))
    for repeated, doubt in ((True, True), (False, False)):
        own = np.repeat(values, 10, axis=1) if repeated else -rng.gumbel([0, 0.6, 0], size=(60, 10, 3))
        choices = pb.Choices.from_values(own, grid=np.arange(1, 11))
        summary = pb.summarise(pb.fit(choices, prior=pb.BSpline()), choices=choices)
        found = [each for each in summary.remarks if "counts the rankings of an instance at 10 budgets" in each.text]
        assert bool(found) == doubt
        assert all(each.status == "provisional" and "only 1," in each.text for each in found)
        bootstrap = pb.summarise(pb.fit(choices), choices=choices)
        assert not any("counts the rankings" in each.text for each in bootstrap.remarks)


def test_markdown_shows_names_as_they_are():
    values = np.random.default_rng(0).normal([0, 5], size=(20, 1, 2))
    choices = pb.Choices.from_values(values, grid=[1], names=["a*b_c", "<b>x</b>"])
    text = pb.summarise(pb.fit(choices)).to_markdown()
    assert r"**a\*b\_c**" in text
    assert "<b>" not in text.replace(r"\<b\>", "")


def close_choices(wins, instances=60):
    """Return the choices of a pair of which `a` wins on some of the instances."""
    values = np.where(np.arange(instances)[:, None, None] < wins, [[0.0, 1.0]], [[1.0, 0.0]])
    return pb.Choices.from_values(values, grid=[5], names=["a", "b"])


def close_race(wins, instances=60):
    return pb.fit(close_choices(wins, instances))


def collected(posterior, *, strict=False, choices=None, advice=None, decisions=(), undecided=None, **more):
    """Return the summary of a race in which these decisions have been taken."""
    out = {each.name for each in decisions}
    return collect(
        posterior,
        candidates=[name for name in posterior.names if name not in out],
        decisions=decisions,
        cycles=(),
        check=None if choices is None else model_check(posterior, choices),
        unit="",
        advice=advice or Advice("race", "my.race"),
        remarks=(),
        effort="",
        undecided=undecided,
        open_at_a_budget=undecided if strict else None,
        **more,
    )


def test_an_uncertain_lead_makes_the_whole_answer_provisional():
    posterior = close_race(35)
    (stretch,) = pb.decision_map(posterior).stretches
    assert 0.8 <= stretch.probabilities[0] < 0.95
    summary = collected(posterior)
    (leader,) = summary.group("leads somewhere")
    assert (leader.name, leader.status) == ("a", "provisional")
    sure = f"{100 * stretch.probabilities[0]:.0f} % sure"
    assert leader.text == f"best choice at 5, {sure} that it leads somewhere (provisional)"
    assert leader.command == "polarbear resume my.race --only a --only b"
    assert summary.headline == "One algorithm leads somewhere (provisional), one is not ruled out."
    assert summary.status == "provisional"
    assert "The data do not settle whether a leads at any budget." in [each.text for each in summary.remarks]


def test_a_lead_whose_pairs_are_decided_is_settled_at_each_budget_by_a_stricter_resolution():
    advice = Advice("race", "my.race", open_pairs=[frozenset({"a", "c"})])
    (leader,) = collected(close_race(35), undecided=(), advice=advice).group("leads somewhere")
    assert (leader.status, leader.command) == ("provisional", "polarbear resume my.race --set race.resolution=strict")
    for stuck in (replace(advice, decides_budgets=True), replace(advice, open_pairs=()), Advice("runs", "x.csv")):
        (leader,) = collected(close_race(35), undecided=(), advice=stuck).group("leads somewhere")
        assert (leader.status, leader.command) == ("provisional", "")


def test_the_headline_counts_the_statements_in_doubt():
    found = collected(
        pb.fit(choices_of(), draws=500),
        decisions=[pb.Dominated("middling", "late", 0.99), pb.Dominated("poor", "early", 0.99)],
        doubts={"poor": "all of its runs failed"},
        undecided=(),
        strict=True,
    )
    assert found.headline == "Two algorithms lead somewhere, two are eliminated (one provisional)."


def test_without_a_leader_doubtful_algorithms_are_named_although_all_pairs_are_decided():
    summary = collected(close_race(30), choices=close_choices(30), undecided=(), waiting={"new": "has not run yet"})
    assert not summary.group("leads somewhere")
    assert summary.status_sentence.startswith("Status: provisional. The data do not settle whether new belongs to ")
    assert any("although every pair is decided" in each.text for each in summary.remarks)


@pytest.mark.parametrize("wins", [37, 30])
def test_what_is_decided_or_practically_equal_is_solid(wins):
    summary = collected(close_race(wins), choices=close_choices(wins), undecided=(), strict=True)
    assert {each.status for each in summary.standings} == {"solid"}
    assert summary.status == "solid"
    assert not any(each.command for each in summary.standings)


def test_a_statement_about_an_algorithm_that_failed_in_every_run_is_provisional():
    posterior = close_race(60)
    summary = collected(
        posterior,
        decisions=[pb.Dominated("b", "a", 0.99)],
        doubts={"b": "all of its runs failed"},
        undecided=(),
        strict=True,
    )
    (out,) = summary.group("eliminated")
    assert out.status == summary.status == "provisional"
    assert out.text.endswith("; all of its runs failed (provisional)")
    assert summary.headline == "One algorithm leads somewhere, one is eliminated (provisional)."


@pytest.mark.parametrize("seed", range(12))
def test_the_status_is_the_worst_of_all_statements_and_comes_with_its_reason(seed):
    """No statement is in doubt under a "solid" answer, and the first remark explains the status."""
    rng = np.random.default_rng(seed)
    shape = int(rng.integers(8, 80)), len(GRID), 4
    means = np.linspace(0, 1, 4) * rng.uniform(0, 2) + rng.normal(0, 0.3, (len(GRID), 4))
    choices = pb.Choices.from_values(means + rng.normal(size=shape), grid=GRID, names=NAMES)
    summary = pb.summarise(pb.fit(choices, draws=500), choices=choices)
    seriousness = ("solid", "provisional", "do not rely on it").index
    worst = max((each.status for each in summary.standings), key=seriousness)
    assert seriousness(summary.status) >= seriousness(worst)
    assert summary.status == (summary.remarks[0].status if summary.remarks else "solid")
    assert json.loads(json.dumps(summary.as_dict()))["status"] == summary.status


def test_the_scope_of_the_answer():
    posterior = close_race(40)
    assert collected(posterior).scope == "The answer generalises to new instances, based on 60 instances."
    functions = replace(posterior, scope="to new functions, based on 24 functions")
    assert collected(functions).scope == "The answer generalises to new functions, based on 24 functions."
    assert collected(replace(posterior, scope="")).scope == ""
    assert collected(close_race(1, instances=1)).scope == ""  # a single instance shows nothing about others


def test_long_cells_are_wrapped_in_latex():
    values = np.tile(list(permutations(range(3))), (7, 1))[:, None]  # three equal algorithms, named in one cell
    names = ["differential evolution", "particle swarm optimisation", "covariance matrix adaptation"]
    tex = pb.summarise(pb.fit(pb.Choices.from_values(values, grid=[5], names=names))).to_latex()
    assert r"\begin{tabular}{llp{0.5\linewidth}}" in tex
