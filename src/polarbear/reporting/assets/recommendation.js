// The recommendation in the words of polarbear/selection/explanation.py: what to choose, how certain that is, and its value.

const ROWS = 6; // in the table of choices
const LONG = 60; // letters of a choice from which it is set in smaller type, so that the answer stays beside the controls
const NEARLY_ALL = 0.99; // share of the budgets within the grid; a smaller one is reported

// Build the name of a portfolio from its members, each with its line style.
function portfolioName(page, members, labelOf = algorithmLabel) {
  return members.flatMap(({ algorithm, count }, k) => [
    ...(k ? [el("span", { class: "plus" }, " + ")] : []),
    labelOf(page, algorithm, count),
  ]);
}

// Return the number of machines that a portfolio uses.
function machinesOf({ members }) {
  return members.reduce((sum, { count }) => sum + count, 0);
}

// Return whether no choice is sure enough.
function isClose(page, { candidates, compared }) {
  return compared > 1 && candidates[0].probabilityBest < page.sure_enough;
}

// Show the recommendation, and the table of the best choices in a place of its own, so that the answer stays short.
function showRecommendation(place, alternatives, page, query, selection) {
  const [best] = selection.candidates;
  const all = query.eliminated && !selection.group;
  const code = queryInPython(query, page, all ? null : columnsOf(page, query).map((k) => page.names[k]));
  const open = place.querySelector("details")?.open ?? false;
  const close = isClose(page, selection);
  const queryText = el("p", { class: "query-text" }, describeQuery(query, page.grid, page.unit));
  const name = portfolioName(page, best.members);
  const exact = { value: best.probabilityBest, "data-figure": "probabilityBest" };
  const letters = best.members.reduce((sum, { algorithm }) => sum + page.names[algorithm].length, 0);
  const size = letters > LONG ? "recommended long" : "recommended";
  const choice = el("p", { class: size }, ...(close ? [el("data", exact, ...name)] : name));
  const head = close
    ? [
        el("p", { class: "too-close" }, "Too close to call"),
        queryText,
        el("p", { class: "statement" }, "The best choice is ", ...contenderList(page, selection)),
        el("p", { class: "statement" }, "If you must choose, take"),
        choice,
      ]
    : [el("p", { class: "eyebrow" }, "Choose"), choice, queryText];
  place.replaceChildren(
    ...head,
    el("ul", { class: "statements" }, ...statements(page, query, selection, close).map((parts) => el("li", null, ...parts))),
    page.status === "solid" ? "" : el("p", { class: "doubt" }, `Status: ${page.status}. The reasons are at the top of this page.`),
    code ? pythonDetails(code, open) : "",
  );
  alternatives.replaceChildren(...(selection.compared > 1 ? [rankingTable(page, selection)] : []));
}

function pythonDetails(code, open) {
  const attributes = { class: "python", role: "region", "aria-label": "The same in Python", tabindex: 0 }; // it may scroll
  return el("details", { open }, el("summary", null, "The same in Python"), el("code", attributes, code));
}

// Return the most probable choices with their probabilities, as parts of a sentence.
function contenderList(page, { contenders }) {
  return contenders.map(({ members, probabilityBest }, k) => {
    const after = [".", " or ", ", "][Math.min(contenders.length - 1 - k, 2)];
    const probability = ` (${formatBelow(probabilityBest, page.sure_enough)})${after}`;
    return el("span", { class: "contender" }, ...portfolioName(page, members, shortLabel), probability);
  });
}

// Build a number of the recommendation, with its exact value.
function figure(key, value, text) {
  return el("data", { value, "data-figure": key }, text);
}

// Return the sentences about the recommended choice, each as a list of parts.
function statements(page, query, selection, close) {
  const [best, next] = selection.candidates;
  const { expected, lower, upper, regret, probabilityBest, score } = best;
  const who = machinesOf(best) > 1 ? "Its best member" : "It";
  const average = query.kind === "at" ? "" : " on average over these budgets";
  const sure = figure("probabilityBest", probabilityBest, formatProbability(probabilityBest));
  const certainty = [sure, ` sure that it is the best choice of ${WHOLE.format(selection.compared)}.`];
  const which = selection.group && selection.group.note !== "too few" ? " of instances like this" : " of instances";
  const first = [`${who} comes first on `, figure("expected", expected, formatPercent(expected)), which];
  const value = [...first, ...interval(lower, upper), `${average}.`];
  if (selection.compared === 1) return [value, ...cautions(page, query, selection)];
  const cost = ["Not knowing the best choice for certain costs ", figure("regret", regret, formatLoss(regret)), " on average."];
  const worst = `In the worst ${formatPercent(query.level)} of cases ${who.toLowerCase()} comes first on `;
  const unlucky = query.risk === "quantile" ? [[worst, figure("score", score, formatPercent(score)), " of instances."]] : [];
  const following = ["Next comes ", ...portfolioName(page, next.members, shortLabel), "."];
  const answer = close ? [value, ...unlucky, cost] : [certainty, value, ...unlucky, cost, following];
  return [...groupStatements(page, query, selection), ...answer, ...cautions(page, query, selection)];
}

// Return which group the given features lead to, what was not given, and which values lie outside the data.
function groupStatements(page, query, { group }) {
  if (!Object.keys(query.given).length) return [];
  const { total, columns } = page.sections.problem;
  const { missing } = followQuestions(page, query.given);
  const all = formatCount(total, "instance");
  const size = group ? `${WHOLE.format(group.instances)} of ${all}${group.note && `, ${group.note}`}` : all;
  const parts = [`Group of this problem, by the policy: ${group ? group.name : "all instances"} (${size}).`];
  if (group?.note === "too few") parts.push(" The answer is that for all instances.");
  if (missing) parts.push(` Not given: ${missing}, so the answer is for all instances${group ? " of this group" : ""}.`);
  if (columns.length < page.names.length) parts.push(" It compares the algorithms that are not eliminated.");
  for (const { name, least, most } of featureFields(page)) {
    const value = query.given[name];
    if (typeof value !== "number" || (value >= least && value <= most)) continue;
    parts.push(` Its ${name} lies outside the data, which reach from ${DIGITS.format(least)} to ${DIGITS.format(most)}.`);
  }
  return [parts];
}

