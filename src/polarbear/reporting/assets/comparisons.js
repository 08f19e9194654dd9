// The number of comparisons of each algorithm over time.

sections.comparisons = ({ sentence, equal }, page) => {
  byId("comparisons-text").textContent = sentence;
  if (equal) {
    byId("comparisons-figure").remove();
    return;
  }
  const { grid } = page;
  const most = Math.max(...page.comparisons.flat());
  let highlight = () => {};
  chart(byId("comparisons-chart"), { height: 220, label: () => "Comparisons at each budget" }, (root, width) => {
    const area = frame(width, 220, { left: 48 }, alongGrid(grid), (count) => count / most);
    leftAxis(root, area, evenTicks(0, most, 4), formatAmount);
    page.comparisons.forEach((counts, algorithm) => {
      curve(root, page, algorithm, pointsOverTime(grid, area, counts));
    });
    budgetAxis(root, area, page);
    queueMicrotask(() => highlight());
  });
  const algorithms = page.names.map((_, algorithm) => algorithm);
  highlight = legend(byId("comparisons-legend"), page, algorithms, byId("comparisons-figure"));
};
