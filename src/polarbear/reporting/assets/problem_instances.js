// The table of instances with their features and the winner at a budget; a click on a heading sorts it.

const TIED = 65534; // instead of the number of a winner
const NO_WINNER = 65535;
const PRINTED = 20; // rows on paper

function instancesTable({ instances, groups }, page) {
  const { labels, features, budgets, total, examined } = instances;
  const winnerAt = unpackWinners(instances);
  const state = { budget: budgets.length - 1, sort: 0, down: false };
  const columns = [
    { name: "instance", cell: (row) => labels[row] },
    { name: "comes first", cell: (row) => winnerName(winnerAt(row, state.budget)), show: (row) => winnerLabel(winnerAt(row, state.budget)) },
    ...(groups.length ? [{ name: "group", cell: (row) => groups[instances.groups[row]].name }] : []),
    ...features.map(({ name, cells }) => ({ name, cell: (row) => cells[row], feature: true })),
  ];

  function winnerName(winner) {
    return winner === NO_WINNER ? null : winner === TIED ? "tie" : page.names[winner];
  }

  function winnerLabel(winner) {
    return winner === NO_WINNER || winner === TIED ? (winnerName(winner) ?? "not compared") : shortLabel(page, winner);
  }

  function head(column, place) {
    const sorted = place === state.sort ? (state.down ? "descending" : "ascending") : "none";
    const onclick = () => {
      state.down = place === state.sort && !state.down;
      state.sort = place;
      show();
      byId("problem-table").querySelectorAll("thead button")[place].focus();
    };
    return el("th", { scope: "col", "aria-sort": sorted }, el("button", { type: "button", onclick }, nameElement(column.name)));
  }

  function show() {
    const { cell } = columns[state.sort];
    const order = labels.map((_, row) => row).sort((a, b) => (state.down ? -1 : 1) * compareCells(cell(a), cell(b)) || a - b);
    const body = order.map((row, k) => {
      const cells = columns.map((column, place) => {
        const content = column.show ? column.show(row) : formatCell(column.cell(row));
        const kind = typeof column.cell(row) === "number" ? "number" : null;
        return place ? el("td", { class: kind }, content) : el("th", { scope: "row" }, content);
      });
      return el("tr", { class: k >= PRINTED ? "screen-only" : null }, ...cells);
    });
    const heads = columns.map(head);
    byId("problem-table").replaceChildren(
      el("table", { class: "sortable" }, el("thead", null, el("tr", null, ...heads)), el("tbody", null, ...body)),
    );
    describe();
  }

  function describe() {
    const atBudget = `${formatAmount(round(budgets[state.budget]))} ${page.unit}`.trim();
    const counts = new Map();
    labels.forEach((_, row) => {
      const name = winnerName(winnerAt(row, state.budget)) ?? "not compared";
      counts.set(name, (counts.get(name) ?? 0) + 1);
    });
    const listed = [...counts].sort((a, b) => b[1] - a[1]).map(([name, count]) => `${name} ${WHOLE.format(count)}`);
    const sample = labels.length < total ? `, a random sample of ${WHOLE.format(total)}` : "";
    const left = features.length < examined ? ` The table shows ${features.length} of ${examined} features.` : "";
    const printed = labels.length > PRINTED ? ` Printed: the first ${PRINTED} of them.` : "";
    byId("problem-instances-text").replaceChildren(
      `First at ${atBudget}, on ${formatCount(labels.length, "instance")}${sample}: ${listed.join(", ")}.${left}`,
      el("span", { class: "instruction" }, " A heading sorts the table."),
      el("span", { class: "paper-only" }, printed),
    );
  }

  winnerSlider(budgets, page, state, show);
}

// Build the slider for the budget of the table, and call `changed` now and after each change.
function winnerSlider(budgets, page, state, changed) {
  const reading = el("span", { class: "reading" });
  const update = () => {
    state.budget = Number(slider.value);
    reading.textContent = `${formatAmount(round(budgets[state.budget]))} ${page.unit}`.trim();
    slider.setAttribute("aria-valuetext", reading.textContent);
    changed();
  };
  const last = budgets.length - 1;
  const range = { type: "range", min: 0, max: last, step: 1, value: last };
  const slider = el("input", { ...range, "aria-label": "Budget of the table of instances", oninput: update });
  byId("problem-budget").replaceChildren(el("span", { class: "slider-label" }, "Budget"), slider, reading);
  update();
}

// Return a function (row, budget) that gives the number of the winner.
function unpackWinners({ winners, budgets }) {
  const view = new DataView(unpackBytes(winners).buffer);
  return (row, budget) => view.getUint16(2 * (row * budgets.length + budget), true);
}

// Compare two cells: numbers by size, text with its numbers by size; missing ones are last.
function compareCells(one, other) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one === "number" && typeof other === "number") return one - other;
  return COLLATOR.compare(one, other);
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

function formatCell(cell) {
  if (cell === null) return "missing";
  return typeof cell === "number" ? formatAmount(cell) : cell;
}