// Return the interval of a share of instances; nothing if its ends are equal.
function interval(lower, upper) {
  const [low, high] = [lower, upper].map((each) => (100 * each).toFixed(0));
  const [from, to] = [figure("lower", lower, low), figure("upper", upper, `${high}${PERCENT}`)];
  return low === high ? [] : [" (", from, "\u00a0to\u00a0", to, ")"]; // with no-break spaces
}

// Format an expected regret, in percentage points of the share of first places.
function formatLoss(regret) {
  const points = round(100 * regret, 2);
  return points < 0.1 ? "less than 0.1 percentage points" : `${points} percentage point${points === 1 ? "" : "s"}`;
}

// Return what is left out or assumed, and how a portfolio does against the best single algorithm.
function cautions(page, query, selection) {
  const { exhaustive, mass, notObserved } = selection;
  const sentences = [];
  if (notObserved.length) {
    const names = notObserved.flatMap((algorithm, k) => [...(k ? [", "] : []), nameElement(page.names[algorithm])]);
    sentences.push(["Left out, since not observed together with another algorithm at these budgets: ", ...names, "."]);
  }
  sentences.push(...portfolioStatements(page, query, selection));
  if (!exhaustive) {
    sentences.push([
      "There are too many portfolios to compare them all; this is the best that the search found, and probability and " +
        "regret compare it with the others that the search visited.",
    ]);
  }
  if (mass < NEARLY_ALL) {
    sentences.push([`Only ${round(100 * mass, 2)}${PERCENT} of the budgets lie within the grid; the others are left out.`]);
  }
  const { reliable, message } = page.sections.explorer;
  if (!reliable) sentences.push([`The posterior is not reliable: ${message}.`]);
  return sentences;
}

// Return how often a portfolio beats the best single algorithm, and how the value of copies was found.
function portfolioStatements(page, query, { candidates: [best], against, group, idle }) {
  const total = query.machines;
  const left = idle ? [[`Without copies, ${formatCount(idle, "machine")} of ${total} would be idle.`]] : [];
  const measured =
    "Repeated runs measure the value of copies of one algorithm, but this page does not hold them, so it leaves copies out; " +
    `in Python, select with portfolio=${total} includes them.`;
  if (!page.sections.explorer.copies && total > 1) left.push([measured]);
  if (!against) return left;
  const versus = group ? [] : [againstSingle(page, query, best, against)]; // the page holds no outcomes of a group
  const copies =
    "The value of copies of one algorithm is computed from Plackett-Luce, since the posterior has no repeated runs of it on " +
    "the same instances.";
  return best.members.some(({ count }) => count > 1) ? [...versus, [copies]] : [...versus, ...left];
}

function againstSingle(page, query, best, against) {
  const single = nameElement(page.short_names[against.algorithm]);
  const average = query.kind === "at" ? "" : " on average over these budgets";
  const isMember = best.members.some(({ algorithm }) => algorithm === against.algorithm);
  const member = nameElement(page.short_names[against.algorithm]);
  const isCopied = best.members.some(({ algorithm, count }) => algorithm === against.algorithm && count > 1);
  const where = isCopied ? ["its first run of ", member, " is the best"] : [member, " is its best member"];
  const shared = isMember ? [", counting one half where ", ...where] : [];
  const absent = ", is not on this page, since there are too many portfolios; Python computes it.";
  if (against.winRate === null) return ["How often it beats the best single algorithm, ", single, absent];
  return [
    "It beats the best single algorithm, ",
    single,
    ", on ",
    figure("winRate", against.winRate, formatPercent(against.winRate)),
    ` of instances${average}`,
    ...shared,
    ".",
  ];
}

// Build the table of the best choices, each with the interval of its share of first places.
function rankingTable(page, { candidates, compared }) {
  const lowest = Math.min(...candidates.map(({ lower }) => lower));
  const highest = Math.max(...candidates.map(({ upper }) => upper));
  const at = (value) => `${(100 * (value - lowest)) / (highest - lowest || 1)}%`;
  const rows = candidates.map(({ members, lower, expected, upper, probabilityBest }) => {
    const places = { "--from": at(lower), "--mean": at(expected), "--to": at(upper) };
    const text = `${formatPercent(expected)}, from ${formatPercent(lower)} to ${formatPercent(upper)}`;
    return el(
      "tr",
      null,
      el("th", { scope: "row" }, ...portfolioName(page, members)),
      el(
        "td",
        { class: "interval", "--c": page.looks[members[0].algorithm][0], title: text, ...places },
        el("span", { class: "visually-hidden" }, text),
        el("span", { class: "range" }),
        el("span", { class: "mean" }),
      ),
      el("td", null, formatBelow(probabilityBest, page.sure_enough)),
    );
  });
  const extent = `comes first on (axis from ${(100 * lowest).toFixed(0)} to ${formatPercent(highest)})`;
  const heads = ["choice", extent, "is the best choice"].map((each) => el("th", { scope: "col" }, each));
  const caption = compared > ROWS ? `The best ${ROWS} of ${WHOLE.format(compared)} choices` : `All ${compared} choices`;
  return el(
    "table",
    { class: "ranking" },
    el("caption", null, caption),
    el("thead", null, el("tr", null, ...heads)),
    el("tbody", null, ...rows),
  );
}
