// Each algorithm against each other: a table, and two of them over time.

function pairsSection(data, belief) {
  const { joint, beats } = data.pairs;
  byId("pairs-text").textContent = joint
    ? "How surely the algorithm of the row is better than that of the column at every budget at once. " +
      "Two small numbers across the diagonal mean that the two cross, or are too close to call."
    : "How surely the algorithm of the row is better than that of the column, at the budget where this is least certain.";
  const numbers = data.names.map((_, k) => k);
  const head = el(
    "tr",
    null,
    el("th", { scope: "col" }, "better"),
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
  const [one, other] = [chooser("Is", first), chooser("better than", second)];
  byId("pair-choice").replaceChildren(one, other);
  const picked = () => [one, other].map((label) => Number(label.lastElementChild.value));
  const { grid } = belief;
  const redraw = chart(
    byId("pair-chart"),
    { height: 220, label: () => picked().map((k) => data.names[k]).join(" against ") },
    (root, width) => {
      const [a, b] = picked();
      const place = frame(width, 220, { left: 48 }, alongGrid(grid), (share) => share);
      leftAxis(root, place, [0, 0.5, 1], (share) => `${100 * share}${PERCENT}`);
      const chances = dominanceOverTime(belief, a, b);
      curve(root, data, a, chances.map((chance, t) => [place.x(grid.times[t]), place.y(chance)]));
      bottomAxis(root, place, timeTicks(grid, width / 70), brief, budgetTitle(data));
      byId("pair-caption").replaceChildren(
        "The probability that ",
        named(data, a),
        " is better than ",
        named(data, b),
        " at each budget, by itself.",
      );
    },
  );
}
