// The probabilities by which algorithms are dropped, round by round.

function evolutionChart({ rounds, confidence }, page) {
  const { numbers } = rounds;
  const [firstRound, lastRound] = [numbers[0], numbers[numbers.length - 1]];
  const algorithms = page.names.map((_, algorithm) => algorithm);
  const along = (number) => (number - firstRound) / Math.max(lastRound - firstRound, 1);
  let highlight = () => {};
  const label = () => "Probability that each algorithm is beaten, by round";
  chart(byId("evolution-chart"), { height: 360, label }, (root, width) => {
    const area = frame(width, 360, { left: 56, right: 50, top: 34 }, along, (probability) => probability);
    leftAxis(root, area, [0, 0.25, 0.5, 0.75, 1], formatShare);
    drawThreshold(root, area, confidence);
    drawDecidedShare(root, area, rounds);
    for (const algorithm of algorithms) drawThreat(root, area, algorithm, rounds, page);
    const ticks = evenTicks(firstRound, lastRound, Math.floor(area.width / 40)).filter(Number.isInteger);
    bottomAxis(root, area, ticks, String, "round");
    queueMicrotask(() => highlight());
  });
  highlight = legend(byId("evolution-legend"), page, algorithms, byId("evolution"));
}

// Draw the probability from which a pair is decided. Its label stands above the chart, where no curve can reach it.
function drawThreshold(root, area, confidence) {
  const y = area.y(confidence);
  root.append(
    svg("line", { class: "threshold", x1: area.left, x2: area.right, y1: y, y2: y }),
    svg("line", { class: "threshold", x1: area.left, x2: area.left + 22, y1: 8, y2: 8 }),
    svg("text", { class: "title", x: area.left + 28, y: 12 }, `decided from ${formatShare(confidence)}`),
  );
}

// Draw the share of decided pairs and budgets, on a linear axis of its own at the right.
function drawDecidedShare(root, area, { numbers, share }) {
  const height = (value) => area.bottom - area.height * value;
  root.append(svg("path", { class: "dotted", d: path(numbers.map((number, k) => [area.x(number), height(share[k])])) }));
  for (const value of [0, 0.5, 1]) {
    root.append(svg("text", { class: "label", x: area.right + 10, y: height(value) + 4 }, formatShare(value)));
  }
  root.append(svg("text", { class: "title", x: area.right + 46, y: 12, "text-anchor": "end" }, "share decided (dotted)"));
}

// Draw the probability that an algorithm is beaten, with a mark where it was dropped or decided to stay.
function drawThreat(root, area, algorithm, { numbers, threat, dropped, decided }, page) {
  const known = numbers.flatMap((_, k) => (threat[algorithm][k] === null ? [] : [k]));
  if (!known.length) return;
  const at = (k) => [area.x(numbers[k]), area.y(threat[algorithm][k])];
  const group = curve(root, page, algorithm, known.map(at));
  group.querySelector(".dot")?.setAttribute("r", 2);
  for (const k of known) {
    const [x, y] = at(k);
    if (dropped[algorithm][k]) {
      group.append(svg("path", { class: "cross", d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` }));
    } else if (decided[algorithm][k]) {
      group.append(svg("path", { class: "diamond", d: `M${x} ${y - 6}l6 6l-6 6l-6 -6Z` }));
    }
  }
}
