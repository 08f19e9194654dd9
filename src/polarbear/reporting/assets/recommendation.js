// The recommendation: what to choose, its value, how certain it is, and the next best choice.

const ROWS = 6; // in the table of portfolios

// Build the name of a portfolio from its members, each with its line style.
function portfolioName(page, members) {
  return members.flatMap(({ algorithm, count }, k) => [
    ...(k ? [el("span", { class: "plus" }, " + ")] : []),
    algorithmLabel(page, algorithm, count),
  ]);
}

function showRecommendation(place, page, query, selection) {
  const [best] = selection.candidates;
  const isPortfolio = query.machines > 1;
  const firstLabel = isPortfolio ? "chance that the portfolio is first" : "chance of being first";
  const format = (value) => (isPortfolio ? value.toFixed(3) : formatPercent(value));
  const figure = (key, label, text) =>
    el("div", null, el("dt", null, label), el("dd", null, el("data", { value: best[key], "data-figure": key }, text)));
  const code = queryInPython(query, page.grid, query.eliminated ? null : page.candidates.map((k) => page.names[k]));
  const open = place.querySelector("details")?.open ?? false;
  place.replaceChildren(
    el("p", { class: "eyebrow" }, "Choose"),
    el("p", { class: "recommended" }, ...portfolioName(page, best.members)),
    el("p", { class: "query-text" }, describeQuery(query, page.grid, page.unit)),
    el(
      "dl",
      { class: "figures" },
      figure("probabilityBest", "probability of being the best choice", formatProbability(best.probabilityBest)),
      figure("expected", firstLabel, format(best.expected)),
      figure("lower", `when things go badly (${formatPercent(selection.level, selection.level === 0.025 ? 1 : 0)})`, format(best.lower)),
      figure("regret", "regret", format(best.regret)),
    ),
    el("p", { class: "remarks" }, ...remarks(page, selection)),
    ...(selection.candidates.length > 1 ? [rankingTable(page, selection, firstLabel, format)] : []),
    el("details", { open }, el("summary", null, "The same in Python"), el("code", { class: "python" }, code)),
  );
}

// Return the next best choice, and cautions.
function remarks(page, { candidates, exhaustive, mass, notObserved }) {
  const next = candidates[1];
  const parts = next ? ["Next comes ", ...portfolioName(page, next.members), ". "] : [];
  if (notObserved.length) {
    const names = notObserved.flatMap((algorithm, k) => [...(k ? [", "] : []), nameElement(page.names[algorithm])]);
    parts.push("Left out, since not observed together with another algorithm at these budgets: ", ...names, ". ");
  }
  if (!exhaustive) parts.push("There are too many portfolios to compare them all; this is the best that the search found. ");
  if (mass < 0.99) parts.push(`Only ${formatPercent(mass, 0)} of these budgets were observed; the others are left out. `);
  if (!page.sections.explorer.reliable) parts.push("The posterior is not reliable. ");
  return parts;
}

// Build the table of the best portfolios, each with the interval of its value.
function rankingTable(page, { candidates, compared }, heading, format) {
  const lowest = Math.min(...candidates.map(({ lower }) => lower));
  const highest = Math.max(...candidates.map(({ upper }) => upper));
  const at = (value) => `${(100 * (value - lowest)) / (highest - lowest || 1)}%`;
  const rows = candidates.map(({ members, lower, expected, upper, probabilityBest }) => {
    const places = { "--from": at(lower), "--mean": at(expected), "--to": at(upper) };
    const interval = `${format(expected)}, from ${format(lower)} to ${format(upper)}`;
    return el(
      "tr",
      null,
      el("th", { scope: "row" }, ...portfolioName(page, members)),
      el(
        "td",
        { class: "interval", "--c": page.looks[members[0].algorithm][0], ...places },
        el("span", { class: "visually-hidden" }, interval),
        el("span", { class: "range" }),
        el("span", { class: "mean" }),
      ),
      el("td", null, formatPercent(probabilityBest, 0)),
    );
  });
  const heads = ["choice", heading, "best"].map((each) => el("th", { scope: "col" }, each));
  const caption = compared > ROWS ? `The best ${ROWS} of ${WHOLE.format(compared)}` : `All ${compared}`;
  return el(
    "table",
    { class: "ranking" },
    el("caption", null, caption),
    el("thead", null, el("tr", null, ...heads)),
    el("tbody", null, ...rows),
  );
}
