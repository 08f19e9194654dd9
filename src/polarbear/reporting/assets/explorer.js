// The explorer: a query on one side, the recommendation on the other.

const NO_BUDGET = "No budget has a positive weight yet: draw some weight into the chart.";
const CHART_CAPTIONS = {
  rivals:
    "On which share of instances each algorithm beats its strongest rival, with 95\u00a0% intervals: above one half it beats " +
    "every other one. Your query is marked.",
  first: "On which share of instances each algorithm comes first, with 95\u00a0% intervals; your query is marked.",
};
const TOO_MANY_PORTFOLIOS =
  "There are too many portfolios to compare on this page. Choose fewer machines, or let pb.select search in Python.";
const TOO_MANY_MACHINES =
  "Each machine runs another algorithm, and there are fewer algorithms to choose from than machines. Choose fewer machines.";
const NOT_OBSERVED =
  "No algorithm was observed together with another one at these budgets, so nothing is recommended. Choose other budgets.";
const PAUSE = 300; // milliseconds without a change before the query is stored in the address and the answer is read out

sections.explorer = (_, page) => {
  const place = byId("explorer-place");
  const fields = featureFields(page);
  const posteriorOf = posteriors(page);
  const query = parseQuery(location.hash.slice(1), page, fields);
  const current = () => posteriorOf(findGroup(page, query.given));
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
  const form = { query, grid: page.grid, unit: page.unit, byPairs: () => current().rates !== null, changed, refreshers: [] };

  const picture = el("div", { class: "chart draggable", id: "explorer-chart" });
  const caption = el("p", { class: "hint" });
  form.refreshers.push(() => (caption.textContent = CHART_CAPTIONS[form.byPairs() ? "rivals" : "first"]));
  const recommendation = el("div", { class: "recommendation" });
  const controls = el(
    "div",
    { class: "controls" },
    radioControl(form, "What is the budget?", "kind", KIND_LABELS),
    el("div", null, picture, caption),
    budgetControls(form),
    ...(fields.length ? [featureControls(form, fields)] : []),
    radioControl(form, "What matters?", "risk", RISK_LABELS),
    levelControl(form),
    radioControl(form, "How many machines run side by side?", "machines", MACHINE_LABELS, Number),
    ...(page.candidates.length < page.names.length && !page.by_pairs ? [droppedControl(form)] : []),
  );
  const alternatives = el("div", { class: "alternatives" });
  // For phones, where the recommendation is out of view.
  const summary = el("p", { class: "sticky-summary", "aria-hidden": "true" });
  const announcement = el("p", { class: "visually-hidden", role: "status" });
  place.append(summary, el("div", { class: "query-and-answer" }, controls, recommendation), alternatives, announcement);
  const redraw = explorerChart(picture, page, query, current, changed);

  function update() {
    for (const refresh of form.refreshers) refresh();
    redraw();
    const group = findGroup(page, query.given);
    const { selection, problem } = recommend(posteriorOf(group), query);
    if (selection) {
      const lead = isClose(page, selection) ? "Unclear. If you must: " : "Choose ";
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
    Object.assign(query, parseQuery(hash.slice(1), page, fields));
    update();
  });
  update();
};

// Return the recommendation for a query, or the problem that prevents one.
function recommend(posterior, query) {
  const { machines } = query;
  if (machines > 1 && posterior.refusal) return { problem: `There is no answer: ${posterior.refusal}.` };
  const columns = columnsOf(query, posterior);
  try {
    const selection = select(posterior, { preference: preferenceOf(query), risk: riskOf(query), columns, machines }, ROWS);
    if (selection.candidates.length) return { selection };
    if (!selection.columns.length) return { problem: NOT_OBSERVED };
    return { problem: selection.portfolios ? TOO_MANY_MACHINES : TOO_MANY_PORTFOLIOS };
  } catch (error) {
    if (error instanceof RangeError) return { problem: NO_BUDGET };
    throw error;
  }
}
