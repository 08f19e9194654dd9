// The explorer: a query on one side, the recommendation on the other.

const NO_BUDGET = "No budget has a positive weight yet: draw some weight into the chart.";
const CHART_CAPTION =
  "On which share of instances each algorithm comes first, with 95\u00a0% intervals; your query is marked.";
const TOO_MANY =
  "The probability of being the best portfolio requires comparing all portfolios, and there are too many. " +
  "Choose “On average” or “Play safe”, or fewer machines.";
const NOT_OBSERVED =
  "No algorithm was observed together with another one at these budgets, so nothing is recommended. Choose other budgets.";
const PAUSE = 300; // milliseconds without a change before the query is stored in the address and the answer is read out

sections.explorer = (data, page) => {
  const place = byId("explorer-place");
  const posterior = unpackPosterior(page, data);
  const fields = featureFields(page);
  const posteriorOf = groupPosteriors(page);
  const query = parseQuery(location.hash.slice(1), page.grid, fields);
  let scheduled = false;
  let pause = 0;

  // Merge all changes between two frames into one update.
  const changed = () => {
    if (scheduled) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      update();
    });
  };
  const form = { query, grid: page.grid, unit: page.unit, changed, refreshers: [] };

  const picture = el("div", { class: "chart draggable", id: "explorer-chart" });
  const recommendation = el("div", { class: "recommendation" });
  const controls = el(
    "div",
    { class: "controls" },
    radioControl(form, "What is the budget?", "kind", KIND_LABELS),
    el("div", null, picture, el("p", { class: "hint" }, CHART_CAPTION)),
    budgetControls(form),
    ...(fields.length ? [featureControls(form, fields)] : []),
    radioControl(form, "What matters?", "risk", RISK_LABELS),
    levelControl(form),
    radioControl(form, "How many machines run side by side?", "machines", MACHINE_LABELS, Number),
    ...(page.candidates.length < page.names.length ? [eliminatedControl(form)] : []),
  );
  const alternatives = el("div", { class: "alternatives" });
  // For phones, where the recommendation is out of view.
  const summary = el("p", { class: "sticky-summary", "aria-hidden": "true" });
  const announcement = el("p", { class: "visually-hidden", role: "status" });
  place.append(summary, el("div", { class: "query-and-answer" }, controls, recommendation), alternatives, announcement);
  const redraw = explorerChart(picture, page, query, changed);

  function update() {
    for (const refresh of form.refreshers) refresh();
    redraw();
    const group = findGroup(page, query.given);
    const source = group ? posteriorOf(group) : posterior;
    const { selection, problem } = recommend(source, query, columnsOf(page, query));
    if (selection) {
      const lead = isClose(page, selection) ? "Too close to call. If you must: " : "Choose ";
      summary.replaceChildren(lead, ...portfolioName(page, selection.candidates[0].members, shortLabel));
      showRecommendation(recommendation, alternatives, page, query, { ...selection, group });
    } else {
      summary.replaceChildren();
      recommendation.replaceChildren(el("p", { class: "statement" }, problem));
      alternatives.replaceChildren();
    }
    clearTimeout(pause);
    pause = setTimeout(announce, PAUSE);
  }

  function announce() {
    const parts = [".too-close", ".recommended", ".query-text"].map((part) => recommendation.querySelector(part)?.textContent);
    announcement.textContent = parts.filter(Boolean).join(": ");
    history.replaceState(null, "", `#${formatQuery(query)}`);
  }

  addEventListener("hashchange", ({ newURL }) => {
    const { hash } = new URL(newURL); // location.hash may have been replaced by `announce` since
    if (!hash.includes("kind=")) {
      announce(); // a link within the page: the address holds the query again, so that a reload keeps it
      return;
    }
    Object.assign(query, parseQuery(hash.slice(1), page.grid, fields));
    update();
  });
  update();
};

// Return the recommendation for a query, or the problem that prevents one.
function recommend(posterior, query, columns) {
  const { machines } = query;
  try {
    const selection = select(posterior, { preference: preferenceOf(query), risk: riskOf(query), columns, machines }, ROWS);
    if (!selection) return { problem: TOO_MANY };
    return selection.candidates.length ? { selection } : { problem: NOT_OBSERVED };
  } catch (error) {
    if (error instanceof RangeError) return { problem: NO_BUDGET };
    throw error;
  }
}
