// Which algorithm at which budget: a band of leaders, and the probability of being the best.

sections.best_by_budget = ({ columns, budgets, probability, ranges }, page) => {
  const { grid } = page;
  chart(byId("best-chart"), { height: 300, label: () => `Best choice at each budget. ${page.answer}` }, (root, width) => {
    const area = frame(width, 300, { top: 52, left: 48 }, alongGrid(grid), (share) => share);
    drawRanges(root, area, ranges, page);
    drawAreas(root, area, columns, budgets, probability, page);
    budgetAxis(root, area, page);
  });
  byId("best-legend").replaceChildren(...rangeLegend(page, columns, ranges));
};

// Draw the probabilities of being the best as areas, each on those before it.
function drawAreas(root, area, columns, budgets, probability, page) {
  leftAxis(root, area, [0, 0.5, 1], formatShare);
  // A single budget fills the whole width.
  const xs = budgets.length > 1 ? budgets.map(area.x) : [area.left, area.right];
  // Where no algorithm was observed, probabilities are null, and the chart is empty.
  const at = (row, t) => probability[row][budgets.length > 1 ? t : 0];
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
}

// Draw a band above the chart: in the colour of the leader, or hatched and grey where it is unclear or nothing was
// observed. Names are written where there is room for them; the legend has them all.
function drawRanges(root, area, ranges, page) {
  for (const [algorithm, start, stop, choice, certainty] of ranges) {
    const [from, width] = rangeExtent(area, ranges, start, stop);
    const look = { x: from, y: 28, width, height: 12, rx: 2, ...rangeLook(page, algorithm) };
    root.append(svg("rect", look, svg("title", null, `${choice}: ${certainty}`)));
    const letters = Math.floor((width - 4) / (1.2 * LETTER)); // bold letters are wider
    const names = algorithm === null ? [choice] : [choice, page.short_names[algorithm]];
    const name = names.find((each) => each.length <= letters);
    if (name) root.append(svg("text", { class: "label strong", x: from, y: 20 }, name));
  }
}

// Return where a range begins in a chart and how wide it is: the whole width if there is no other, and never too narrow to
// be seen, as a range of a single budget would be.
function rangeExtent(area, ranges, start, stop) {
  if (ranges.length === 1) return [area.left, area.width];
  const width = Math.max(area.x(stop) - area.x(start) - 2, NARROWEST);
  return [clamp(area.x(start), area.left, area.right - width), width];
}

// Return the class and colour of a range of budgets, whose leader is null where there is none.
function rangeLook(page, algorithm) {
  return algorithm === null ? { class: "close-band" } : { class: "leader-band", "--c": page.looks[algorithm][0] };
}

// Build a legend of algorithms, and of the grey band where a range has no leader.
function rangeLegend(page, algorithms, ranges) {
  const without = [...new Set(ranges.filter(([leader]) => leader === null).map(([, , , choice]) => choice))];
  const rect = () => svg("rect", { class: "close-band", x: 1, y: 1, width: 21, height: 8, rx: 2 });
  const grey = () => svg("svg", { class: "swatch", width: 24, height: 10, "aria-hidden": "true" }, rect());
  const labels = algorithms.map((algorithm) => algorithmLabel(page, algorithm));
  if (without.length) labels.push(el("span", { class: "algorithm" }, grey(), without.join(" or ")));
  return labels.map((label) => el("li", null, label));
}
