// Values: what counts under weights of the budgets, in each draw; mirrors polarbear/selection/criterion.py.

// Return win rates of some columns against their strongest rivals: in each draw the minimum over rivals of the weighted rate.
function rivalValues(posterior, weights, columns) {
  const lowest = columns.map(() => new Float64Array(posterior.draws).fill(1));
  for (let j = 1; j < columns.length; j++) {
    for (let i = 0; i < j; i++) {
      const rates = weightedSum(posterior, weights, (time) => ratesAt(posterior, time, columns[i], columns[j]));
      for (let d = 0; d < rates.length; d++) {
        lowest[i][d] = Math.min(lowest[i][d], rates[d]);
        lowest[j][d] = Math.min(lowest[j][d], 1 - rates[d]);
      }
    }
  }
  return lowest;
}

// Return weighted ratings of some columns, or shares of first places among them.
function ratingValues(posterior, weights, columns) {
  return columns.map((column) => weightedSum(posterior, weights, (time) => firstPlacesAt(posterior, time, column, columns)));
}

// Return the draws of Σ w(t) x(t), where `drawsAt` gives those of x(t).
function weightedSum({ draws }, weights, drawsAt) {
  const sum = new Float64Array(draws);
  weights.forEach((weight, time) => {
    if (weight === 0) return;
    const numbers = drawsAt(time);
    for (let d = 0; d < draws; d++) sum[d] += weight * numbers[d];
  });
  return sum;
}

// Return the draws of a rating at a time. The page holds shares of first places among all its columns; if only some of them
// were observed, they are divided by the sum of theirs.
function firstPlacesAt(posterior, time, column, columns) {
  const own = ratingsAt(posterior, time, column);
  if (!posterior.rates) return own;
  const all = columns.map((each) => ratingsAt(posterior, time, each));
  return own.map((share, d) => share / (all.reduce((sum, each) => sum + each[d], 0) || 1));
}

// Return the expected value of each algorithm at each time, and the ends of its interval; null where it was not observed.
// Rivals are those that were observed at the same time; win rates are those of kept columns.
function curvesOf(posterior) {
  const { grid, columns, kept, rates } = posterior;
  const empty = () => Object.fromEntries(columns.map((algorithm) => [algorithm, grid.budgets.map(() => null)]));
  const curves = { mean: empty(), lower: empty(), upper: empty() };
  grid.budgets.forEach((_, time) => {
    const known = (rates ? kept : [...columns.keys()]).filter((column) => wasObserved(posterior, time, [column]));
    const weights = grid.budgets.map((_, other) => Number(other === time));
    (rates ? rivalValues : ratingValues)(posterior, weights, known).forEach((values, k) => {
      const algorithm = columns[known[k]];
      curves.mean[algorithm][time] = mean(values);
      curves.lower[algorithm][time] = quantile(values, TAIL);
      curves.upper[algorithm][time] = quantile(values, 1 - TAIL);
    });
  });
  return curves;
}
