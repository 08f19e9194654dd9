// The recommendation in the words of polarbear/selection/explanation.py: what to choose, how certain that is, and its value.

const ROWS = 6; // in the table of choices
const LONG = 60; // letters of a choice from which it is set in smaller type, so that the answer stays beside the controls
const NEARLY_ALL = 0.99; // share of the budgets within the grid; a smaller one is reported

// Build the name of a portfolio from its members, each with its line style and with the algorithms that are the same.
function portfolioName(page, members, labelOf = algorithmLabel) {
  return members.flatMap(({ algorithm, count, same }, k) => [
    ...(k ? [el("span", { class: "plus" }, " + ")] : []),
    labelOf(page, algorithm, count),
    ...same.flatMap((other) => [" = ", labelOf(page, other)]),
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
  const code = queryInPython(query, page, selection.among);
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
        el("p", { class: "too-close" }, "Unclear"),
        queryText,
        el("p", { class: "statement" }, "The best choice is ", ...contenderList(page, selection)),
        el("p", { class: "statement" }, "If you must choose, take"),
        choice,
      ]
    : [el("p", { class: "eyebrow" }, "Choose"), choice, queryText];
  place.replaceChildren(
    ...head,
    el("ul", { class: "statements" }, ...statements(page, query, selection, close).map((parts) => el("li", null, ...parts))),
    page.trust === "firm" ? "" : el("p", { class: "doubt" }, `The answer is ${page.trust}. The reasons are at the top of this page.`),
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

// Return how the values of a selection are stated: before and after the number, as the heading of a column, and as text.
function wordingOf({ byRivals, byRating, group, candidates: [best] }) {
  if (byRating) {
    const format = (value) => String(round(value));
    return { before: "Its rating is ", after: "", head: "rating", format, formatLoss: (loss) => `${round(loss, 2)} of this rating` };
  }
  const who = machinesOf(best) > 1 ? "Its best member" : "It";
  const which = group && group.note !== "too few" ? " of instances like this" : " of instances";
  const [before, after, head] = byRivals
    ? [`${who} wins on `, `${which} against its strongest rival`, "beats its strongest rival on"]
    : [`${who} comes first on `, which, "comes first on"];
  return { before, after, head, format: formatPercent, formatLoss };
}

// Return the sentences about the recommended choice, each as a list of parts.
function statements(page, query, selection, close) {
  const [best, next] = selection.candidates;
  const { expected, lower, upper, loss, probabilityBest, score } = best;
  const { before, after, format, formatLoss: asLoss } = wordingOf(selection);
  const average = query.kind === "at" ? "" : " on average over these budgets";
  const sure = figure("probabilityBest", probabilityBest, formatProbability(probabilityBest));
  const certainty = [sure, ` sure that it is the best choice of ${WHOLE.format(selection.compared)}.`];
  const value = [before, figure("expected", expected, format(expected)), after, ...interval(lower, upper, format), `${average}.`];
  const only = selection.byRivals ? ["It is the only candidate."] : value;
  const cases = `In the worst ${formatPercent(query.level)} of cases ${before[0].toLowerCase()}${before.slice(1)}`;
  const unlucky = query.risk === "quantile" ? [[cases, figure("score", score, format(score)), `${after}.`]] : [];
  const cost = selection.byRivals
    ? ["Expected loss, by which the strongest rival wins more than half: ", figure("loss", loss, asLoss(loss)), "."]
    : ["Not knowing the best choice for certain costs ", figure("loss", loss, asLoss(loss)), " on average."];
  const following = next ? [["Next comes ", ...portfolioName(page, next.members, shortLabel), "."]] : [];
  const answer = close ? [value, ...unlucky, cost] : [certainty, value, ...unlucky, cost, ...following];
  return [
    ...groupStatements(page, query, selection),
    ...(selection.compared === 1 ? [only] : answer),
    ...rivalStatements(page, selection),
    ...cautions(page, query, selection),
  ];
}

// Return who the strongest rival is, with the expected win rate against it and at a known budget the observed one. A single
// candidate is compared with algorithms that were dropped. The page holds no outcomes of a group.
function rivalStatements(page, { byRivals, group, candidates: [best], compared, columns, weights }) {
  if (!byRivals || group) return [];
  const [{ algorithm, same }] = best.members;
  const used = [...weights.keys()].filter((budget) => weights[budget] > 0);
  const isCompared = (other) => used.every((budget) => page.pairs.observed(algorithm, other, budget).number > 0);
  const others = (compared > 1 ? columns : [...page.names.keys()]).filter((other) => other !== algorithm && !same.includes(other));
  const rivals = others
    .filter((other) => compared > 1 || isCompared(other))
    .map((other) => ({ other, rates: page.pairs.rates(algorithm, other).mean }))
    .map(({ other, rates }) => ({ other, expected: used.reduce((sum, budget) => sum + weights[budget] * rates[budget], 0) }));
  if (!rivals.length) return [];
  const { other, expected } = rivals.reduce((least, each) => (each.expected < least.expected ? each : least));
  const { share, number } = used.length === 1 ? page.pairs.observed(algorithm, other, used[0]) : { number: 0 };
  return [
    [
      `${compared > 1 ? "Its" : "Among the other algorithms, its"} strongest rival is `,
      nameElement(page.short_names[other]),
      `, which it is expected to beat on ${formatPercent(expected)} of new instances`,
      number ? `; it won ${formatPercent(share)} of the ${WHOLE.format(number)} observed.` : ".",
    ],
  ];
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
  if (columns.length < page.names.length) parts.push(" It compares the kept algorithms.");
  for (const { name, least, most } of featureFields(page)) {
    const value = query.given[name];
    if (typeof value !== "number" || (value >= least && value <= most)) continue;
    parts.push(` Its ${name} lies outside the data, which reach from ${DIGITS.format(least)} to ${DIGITS.format(most)}.`);
  }
  return [parts];
}

// Return the interval of a value; nothing if its ends are equal.
function interval(lower, upper, format) {
  const [low, high] = [lower, upper].map(format);
  const [from, to] = [figure("lower", lower, low.replace(PERCENT, "")), figure("upper", upper, high)];
  return low === high ? [] : [" (", from, "\u00a0to\u00a0", to, ")"]; // with no-break spaces
}

// Format an expected loss, in percentage points.
function formatLoss(loss) {
  const points = round(100 * loss, 2);
  return points < 0.1 ? "less than 0.1 percentage points" : `${points} percentage point${points === 1 ? "" : "s"}`;
}

// Return what is left out or assumed.
function cautions(page, query, selection) {
  const { stands, mass, notObserved } = selection;
  const sentences = [];
  if (stands !== null) {
    sentences.push([
      "This page has no runs to look up this budget, and the answer is for the nearest budget of the grid below, a budget of " +
        `${formatAmount(stands)}.`,
    ]);
  }
  if (notObserved.length) {
    const names = notObserved.flatMap((algorithm, k) => [...(k ? [", "] : []), nameElement(page.names[algorithm])]);
    sentences.push(["Left out, since not observed together with another algorithm at these budgets: ", ...names, "."]);
  }
  sentences.push(...portfolioStatements(page, query, selection));
  if (mass < NEARLY_ALL) {
    sentences.push([`Only ${round(100 * mass, 2)}${PERCENT} of the budgets lie within the grid; the others are left out.`]);
  }
  const { reliable, message } = page.sections.explorer;
  if (!reliable) sentences.push([`The posterior is not reliable: ${message}.`]);
  return sentences;
}

// Return the value of the best single algorithm beside that of a portfolio, and what a sum of ratings assumes.
function portfolioStatements(page, query, { alone, byRating, group, candidates: [best] }) {
  if (!alone) return [];
  const { algorithm, expected } = alone;
  const [does, unit] = byRating ? [", has a rating of ", ""] : [", comes first on ", " of instances"];
  const value = figure("alone", expected, byRating ? String(round(expected)) : formatPercent(expected));
  const average = query.kind === "at" ? "" : " on average over these budgets";
  const single = ["The best single algorithm, ", nameElement(page.short_names[algorithm]), does, value, `${unit}${average}.`];
  const sum = "A portfolio has the sum of its members' ratings, as if all runs were independent";
  const copies = "; for this preference the best choice is therefore the best algorithm on every machine";
  const isCopied = best.members.some(({ count }) => count > 1);
  const dropped = best.members.filter(({ algorithm }) => !group && !page.candidates.includes(algorithm));
  const notes = dropped.map((each) => [nameElement(each.name), " is dropped, but may be the best where the others fail."]);
  return [single, ...notes, ...(isCopied ? [[`${sum}${query.risk === "quantile" ? "" : copies}.`]] : [])];
}

// Build the table of the best choices, each with the interval of its value.
function rankingTable(page, selection) {
  const { candidates, compared } = selection;
  const { head, format } = wordingOf(selection);
  const lowest = Math.min(...candidates.map(({ lower }) => lower));
  const highest = Math.max(...candidates.map(({ upper }) => upper));
  const at = (value) => `${(100 * (value - lowest)) / (highest - lowest || 1)}%`;
  const rows = candidates.map(({ members, lower, expected, upper, probabilityBest }) => {
    const places = { "--from": at(lower), "--mean": at(expected), "--to": at(upper) };
    const text = `${format(expected)}, from ${format(lower)} to ${format(upper)}`;
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
  const extent = `${head} (axis from ${format(lowest).replace(PERCENT, "")} to ${format(highest)})`;
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
