// Pairs of algorithms: a table of all pairs, and the win rate of one pair over time.

const ON_PHONE = 4; // columns that a phone shows
const DOUBTED = "* The answer at the top says why it is in doubt that this algorithm is dropped.";

sections.pairs = (data, page) => {
  const where = data.rule === "joint" ? "at every budget at once" : "at the budget where this is least certain";
  byId("pairs-text").textContent =
    `The probability that the algorithm of the row beats that of the column on most instances, ${where}. ` +
    "Two small numbers across the diagonal mean that the two cross, or are unclear." +
    (data.beats.flat().includes(null) ? " A dash means that one of the two was not observed at some budget." : "");
  if (data.doubted.length) byId("pairs-text").append(" ", el("strong", null, DOUBTED));
  byId("pairs-table").replaceChildren(pairTable(data.beats, data.doubted, page));
  pairChart(data, page);
};

function pairTable(beats, doubted, page) {
  const mark = (a, b) => (doubted.some(([row, column]) => row === a && column === b) ? "\u202f*" : "");
  const heads = page.names.map((name, b) =>
    el("th", { scope: "col", title: name }, el("span", { class: "upright" }, page.short_names[b])),
  );
  const rows = beats.map((row, a) =>
    el(
      "tr",
      null,
      el("th", { scope: "row" }, shortLabel(page, a)),
      ...row.map((probability, b) =>
        a === b
          ? el("td", { class: "self" }, "·")
          : probability === null
            ? el("td", { class: "self" }, "–")
            : el("td", { class: "heat", "--share": `${Math.round(45 * probability)}%` }, (100 * probability).toFixed(0) + mark(a, b)),
      ),
    ),
  );
  return el(
    "table",
    { class: "matrix" },
    el(
      "caption",
      null,
      "Probabilities in per cent",
      page.names.length > ON_PHONE ? el("span", { class: "phone-only" }, "; scroll sideways for more columns") : "",
    ),
    el("thead", null, el("tr", null, el("th", { scope: "col" }, "this one beats …"), ...heads)),
    el("tbody", null, ...rows),
  );
}

// Draw the win rate over time of the pair that two menus select.
function pairChart(data, page) {
  const menu = (label, selected) =>
    el(
      "label",
      null,
      `${label} `,
      el(
        "select",
        { onchange: () => redraw() },
        ...page.names.map((name, k) => el("option", { value: k, selected: k === selected }, name)),
      ),
    );
  const first = page.candidates[0];
  const second = page.candidates[1] ?? (page.names.length > 1 ? Number(first === 0) : first);
  const menus = [menu("How often does", first), menu("beat", second)];
  byId("pair-menus").replaceChildren(...menus);
  const selectedPair = () => menus.map((label) => Number(label.lastElementChild.value));
  const label = () => selectedPair().map((k) => page.names[k]).join(" against ");
  const redraw = chart(byId("pair-chart"), { height: 220, label }, (root, width) => {
    const [a, b] = selectedPair();
    const area = frame(width, 220, { left: 48 }, alongGrid(page.grid), (share) => share);
    leftAxis(root, area, [0, 0.5, 1], formatShare);
    const rates = page.pairs.rates(a, b);
    const [mean, lower, upper, ahead] = ["mean", "lower", "upper", "ahead"].map((quantity) =>
      pointsOverTime(page.grid, area, rates[quantity].map((rate, t) => (wasObserved(page, t, [a, b]) ? rate : null))),
    );
    curve(root, page, a, mean, lower, upper);
    root.append(svg("path", { class: "dotted", d: pieces(ahead).map(path).join("") }));
    budgetAxis(root, area, page);
    byId("pair-caption").replaceChildren(
      "The share of instances on which ",
      nameElement(page.names[a]),
      " beats ",
      nameElement(page.names[b]),
      ` at each budget. The band holds the true share with a probability of ${formatPercent(data.level)}. ` +
        "The dotted line is the probability that the share is above one half.",
    );
  });
}
