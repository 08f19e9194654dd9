// The cost of the race, by algorithm, and what it saved.

function costSection(data, belief) {
  const { race } = data;
  if (!race) {
    byId("cost").remove();
    return;
  }
  const { cost, full, runs, observed, instances, saved } = race.allocation;
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  const spent = sum(cost);
  byId("cost-text").textContent =
    `${several(sum(runs), "run")} on ${several(instances, "instance")} cost ${amount(spent)} ${data.unit}. ` +
    `Running every algorithm to the end on all of them would have cost ${amount(full * cost.length)}: ` +
    `the race saved ${percent(saved, 0)}.`;
  const rows = cost.map((each, k) => [k, each / full, `${amount(each)} (${percent(each / full, 0)})`]);
  byId("cost-bars").replaceChildren(bars(data, `Cost by algorithm, in ${data.unit}`, rows));
  if (observed.every((counts) => counts.every((count) => count === counts[0]))) {
    byId("observed").remove();
    return;
  }
  const { grid } = belief;
  const most = Math.max(...observed.flat());
  chart(byId("observed-chart"), { height: 220, label: () => "Instances observed at each budget" }, (root, width) => {
    const place = frame(width, 220, { left: 48 }, alongGrid(grid), (count) => count / most);
    leftAxis(root, place, evenTicks(0, most, 3), amount);
    observed.forEach((counts, k) => {
      curve(root, data, k, counts.map((count, t) => [place.x(grid.times[t]), place.y(count)]));
    });
    bottomAxis(root, place, timeTicks(grid, width / 70), brief, budgetTitle(data));
  });
}
