// How much better: values over time, the budget that the leader needs for the quality of the others, gaps, and single
// instances.

const POWERS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const UNKNOWN_RANK = 255;
const DECADES = 30; // factor from which positive values get a logarithmic axis
const ON_PAPER = 10; // rows of the table of instances that are printed at each end
const FARTHEST = 1000; // budget ratios beyond this factor are drawn at the edge

sections.magnitude = (data, page) => {
  byId("magnitude-text").textContent = data.sentences.join(" ");
  qualityChart(data, page);
  const valueOf = unpackValues(data, page.names.length);
  const at = data.budgets[data.budgets.length - 1];
  const state = { speed: data.speed.length - 1, at, pair: data.pair.slice(), tolerance: 0, instance: null };
  const instanceChart = drawInstance(data, page, valueOf, state);
  const showInstances = instanceTable(data, page, valueOf, state, instanceChart);
  const showGaps = gapShares(data, page, state);
  const showSpeed = speedTable(data, page);
  const showPair = () => {
    showGaps();
    showInstances();
  };
  pairMenus(page, state, showPair);
  budgetSlider(data, page, state, () => {
    if (data.speed.length) showSpeed(data.speed[state.speed]);
    showPair();
  });
};

// Format a value in its original unit with three digits; very large and small ones as a power of ten.
function formatValue(value) {
  if (value === Infinity || value === -Infinity) return "no solution";
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-3 && size < 1e6)) return DIGITS.format(value);
  const [factor, power] = value.toExponential(2).split("e");
  const raised = `10${[...power.replace("+", "")].map((each) => POWERS[each]).join("")}`;
  return Number(factor) === 1 ? raised : `${Number(factor)}·${raised}`;
}

// Return the scale of an axis of values, logarithmic if they are positive and span decades: a map to [0, 1], and its ticks.
function valueScale(values) {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  let [low, high] = [Math.min(...known), Math.max(...known)];
  if (!known.length) [low, high] = [0, 1];
  if (low > 0 && high / low > DECADES) {
    const [from, to] = [Math.log(low), Math.log(high)];
    return { place: (value) => (Math.log(value) - from) / (to - from), ticks: logTicks(low, high, 6) };
  }
  if (low === high) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  return { place: (value) => (value - low) / (high - low), ticks: evenTicks(low, high, 5) };
}

function budgetScale(page, area, budgets) {
  return (values) => values.map((value, t) => (value === null || !Number.isFinite(value) ? null : [area.x(budgets[t]), area.y(value)]));
}

function qualityChart({ quality, budgets, other_best: other, pair: [leader] }, page) {
  const { median, lower, upper, low, high } = quality;
  const scale = valueScale([median, lower, upper, low, high].flat(2));
  const algorithms = page.names.map((_, algorithm) => algorithm);
  const candidates = new Set(page.candidates);
  let highlight = () => {};
  chart(byId("quality-chart"), { height: 340, label: () => "Median of the best value so far" }, (root, width) => {
    const room = labelRoom(page, width);
    const area = frame(width, 340, { left: 68, right: room || 10 }, alongGrid(page.grid), scale.place);
    leftAxis(root, area, scale.ticks, formatValue);
    const along = budgetScale(page, area, budgets);
    for (const algorithm of algorithms.toSorted((a, b) => candidates.has(a) - candidates.has(b))) {
      const band = [low, high].map((each) => along(each[algorithm]));
      const both = band[0].map((point, t) => point && band[1][t]);
      const line = curve(
        root, page, algorithm, along(median[algorithm]), band[0].map((point, t) => both[t] && point), both,
      );
      line.classList.toggle("faint", !candidates.has(algorithm));
      line.prepend(svg("path", { class: "band interval-of-median", d: intervalPath(algorithm) }));
    }
    if (room) {
      const last = (algorithm) => median[algorithm].findLast((value) => value !== null);
      const labelled = (algorithms.length > 10 ? page.candidates : algorithms).filter((each) => last(each) !== undefined);
      endLabels(root, page, area, labelled.map((algorithm) => ({ algorithm, y: area.y(last(algorithm)) })));
    }
    budgetAxis(root, area, page);

    // Return the outline of the interval of a median. An end that the instances do not bound lies at the edge.
    function intervalPath(algorithm) {
      const end = (values, edge) =>
        median[algorithm].map((value, t) => {
          if (value === null) return null;
          return [area.x(budgets[t]), values[algorithm][t] === null ? edge : area.y(values[algorithm][t])];
        });
      return bandPath(end(lower, area.bottom), end(upper, area.top));
    }
    queueMicrotask(() => highlight());
  });
  highlight = legend(byId("quality-legend"), page, algorithms, byId("quality-figure"));
  const without = page.names.filter((_, algorithm) => median[algorithm].every((value) => value === null));
  byId("quality-note").replaceChildren(
    "The answer counts how often an algorithm wins, not by how much. ",
    ...medianNote(),
    without.length ? ` Not drawn, since too few instances have a value: ${without.join(", ")}.` : "",
  );

  // Explain why the best choice at the longest budget is not the one with the best median.
  function medianNote() {
    if (other === null) return [];
    const atBudget = `${formatAmount(round(budgets[budgets.length - 1]))} ${page.unit}`.trim();
    const [best, first] = [other, leader].map((algorithm) => nameElement(page.names[algorithm]));
    return [`At ${atBudget}, `, best, " has the best median, but ", first, " beats it on most instances."];
  }
}

