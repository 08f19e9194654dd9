// Which algorithms were eliminated and why, and the probabilities behind it round by round.

sections.eliminations = (data, page) => {
  const { eliminated, removed, specialists, rounds } = data;
  const items = [
    ...eliminated.map((each) => labelledItem(page, each.name, ...reasons(each, data.rule, page.unit))),
    ...removed.map((name) => labelledItem(page, name, "Removed by hand.")),
  ];
  if (!items.length) items.push(el("li", null, "None: no algorithm is known to be beaten at every budget."));
  items.push(...specialists.map(({ name, sentence }) => labelledItem(page, name, sentence)));
  byId("eliminations-list").replaceChildren(...items);
  if (rounds && rounds.numbers.length > 1) evolutionChart(data, page);
  else byId("evolution").remove();
};

// Build a list item: an algorithm on the left, text about it on the right. A removed algorithm may not have run.
function labelledItem(page, name, ...text) {
  const algorithm = page.names.indexOf(name);
  const label = algorithm < 0 ? nameElement(name) : algorithmLabel(page, algorithm);
  return el("li", { class: "elimination" }, label, el("span", null, ...text));
}

// Return why an algorithm was eliminated; an elimination without a race has no round.
function reasons({ by, probability, round, instances, cost, pair_check, proof }, rule, unit) {
  const inRace = round !== undefined;
  const spent = inRace && `${formatCount(instances, "instance")} and ${formatAmount(cost)} ${unit}`;
  const sure = formatProbability(probability);
  return [
    inRace ? `In round ${round}, after ${spent}: ` : "",
    nameElement(by),
    " beats it on most instances ",
    rule === "joint" ? "at all budgets at once, with a probability of " : "at each budget, with a probability of at least ",
    `${sure}.`,
    ...(inRace
      ? [
          " From the outcomes of these two algorithms alone, at the least certain budget: ",
          `${formatProbability(pair_check)}. ${proof}.`,
        ]
      : []),
  ];
}

// Map a probability to a height: linear up to 0.9, then logarithmic in 1 − p, as in the paper's figure.
function stretch(probability) {
  const knee = 0.55;
  if (probability <= 0.9) return (probability / 0.9) * knee;
  const orders = Math.min(-Math.log10(Math.max(1 - probability, 1e-9)), 3);
  return knee + (1 - knee) * ((orders - 1) / 2);
}

function evolutionChart({ rounds, confidence }, page) {
  const { numbers } = rounds;
  const [firstRound, lastRound] = [numbers[0], numbers[numbers.length - 1]];
  const algorithms = page.names.map((_, algorithm) => algorithm);
  const along = (number) => (number - firstRound) / Math.max(lastRound - firstRound, 1);
  let highlight = () => {};
  const label = () => "Probability that each algorithm is beaten, by round";
  chart(byId("evolution-chart"), { height: 360, label }, (root, width) => {
    const area = frame(width, 360, { left: 56, right: 50, top: 24 }, along, stretch);
    leftAxis(root, area, [0, 0.5, 0.9, 0.99, 0.999], formatShare);
    const threshold = area.y(confidence);
    root.append(svg("line", { class: "threshold", x1: area.left, x2: area.right, y1: threshold, y2: threshold }));
    drawDecidedShare(root, area, rounds);
    for (const algorithm of algorithms) drawThreat(root, area, algorithm, rounds, page);
    const where = { class: "title halo", x: area.right - 4, y: threshold - 5, "text-anchor": "end" };
    root.append(svg("text", where, `decided from ${formatShare(confidence)}`));
    const ticks = evenTicks(firstRound, lastRound, Math.floor(area.width / 40)).filter(Number.isInteger);
    bottomAxis(root, area, ticks, String, "round");
    queueMicrotask(() => highlight());
  });
  highlight = legend(byId("evolution-legend"), page, algorithms, byId("evolution"));
}

// Draw the share of decided pairs and budgets, on a linear axis of its own at the right.
function drawDecidedShare(root, area, { numbers, share }) {
  const height = (value) => area.bottom - area.height * value;
  root.append(svg("path", { class: "dotted", d: path(numbers.map((number, k) => [area.x(number), height(share[k])])) }));
  for (const value of [0, 0.5, 1]) {
    root.append(svg("text", { class: "label", x: area.right + 10, y: height(value) + 4 }, formatShare(value)));
  }
  root.append(svg("text", { class: "title", x: area.right + 40, y: 12, "text-anchor": "end" }, "decided"));
}

// Draw the probability that an algorithm is beaten, with a mark where it was eliminated or decided to stay.
function drawThreat(root, area, algorithm, { numbers, threat, eliminated, resolved }, page) {
  const known = numbers.flatMap((_, k) => (threat[algorithm][k] === null ? [] : [k]));
  if (!known.length) return;
  const at = (k) => [area.x(numbers[k]), area.y(threat[algorithm][k])];
  const group = curve(root, page, algorithm, known.map(at));
  group.querySelector(".dot")?.setAttribute("r", 2);
  for (const k of known) {
    const [x, y] = at(k);
    if (eliminated[algorithm][k]) {
      group.append(svg("path", { class: "cross", d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` }));
    } else if (resolved[algorithm][k]) {
      group.append(svg("path", { class: "diamond", d: `M${x} ${y - 6}l6 6l-6 6l-6 -6Z` }));
    }
  }
}
