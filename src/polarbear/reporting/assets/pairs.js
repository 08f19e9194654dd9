// Pairs of algorithms: a table of all pairs, and the win rate of one pair over time.

function pairsSection(data, belief) {
  const { beats } = data.pairs;
  byId("pairs-text").textContent = data.elimination === "joint"
    ? "The probability that the algorithm of the row beats that of the column on most instances, at every budget at once. " +
      "Two small numbers across the diagonal mean that the two cross, or are too close to call."
    : "The probability that the algorithm of the row beats that of the column on most instances, at the budget where this is " +
      "least certain. Two small numbers across the diagonal mean that the two cross, or are too close to call.";
  const numbers = data.names.map((_, k) => k);
  const head = el(
    "tr",
    null,
    el("th", { scope: "col" }, "beats"),
    ...numbers.map((k) => el("th", { scope: "col", title: data.names[k], "aria-label": data.names[k] }, String(k + 1))),
  );
  const rows = numbers.map((a) =>
    el(
      "tr",
      null,
      el("th", { scope: "row" }, el("span", { class: "number" }, String(a + 1)), marked(data, a)),
      ...numbers.map((b) =>
        a === b
          ? el("td", { class: "self" }, "·")
          : el("td", { class: "heat", "--share": `${Math.round(45 * beats[a][b])}%` }, (100 * beats[a][b]).toFixed(0)),
      ),
    ),
  );
  const caption = el("caption", null, "Probabilities in percent");
  const table = el("table", { class: "matrix" }, caption, el("thead", null, head), el("tbody", null, ...rows));
  byId("pairs-table").replaceChildren(table);

  const chooser = (label, chosen) =>
    el(
      "label",
      null,
      `${label} `,
      el(
        "select",
        { onchange: () => redraw() },
        ...numbers.map((k) => el("option", { value: k, selected: k === chosen }, data.names[k])),
      ),
    );
  const first = data.candidates[0];
  const second = data.candidates[1] ?? numbers.find((k) => k !== first) ?? first;
  const [one, other] = [chooser("How often does", first), chooser("beat", second)];
  byId("pair-choice").replaceChildren(one, other);
  const picked = () => [one, other].map((label) => Number(label.lastElementChild.value));
  const { grid } = belief;
  const pairs = pairsFrom(data.pairs.over_time, data.names.length, grid.times.length);
  const redraw = chart(
    byId("pair-chart"),
    { height: 220, label: () => picked().map((k) => data.names[k]).join(" against ") },
    (root, width) => {
      const [a, b] = picked();
      const place = frame(width, 220, { left: 48 }, alongGrid(grid), (share) => share);
      leftAxis(root, place, [0, 0.5, 1], (share) => `${100 * share}${PERCENT}`);
      const { mean, lower, upper, ahead } = pairs(a, b);
      const along = (shares) => shares.map((share, t) => [place.x(grid.times[t]), place.y(share)]);
      curve(root, data, a, along(mean), [...along(upper), ...along(lower).reverse()]);
      root.append(svg("path", { class: "decided", d: path(along(ahead)) }));
      bottomAxis(root, place, timeTicks(grid, width / 70), brief, budgetTitle(data));
      byId("pair-caption").replaceChildren(
        "The share of instances on which ",
        named(data, a),
        " beats ",
        named(data, b),
        ` at each budget. The band holds the true share with a probability of ${percent(data.pairs.level, 0)}. The dotted line ` +
          "is the probability that the share is above one half.",
      );
    },
  );
}

// Return a function that decodes the win rates of a pair over time. Each pair a < b is stored as bytes, in the order mean,
// lower, upper, probability of a win rate above one half.
function pairsFrom(packed, algorithms, times) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  return (one, other) => {
    if (one === other) {
      const even = Array(times).fill(0.5);
      return { mean: even, lower: even, upper: even, ahead: even };
    }
    const [a, b] = [Math.min(one, other), Math.max(one, other)];
    const start = 4 * times * ((a * (2 * algorithms - a - 1)) / 2 + b - a - 1);
    const shares = (quantity) =>
      Array.from(bytes.subarray(start + quantity * times, start + (quantity + 1) * times), (byte) =>
        one < other ? byte / 255 : 1 - byte / 255,
      );
    const [mean, low, high, ahead] = [0, 1, 2, 3].map(shares);
    return one < other ? { mean, lower: low, upper: high, ahead } : { mean, lower: high, upper: low, ahead };
  };
}
