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
    const room = labelRoom(page, width);
    const area = frame(width, 220, { left: 48, right: room || 8 }, alongGrid(grid), (count) => count / most);
    leftAxis(root, area, evenTicks(0, most, 4), formatAmount);
    page.comparisons.forEach((counts, algorithm) => {
      curve(root, page, algorithm, pointsOverTime(grid, area, counts));
    });
    if (room && page.names.length <= 10) {
      endLabels(root, page, area, page.comparisons.map((counts, algorithm) => ({ algorithm, y: area.y(counts.at(-1)) })));
    }
    budgetAxis(root, area, page);
    queueMicrotask(() => highlight());
  });
  const algorithms = page.names.map((_, algorithm) => algorithm);
  highlight = legend(byId("comparisons-legend"), page, algorithms, byId("comparisons-figure"));
};
