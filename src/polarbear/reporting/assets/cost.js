// The cost of the race, by algorithm, and what it saved.

sections.cost = ({ cost, full, runs, instances, saved }, page) => {
  const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
  byId("cost-text").textContent =
    `${formatCount(sum(runs), "run")} on ${formatCount(instances, "instance")} cost ` +
    `${formatAmount(sum(cost))} ${page.unit}. ` +
    `Running every algorithm to the end on all of them would have cost ${formatAmount(full * cost.length)}: ` +
    `the race saved ${formatPercent(saved, 0)}.`;
  const rows = cost.map((each, k) => [k, each / full, `${formatAmount(each)} (${formatPercent(each / full, 0)})`]);
  byId("cost-bars").replaceChildren(bars(page, `Cost by algorithm, in ${page.unit}`, rows));
};
