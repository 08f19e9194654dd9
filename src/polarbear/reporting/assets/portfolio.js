// Portfolios: several algorithms, or copies of one, that run side by side; mirrors polarbear/selection/portfolio.py.
// A portfolio is a list of counts k, one per candidate. Its value at a time is the probability that its best member comes
// first: s = Σ k θ if all members are different. With copies it is s / (s + r) under Plackett-Luce, where r is the sum of
// the other ratings. Ratings sum to one, so s + r = 1 + Σ (k − 1) θ over the members. Where repeated runs measure copies,
// which takes more data than the page holds, its portfolios have none.

const COMPARISON_LIMIT = 30_000_000; // limit of exhaustive comparison in curve points, as in Python
const VALUE_POINTS = 4; // cost of one value in curve points
const SEARCH_LIMIT = 10_000_000; // limit of the first exchanges of local search in curve points

// Return what the values of portfolios are computed from: draws of each candidate's value, and ratings at weighted times.
function valuationOf(posterior, weights, columns) {
  const used = Array.from(weights.keys()).filter((time) => weights[time] !== 0);
  const times = used.map((time) => ({
    weight: weights[time],
    ratings: columns.map((algorithm) => ratingsAt(posterior, time, algorithm)),
  }));
  const members = columns.map((_, member) => {
    const values = new Float64Array(posterior.draws);
    for (const { weight, ratings } of times) {
      const own = ratings[member];
      for (let d = 0; d < values.length; d++) values[d] += weight * own[d];
    }
    return values;
  });
  const span = used[used.length - 1] - used[0] + 1;
  const allAlgorithms = columns.length === posterior.algorithms;
  return { members, times, span, draws: posterior.draws, allAlgorithms, parts: new Map() };
}

// Write draws of the value of one portfolio into `values`: Σ θ over its different members, or (Σ θ + e) / (1 + e) where
// additional copies contribute e = Σ (k − 1) θ.
function portfolioValues(valuation, counts, values) {
  // A portfolio of all algorithms always comes first: its value is exactly 1, without rounding errors, so that these tie.
  if (valuation.allAlgorithms && counts.length > 1 && counts.every((count) => count > 0)) return values.fill(1);
  const distinct = counts.flatMap((count, member) => (count > 0 ? [member] : []));
  const { additional, members } = distinct.every((member) => counts[member] === 1)
    ? { additional: null, members: valuation.members }
    : partsOf(valuation, counts, distinct);
  if (additional) values.set(additional);
  else values.fill(0);
  for (const member of distinct) {
    const own = members[member];
    for (let d = 0; d < values.length; d++) values[d] += own[d];
  }
  // The value of a single algorithm is its rating. Rounded ratings of several can sum to slightly more than one.
  if (distinct.length > 1) for (let d = 0; d < values.length; d++) values[d] = Math.min(values[d], 1);
  return values;
}

// Return averages over time of e / (1 + e) and of each member's θ / (1 + e), cached by the additional copies.
function partsOf(valuation, counts, distinct) {
  const size = counts.reduce((a, b) => a + b, 0);
  const key = `${size}:${counts.map((count) => Math.max(count - 1, 0))}`;
  const known = valuation.parts.get(key);
  if (known) return known;
  const copied = distinct.filter((member) => counts[member] > 1);
  // A portfolio whose members all have copies needs only these members.
  const needed = copied.length === distinct.length ? copied : Array.from(counts.keys());
  const { draws, times } = valuation;
  const additional = new Float64Array(draws);
  const members = counts.map(() => null);
  for (const member of needed) members[member] = new Float64Array(draws);
  const [extra, share] = [new Float64Array(draws), new Float64Array(draws)];
  for (const { weight, ratings } of times) {
    extra.fill(0);
    for (const member of copied) {
      const own = ratings[member];
      for (let d = 0; d < draws; d++) extra[d] += (counts[member] - 1) * own[d];
    }
    for (let d = 0; d < draws; d++) share[d] = weight / (1 + extra[d]);
    for (let d = 0; d < draws; d++) additional[d] += share[d] * extra[d];
    for (const member of needed) {
      const [own, sum] = [ratings[member], members[member]];
      for (let d = 0; d < draws; d++) sum[d] += share[d] * own[d];
    }
  }
  const parts = { additional, members };
  valuation.parts.set(key, parts);
  return parts;
}

// Return all portfolios of a size, with at most `most` copies of each algorithm.
function allPortfolios(algorithms, size, most = size) {
  const portfolios = [];
  const counts = new Array(algorithms).fill(0);
  const extend = (least, left) => {
    if (left === 0) {
      portfolios.push(counts.slice());
      return;
    }
    for (let member = least; member < algorithms; member++) {
      if (counts[member] === most) continue;
      counts[member]++;
      extend(member, left - 1);
      counts[member]--;
    }
  };
  extend(0, size);
  return portfolios;
}

// Return the cost of the values of `portfolios` portfolios in curve points, `withCopies` of them with copies.
function curvePoints({ span, draws }, portfolios, withCopies) {
  return Math.max(draws, 1000) * (VALUE_POINTS * portfolios + withCopies * span);
}

