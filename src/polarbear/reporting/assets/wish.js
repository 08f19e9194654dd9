// The query: the state of all controls of the explorer, as a plain object that the address of the page stores.

const KINDS = ["at", "between", "around", "drawn"];
const RISKS = ["expected", "best", "quantile", "regret"];
const MACHINES = 5;
const STEPS = 200; // steps of a slider over budgets
const HEIGHTS = 255; // a drawn weight is written as two hexadecimal digits

function firstWish(grid) {
  const span = grid.places[grid.places.length - 1] - grid.places[0];
  const middle = tidy(grid, grid.fromAxis(grid.places[0] + span / 2));
  return {
    kind: "at",
    time: middle,
    start: grid.first,
    stop: grid.last,
    centre: middle,
    spread: rounded(span > 0 ? span / 8 : 1),
    heights: grid.times.map(() => Math.round(HEIGHTS / 2)),
    place: 0, // index of the grid time whose weight the sliders change
    risk: "expected",
    level: 0.05,
    machines: 1,
    everybody: false,
  };
}

// Round a budget within the grid, with enough digits to distinguish the steps of a slider.
function tidy(grid, time) {
  const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
  const step = grid.last - grid.fromAxis(to - (to - from) / STEPS);
  const digits = step > 0 ? Math.ceil(Math.log10(grid.last / step)) + 1 : 3;
  return within(rounded(time, within(digits, 3, 15)), grid.first, grid.last);
}

function within(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

function spreadRange(grid) {
  const span = grid.places[grid.places.length - 1] - grid.places[0] || 1;
  return [span / 100, span / 2];
}

function preferenceOf(wish) {
  const { kind, time, start, stop, centre, spread, heights } = wish;
  if (kind === "at") return { kind, time };
  if (kind === "between") return { kind, start, stop };
  if (kind === "around") return { kind, centre, spread };
  return { kind, heights: heights.map((height) => height / HEIGHTS) };
}

function riskOf({ risk, level }) {
  return risk === "quantile" ? { kind: risk, level } : { kind: risk };
}

// `written` returns a query as the part of the address after #, and `recalled` parses it; invalid parts get defaults.
function written(wish) {
  const { kind } = wish;
  const parts = { kind };
  if (kind === "at") parts.time = wish.time;
  if (kind === "between") Object.assign(parts, { start: wish.start, stop: wish.stop });
  if (kind === "around") Object.assign(parts, { centre: wish.centre, spread: wish.spread });
  if (kind === "drawn") parts.heights = wish.heights.map((each) => each.toString(16).padStart(2, "0")).join("");
  parts.risk = wish.risk;
  if (wish.risk === "quantile") parts.level = wish.level;
  parts.machines = wish.machines;
  if (wish.everybody) parts.everybody = 1;
  return new URLSearchParams(parts).toString();
}

function recalled(text, grid) {
  const parts = new URLSearchParams(text);
  const wish = firstWish(grid);
  const number = (name, least, most) => {
    const value = Number(parts.get(name) ?? NaN);
    if (Number.isFinite(value)) wish[name] = within(value, least, most);
  };
  if (KINDS.includes(parts.get("kind"))) wish.kind = parts.get("kind");
  if (RISKS.includes(parts.get("risk"))) wish.risk = parts.get("risk");
  for (const name of ["time", "start", "stop", "centre"]) number(name, grid.first, grid.last);
  number("spread", ...spreadRange(grid));
  number("level", 0.01, 0.5);
  number("machines", 1, MACHINES);
  wish.machines = Math.round(wish.machines);
  if (wish.start > wish.stop) [wish.start, wish.stop] = [wish.stop, wish.start];
  wish.everybody = parts.get("everybody") === "1";
  const heights = parts.get("heights") ?? "";
  if (/^[0-9a-f]+$/.test(heights) && heights.length === 2 * grid.times.length) {
    wish.heights = grid.times.map((_, t) => parseInt(heights.slice(2 * t, 2 * t + 2), 16));
  }
  return wish;
}

// Describe a spread as the interval that holds two in three budgets.
function twoInThree({ centre, spread }, grid) {
  const [low, high] = [-1, 1].map((side) => amount(rounded(grid.fromAxis(grid.onAxis(centre) + side * spread))));
  return `two in three from ${low} to ${high}`;
}

// Describe a query in words.
function worded(wish, grid, unit) {
  const budget = {
    at: () => `a budget of ${amount(wish.time)}`,
    between: () => `any budget from ${amount(wish.start)} to ${amount(wish.stop)}`,
    around: () => `budgets around ${amount(wish.centre)}, ${twoInThree(wish, grid)}`,
    drawn: () => "budgets as drawn",
  }[wish.kind]();
  const aim = {
    expected: "on average",
    best: "to be the best",
    quantile: `in the worst ${percent(wish.level, 0)} of cases`,
    regret: "with the least regret",
  }[wish.risk];
  const machines = wish.machines > 1 ? `, on ${wish.machines} machines` : "";
  const measured = wish.kind === "drawn" ? budget : `${budget} ${unit}`.trim();
  return `for ${measured}, ${aim}${machines}`;
}

// Return the same query as Python code, with all digits.
function inPython(wish, grid, names) {
  const preference = {
    at: () => `pb.At(${wish.time})`,
    between: () => `pb.Between(${wish.start}, ${wish.stop})`,
    around: () =>
      grid.axis === "log"
        ? `pb.BudgetDistribution(scipy.stats.lognorm(s=${wish.spread}, scale=${wish.centre}))`
        : `pb.BudgetDistribution(scipy.stats.norm(${wish.centre}, ${wish.spread}))`,
    drawn: () => `pb.Weighted([${wish.heights.join(", ")}])`,
  }[wish.kind]();
  const risk = {
    expected: "pb.Expected()",
    best: "pb.ProbabilityBest()",
    quantile: `pb.Quantile(${wish.level})`,
    regret: "pb.Regret()",
  }[wish.risk];
  const among = names ? `, among=[${names.map((name) => JSON.stringify(name)).join(", ")}]` : "";
  const machines = wish.machines > 1 ? `, portfolio=${wish.machines}` : "";
  return `pb.select(posterior, ${preference}, ${risk}${among}${machines})`;
}
