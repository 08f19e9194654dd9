// Which algorithm at which budget: a band of leaders, and the probability of being the best.

sections.best_by_budget = ({ columns, times, probability, leads, changes }, page) => {
  const { grid } = page;
  chart(byId("best-chart"), { height: 300, label: () => `Best choice at each budget. ${page.leaders}` }, (root, width) => {
    const area = frame(width, 300, { top: 52, left: 48 }, alongGrid(grid), (share) => share);
    drawLeaders(root, area, leads, page);
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
  else byId("leader-changes-list").replaceChildren(...changes.map((change) => leaderChange(change, page)));
};

// Draw a band above the chart that is coloured by the leader, with its name where there is room.
function drawLeaders(root, area, leads, page) {
  for (const [algorithm, start, stop] of leads) {
    const alone = start === page.grid.first && stop === page.grid.last;
    const from = alone ? area.left : area.x(start);
    const width = alone ? area.width : Math.max(area.x(stop) - from, 2);
    const look = { x: from, y: 28, width: Math.max(width - 2, 1), height: 12, rx: 2, "--c": page.looks[algorithm][0] };
    root.append(svg("rect", { class: "leader-band", ...look }));
    const letters = Math.floor(width / (1.2 * LETTER)); // bold letters are wider
    if (letters >= 4) {
      const name = shorten(page.names[algorithm], letters);
      root.append(svg("text", { class: "label strong", x: from + (alone ? 0 : 1), y: 20 }, name));
    }
  }
}

function leaderChange({ before, after, time, lower, upper }, page) {
  const [about, least, most] = [time, lower, upper].map((each) => formatAmount(round(each)));
  return el(
    "li",
    null,
    nameElement(after),
    " overtakes ",
    nameElement(before),
    ` at about ${about} ${page.unit}`.trimEnd(),
    `, between ${least} and ${most} with a probability of 90${PERCENT}.`,
  );
}