// Build the slider for the budget of both tables, and call `changed` now and after each change.
function budgetSlider({ speed, budgets }, page, state, changed) {
  const stops = speed.length ? speed.map(({ at }) => at) : [budgets[budgets.length - 1]];
  const reading = el("span", { class: "reading" });
  const oninput = () => {
    state.speed = Number(slider.value);
    state.at = stops[state.speed];
    reading.textContent = `${formatAmount(round(state.at))} ${page.unit}`.trim();
    slider.setAttribute("aria-valuetext", reading.textContent);
    changed();
  };
  const last = stops.length - 1;
  const slider = el("input", { type: "range", min: 0, max: last, step: 1, value: last, "aria-label": "Budget", oninput });
  byId("magnitude-budget").replaceChildren(el("span", { class: "slider-label" }, "Budget"), slider, reading);
  oninput();
}

// Return a function that shows the budget ratios of the leader at one budget.
function speedTable({ speed }, page) {
  const finite = speed.flatMap(({ rivals }) => rivals.flatMap(({ ratio }) => ratio)).filter((each) => each > 0);
  const edge = Math.min(FARTHEST, Math.max(2, ...finite.map((ratio) => Math.max(ratio, 1 / ratio))));
  const share = (ratio) => `${50 + (50 * Math.log(clamp(ratio, 1 / edge, edge))) / Math.log(edge)}%`;
  return ({ at, leader, rivals }) => {
    const atBudget = `${formatAmount(round(at))} ${page.unit}`.trim();
    const rows = rivals.map(({ algorithm, ratio: [ratio, lower, upper], text }) =>
      el(
        "tr",
        null,
        el("th", { scope: "row" }, algorithmLabel(page, algorithm)),
        el("td", { class: "ratio" }, text === "not compared" ? null : ratioBar(page, leader, ratio, lower, upper, share)),
        el("td", null, text),
      ),
    );
    const caption = el(
      "caption",
      null,
      "The share of each rival’s budget that ",
      nameElement(page.names[leader]),
      `, the most probable best choice at ${atBudget}, needs for the quality that the rival reaches at ${atBudget}: median over instances, ` +
        `with its 95${PERCENT} interval. Left of the line, below 1, it is faster.` +
        (rivals.some(({ text }) => text.includes("or more")) ? " “Or more”: the data give no upper limit." : ""),
    );
    const heads = ["instead of", "budget ratio (log scale)", "median (interval)"].map((head) => el("th", { scope: "col" }, head));
    const table = el("table", { class: "budget-ratios" }, caption, el("thead", null, el("tr", null, ...heads)), el("tbody", null, ...rows));
    byId("speed-table").replaceChildren(table);
  };
}

