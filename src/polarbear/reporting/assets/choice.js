// The recommendation under a preference and a risk attitude; mirrors polarbear/selection/recommendation.py.

// Return the best of the compared portfolios, at most `shown` of them; null if the query requires comparing all portfolios
// and there are too many.
function choose(belief, { preference, risk, columns, machines }, shown) {
  const { weights, mass } = weightsOf(preference, belief.grid);
  const valuation = valuationOf(belief, weights, columns);
  const exhaustive = fewEnough(valuation, machines);
  if (!exhaustive && risk.kind === "best") return null;
  const portfolios = exhaustive ? allPortfolios(columns.length, machines) : search(valuation, machines, risk);
  const { scores, expected, best, highest } = judged(valuation, portfolios, risk, shown);
  const order = scores.map((_, place) => place).sort((a, b) => scores[b] - scores[a] || a - b);
  const level = risk.kind === "quantile" ? risk.level : 0.05;
  const values = new Float64Array(belief.draws);
  const candidates = order.slice(0, shown).map((place) => {
    portfolioValues(valuation, portfolios[place], values);
    return {
      members: portfolios[place].flatMap((count, member) => (count > 0 ? [{ algorithm: columns[member], count }] : [])),
      score: scores[place],
      expected: expected[place],
      lower: quantile(values, level),
      upper: quantile(values, 0.95),
      probabilityBest: best[place],
      regret: Math.max(highest - expected[place], 0), // rounding could make it negative
    };
  });
  return { candidates, compared: portfolios.length, exhaustive, weights, mass, level };
}
