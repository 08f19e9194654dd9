// The cost of the race, by algorithm, and what it saved.

sections.cost = ({ cost, full, runs, instances, saved }, page) => {
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  byId("cost-text").textContent =
    `${formatCount(sum(runs), "run")} on ${formatCount(instances, "instance")} cost ` +
    `${formatCost(sum(cost))} ${page.unit}. ` +
    `Running every algorithm to the end on all of them would have cost ${formatCost(full * cost.length)}: ` +
    `the race saved ${formatPercent(saved)}. In brackets, the cost of each as a share of running it to the end on all.`;
  const rows = cost.map((each, k) => [k, each / full, `${formatCost(each)} (${formatPercent(each / full)})`]);
  byId("cost-bars").replaceChildren(bars(page, `Cost by algorithm, in ${page.unit}`, rows));
};
