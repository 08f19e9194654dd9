// Portfolios: several algorithms side by side, an algorithm perhaps on several machines; the twin of
// polarbear/selection/portfolio.py. A portfolio is a list of counts, one for each member; its value is the sum of theirs.

const COMPARED = 30_000_000; // values times four that exhaustive comparison may take, as in Python
const SEARCHED = 10_000_000; // and what first exchanges may take together

// Drawn values of each algorithm under weights over time.
function memberValues(belief, weights, columns) {
  return columns.map((algorithm) => {
    const values = new Float64Array(belief.draws);
    weights.forEach((weight, time) => {
      if (weight === 0) return;
      const ratings = ratingsAt(belief, time, algorithm);
      for (let d = 0; d < values.length; d++) values[d] += weight * ratings[d];
    });
    return values;
  });
}

// Drawn values of one portfolio, written into `values`.
function portfolioValues(members, counts, values) {
  values.fill(0);
  counts.forEach((count, member) => {
    if (count === 0) return;
    const own = members[member];
    for (let d = 0; d < values.length; d++) values[d] += count * own[d];
  });
  return values;
}

function allPortfolios(algorithms, size) {
  const found = [];
  const counts = new Array(algorithms).fill(0);
  const extend = (least, left) => {
    if (left === 0) {
      found.push(counts.slice());
      return;
    }
    for (let member = least; member < algorithms; member++) {
      counts[member]++;
      extend(member, left - 1);
      counts[member]--;
    }
  };
  extend(0, size);
  return found;
}

function fewEnough(algorithms, draws, size) {
  let number = 1;
  for (let k = 1; k <= size; k++) number = (number * (algorithms - 1 + k)) / k;
  return size === 1 || number * Math.max(draws, 1000) * 4 <= COMPARED;
}

// The score of each portfolio, the higher the better; those that are not among the best `kept` may be minus infinity.
function scores(members, portfolios, risk, kept = Infinity) {
  if (risk.kind === "best") return probabilityBest(members, portfolios);
  if (risk.kind === "quantile") return quantileScores(members, portfolios, risk.level, kept);
  const means = members.map(mean);
  const size = portfolios[0].reduce((a, b) => a + b, 0);
  const best = risk.kind === "regret" ? size * mean(highest(members)) : 0;
  return portfolios.map((counts) => counts.reduce((sum, count, member) => sum + count * means[member], 0) - best);
}

function quantileScores(members, portfolios, level, kept) {
  const draws = members[0].length;
  const enough = Math.floor(level * (draws - 1)) + 2; // so many draws below a number put the quantile below it
  const values = new Float64Array(draws);
  const best = []; // scores so far, ascending
  return portfolios.map((counts) => {
    if (!reaches(members, counts, best.length < kept ? -Infinity : best[0], enough, values)) return -Infinity;
    const score = quantile(values, level);
    best.push(score);
    best.sort((a, b) => a - b);
    if (best.length > kept) best.shift();
    return score;
  });
}

// Drawn values of a portfolio; false, and not all of them, as soon as enough of them are below a bar.
function reaches(members, counts, bar, enough, values) {
  const held = members.filter((_, member) => counts[member] > 0);
  const copies = counts.filter((count) => count > 0);
  let below = 0;
  for (let d = 0; d < values.length; d++) {
    let value = 0;
    for (let k = 0; k < held.length; k++) value += copies[k] * held[k][d];
    values[d] = value;
    if (value < bar && ++below >= enough) return false;
  }
  return true;
}

// The highest value of any member in each draw; so many copies of it are the best portfolio there.
function highest(members) {
  return members[0].map((_, d) => members.reduce((most, values) => Math.max(most, values[d]), -Infinity));
}

// In each draw the best portfolios hold nothing but the best member, or members that share the best value; those of the
// portfolios at hand that do share the draw.
function probabilityBest(members, portfolios) {
  const wins = new Map(); // by the members that share the best value, mostly a single one
  const best = highest(members);
  best.forEach((most, d) => {
    const winners = members.flatMap((values, member) => (values[d] === most ? [member] : [])).join();
    wins.set(winners, (wins.get(winners) ?? 0) + 1);
  });
  const result = new Float64Array(portfolios.length);
  for (const [winners, number] of wins) {
    const allowed = new Set(winners.split(",").map(Number));
    const sharing = portfolios.flatMap((counts, place) =>
      counts.every((count, member) => count === 0 || allowed.has(member)) ? [place] : [],
    );
    for (const place of sharing) result[place] += number / sharing.length / best.length;
  }
  return Array.from(result);
}

// Portfolios met by greedy construction and local search from it and from copies of promising algorithms.
function search(members, size, risk) {
  const count = members.length;
  const attitude = risk.kind === "regret" ? { kind: "expected" } : risk; // they rank alike
  const best = (portfolios) => {
    const judged = scores(members, portfolios, attitude, 1);
    const place = argmax(judged);
    return { counts: portfolios[place], score: judged[place] };
  };
  const with_ = (counts, into, number = 1) => counts.map((each, member) => (member === into ? each + number : each));
  const copies = members.map((_, member) => with_(new Array(count).fill(0), member, size));
  const met = new Map(copies.map((counts) => [counts.join(), counts]));
  let greedy = new Array(count).fill(0);
  for (let machine = 0; machine < size; machine++) {
    greedy = best(members.map((_, member) => with_(greedy, member))).counts;
  }
  const worth = scores(members, copies, attitude);
  const promising = copies.map((_, place) => place).sort((a, b) => worth[b] - worth[a] || a - b);
  const exchange = size * members[0].length * count * 4;
  const starts = promising.slice(0, Math.max(1, Math.floor(SEARCHED / exchange))).map((place) => copies[place]);
  for (let current of [greedy, ...starts]) {
    let score = -Infinity;
    for (;;) {
      met.set(current.join(), current);
      const exchanges = current.flatMap((number, out) =>
        number > 0 ? members.map((_, into) => with_(with_(current, out, -1), into)) : [],
      );
      const found = best(exchanges);
      if (!(found.score > score)) {
        for (const counts of exchanges) met.set(counts.join(), counts);
        break;
      }
      [score, current] = [found.score, found.counts];
    }
  }
  return [...met.values()].sort((a, b) => a.reduce((order, count, member) => order || count - b[member], 0));
}

function argmax(values) {
  return values.reduce((best, value, place) => (value > values[best] ? place : best), 0);
}
