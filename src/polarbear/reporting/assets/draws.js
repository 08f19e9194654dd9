// The draws from which the explorer computes, of some algorithms: its columns. Draws of one number at one budget are contiguous.
// Under the default belief they are shares of first places among the columns, and win rates of pairs of those columns that are
// kept; under the paper's priors they are ratings among all algorithms. Shares and ratings are stored as square roots.

// Return a posterior: the grid, the names of the algorithms, the columns, which of them are kept, and the algorithms that are
// the same as one of them, the number of draws, the ratings (budget, column, draw), the win rates (pair, budget, draw) or null, and
// for each column the numbers of comparisons over time, or null if they are unknown.
function unpackPosterior({ grid, names, comparisons }, { columns, kept, same, draws, ratings, rates, refusal }) {
  return {
    grid,
    names: columns.map((algorithm) => names[algorithm]),
    columns,
    kept,
    same,
    draws,
    ratings: Float64Array.from(unpackWords(ratings), (root) => (root / 65535) ** 2),
    rates: rates === null ? null : Float64Array.from(unpackBytes(rates), (byte) => byte / 255),
    refusal,
    comparisons: comparisons && columns.map((algorithm) => comparisons[algorithm]),
  };
}

function unpackBytes(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

// Unpack little-endian numbers of sixteen bits.
function unpackWords(base64) {
  const bytes = unpackBytes(base64);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, i) => bytes[2 * i] + 256 * bytes[2 * i + 1]);
}

// Return what the page holds of each pair of algorithms, as functions: the win rates over time (mean, lower, upper, and the
// probability that it is above one half), and the observed share of wins at a budget with the number of compared instances.
function unpackPairs({ names, grid, sections }) {
  const [bytes, words] = [unpackBytes(sections.pairs.over_time), unpackWords(sections.pairs.observed)];
  const budgets = grid.budgets.length;
  const placeOf = (one, other) => pairPlace(Math.min(one, other), Math.max(one, other), names.length);
  const rates = (one, other) => {
    const [mean, low, high, ahead] = [0, 1, 2, 3].map((quantity) => {
      const start = (4 * placeOf(one, other) + quantity) * budgets;
      if (one === other) return Array(budgets).fill(0.5);
      return Array.from(bytes.subarray(start, start + budgets), (byte) => (one < other ? byte / 255 : 1 - byte / 255));
    });
    return one < other ? { mean, lower: low, upper: high, ahead } : { mean, lower: high, upper: low, ahead };
  };
  const observed = (one, other, budget) => {
    const start = 2 * placeOf(one, other) * budgets + budget;
    const share = words[start] / 65535;
    return { share: one < other ? share : 1 - share, number: words[start + budgets] };
  };
  return { rates, observed };
}

// Return the place of a pair a < b among all pairs of so many algorithms.
function pairPlace(a, b, algorithms) {
  return (a * (2 * algorithms - a - 1)) / 2 + b - a - 1;
}

// Return the draws of the rating of a column at a budget.
function ratingsAt({ ratings, columns, draws }, budget, column) {
  const start = (budget * columns.length + column) * draws;
  return ratings.subarray(start, start + draws);
}

// Return the draws of the win rate of a kept column a over another one b > a at a budget.
function ratesAt({ rates, grid, kept, draws }, budget, a, b) {
  const start = (pairPlace(kept.indexOf(a), kept.indexOf(b), kept.length) * grid.budgets.length + budget) * draws;
  return rates.subarray(start, start + draws);
}

// Return whether all these algorithms, or columns, were observed together with another one at a budget of the grid.
function wasObserved({ comparisons }, budget, each) {
  return !comparisons || each.every((one) => comparisons[one][budget] > 0);
}
