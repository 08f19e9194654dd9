// The cost of the race, by algorithm, and what it saved.

sections.cost = ({ cost, full, runs, observed, instances, saved }, page) => {
  const { grid } = page;
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  byId("cost-text").textContent =
    `${formatCount(sum(runs), "run")} on ${formatCount(instances, "instance")} cost ` +
    `${formatAmount(sum(cost))} ${page.unit}. ` +
    `Running every algorithm to the end on all of them would have cost ${formatAmount(full * cost.length)}: ` +
    `the race saved ${formatPercent(saved, 0)}.`;
  const rows = cost.map((each, k) => [k, each / full, `${formatAmount(each)} (${formatPercent(each / full, 0)})`]);
  byId("cost-bars").replaceChildren(bars(page, `Cost by algorithm, in ${page.unit}`, rows));
  if (observed.every((counts) => counts.every((count) => count === counts[0]))) {
    byId("observed").remove();
    return;
  }
  const most = Math.max(...observed.flat());
  chart(byId("observed-chart"), { height: 220, label: () => "Instances observed at each budget" }, (root, width) => {
    const area = frame(width, 220, { left: 48 }, alongGrid(grid), (count) => count / most);
    leftAxis(root, area, evenTicks(0, most, 3), formatAmount);
    observed.forEach((counts, k) => {
      curve(root, page, k, counts.map((count, t) => [area.x(grid.times[t]), area.y(count)]));
    });
    budgetAxis(root, area, page);
  });
};
