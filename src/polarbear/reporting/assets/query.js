// The query: the state of all controls of the explorer, as a plain object that the address of the page stores.

const KINDS = ["at", "between", "around", "drawn"];
const RISKS = ["expected", "best", "quantile", "loss"];
const MACHINES = 5; // at most
const STEPS = 200; // steps of a slider over budgets
const GIVEN = "given."; // before the name of a feature in the address
const HEIGHTS = 255; // a drawn weight is stored as two hexadecimal digits

// Return the query that the page starts with. As in Python, the most probable best choice is recommended under the default
// belief, and the highest expected rating under the paper's priors.
function defaultQuery({ grid, by_pairs: byPairs }) {
  const span = grid.places[grid.places.length - 1] - grid.places[0];
  const middle = roundBudget(grid, grid.fromAxis(grid.places[0] + span / 2));
  return {
    kind: "at",
    budget: middle,
    start: grid.first,
    stop: grid.last,
    centre: middle,
    spread: round(span > 0 ? span / 8 : 1),
    heights: grid.budgets.map(() => Math.round(HEIGHTS / 2)),
    place: 0, // index of the budget of the grid whose weight the sliders change
    risk: byPairs ? "best" : "expected",
    level: 0.05,
    machines: 1,
    dropped: false, // whether dropped algorithms are included
    given: {}, // values of features of the problem, by name
  };
}

// Round a budget on the grid, with enough digits to distinguish the steps of a slider.
function roundBudget(grid, budget) {
  const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
  const step = grid.last - grid.fromAxis(to - (to - from) / STEPS);
  const digits = step > 0 ? Math.ceil(Math.log10(grid.last / step)) + 1 : 3;
  return clamp(round(budget, clamp(digits, 3, 15)), grid.first, grid.last);
}

function spreadRange(grid) {
  const span = grid.places[grid.places.length - 1] - grid.places[0] || 1;
  return [span / 100, span / 2];
}

function preferenceOf(query) {
  const { kind, budget, start, stop, centre, spread, heights } = query;
  if (kind === "at") return { kind, budget };
  if (kind === "between") return { kind, start, stop };
  if (kind === "around") return { kind, centre, spread };
  return { kind, heights: heights.map((height) => height / HEIGHTS) };
}

function riskOf({ risk, level }) {
  return risk === "quantile" ? { kind: risk, level } : { kind: risk };
}

// Return a query as the part of the address after #.
function formatQuery(query) {
  const { kind } = query;
  const parts = { kind };
  if (kind === "at") parts.budget = query.budget;
  if (kind === "between") Object.assign(parts, { start: query.start, stop: query.stop });
  if (kind === "around") Object.assign(parts, { centre: query.centre, spread: query.spread });
  if (kind === "drawn") parts.heights = query.heights.map((each) => each.toString(16).padStart(2, "0")).join("");
  parts.risk = query.risk;
  if (query.risk === "quantile") parts.level = query.level;
  parts.machines = query.machines;
  if (query.dropped) parts.dropped = 1;
  for (const [name, value] of Object.entries(query.given)) parts[`${GIVEN}${name}`] = value;
  return new URLSearchParams(parts).toString();
}

// Return the query in the part of the address after #; missing and invalid parts get defaults. `fields` are the features of
// which it may hold values.
function parseQuery(text, page, fields) {
  const parts = new URLSearchParams(text);
  const { grid } = page;
  const query = defaultQuery(page);
  const number = (name, least, most) => {
    const value = Number(parts.get(name) ?? NaN);
    if (Number.isFinite(value)) query[name] = clamp(value, least, most);
  };
  if (KINDS.includes(parts.get("kind"))) query.kind = parts.get("kind");
  if (RISKS.includes(parts.get("risk"))) query.risk = parts.get("risk");
  for (const name of ["budget", "start", "stop", "centre"]) number(name, grid.first, grid.last);
  number("spread", ...spreadRange(grid));
  number("level", 0.01, 0.5);
  number("machines", 1, MACHINES);
  query.machines = Math.round(query.machines);
  if (query.start > query.stop) [query.start, query.stop] = [query.stop, query.start];
  query.dropped = parts.get("dropped") === "1" && !page.by_pairs; // of pairs the page holds those that are kept
  for (const field of fields) {
    const value = parseFeature(field, parts.get(`${GIVEN}${field.name}`));
    if (value !== undefined) query.given[field.name] = value;
  }
  const heights = parts.get("heights") ?? "";
  if (/^[0-9a-f]+$/.test(heights) && heights.length === 2 * grid.budgets.length) {
    query.heights = grid.budgets.map((_, t) => parseInt(heights.slice(2 * t, 2 * t + 2), 16));
  }
  return query;
}

