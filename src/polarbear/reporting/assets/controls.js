// The explorer's controls. Each is built from a `desk`: the query that it changes, `changed` to call after a change, and
// `shows`, a list of functions that update the controls from the query.

const KIND_WORDS = {
  at: ["I know it", "The budget is known."],
  between: ["Within a range", "Every budget in the range is as likely as any other."],
  around: ["Roughly", "Budgets scatter around a centre."],
  drawn: ["I draw it", "Draw into the picture how much each budget counts."],
};
const RISK_WORDS = {
  expected: ["On average", "Choose the highest chance of being first on average."],
  best: ["Be the best", "Choose the highest probability of being the best choice."],
  quantile: ["Play safe", "Choose the highest chance of being first when things go badly."],
  regret: ["Regret least", "Choose the smallest loss against whichever turns out best."],
};
const MACHINE_WORDS = Object.fromEntries(Array.from({ length: MACHINES }, (_, k) => [k + 1, [String(k + 1), ""]]));
const SHAPES = {
  "All alike": () => 0.5,
  "Early matters": (share) => 0.95 * (1 - share) ** 2 + 0.02,
  "Late matters": (share) => 0.95 * share ** 2 + 0.02,
  "Both ends": (share) => 0.9 * (2 * share - 1) ** 2 + 0.02,
};

function set(desk, key, value) {
  desk.wish[key] = value;
  desk.changed();
}

// Build a row of buttons, one per value; `words` gives each value its label and a hint.
function choiceControl(desk, legendText, key, words, valueOf = (text) => text) {
  const hint = el("p", { class: "hint" });
  const inputs = Object.keys(words).map((value) =>
    el("input", { type: "radio", name: key, value, onchange: () => set(desk, key, valueOf(value)) }),
  );
  desk.shows.push(() => {
    for (const input of inputs) input.checked = valueOf(input.value) === desk.wish[key];
    hint.textContent = words[desk.wish[key]][1];
    hint.hidden = !hint.textContent;
  });
  const segments = inputs.map((input) => el("label", { class: "segment" }, input, el("span", null, words[input.value][0])));
  return el("fieldset", null, el("legend", null, legendText), el("div", { class: "segments" }, ...segments), hint);
}

// Build a slider with its value beside it, as text or as another input.
function sliderRow(label, slider, beside) {
  const kind = beside.tagName === "INPUT" ? "slider" : "slider wide";
  return el("div", { class: kind }, el("span", { class: "what" }, label), slider, beside);
}

function slide(label, key, most, oninput, least = 0) {
  return el("input", { type: "range", min: least, max: most, step: 1, "data-key": key, "aria-label": label, oninput });
}

// Build the controls of each kind of preference; only those of the current kind are visible.
function budgetControls(desk) {
  const parts = {
    at: [timeControl(desk, "Budget", "time")],
    between: [timeControl(desk, "From", "start"), timeControl(desk, "To", "stop")],
    around: [timeControl(desk, "Centre", "centre"), spreadControl(desk)],
    drawn: drawnControls(desk),
  };
  const groups = Object.entries(parts).map(([kind, children]) => {
    const group = el("div", { class: "budget" }, ...children);
    desk.shows.push(() => (group.hidden = desk.wish.kind !== kind));
    return group;
  });
  return el("div", null, ...groups);
}

