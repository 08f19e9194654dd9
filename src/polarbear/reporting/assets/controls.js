// The explorer's controls. Each is built from a `form`: the query that it changes, `changed` to call after a change, and
// `refreshers`, a list of functions that update the controls from the query.

const KIND_LABELS = {
  at: ["I know it", "The budget is known."],
  between: ["Within a range", "Every budget in the range is as likely as any other."],
  around: ["Roughly", "Budgets scatter around a centre."],
  drawn: ["I draw it", "Draw the weight of each budget into the chart."],
};
const RISK_LABELS = {
  best: ["Be the best", "Choose what is most probably the best choice."],
  expected: ["On average", (form) => `Choose what ${aimOf(form)} on the most instances.`],
  quantile: ["Play safe", (form) => `Choose what ${aimOf(form)} on the most instances if things go badly.`],
  loss: ["Lose least", (form) => `Choose the smallest expected loss: ${lossOf(form)}.`],
};
const MACHINE_LABELS = Object.fromEntries(Array.from({ length: MACHINES }, (_, k) => [k + 1, [String(k + 1), ""]]));
const SHAPES = {
  Uniform: () => 0.5,
  "Early matters": (share) => 0.95 * (1 - share) ** 2 + 0.02,
  "Late matters": (share) => 0.95 * share ** 2 + 0.02,
  "Both ends": (share) => 0.9 * (2 * share - 1) ** 2 + 0.02,
};

// Return whether single algorithms are compared by the win rate against the strongest rival.
function isByRivals({ query, byPairs }) {
  return byPairs() && query.machines === 1;
}

function aimOf(form) {
  return isByRivals(form) ? "beats its strongest rival" : "comes first";
}

function lossOf(form) {
  return isByRivals(form) ? "by how much the strongest rival wins more than half" : "against the choice that turns out best";
}

function setQuery(form, key, value) {
  form.query[key] = value;
  form.changed();
}

// Build a row of buttons, one per value; `labels` gives each value its label and a hint, which may depend on the query.
function radioControl(form, legendText, key, labels, valueOf = (text) => text) {
  const hint = el("p", { class: "hint" });
  const inputs = Object.keys(labels).map((value) =>
    el("input", { type: "radio", name: key, value, onchange: () => setQuery(form, key, valueOf(value)) }),
  );
  form.refreshers.push(() => {
    for (const input of inputs) input.checked = valueOf(input.value) === form.query[key];
    const text = labels[form.query[key]][1];
    hint.textContent = typeof text === "function" ? text(form) : text;
    hint.hidden = !hint.textContent;
  });
  const segments = inputs.map((input) => el("label", { class: "segment" }, input, el("span", null, labels[input.value][0])));
  return el("fieldset", null, el("legend", null, legendText), el("div", { class: "segments" }, ...segments), hint);
}

// Build a slider with its value beside it, as text or as another input.
function sliderRow(label, slider, beside) {
  const kind = beside.tagName === "INPUT" ? "slider" : "slider wide";
  return el("div", { class: kind }, el("span", { class: "slider-label" }, label), slider, beside);
}

function rangeInput(label, key, most, oninput, least = 0) {
  return el("input", { type: "range", min: least, max: most, step: 1, "data-key": key, "aria-label": label, oninput });
}

// Build the controls of each kind of preference; only those of the current kind are visible.
function budgetControls(form) {
  const parts = {
    at: [budgetControl(form, "Budget", "budget")],
    between: [budgetControl(form, "From", "start"), budgetControl(form, "To", "stop")],
    around: [budgetControl(form, "Centre", "centre"), spreadControl(form)],
    drawn: drawnControls(form),
  };
  const groups = Object.entries(parts).map(([kind, children]) => {
    const group = el("div", { class: "budget" }, ...children);
    form.refreshers.push(() => (group.hidden = form.query.kind !== kind));
    return group;
  });
  return el("div", null, ...groups);
}

// Build a slider on the grid's axis with the exact number beside it. One end of a range pushes the other end along.
function budgetControl(form, label, key) {
  const { query, grid, unit } = form;
  const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
  const budgetAt = (step) => roundBudget(grid, grid.fromAxis(from + ((to - from) * step) / STEPS));
  const take = (budget) => {
    query[key] = clamp(budget, grid.first, grid.last);
    if (key === "start") query.stop = Math.max(query.start, query.stop);
    if (key === "stop") query.start = Math.min(query.start, query.stop);
    form.changed();
  };
  const slider = rangeInput(label, key, STEPS, () => take(budgetAt(slider.value)));
  const exact = el("input", {
    type: "number",
    min: grid.first,
    max: grid.last,
    step: "any",
    "data-key": key,
    "aria-label": `${label}, in ${unit || "units of the grid"}`,
    onchange: () => take(Number.isFinite(exact.valueAsNumber) ? exact.valueAsNumber : query[key]),
  });
  form.refreshers.push(() => {
    if (budgetAt(slider.value) !== query[key]) {
      slider.value = to > from ? Math.round((STEPS * (grid.onAxis(query[key]) - from)) / (to - from)) : 0;
    }
    slider.setAttribute("aria-valuetext", `${formatAmount(query[key])} ${unit}`.trim());
    if (document.activeElement !== exact) exact.value = query[key];
  });
  return sliderRow(label, slider, exact);
}

