// What was compared, by which rules, and with which versions on which machine.

const ENVIRONMENT_LABELS = {
  polarbear: "PolarBear",
  python: "Python",
  numpy: "NumPy",
  scipy: "SciPy",
  system: "System",
  time: "Started",
};

const RULES = {
  pointwise: "another algorithm beats it at each budget, taken alone",
  joint: "another algorithm beats it at all budgets at once",
  set: "no further algorithm is likely to be dropped",
  pairs: "each pair is decided, or is known to cross",
  "every-budget": "each pair is decided at every budget",
};

sections.settings = (data, page) => {
  const { grid } = page;
  const range = `from ${formatAmount(grid.first)} to ${formatAmount(grid.last)} ${page.unit}`.trimEnd();
  const axis = grid.axis === "log" ? "logarithmic" : "linear";
  const facts = [
    ["Algorithms", String(page.names.length)],
    ["Instances", WHOLE.format(data.instances)],
    ...(data.scope ? [["Scope", data.scope]] : []),
    ["Budgets", `${formatCount(grid.budgets.length, "budget")} ${range}, ${axis} axis`],
    ["Prior", data.prior],
    ["Inference", data.method],
    ["Confidence", data.confidence],
    ["Dominance", withRule(data.dominance)],
  ];
  if (data.race) {
    const { until, seed, state } = data.race;
    facts.push(["Until", withRule(until)], ["Seed", seed], ["State", state]);
  }
  for (const [key, value] of Object.entries(data.environment)) facts.push([ENVIRONMENT_LABELS[key] ?? key, String(value)]);
  byId("settings-list").replaceChildren(...definitions(facts));
  if (data.race) byId("all-settings-list").replaceChildren(...definitions(data.race.all));
  else byId("all-settings").remove();
};

// Return the name of a rule with its meaning.
function withRule(name) {
  return RULES[name] ? `${name}: ${RULES[name]}` : name;
}

function definitions(pairs) {
  return pairs.flatMap(([term, value]) => [el("dt", null, term), el("dd", null, el("bdi", null, value))]);
}
