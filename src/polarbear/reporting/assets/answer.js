// Which algorithm at which budget: a band of leaders, and the probability of being the best.

function answerSection(data, belief) {
  byId("advice").textContent = data.advice;
  const { columns, probability, leads, crossings } = data.best;
  const { grid } = belief;
  const title = budgetTitle(data);
  chart(byId("best-chart"), { height: 300, label: () => `Best choice at each budget. ${data.advice}` }, (root, width) => {
    const place = frame(width, 300, { top: 52, left: 48 }, alongGrid(grid), (share) => share);
    for (const [algorithm, start, stop] of leads) {
      const [from, to] = [place.x(start), Math.max(place.x(stop), place.x(start) + 2)];
      const wide = leads.length === 1 ? place.width : to - from;
      root.append(
        svg("rect", {
          class: "lead-band",
          x: leads.length === 1 ? place.left : from,
          y: 28,
          width: Math.max(wide - 2, 1),
          height: 12,
          rx: 2,
          "--c": data.looks[algorithm][0],
        }),
      );
      const letters = Math.floor(wide / (1.2 * LETTER)); // bold letters are wider
      if (letters >= 4) {
        const name = shortened(data.names[algorithm], letters);
        root.append(svg("text", { class: "label strong", x: from + (leads.length === 1 ? 0 : 1), y: 20 }, name));
      }
    }
    leftAxis(root, place, [0, 0.5, 1], (share) => `${100 * share}${PERCENT}`);
    const times = grid.times.length > 1 ? grid.times : [grid.first, grid.first];
    const xs = grid.times.length > 1 ? times.map(place.x) : [place.left, place.right];
    let below = xs.map(() => 0);
    columns.forEach((algorithm, row) => {
      const above = below.map((height, t) => Math.min(1, height + (probability[row][t] ?? probability[row][0])));
      const upper = xs.map((x, t) => [x, place.y(above[t])]);
      const lower = xs.map((x, t) => [x, place.y(below[t])]).reverse();
      root.append(
        svg(
          "path",
          { class: "area", d: `${path([...upper, ...lower])}Z`, "--c": data.looks[algorithm][0] },
          svg("title", null, data.names[algorithm]),
        ),
      );
      below = above;
    });
    bottomAxis(root, place, timeTicks(grid, width / 70), brief, title);
  });
  byId("best-legend").replaceChildren(...columns.map((algorithm) => el("li", null, marked(data, algorithm))));
  if (!crossings.length) byId("crossings").remove();
  else byId("crossings-list").replaceChildren(
    ...crossings.map((each) =>
      el(
        "li",
        null,
        el("bdi", { class: "name" }, each.after),
        " overtakes ",
        el("bdi", { class: "name" }, each.before),
        ` at about ${amount(rounded(each.time))} ${data.unit}`.trimEnd(),
        `, between ${amount(rounded(each.lower))} and ${amount(rounded(each.upper))} with a probability of 90 %.`,
      ),
    ),
  );
}

function budgetTitle(data) {
  return data.unit ? `budget in ${data.unit}` : "budget";
}