function spreadControl(form) {
  const { query, grid } = form;
  const [least, most] = spreadRange(grid);
  const reading = el("span", { class: "reading" });
  const slider = rangeInput("Spread", "spread", STEPS, () =>
    setQuery(form, "spread", round(least * (most / least) ** (slider.value / STEPS))),
  );
  form.refreshers.push(() => {
    slider.value = Math.round((STEPS * Math.log(query.spread / least)) / Math.log(most / least));
    reading.textContent = describeSpread(query, grid);
    slider.setAttribute("aria-valuetext", reading.textContent);
  });
  return sliderRow("Spread", slider, reading);
}

// Build controls that need no pointer: choose a budget, then its weight. Presets set all weights at once.
function drawnControls(form) {
  const { query, grid, unit } = form;
  const last = grid.budgets.length - 1;
  const where = rangeInput("Budget to change", "place", last, () => setQuery(form, "place", Number(where.value)));
  const weight = rangeInput("Weight there", "weight", HEIGHTS, () => {
    query.heights[query.place] = Number(weight.value);
    form.changed();
  });
  const [budget, height] = [el("span", { class: "reading" }), el("span", { class: "reading" })];
  form.refreshers.push(() => {
    where.value = query.place;
    weight.value = query.heights[query.place];
    budget.textContent = `${formatAmount(round(grid.budgets[query.place]))} ${unit}`.trim();
    height.textContent = formatPercent(query.heights[query.place] / HEIGHTS);
    where.setAttribute("aria-valuetext", budget.textContent);
    weight.setAttribute("aria-valuetext", `${height.textContent} at ${budget.textContent}`);
  });
  const presets = Object.entries(SHAPES).map(([label, shape]) => {
    const heights = grid.budgets.map((_, t) => Math.round(HEIGHTS * shape(last ? t / last : 0.5)));
    return el("button", { type: "button", onclick: () => setQuery(form, "heights", heights.slice()) }, label);
  });
  return [el("div", { class: "presets" }, ...presets), sliderRow("Budget", where, budget), sliderRow("Weight", weight, height)];
}

// Build the slider for the level of the quantile, visible only under that risk attitude.
function levelControl(form) {
  const { query } = form;
  const reading = el("span", { class: "reading" });
  const slider = rangeInput("How unlucky", "level", 50, () => setQuery(form, "level", Number(slider.value) / 100), 1);
  const row = sliderRow("How unlucky", slider, reading);
  form.refreshers.push(() => {
    row.hidden = query.risk !== "quantile";
    slider.value = Math.round(100 * query.level);
    reading.textContent = `the worst ${formatPercent(query.level)} of cases`;
    slider.setAttribute("aria-valuetext", reading.textContent);
  });
  return row;
}

// Build a field for each feature that the policy asks for: a menu of levels, or a number. Empty means not known.
function featureControls(form, fields) {
  const rows = fields.map((field) => {
    const input = field.levels ? levelMenu(field) : numberField(field);
    input.addEventListener("change", () => {
      const value = parseFeature(field, input.value);
      if (value === undefined) delete form.query.given[field.name];
      else form.query.given[field.name] = value;
      form.changed();
    });
    form.refreshers.push(() => {
      if (document.activeElement !== input || field.levels) input.value = form.query.given[field.name] ?? "";
    });
    return el("label", { class: "feature" }, nameElement(field.name), input);
  });
  const hint = el("p", { class: "hint" }, "The answer is then that for the group of this problem. Leave out what you do not know.");
  const legendText = "What is known about the problem?";
  return el("fieldset", null, el("legend", null, legendText), el("div", { class: "features" }, ...rows), hint);
}

function levelMenu({ name, levels }) {
  const options = levels.map((level) => el("option", { value: level }, level));
  return el("select", { "data-feature": name }, el("option", { value: "" }, "not known"), ...options);
}

function numberField({ name, least, most }) {
  const placeholder = least === most ? "" : `${DIGITS.format(least)} to ${DIGITS.format(most)}`;
  return el("input", { type: "number", step: "any", placeholder, "data-feature": name });
}

function droppedControl(form) {
  const onchange = () => setQuery(form, "dropped", box.checked);
  const box = el("input", { type: "checkbox", name: "dropped", onchange });
  const label = el("label", { class: "check" }, box, " include dropped algorithms");
  form.refreshers.push(() => {
    box.checked = form.query.dropped;
    label.hidden = Object.keys(form.query.given).length > 0; // groups are known for the candidates only
  });
  return label;
}
