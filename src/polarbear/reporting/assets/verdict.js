// The recommendation: what to choose, its value, how certain it is, and the next best choice.

const SHOWN = 6; // rows in the table of portfolios

// Build the name of a portfolio from its members, each with its line style.
function choiceName(data, members) {
  return members.flatMap(({ algorithm, count }, k) => [
    ...(k ? [el("span", { class: "plus" }, " + ")] : []),
    el(
      "span",
      { class: "marked" },
      swatch(data.looks[algorithm]),
      count > 1 ? el("span", { class: "times" }, `${count} × `) : null,
      named(data, algorithm),
    ),
  ]);
}

function showVerdict(place, data, belief, wish, found) {
  const [best] = found.candidates;
  const team = wish.machines > 1;
  const value = (number) => (team ? number.toFixed(3) : percent(number));
  const figure = (key, label, text) =>
    el("div", null, el("dt", null, label), el("dd", null, el("data", { value: best[key], "data-figure": key }, text)));
  const code = inPython(wish, belief.grid, wish.everybody ? null : data.candidates.map((k) => data.names[k]));
  const open = place.querySelector("details")?.open ?? false;
  place.replaceChildren(
    el("p", { class: "eyebrow" }, "Choose"),
    el("p", { class: "choice" }, ...choiceName(data, best.members)),
    el("p", { class: "for" }, worded(wish, belief.grid, data.unit)),
    el(
      "dl",
      { class: "figures" },
      figure("probabilityBest", "probability of being the best choice", chance(best.probabilityBest)),
      figure("expected", team ? "chance that the team is first" : "chance of being first", value(best.expected)),
      figure("lower", `when things go badly (${percent(found.level, 0)})`, value(best.lower)),
      figure("regret", "regret", value(best.regret)),
    ),
    el("p", { class: "why" }, ...remarksOn(data, wish, found)),
    ...(found.candidates.length > 1 ? [ranking(data, found, team ? "chance that the team is first" : "chance of being first", value)] : []),
    el("details", { open }, el("summary", null, "The same in Python"), el("code", { class: "python" }, code)),
  );
}

function remarksOn(data, wish, found) {
  const next = found.candidates[1];
  const remarks = next ? ["Next comes ", ...choiceName(data, next.members), ". "] : [];
  if (!found.exhaustive) {
    remarks.push("There are too many teams to compare them all; this is the best that a search met. ");
  }
  if (found.mass < 0.99) {
    remarks.push(`Only ${percent(found.mass, 0)} of these budgets were observed; the others are left out. `);
  }
  if (!data.diagnostics.reliable) remarks.push("The posterior is not reliable. ");
  return remarks;
}

// Build the table of the best portfolios, each with the interval of its value.
function ranking(data, found, heading, value) {
  const lowest = Math.min(...found.candidates.map(({ lower }) => lower));
  const highest = Math.max(...found.candidates.map(({ upper }) => upper));
  const at = (number) => `${(100 * (number - lowest)) / (highest - lowest || 1)}%`;
  const rows = found.candidates.map((each) => {
    const places = { "--from": at(each.lower), "--mean": at(each.expected), "--to": at(each.upper) };
    const said = `${value(each.expected)}, from ${value(each.lower)} to ${value(each.upper)}`;
    return el(
      "tr",
      null,
      el("th", { scope: "row" }, ...choiceName(data, each.members)),
      el(
        "td",
        { class: "interval", "--c": data.looks[each.members[0].algorithm][0], ...places },
        el("span", { class: "unseen" }, said),
        el("span", { class: "range" }),
        el("span", { class: "mean" }),
      ),
      el("td", null, percent(each.probabilityBest, 0)),
    );
  });
  const heads = ["choice", heading, "best"].map((each) => el("th", { scope: "col" }, each));
  const all = found.compared > SHOWN ? `The best ${SHOWN} of ${WHOLE.format(found.compared)}` : `All ${found.compared}`;
  return el(
    "table",
    { class: "ranking" },
    el("caption", null, all),
    el("thead", null, el("tr", null, ...heads)),
    el("tbody", null, ...rows),
  );
}
