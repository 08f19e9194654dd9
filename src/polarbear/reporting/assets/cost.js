// The cost of the race, by algorithm, and what it saved.

sections.cost = ({ cost, full, runs, instances, saved }, page) => {
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  byId("cost-text").textContent =
    `${formatCount(sum(runs), "run")} on ${formatCount(instances, "instance")} cost ` +
    `${formatCost(sum(cost))} ${page.unit}. ` +
    "Running every algorithm on all of them, until it ends, fails or reaches the last budget, would have cost " +
    `${formatCost(sum(full))}: the race saved ${formatPercent(saved)}. In brackets, the cost of each as a share of that.`;
  const share = (k) => (full[k] > 0 ? cost[k] / full[k] : 0);
  const rows = cost.map((each, k) => [k, share(k), `${formatCost(each)} (${formatPercent(share(k))})`]);
  byId("cost-bars").replaceChildren(bars(page, `Cost by algorithm, in ${page.unit}`, rows));
};
