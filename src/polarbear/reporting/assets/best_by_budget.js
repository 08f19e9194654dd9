// Which algorithm at which budget: a band of leaders, and the probability of being the best.

sections.best_by_budget = ({ columns, times, probability, stretches, changes }, page) => {
  const { grid } = page;
  chart(byId("best-chart"), { height: 300, label: () => `Best choice at each budget. ${page.leaders}` }, (root, width) => {
    const area = frame(width, 300, { top: 52, left: 48 }, alongGrid(grid), (share) => share);
    drawStretches(root, area, stretches, page);
    leftAxis(root, area, [0, 0.5, 1], formatShare);
    // A single time fills the whole width.
    const xs = times.length > 1 ? times.map(area.x) : [area.left, area.right];
    // Where no algorithm was observed, probabilities are null, and the chart is empty.
    const at = (row, t) => probability[row][times.length > 1 ? t : 0];
    let below = xs.map(() => 0);
    columns.forEach((algorithm, row) => {
      const above = below.map((height, t) => Math.min(1, height + at(row, t)));
      const points = (heights) => xs.map((x, t) => (at(row, t) === null ? null : [x, area.y(heights[t])]));
      root.append(
        svg(
          "path",
          { class: "area", d: bandPath(points(below), points(above)), "--c": page.looks[algorithm][0] },
          svg("title", null, page.names[algorithm]),
        ),
      );
      below = above;
    });
    budgetAxis(root, area, page);
  });
  byId("best-legend").replaceChildren(...columns.map((algorithm) => el("li", null, algorithmLabel(page, algorithm))));
  if (!changes.length) byId("leader-changes").remove();
  else byId("leader-changes-list").replaceChildren(...changes.map((sentence) => el("li", null, sentence)));
};

// Draw a band above the chart: in the colour of the leader with its name where there is room, or hatched and grey where it
// is too close to call or nothing was observed.
function drawStretches(root, area, stretches, page) {
  for (const [algorithm, start, stop, choice, certainty] of stretches) {
    const alone = stretches.length === 1;
    const from = alone ? area.left : area.x(start);
    const width = alone ? area.width : Math.max(area.x(stop) - from, 2);
    const look = { x: from, y: 28, width: Math.max(width - 2, 1), height: 12, rx: 2, ...stretchLook(page, algorithm) };
    root.append(svg("rect", look, svg("title", null, `${choice}: ${certainty}`)));
    const letters = Math.floor(width / (1.2 * LETTER)); // bold letters are wider
    if (letters >= 4) {
      root.append(svg("text", { class: "label strong", x: from + (alone ? 0 : 1), y: 20 }, shorten(choice, letters)));
    }
  }
}

// Return the class and colour of a stretch of budgets, whose leader is null where there is none.
function stretchLook(page, algorithm) {
  return algorithm === null ? { class: "close-band" } : { class: "leader-band", "--c": page.looks[algorithm][0] };
}
