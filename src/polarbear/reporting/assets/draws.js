// The embedded draws. Ratings are stored as square roots in sixteen bits, so that small ones keep their digits. The order is
// (time, algorithm, draw), so that the draws of one algorithm at one time are contiguous.

// Return the posterior from which the explorer computes: the grid, the numbers of algorithms and draws, the ratings, the
// numbers of comparisons (null if unknown), whether portfolios may hold copies, and a function that gives their win rates.
function unpackPosterior({ grid, names, comparisons }, { draws, packed, portfolios, copies }) {
  const bytes = unpackBytes(packed);
  const view = new DataView(bytes.buffer);
  const ratings = new Float64Array(bytes.length / 2);
  for (let i = 0; i < ratings.length; i++) {
    const root = view.getUint16(2 * i, true) / 65535;
    ratings[i] = root * root;
  }
  const posterior = { grid, algorithms: names.length, draws, ratings, comparisons, copies };
  return { ...posterior, portfolioWinRate: portfolioWinRates(posterior, portfolios) };
}

function unpackBytes(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

// Return the draws of the rating of one algorithm at one time.
function ratingsAt(posterior, time, algorithm) {
  const column = posterior.columns ? posterior.columns.indexOf(algorithm) : algorithm; // a group holds the candidates only
  const start = (time * posterior.algorithms + column) * posterior.draws;
  return posterior.ratings.subarray(start, start + posterior.draws);
}

// Return whether all these algorithms were observed together with another one at a time of the grid.
function wasObserved({ comparisons }, time, algorithms) {
  return !comparisons || algorithms.every((algorithm) => comparisons[algorithm][time] > 0);
}