// Draw a ratio and its interval; an end that the runs do not bound lies at the edge.
function ratioBar(page, leader, ratio, lower, upper, share) {
  const [from, to] = [lower === null ? "100%" : share(lower), upper === null ? "100%" : share(upper)];
  return el(
    "div",
    { class: "interval even", "--c": page.looks[leader][0], "--from": from, "--to": to, "--mean": share(ratio ?? FARTHEST) },
    el("span", { class: "range" }),
    ratio === null ? null : el("span", { class: "mean" }),
  );
}

// Return a function (instance, budget, algorithm) that gives the value and the rank; the value is NaN where it is not known.
function unpackValues({ values, ranks, budgets }, algorithms) {
  const [floats, places] = [new DataView(unpackBytes(values).buffer), unpackBytes(ranks)];
  return (instance, budget, algorithm) => {
    const place = (instance * budgets.length + budget) * algorithms + algorithm;
    return { value: floats.getFloat32(4 * place, true), rank: places[place] };
  };
}

// Build the menus of the pair, and call `changed` after each change.
function pairMenus(page, state, changed) {
  const menu = (label, place) =>
    el(
      "label",
      null,
      `${label} `,
      el(
        "select",
        { onchange: (event) => ((state.pair[place] = Number(event.target.value)), changed()) },
        ...page.names.map((name, k) => el("option", { value: k, selected: k === state.pair[place] }, name)),
      ),
    );
  byId("magnitude-pair").replaceChildren(menu("Compare", 0), menu("with", 1));
}

// Return a function that shows the instances of the pair, sorted by the gap between their values.
function instanceTable(data, page, valueOf, state, showInstance) {
  function show() {
    const budget = nearest(data.budgets, state.at);
    const rows = pairRows(data, valueOf, state.pair, budget);
    const [first, second] = state.pair.map((algorithm) => page.names[algorithm]);
    const count = (winner) => rows.filter((row) => row.winner === winner).length;
    const sample = data.total > data.instances.length ? ` (a random sample of ${WHOLE.format(data.total)})` : "";
    const atBudget = `${formatAmount(round(data.budgets[budget]))} ${page.unit}`.trim();
    const ties = count(null) ? `; ${WHOLE.format(count(null))} tied` : "";
    byId("instances-text").replaceChildren(
      `At ${atBudget}, on ${formatCount(rows.length, "instance")} on which both were compared${sample}: `,
      nameElement(first),
      ` wins ${WHOLE.format(count(state.pair[0]))}, `,
      nameElement(second),
      ` wins ${WHOLE.format(count(state.pair[1]))}${ties}.`,
      el("span", { class: "instruction" }, " Choose an instance to see its runs."),
    );
    if (!rows.some(({ instance }) => instance === state.instance)) state.instance = rows[0]?.instance ?? null;
    const buttons = [];
    const select = (instance) => {
      state.instance = instance;
      buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(rows[k].instance === instance)));
      showInstance();
    };
    const body = rows.map((row, k) => {
      const button = el("button", { type: "button", onclick: () => select(row.instance) }, data.instances[row.instance]);
      buttons.push(button);
      const winner = row.winner === null ? "tie" : shortLabel(page, row.winner);
      const numbers = [...row.values.map(formatValue), formatGap(row)].map((text) => el("td", null, text));
      const isMiddle = k >= ON_PAPER && k < rows.length - ON_PAPER;
      return el("tr", { class: isMiddle ? "screen-only" : null }, el("th", { scope: "row" }, button), ...numbers, el("td", null, winner));
    });
    const [one, other] = state.pair.map((algorithm) => shortLabel(page, algorithm));
    const heads = ["instance", one, other, "gap", "winner"].map((head) => el("th", { scope: "col" }, head));
    const printed = rows.length > 2 * ON_PAPER ? ` Printed: ${ON_PAPER} instances at each end, of ${WHOLE.format(rows.length)}.` : "";
    // Not a caption of the table, which a page break could separate from its rows.
    byId("gap-text").replaceChildren(
      "The gap is how much better ",
      nameElement(page.short_names[state.pair[0]]),
      " is; the clearest wins are at the two ends.",
      el("span", { class: "paper-only" }, printed),
    );
    byId("instances-table").replaceChildren(
      el(
        "table",
        { class: "instances-won", "aria-describedby": "gap-text" },
        el("thead", null, el("tr", null, ...heads)),
        el("tbody", null, ...body),
      ),
    );
    select(state.instance);
  }
  return show;
}

