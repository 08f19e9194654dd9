// Which algorithms were eliminated and why, and the probabilities behind it round by round.

function eliminationsSection(data) {
  const { race } = data;
  const out = race ? race.eliminations : data.dominated.out;
  const items = out.map((each) => {
    const algorithm = data.names.indexOf(each.name);
    const spent = race && `${several(each.instances, "instance")} and ${amount(each.cost)} ${data.unit}`;
    return el(
      "li",
      { class: "elimination" },
      marked(data, algorithm),
      el(
        "span",
        null,
        race ? `In round ${each.round}, after ${spent}: ` : "",
        el("bdi", { class: "name" }, each.by),
        " beats it on most instances ",
        data.elimination === "joint" ? "at all budgets at once, " : "at each budget, ",
        `with a probability of ${data.elimination === "joint" ? "" : "at least "}${chance(each.probability)}.`,
        race ? ` From the outcomes of these two alone, at the least certain budget: ${chance(each.own)}. ` : "",
        race ? `${each.proof}.` : "",
      ),
    );
  });
  if (race) {
    items.push(
      ...race.removed.map((name) =>
        el("li", { class: "elimination" }, el("bdi", { class: "name" }, name), el("span", null, "Removed by hand.")),
      ),
    );
  }
  if (!items.length) items.push(el("li", null, "None: no algorithm is known to be beaten at every budget."));
  items.push(
    ...data.specialists.map((each) =>
      el("li", { class: "elimination" }, marked(data, data.names.indexOf(each.name)), el("span", null, each.sentence)),
    ),
  );
  byId("eliminations-list").replaceChildren(...items);
  if (race && race.rounds.numbers.length > 1) evolutionChart(data);
  else byId("evolution").remove();
}

// Map a probability to a height: linear up to 0.9, then logarithmic in 1 − p, as in the paper's figure.
function stretched(probability) {
  const knee = 0.55;
  if (probability <= 0.9) return (probability / 0.9) * knee;
  const orders = Math.min(-Math.log10(Math.max(1 - probability, 1e-9)), 3);
  return knee + (1 - knee) * ((orders - 1) / 2);
}

function evolutionChart(data) {
  const { rounds, confidence } = data.race;
  const everybody = data.names.map((_, algorithm) => algorithm);
  const { numbers } = rounds;
  const along = (round) => (round - numbers[0]) / Math.max(numbers[numbers.length - 1] - numbers[0], 1);
  let shown = () => {};
  const label = () => "Probability that each algorithm is beaten, by round";
  chart(byId("evolution-chart"), { height: 360, label }, (root, width) => {
    const place = frame(width, 360, { left: 56, right: 50, top: 24 }, along, stretched);
    leftAxis(root, place, [0, 0.5, 0.9, 0.99, 0.999], (value) => `${rounded(100 * value)}${PERCENT}`);
    const decided = place.y(confidence);
    root.append(svg("line", { class: "threshold", x1: place.left, x2: place.right, y1: decided, y2: decided }));
    const share = (value) => place.bottom - place.height * value;
    const shares = numbers.map((round, k) => [place.x(round), share(rounds.share[k])]);
    root.append(svg("path", { class: "decided", d: path(shares) }));
    for (const value of [0, 0.5, 1]) {
      root.append(svg("text", { class: "label", x: place.right + 10, y: share(value) + 4 }, `${100 * value}${PERCENT}`));
    }
    root.append(svg("text", { class: "title", x: place.right + 40, y: 12, "text-anchor": "end" }, "decided"));
    for (const algorithm of everybody) {
      const known = numbers.flatMap((round, k) => (rounds.threat[algorithm][k] === null ? [] : [k]));
      if (!known.length) continue;
      const at = (k) => [place.x(numbers[k]), place.y(rounds.threat[algorithm][k])];
      const group = curve(root, data, algorithm, known.map(at));
      group.querySelector(".dot")?.setAttribute("r", 2);
      for (const k of known) {
        const [x, y] = at(k);
        if (rounds.eliminated[algorithm][k]) {
          group.append(svg("path", { class: "cross", d: `M${x - 5} ${y - 5}l10 10m0 -10l-10 10` }));
        } else if (rounds.resolved[algorithm][k]) {
          group.append(svg("path", { class: "diamond", d: `M${x} ${y - 6}l6 6l-6 6l-6 -6Z` }));
        }
      }
    }
    const where = { class: "title over", x: place.right - 4, y: decided - 5, "text-anchor": "end" };
    root.append(svg("text", where, `decided from ${rounded(100 * confidence)}${PERCENT}`));
    const most = Math.floor(place.width / 40);
    const ticks = evenTicks(numbers[0], numbers[numbers.length - 1], most).filter(Number.isInteger);
    bottomAxis(root, place, ticks, String, "round");
    queueMicrotask(() => shown());
  });
  shown = legend(byId("evolution-legend"), data, everybody, byId("evolution"));
}
