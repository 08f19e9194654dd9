// Values: what counts under weights of the budgets, in each draw; mirrors polarbear/selection/criterion.py.

// Return win rates of some columns against their strongest rivals: in each draw the minimum over rivals of the weighted rate.
function rivalValues(posterior, weights, columns) {
  const lowest = columns.map(() => new Float64Array(posterior.draws).fill(1));
  for (let j = 1; j < columns.length; j++) {
    for (let i = 0; i < j; i++) {
      const rates = weightedSum(posterior, weights, (budget) => ratesAt(posterior, budget, columns[i], columns[j]));
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
  return columns.map((column) => weightedSum(posterior, weights, (budget) => firstPlacesAt(posterior, budget, column, columns)));
}

// Return the draws of Σ w(t) x(t), where `drawsAt` gives those of x(t).
function weightedSum({ draws }, weights, drawsAt) {
  const sum = new Float64Array(draws);
  weights.forEach((weight, budget) => {
    if (weight === 0) return;
    const numbers = drawsAt(budget);
    for (let d = 0; d < draws; d++) sum[d] += weight * numbers[d];
  });
  return sum;
}

// Return the draws of a rating at a budget. The page holds shares of first places among all its columns; if only some of them
// were observed, they are divided by the sum of theirs.
function firstPlacesAt(posterior, budget, column, columns) {
  const own = ratingsAt(posterior, budget, column);
  if (!posterior.rates) return own;
  const all = columns.map((each) => ratingsAt(posterior, budget, each));
  return own.map((share, d) => share / (all.reduce((sum, each) => sum + each[d], 0) || 1));
}

// Return the expected value of each algorithm at each budget, and the ends of its interval; null where it was not observed.
// Rivals are those that were observed at the same budget; win rates are those of kept columns.
function curvesOf(posterior) {
  const { grid, columns, kept, rates } = posterior;
  const empty = () => Object.fromEntries(columns.map((algorithm) => [algorithm, grid.budgets.map(() => null)]));
  const curves = { mean: empty(), lower: empty(), upper: empty() };
  grid.budgets.forEach((_, budget) => {
    const known = (rates ? kept : [...columns.keys()]).filter((column) => wasObserved(posterior, budget, [column]));
    const weights = grid.budgets.map((_, other) => Number(other === budget));
    (rates ? rivalValues : ratingValues)(posterior, weights, known).forEach((values, k) => {
      const algorithm = columns[known[k]];
      curves.mean[algorithm][budget] = mean(values);
      curves.lower[algorithm][budget] = quantile(values, TAIL);
      curves.upper[algorithm][budget] = quantile(values, 1 - TAIL);
    });
  });
  return curves;
}