// Return whether all portfolios of a size, with at most `most` copies of each algorithm, can be compared within the limit.
function canCompareAll(valuation, size, most) {
  const algorithms = valuation.members.length;
  let [all, different] = [1, 1];
  for (let k = 1; k <= size; k++) {
    all = (all * (algorithms - 1 + k)) / k;
    different = (different * (algorithms + 1 - k)) / k;
  }
  const number = most === 1 ? different : all;
  return size === 1 || curvePoints(valuation, number, number - different) <= COMPARISON_LIMIT;
}

// Return scores of the portfolios (higher is better), their expected values and their probabilities of being the best.
// Scores that are not among the best `top` may be minus infinity.
function evaluate(valuation, portfolios, risk, top = Infinity) {
  const { draws } = valuation;
  const values = new Float64Array(draws);
  const records = new Float64Array(draws).fill(-Infinity); // the highest value in each draw
  const holders = Array.from({ length: draws }, () => []); // the portfolios that attain it
  const quantileOf = boundedQuantile(draws, risk.level, top);
  const expected = [];
  const scores = portfolios.map((counts, place) => {
    portfolioValues(valuation, counts, values);
    for (let d = 0; d < draws; d++) {
      if (values[d] > records[d]) {
        records[d] = values[d];
        holders[d].length = 0;
      }
      if (values[d] === records[d]) holders[d].push(place);
    }
    expected.push(mean(values));
    return risk.kind === "quantile" ? quantileOf(values) : expected[place];
  });
  const probabilityBest = new Array(portfolios.length).fill(0);
  for (const places of holders) for (const place of places) probabilityBest[place] += 1 / places.length / draws;
  const highest = mean(records);
  const scoresByKind = { regret: () => expected.map((each) => each - highest), best: () => probabilityBest };
  return { scores: scoresByKind[risk.kind]?.() ?? scores, expected, probabilityBest, highest };
}

// Return a function that computes the quantile of one set of values after another; it returns minus infinity for a quantile
// that is certainly not among the best `top`.
function boundedQuantile(draws, level, top) {
  const enough = Math.floor(level * (draws - 1)) + 2; // with this many draws below a number, the quantile is below it
  const best = []; // scores so far, ascending
  return (values) => {
    if (best.length >= top) {
      let below = 0;
      for (let d = 0; d < draws; d++) below += values[d] < best[0];
      if (below >= enough) return -Infinity;
    }
    const score = quantile(values, level);
    best.push(score);
    best.sort((a, b) => a - b);
    if (best.length > top) best.shift();
    return score;
  };
}

// Return only the scores, by expected value or by quantile.
function scoresOf(valuation, portfolios, risk, top = Infinity) {
  const values = new Float64Array(valuation.draws);
  const score = risk.kind === "quantile" ? boundedQuantile(valuation.draws, risk.level, top) : mean;
  return portfolios.map((counts) => score(portfolioValues(valuation, counts, values)));
}

// Return the portfolios visited by a greedy construction, and by local search from it and from copies of single algorithms;
// none has more than `most` copies of an algorithm.
function searchPortfolios(valuation, size, risk, most) {
  const { members } = valuation;
  const count = members.length;
  const attitude = risk.kind === "regret" ? { kind: "expected" } : risk; // both give the same order
  const best = (portfolios) => {
    const scores = scoresOf(valuation, portfolios, attitude, 1);
    const place = argmax(scores);
    return { counts: portfolios[place], score: scores[place] };
  };
  const add = (counts, into, number = 1) => counts.map((each, member) => (member === into ? each + number : each));
  const isAllowed = (counts) => counts.every((each) => each <= most);
  const copies = members.map((_, member) => add(new Array(count).fill(0), member, size)).filter(isAllowed);
  const visited = new Map(copies.map((counts) => [counts.join(), counts]));
  let greedy = new Array(count).fill(0);
  for (let machine = 0; machine < size; machine++) {
    greedy = best(members.map((_, member) => add(greedy, member)).filter(isAllowed)).counts;
  }
  const copyScores = scoresOf(valuation, copies, attitude);
  const promising = copies.map((_, place) => place).sort((a, b) => copyScores[b] - copyScores[a] || a - b);
  const exchange = curvePoints(valuation, size * count, size * count);
  const starts = promising.slice(0, Math.max(1, Math.floor(SEARCH_LIMIT / exchange))).map((place) => copies[place]);
  for (let current of [greedy, ...starts]) {
    let score = -Infinity;
    for (;;) {
      visited.set(current.join(), current);
      const exchanges = current
        .flatMap((number, from) => (number > 0 ? members.map((_, into) => add(add(current, from, -1), into)) : []))
        .filter(isAllowed);
      const next = best(exchanges);
      if (!(next.score > score)) {
        for (const counts of exchanges) visited.set(counts.join(), counts);
        break;
      }
      [score, current] = [next.score, next.counts];
    }
  }
  return [...visited.values()].sort((a, b) => a.reduce((order, count, member) => order || count - b[member], 0));
}

function argmax(values) {
  return values.reduce((best, value, place) => (value > values[best] ? place : best), 0);
}
