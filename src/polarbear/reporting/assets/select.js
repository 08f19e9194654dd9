// The recommendation under a preference and a risk attitude; mirrors polarbear/selection/recommendation.py.

const NEGLIGIBLE = 0.05; // share of the weight at which a candidate may be unobserved, as in Python

// Return the best of the compared portfolios, at most `most` of them; null if the risk attitude requires comparing all
// portfolios and there are too many. Algorithms that were not observed at these budgets are left out; there are no candidates
// if that holds for all.
function select(posterior, { preference, risk, columns: wanted, machines }, most) {
  const { weights, mass } = weightsOf(preference, posterior.grid);
  const columns = wanted.filter((algorithm) => unobservedShare(posterior, weights, algorithm) <= NEGLIGIBLE);
  const notObserved = wanted.filter((algorithm) => !columns.includes(algorithm));
  if (!columns.length) return { candidates: [] };
  const valuation = valuationOf(posterior, weights, columns);
  const exhaustive = canCompareAll(valuation, machines);
  if (!exhaustive && risk.kind === "best") return null;
  const portfolios = exhaustive ? allPortfolios(columns.length, machines) : searchPortfolios(valuation, machines, risk);
  const { scores, expected, probabilityBest, highest } = evaluate(valuation, portfolios, risk, most);
  const order = scores.map((_, place) => place).sort((a, b) => scores[b] - scores[a] || a - b);
  const level = risk.kind === "quantile" ? risk.level : 0.025; // the ends of a 95 % interval
  const values = new Float64Array(posterior.draws);
  const candidates = order.slice(0, most).map((place) => {
    portfolioValues(valuation, portfolios[place], values);
    return {
      members: portfolios[place].flatMap((count, member) => (count > 0 ? [{ algorithm: columns[member], count }] : [])),
      score: scores[place],
      expected: expected[place],
      lower: quantile(values, level),
      upper: quantile(values, 0.975),
      probabilityBest: probabilityBest[place],
      regret: Math.max(highest - expected[place], 0), // rounding could make it negative
    };
  });
  return { candidates, compared: portfolios.length, exhaustive, mass, level, notObserved };
}

// Return the share of the weight at times at which an algorithm was not observed.
function unobservedShare(posterior, weights, algorithm) {
  return weights.reduce((sum, weight, time) => (wasObserved(posterior, time, [algorithm]) ? sum : sum + weight), 0);
}
