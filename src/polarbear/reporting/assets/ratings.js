// Ratings over time with credible bands.

sections.ratings = (_, page) => {
  const { grid } = page;
  const { mean, upper } = page.ratings;
  const candidates = new Set(page.candidates);
  const algorithms = page.names.map((_, algorithm) => algorithm);
  const highest = Math.max(...upper.flat());
  let highlight = () => {};
  chart(byId("ratings-chart"), { height: 380, label: () => "How often each algorithm comes first, at each budget" }, (root, width) => {
    const room = labelRoom(page, width);
    const area = frame(width, 380, { right: room || 10, left: 48 }, alongGrid(grid), (value) => value / highest);
    leftAxis(root, area, evenTicks(0, highest, 5), formatShare);
    for (const algorithm of algorithms.toSorted((a, b) => candidates.has(a) - candidates.has(b))) {
      ratingCurve(root, page, area, algorithm, true).classList.toggle("faint", !candidates.has(algorithm));
    }
    if (room) {
      const labelled = algorithms.length > 10 ? page.candidates : algorithms;
      const lastKnown = (algorithm) => mean[algorithm].findLast((value) => value !== null);
      const ends = labelled.map((algorithm) => ({ algorithm, y: area.y(lastKnown(algorithm)) }));
      endLabels(root, page, area, ends);
    }
    budgetAxis(root, area, page);
    queueMicrotask(() => highlight());
  });
  highlight = legend(byId("ratings-legend"), page, algorithms, byId("ratings"));
};