// Build a slider on the grid's axis with the exact number beside it. One end of a range pushes the other end along.
function timeControl(desk, label, key) {
  const { wish, grid, unit } = desk;
  const [from, to] = [grid.places[0], grid.places[grid.places.length - 1]];
  const timeAt = (step) => tidy(grid, grid.fromAxis(from + ((to - from) * step) / STEPS));
  const take = (time) => {
    wish[key] = within(time, grid.first, grid.last);
    if (key === "start") wish.stop = Math.max(wish.start, wish.stop);
    if (key === "stop") wish.start = Math.min(wish.start, wish.stop);
    desk.changed();
  };
  const slider = slide(label, key, STEPS, () => take(timeAt(slider.value)));
  const exact = el("input", {
    type: "number",
    min: grid.first,
    max: grid.last,
    step: "any",
    "data-key": key,
    "aria-label": `${label}, in ${unit || "units of the grid"}`,
    onchange: () => take(Number.isFinite(exact.valueAsNumber) ? exact.valueAsNumber : wish[key]),
  });
  desk.shows.push(() => {
    if (timeAt(slider.value) !== wish[key]) {
      slider.value = to > from ? Math.round((STEPS * (grid.onAxis(wish[key]) - from)) / (to - from)) : 0;
    }
    slider.setAttribute("aria-valuetext", `${amount(wish[key])} ${unit}`.trim());
    if (document.activeElement !== exact) exact.value = wish[key];
  });
  return sliderRow(label, slider, exact);
}

function spreadControl(desk) {
  const { wish, grid } = desk;
  const [least, most] = spreadRange(grid);
  const said = el("span", { class: "said" });
  const slider = slide("Spread", "spread", STEPS, () =>
    set(desk, "spread", rounded(least * (most / least) ** (slider.value / STEPS))),
  );
  desk.shows.push(() => {
    slider.value = Math.round((STEPS * Math.log(wish.spread / least)) / Math.log(most / least));
    said.textContent = twoInThree(wish, grid);
    slider.setAttribute("aria-valuetext", said.textContent);
  });
  return sliderRow("Spread", slider, said);
}

// Build controls that need no pointer: choose a time, then its weight. Presets set all weights at once.
function drawnControls(desk) {
  const { wish, grid, unit } = desk;
  const last = grid.times.length - 1;
  const where = slide("Time to change", "place", last, () => set(desk, "place", Number(where.value)));
  const weight = slide("Weight there", "weight", HEIGHTS, () => {
    wish.heights[wish.place] = Number(weight.value);
    desk.changed();
  });
  const [time, height] = [el("span", { class: "said" }), el("span", { class: "said" })];
  desk.shows.push(() => {
    where.value = wish.place;
    weight.value = wish.heights[wish.place];
    time.textContent = `${amount(rounded(grid.times[wish.place]))} ${unit}`.trim();
    height.textContent = percent(wish.heights[wish.place] / HEIGHTS, 0);
    where.setAttribute("aria-valuetext", time.textContent);
    weight.setAttribute("aria-valuetext", `${height.textContent} at ${time.textContent}`);
  });
  const presets = Object.entries(SHAPES).map(([label, shape]) => {
    const heights = grid.times.map((_, t) => Math.round(HEIGHTS * shape(last ? t / last : 0.5)));
    return el("button", { type: "button", onclick: () => set(desk, "heights", heights.slice()) }, label);
  });
  return [el("div", { class: "presets" }, ...presets), sliderRow("Time", where, time), sliderRow("Weight", weight, height)];
}

// Build the slider for the level of the quantile, visible only under that risk attitude.
function levelControl(desk) {
  const { wish } = desk;
  const said = el("span", { class: "said" });
  const slider = slide("How unlucky", "level", 50, () => set(desk, "level", Number(slider.value) / 100), 1);
  const row = sliderRow("How unlucky", slider, said);
  desk.shows.push(() => {
    row.hidden = wish.risk !== "quantile";
    slider.value = Math.round(100 * wish.level);
    said.textContent = `the worst ${percent(wish.level, 0)} of cases`;
    slider.setAttribute("aria-valuetext", said.textContent);
  });
  return row;
}

function everybodyControl(desk) {
  const box = el("input", { type: "checkbox", name: "everybody", onchange: () => set(desk, "everybody", box.checked) });
  desk.shows.push(() => (box.checked = desk.wish.everybody));
  return el("label", { class: "check" }, box, " choose also among those that are out");
}