// Return the value of a feature from text: a level of a category, or a number; undefined if it is neither.
function parseFeature({ levels }, text) {
  if (text === null || text.trim() === "") return undefined;
  if (levels) return levels.includes(text) ? text : undefined;
  return Number.isFinite(Number(text)) ? Number(text) : undefined;
}

// Describe a spread as the interval that holds two in three budgets.
function describeSpread({ centre, spread }, grid) {
  const [low, high] = [-1, 1].map((side) => formatAmount(round(grid.fromAxis(grid.onAxis(centre) + side * spread))));
  return `two in three from ${low} to ${high}`;
}

// Describe a query in words.
function describeQuery(query, grid, unit) {
  const budget = {
    at: () => `a budget of ${formatAmount(query.budget)}`,
    between: () => `a budget between ${formatAmount(query.start)} and ${formatAmount(query.stop)}`,
    around: () => `budgets around ${formatAmount(query.centre)}, ${describeSpread(query, grid)}`,
    drawn: () => "budgets as drawn",
  }[query.kind]();
  const aim = {
    expected: "on average",
    best: "to be the best",
    quantile: `in the worst ${formatPercent(query.level)} of cases`,
    loss: "with the least expected loss",
  }[query.risk];
  const given = describeGiven(query.given);
  const machines = query.machines > 1 ? `, on ${query.machines} machines` : "";
  const budgetWithUnit = query.kind === "drawn" ? budget : `${budget} ${unit}`.trim();
  return `for ${budgetWithUnit}, ${aim}${machines}${given ? `, on a problem with ${given}` : ""}`;
}

// Return the same query as Python code, with all digits; null if one call does not give the same answer. A policy finds its
// groups for one preference, which here is that of the section on problems, and chooses one algorithm among those of the page.
// `among` are the compared algorithms, or null for those that Python compares by default.
function queryInPython(query, page, among) {
  const { grid } = page;
  const given = Object.entries(query.given).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (given.length && (query.kind !== "at" || query.machines > 1)) return null;
  const preference = {
    at: () => `pb.At(${query.budget})`,
    between: () => `pb.Between(${query.start}, ${query.stop})`,
    around: () =>
      grid.axis === "log"
        ? `pb.BudgetDistribution(scipy.stats.lognorm(s=${query.spread}, scale=${query.centre}))`
        : `pb.BudgetDistribution(scipy.stats.norm(${query.centre}, ${query.spread}))`,
    drawn: () => `pb.Weighted([${query.heights.join(", ")}])`,
  }[query.kind]();
  const risk = {
    expected: "pb.Expected()",
    best: "pb.ProbabilityBest()",
    quantile: `pb.Quantile(${query.level})`,
    loss: "pb.ExpectedLoss()",
  }[query.risk];
  if (given.length) {
    const policy = [...page.sections.problem.policy.python, `risk=${risk}`];
    return `pb.policy(${policy.join(", ")}).choose(${query.budget}, **{${given.join(", ")}})`;
  }
  const names = among?.map((algorithm) => JSON.stringify(page.names[algorithm])).join(", ");
  const candidates = among ? `, among=[${names}]` : "";
  const machines = query.machines > 1 ? `, portfolio=${query.machines}${page.by_pairs ? ", copies=False" : ""}` : "";
  return `pb.select(posterior, ${preference}, ${risk}${candidates}${machines})`;
}