// Format a gap. One between values that differ only beyond single precision is not zero.
function formatGap({ gap, winner }) {
  if (gap === 0 && winner !== null) return "≈ 0";
  return Number.isFinite(gap) ? formatValue(gap) : gap > 0 ? "∞" : "−∞";
}

// Return the instances with values of both algorithms at a budget, from the clearest win of the first to that of the second.
function pairRows(data, valueOf, pair, budget) {
  const sign = data.maximise ? 1 : -1;
  const rows = [];
  data.instances.forEach((_, instance) => {
    const [one, other] = pair.map((algorithm) => valueOf(instance, budget, algorithm));
    if (one.rank === UNKNOWN_RANK || other.rank === UNKNOWN_RANK) return;
    const gap = one.value === other.value ? 0 : sign * (one.value - other.value);
    const winner = one.rank === other.rank ? null : one.rank < other.rank ? pair[0] : pair[1];
    rows.push({ instance, values: [one.value, other.value], gap, winner });
  });
  return rows.sort((a, b) => (a.gap === b.gap ? 0 : b.gap - a.gap));
}

function nearest(budgets, at) {
  return budgets.reduce((best, budget, t) => (Math.abs(budget - at) < Math.abs(budgets[best] - at) ? t : best), 0);
}

// Return a function that draws the runs of all algorithms on the chosen instance as steps.
function drawInstance(data, page, valueOf, state) {
  const label = () => (state.instance === null ? "No instance" : `Runs on ${instanceName(data.instances[state.instance])}`);
  const redraw = chart(byId("instance-chart"), { height: 240, label }, (root, width) => {
    if (state.instance === null) return;
    const runs = page.names.map((_, algorithm) => data.budgets.map((_, budget) => valueOf(state.instance, budget, algorithm).value));
    const scale = valueScale(runs.flat());
    const room = labelRoom(page, width);
    const area = frame(width, 240, { left: 68, right: room || 10 }, alongGrid(page.grid), scale.place);
    leftAxis(root, area, scale.ticks, formatValue);
    const ends = [];
    runs.forEach((values, algorithm) => {
      const points = steps(budgetScale(page, area, data.budgets)(values));
      curve(root, page, algorithm, points).classList.toggle("faint", !state.pair.includes(algorithm));
      const last = points.findLast((point) => point !== null);
      if (last && state.pair.includes(algorithm)) ends.push({ algorithm, y: last[1] });
    });
    const x = area.x(data.budgets[nearest(data.budgets, state.at)]);
    root.append(svg("line", { class: "threshold", x1: x, x2: x, y1: area.top, y2: area.bottom }));
    if (room) endLabels(root, page, area, ends);
    budgetAxis(root, area, page);
    const without = page.names.filter((_, algorithm) => !runs[algorithm].some(Number.isFinite));
    const missing = without.length ? ` No value for: ${without.join(", ")}.` : "";
    byId("instance-caption").textContent = `${label()}: the best value so far of every algorithm.${missing} The dashed line is the budget.`;
  });
  return redraw;
}

// Return an instance as a noun; the label of an imported one contains the word already.
function instanceName(label) {
  return /\binstance /.test(label) ? label : `instance ${label}`;
}

// Turn points of a step function into the corners of its line.
function steps(points) {
  return points.flatMap((point, t) => {
    const before = points[t - 1];
    return point && before ? [[point[0], before[1]], point] : [point];
  });
}
