// It depends on the problem: the tree of features, the leaders of each group, and the instances with their winners.

sections.problem = (data, page) => {
  if (data.matters) byId("problem-heading").textContent = "It depends on the problem";
  const lines = [...data.sentences, ...(data.sample ? [data.sample] : []), ...data.notes.map((text) => `Note: ${text}`)];
  byId("problem-text").replaceChildren(...lines.map((line) => el("li", null, line)));
  if (data.matters) {
    byId("problem-tree").hidden = false;
    byId("problem-groups").hidden = false;
    drawTree(byId("problem-tree-chart"), data, page);
    const chosen = [...new Set(data.rows.flatMap(({ ranges }) => ranges.map(([algorithm]) => algorithm)))];
    byId("problem-legend").replaceChildren(...chosen.map((algorithm) => el("li", null, algorithmLabel(page, algorithm))));
    byId("problem-panels").replaceChildren(...data.groups.map((group) => groupPanel(group, page)));
  }
  if (data.instances) {
    byId("problem-instances").hidden = false;
    instancesTable(data, page);
  }
};

// Build the panel of a group: its leaders, and the probability of being the best over the budgets.
function groupPanel({ name, size, order, budgets, probability, ranges }, page) {
  const place = el("div", { class: "chart" });
  const title = `${name} (${size})`;
  const label = () => `${title}: ${ranges.map(([, , , choice]) => choice).join(", then ")}.`;
  // Drawn once it is part of the page and has a width.
  queueMicrotask(() => {
    chart(place, { height: 220, label, paper: PAPER / 2 - 16 }, (root, width) => {
      const area = frame(width, 220, { top: 46, left: 44 }, alongGrid(page.grid), (share) => share);
      drawRanges(root, area, ranges, page);
      drawAreas(root, area, order, budgets, probability, page);
      budgetAxis(root, area, page);
    });
  });
  return el("figure", null, el("p", { class: "panel-title" }, title), place);
}
